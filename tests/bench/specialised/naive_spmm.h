/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by the CUDA baseline of paper 001: one thread per element of C, blocks of 16 x 16. */
#ifndef SPMM_TESTS_NAIVE_SPMM_H
#define SPMM_TESTS_NAIVE_SPMM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays are on the GPU; B and C are row-major. */
struct naive_product {
    int32_t rows, n;
    const int32_t *row_ptr, *col_ind;
    const void *values, *b;
    void *c;
    int64_t ldb, ldc;
    int is_double; /* whether values, B and C are f64; else f32 */
    /* 1: neighbouring threads compute elements of a row of C; 0: of a column, as in the paper. */
    int is_coalesced;
};

/* Enqueues the product. Returns NULL, or an error message. */
const char *naive_spmm(const struct naive_product *product);

#ifdef __cplusplus
}
#endif
#endif
