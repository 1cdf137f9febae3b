/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of dense products on a GPU: op(A) with its zeros, and B if it is multiplied in another form. */
#ifndef SPMMI_DENSE_OPERANDS_CUDA_H
#define SPMMI_DENSE_OPERANDS_CUDA_H

#include "executor/cuda/cuda_value_memory.h"
#include "format/plan.h"
#include "dense_blas_cuda.h"

/* op(A) in the forms that the variants of its part multiply: whole values, or f32
 * split for tf32 and 3xtf32. */
struct spmmi_dense_a {
    spmm_dtype_t dtype;
    uint32_t rows, cols, nnz;
    uint64_t lda; /* columns, rounded up to whole words of 16 bytes */
    int has_whole, has_blocks;
    void *whole;           /* by rows, lda elements apart; NULL: no variant multiplies whole values */
    float *blocks;         /* SPMMI_DENSE_BLOCKS side by side in each row; NULL: no variant uses tf32 */
    uint32_t *has_special; /* flag of blocks: see dense_kernel.h */
    struct spmmi_value_memory
        new_values; /* map: position of each value of A, in the order of A, in op(A) by rows, lda apart */
};

/* Returns sizes and forms; allocates nothing. */
struct spmmi_dense_a spmmi_dense_a_of(const spmm_plan_t *plan, spmm_op_t op, uint32_t target);
void spmmi_dense_a_cut(struct spmmi_arena *arena, struct spmmi_dense_a *a);
/* Enqueues writing new values to all forms. Returns a cudaError_t; 0: enqueued. */
int spmmi_dense_a_set(const struct spmmi_dense_a *a, const void *values, void *stream);

/* Returns how many blocks this product multiplies: 0: whole values; 1: tf32; SPMMI_DENSE_BLOCKS: 3xtf32. */
int spmmi_dense_blocks_of(const struct spmmi_dense_a *a, const struct spmmi_product *product);
/* Returns op(A) in the form that this product multiplies. */
struct spmmi_dense_operand spmmi_dense_a_operand(const struct spmmi_dense_a *a,
                                                 const struct spmmi_product *product);

/* Returns the bytes of B in the form of this product, a multiple of SPMMI_DEVICE_ALIGN; 0: it is multiplied
 * as it is. UINT64_MAX: overflow. */
uint64_t spmmi_dense_b_bytes(const struct spmmi_dense_a *a, const struct spmmi_product *product);
/* Enqueues making that form in scratch and sets *b to it; *b is unchanged if there is no other
 * form. Returns a cudaError_t. */
int spmmi_dense_b_form(const struct spmmi_dense_a *a, const struct spmmi_product *product, void *scratch,
                       spmm_dense_t *b, void *stream);

#endif
