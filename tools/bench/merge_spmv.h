/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x along merge paths, as "Merge-based Parallel Sparse Matrix-Vector Multiplication" (Merrill, Garland, 2016) has
 * it: rows that end and nonzeros are one list, of which each thread takes as many items. A peer of spmm-bench. */
#ifndef SPMM_TOOLS_MERGE_SPMV_H
#define SPMM_TOOLS_MERGE_SPMV_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On the GPU; row_ptr has rows + 1 elements, rows and nnz add up to less than 2^30. */
struct merge_product {
    int32_t rows, nnz;
    const int32_t *row_ptr, *col_ind;
    const void *values, *x;
    void *y;
    void *workspace;
    int is_f64; /* numbers of f64, else of f32 */
};
uint64_t merge_spmv_workspace_bytes(const struct merge_product *product);
/* Enqueues it; NULL, or what went wrong. */
const char *merge_spmv(const struct merge_product *product);

#ifdef __cplusplus
}
#endif
#endif
