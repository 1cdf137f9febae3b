/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x along merge paths, as in "Merge-based Parallel Sparse Matrix-Vector Multiplication" (Merrill,
 * Garland, 2016): row ends and nonzeros are merged into one list, and each thread processes the same number
 * of its items. A peer of spmm-bench. */
#ifndef SPMM_TOOLS_MERGE_SPMV_H
#define SPMM_TOOLS_MERGE_SPMV_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All arrays are on the GPU. row_ptr has rows + 1 elements. rows + nnz is less than 2^30. */
struct merge_product {
    int32_t rows, nnz;
    const int32_t *row_ptr, *col_ind;
    const void *values, *x;
    void *y;
    void *workspace;
    int is_f64; /* whether values, x and y are f64; else f32 */
};
uint64_t merge_spmv_workspace_bytes(const struct merge_product *product);
/* Enqueues the product. Returns NULL, or the text of an error. */
const char *merge_spmv(const struct merge_product *product);

#ifdef __cplusplus
}
#endif
#endif
