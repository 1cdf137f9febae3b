/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of windows and panels constructed slowly and plainly from its description in kernel_abi.h. */
#ifndef SPMM_TESTS_FRAGMENT_LITERAL_H
#define SPMM_TESTS_FRAGMENT_LITERAL_H

#include "executor/fragment_layout.h"
#include "tests/support/matrices.h"

/* What a part is made of. */
struct fragment_shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t panel_rows, granule;
    uint32_t flags;
    spmm_dtype_t dtype;
};

#define FRAGMENT_REORDERED_OUTPUT (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT)

/* A matrix, and what the executor made of it. */
struct fragment_built {
    struct test_matrix *a;
    const struct fragment_shape *shape;
    struct spmmi_part part;
    struct spmmi_fragment_layout layout;
};

/* Fails the test where the layout is not what the construction says. Time: windows times columns of the matrix. */
void fragment_literal_check(const struct fragment_built *b);

#endif
