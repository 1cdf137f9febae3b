/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of windows, row blocks and block-row groups of blocks constructed slowly and plainly from its description
 * in tcblock_kernel.h. */
#ifndef SPMM_TESTS_TCBLOCK_LITERAL_H
#define SPMM_TESTS_TCBLOCK_LITERAL_H

#include "kernels/tcblock/tcblock_pack.h"
#include "tests/support/matrices.h"

/* What a part is made of. */
struct tcblock_shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t block_rows, item_size;
    uint32_t flags;
    spmm_dtype_t dtype;
};

#define TCBLOCK_REORDERED_OUTPUT (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT)

/* A matrix, and what the executor made of it. */
struct tcblock_built {
    struct test_matrix *a;
    const struct tcblock_shape *shape;
    struct spmmi_part part;
    struct spmmi_tcblock_layout layout;
};

/* Fails the test where the layout is not what the construction says. Time: windows times columns of the matrix. */
void tcblock_literal_check(const struct tcblock_built *b); /* window, panel */
void bcsr_literal_check(const struct tcblock_built *b);

/* ---- What the constructions share ---- */

/* Where the walk over the units is: what the next unit begins with. */
struct tcblock_walk {
    uint32_t step, block, item, slot, split;
    uint64_t value, values;
};

/* Where the matrix holds (row, column) in CSR order; -1: nowhere. */
int64_t tcblock_nonzero_at(const struct test_matrix *a, int64_t row, int64_t column);
/* Sizes and rows of C. */
void tcblock_begin_check(const struct tcblock_built *b);
/* The items of one unit, and its split. */
void tcblock_items_check(const struct tcblock_built *b, uint32_t unit, uint32_t steps,
                         struct tcblock_walk *walk);
/* Counts, and that every number of A was met. */
void tcblock_end_check(const struct tcblock_built *b, const struct tcblock_walk *walk);

#endif
