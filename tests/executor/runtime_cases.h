/* SPDX-License-Identifier: Apache-2.0 */
/* Products of every family on the runtime that counts (fake_runtime.h). */
#ifndef RUNTIME_CASES_H
#define RUNTIME_CASES_H

#include <spmm/spmm.h>

/* A product, and what each call of spmm_execute but the first asks the runtime, beside one cudaGetDevice. */
struct runtime_case {
    const char *matrix, *kernel; /* of a generator; that is forced */
    spmm_dtype_t dtype;
    spmm_layout_t layout; /* of B and C */
    int64_t n;
    double beta;
    int launches, maps, others; /* as of struct fake_runtime */
};
extern const struct runtime_case runtime_cases[];
extern const int runtime_case_count;

/* Made ready. B, C and the workspace have addresses without memory, which nobody reads. */
struct runtime_product {
    spmm_executor_t *executor;
    spmm_dense_t b, c;
    spmm_scalar_t beta;
    void *workspace;
    uint64_t workspace_bytes;
    char name[160];
};

/* Ends the program where the case cannot run. */
void runtime_product_make(const struct runtime_case *of, struct runtime_product *product);
spmm_status_t runtime_product_run(const struct runtime_product *product);
void runtime_product_free(struct runtime_product *product);

#endif
