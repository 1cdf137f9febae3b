/* SPDX-License-Identifier: Apache-2.0 */
/* Computes C = A B on a GPU with cuSPARSE, in f64 with 32-bit row pointers and columns, in the default
 * stream. A failure ends the program with a message and status 1. */
#ifndef SPMM_TESTS_SPARSE_CUSPARSE_H
#define SPMM_TESTS_SPARSE_CUSPARSE_H

#include <spmm/common.h>

/* A product by SpGEMMreuse, which computes the pattern once. */
struct sparse_cusparse {
    void *a, *b, *c, *descr; /* descriptors of cuSPARSE */
    void *buffers[5];
    spmm_csr_t result; /* C, in its own memory */
};

/* Computes the pattern of C and prepares the runs. a and b may have any values; the values may change
 * until the first run. */
void sparse_cusparse_open(struct sparse_cusparse *product, const spmm_csr_t *a, const spmm_csr_t *b);
void sparse_cusparse_run(const struct sparse_cusparse *product, const double *a_values,
                         const double *b_values);
void sparse_cusparse_close(struct sparse_cusparse *product);

/* Computes C by all phases of SpGEMM, including the allocation of C and of buffers. SPMM_CUSPARSE_ALG
 * selects the algorithm: 0 (default) or 1. */
spmm_csr_t sparse_cusparse_once(const spmm_csr_t *a, const spmm_csr_t *b);
void sparse_cusparse_free(spmm_csr_t *c);

/* Computes to[q] = values[q] * diagonal[col_ind[q]] (scale_columns.cu). Returns 0 if the kernel cannot be
 * launched. */
#ifdef __cplusplus
extern "C"
#endif
    int
    scale_columns(const double *values, const int32_t *col_ind, const double *diagonal, double *to,
                  int64_t count);

#endif
