/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of windows, row blocks and block-row groups for tests: how they are made, and their arrays. */
#ifndef SPMM_TESTS_TCBLOCK_BUILT_H
#define SPMM_TESTS_TCBLOCK_BUILT_H

#include "tcblock_literal.h"

#define TCBLOCK_SHAPES 12
extern const struct tcblock_shape tcblock_shapes[TCBLOCK_SHAPES];

/* A part of so many rows, in the order of a matrix or in another. The caller frees its items. */
struct spmmi_part tcblock_part_of(const struct tcblock_shape *shape, int64_t rows);
/* The layout of a matrix, which it takes, with a map. */
struct tcblock_built tcblock_built_make(struct test_matrix *a, const struct tcblock_shape *shape);
void tcblock_built_free(struct tcblock_built *b);
/* A matrix of its rows written out, -1 ending each. */
struct test_matrix *tcblock_matrix_of(int64_t rows, int64_t cols, const int32_t *columns);

/* The arrays of a layout with their entries, padding included. */
struct tcblock_array {
    const void *entries;
    uint64_t count, pad;
    size_t size;
};
#define TCBLOCK_ARRAYS 9
void tcblock_arrays_of(const struct spmmi_tcblocks *f, struct tcblock_array arrays[TCBLOCK_ARRAYS]);

#endif
