/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of row windows, row blocks and block-row groups for tests: functions that make them, and their
 * arrays. */
#ifndef SPMM_TESTS_TCBLOCK_BUILT_H
#define SPMM_TESTS_TCBLOCK_BUILT_H

#include "tcblock_literal.h"

#define TCBLOCK_SHAPES 12
extern const struct tcblock_shape tcblock_shapes[TCBLOCK_SHAPES];

/* Returns a part with `rows` rows in matrix order, or permuted if the shape's flags say so. The caller frees
 * its items. */
struct spmmi_part tcblock_part_of(const struct tcblock_shape *shape, int64_t rows);
/* Packs a matrix into the layout and makes its value map. Takes ownership of the matrix. */
struct tcblock_built tcblock_built_make(struct test_matrix *a, const struct tcblock_shape *shape);
void tcblock_built_free(struct tcblock_built *b);
/* Makes a matrix from the column numbers of its rows; -1 ends each row. */
struct test_matrix *tcblock_matrix_of(int64_t rows, int64_t cols, const int32_t *columns);

/* One array of a layout with its entries, padding included. */
struct tcblock_array {
    const void *entries;
    uint64_t count, pad;
    size_t size;
};
#define TCBLOCK_ARRAYS 9
void tcblock_arrays_of(const struct spmmi_tcblocks *f, struct tcblock_array arrays[TCBLOCK_ARRAYS]);

#endif
