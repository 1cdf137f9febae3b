/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B of matrices in the memory of a GPU by cuSPARSE, in doubles, with row pointers and columns of 32 bits;
 * enqueued in the default stream. What fails ends the program with a sentence and status 1. */
#ifndef SPMM_TESTS_SPARSE_CUSPARSE_H
#define SPMM_TESTS_SPARSE_CUSPARSE_H

#include <spmm/common.h>

/* A product by SpGEMMreuse, whose pattern is found once. */
struct sparse_cusparse {
    void *a, *b, *c, *descr; /* descriptors of cuSPARSE */
    void *buffers[5];
    spmm_csr_t result; /* C, memory of its own */
};

/* a, b: with any values, which may change until the first run. */
void sparse_cusparse_open(struct sparse_cusparse *product, const spmm_csr_t *a, const spmm_csr_t *b);
void sparse_cusparse_run(const struct sparse_cusparse *product, const double *a_values,
                         const double *b_values);
void sparse_cusparse_close(struct sparse_cusparse *product);

/* By SpGEMM, all its phases, memory for them and for C. SPMM_CUSPARSE_ALG is 0 (default) or 1. */
spmm_csr_t sparse_cusparse_once(const spmm_csr_t *a, const spmm_csr_t *b);
void sparse_cusparse_free(spmm_csr_t *c);

/* to[q] = values[q] * diagonal[col_ind[q]] (scale_columns.cu). Returns 0 if it could not be started. */
#ifdef __cplusplus
extern "C"
#endif
    int
    scale_columns(const double *values, const int32_t *col_ind, const double *diagonal, double *to,
                  int64_t count);

#endif
