/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of dense products on a GPU: op(A) with its zeros, and B where it is multiplied in another form. */
#ifndef SPMMI_DENSE_OPERANDS_CUDA_H
#define SPMMI_DENSE_OPERANDS_CUDA_H

#include "executor/cuda/cuda_value_memory.h"
#include "format/plan.h"
#include "dense_blas_cuda.h"

/* op(A) as the variants that run it multiply it: as it is, or f32 as tf32 and 3xtf32. */
struct spmmi_dense_a {
    spmm_dtype_t dtype;
    uint32_t rows, cols, nnz;
    uint64_t lda; /* columns, rounded up to whole words of 16 bytes */
    int has_whole, has_blocks;
    void *whole;           /* by rows, lda elements apart; NULL: no variant multiplies values as they are */
    float *blocks;         /* SPMMI_DENSE_BLOCKS of them side by side in each row; NULL: none as tf32 */
    uint32_t *has_special; /* of blocks: see dense_kernel.h */
    struct spmmi_value_memory
        new_values; /* position in op(A) by rows, lda apart, of each value of A in the order of A */
};

/* Sizes and forms; no memory. */
struct spmmi_dense_a spmmi_dense_a_of(const spmm_plan_t *plan, spmm_op_t op, uint32_t target);
void spmmi_dense_a_cut(struct spmmi_arena *arena, struct spmmi_dense_a *a);
/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_dense_a_set(const struct spmmi_dense_a *a, const void *values, void *stream);

/* Blocks that this product multiplies: 0, values as they are; 1, tf32; SPMMI_DENSE_BLOCKS, 3xtf32. */
int spmmi_dense_blocks_of(const struct spmmi_dense_a *a, const struct spmmi_product *product);
/* op(A) for this product. */
struct spmmi_dense_operand spmmi_dense_a_operand(const struct spmmi_dense_a *a,
                                                 const struct spmmi_product *product);

/* Bytes of B in the form of this product, a multiple of SPMMI_DEVICE_ALIGN; 0: it is multiplied as it is. UINT64_MAX:
 * overflow. */
uint64_t spmmi_dense_b_bytes(const struct spmmi_dense_a *a, const struct spmmi_product *product);
/* Enqueue making it in scratch, and *b becomes that; it stays what it is where there is no other form. Returns a
 * cudaError_t. */
int spmmi_dense_b_form(const struct spmmi_dense_a *a, const struct spmmi_product *product, void *scratch,
                       spmm_dense_t *b, void *stream);

#endif
