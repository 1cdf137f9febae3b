/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs the layout of row windows, row blocks and block-row groups in a slow and plain way from its
 * description in tcblock_kernel.h, and compares it with the layout that the executor packed. */
#ifndef SPMM_TESTS_TCBLOCK_LITERAL_H
#define SPMM_TESTS_TCBLOCK_LITERAL_H

#include "kernels/tcblock/tcblock_pack.h"
#include "tests/support/matrices.h"

/* The sizes, flags and type that a part is made with. */
struct tcblock_shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t block_rows, item_size;
    uint32_t flags;
    spmm_dtype_t dtype;
};

#define TCBLOCK_REORDERED_OUTPUT (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT)

/* A matrix, its part, and the layout that the executor packed from them. */
struct tcblock_built {
    struct test_matrix *a;
    const struct tcblock_shape *shape;
    struct spmmi_part part;
    struct spmmi_tcblock_layout layout;
};

/* Fails the test if the layout differs from the construction. The time is proportional to windows x
 * columns. */
void tcblock_literal_check(const struct tcblock_built *b); /* window, panel */
void bcsr_literal_check(const struct tcblock_built *b);

/* ---- shared by both constructions ---- */

/* Position of the walk over the units: the indices with which the next unit begins. */
struct tcblock_walk {
    uint32_t step, block, item, slot, split;
    uint64_t value, values;
};

/* Returns the index of entry (row, column) in CSR order, -1 if it is not stored. */
int64_t tcblock_nonzero_at(const struct test_matrix *a, int64_t row, int64_t column);
/* Checks the sizes and the rows of C. */
void tcblock_begin_check(const struct tcblock_built *b);
/* Checks the items of one unit, and its split. */
void tcblock_items_check(const struct tcblock_built *b, uint32_t unit, uint32_t steps,
                         struct tcblock_walk *walk);
/* Checks the counts, and that the walk met every nonzero of A. */
void tcblock_end_check(const struct tcblock_built *b, const struct tcblock_walk *walk);

#endif
