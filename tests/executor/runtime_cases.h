/* SPDX-License-Identifier: Apache-2.0 */
/* Products of every family that run on the counting runtime of fake_runtime.h. */
#ifndef RUNTIME_CASES_H
#define RUNTIME_CASES_H

#include <spmm/spmm.h>

/* A product, and the runtime calls that each spmm_execute makes after the first one, besides one
 * cudaGetDevice. */
struct runtime_case {
    const char *matrix, *kernel; /* generator string of A; kernel that is forced */
    spmm_dtype_t dtype;
    spmm_layout_t layout; /* of B and C */
    int64_t n;
    double beta;
    int launches, maps, others; /* counts as in struct fake_runtime */
};
extern const struct runtime_case runtime_cases[];
extern const int runtime_case_count;

/* A product that is ready to run. The addresses of B, C and the workspace have no memory, and nothing
 * accesses them. */
struct runtime_product {
    spmm_executor_t *executor;
    spmm_dense_t b, c;
    spmm_scalar_t beta;
    void *workspace;
    uint64_t workspace_bytes;
    char name[160];
};

/* Makes the product of a case. Ends the program if the case cannot run. */
void runtime_product_make(const struct runtime_case *of, struct runtime_product *product);
spmm_status_t runtime_product_run(const struct runtime_product *product);
void runtime_product_free(struct runtime_product *product);

#endif
