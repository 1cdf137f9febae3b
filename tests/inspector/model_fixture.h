/* SPDX-License-Identifier: Apache-2.0 */
/* Data that tests of the cost model's terms share: a device with round rates, and counts of block-row
 * groups. */
#ifndef TEST_MODEL_FIXTURE_H
#define TEST_MODEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inspector/search/planner.h"
#include "kernels/tcblock/tcblock_analysis_plan.h"
#include "kernels/tcblock/tcblock_cost.h"

static inline void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("expected %.12g, found %.12g", expected, found);
}

/* A device with round rates, in bytes or operations per second. At a clock of 800 MHz a step takes a
 * microsecond. A gather from the L2 cache moves rows of 32 bytes at 2e12, wider rows at 4e12. */
static const struct spmmi_device_profile device = {
    .name = "round",
    .target = 90,
    .multiprocessors = 10,
    .clock_hz = 8e8,
    .l2_bytes = 1048576,
    .l1_bytes = 65536,
    .shared_sm_bytes = 65536,
    .shared_block_bytes = 232448,
    .registers_sm = 65536,
    .copy_rate = 1e12,
    .shared_rate = 8e12,
    .l1_rate = 5e12,
    .fma_f32 = 2e13,
    .fma_f64 = 1e13,
    .mma_tf32 = 1e14,
    .mma_f16 = 2e14,
    .mma_f64 = 4e13,
    .gather =
        {.row_count = 2, .set_count = 1, .row_bytes = {32, 64}, .set_bytes = {1}, .rate = {{2e12, 4e12}}},
    .scatter = {.count = 1, .x = {4}, .rate = {5e11}},
};

/* 1,000 rows in 16 block-row groups of 64 rows. Half of the block positions hold blocks. */
static const struct spmmi_tcblock_counts groups_of_64 = {.family = SPMM_FAMILY_BCSR,
                                                         .unit_rows = 64,
                                                         .step_columns = 32,
                                                         .positions = 128,
                                                         .units = 16,
                                                         .nnz = 10000,
                                                         .working_set = 1600,
                                                         .steps = 50,
                                                         .blocks = 400,
                                                         .longest = 5};

/* Returns metrics of 1,000 rows of 10 nonzeros in 500 columns. A window of 32 nonzeros holds 32 distinct
 * columns and reuses none. A window of 64 holds all 500 and reuses 0.95 of the nonzeros, the maximum. No real
 * matrix has these metrics, but formulas do not depend on that. */
static inline struct spmmi_model_matrix matrix_of_windows(void)
{
    struct spmmi_model_matrix m = {
        .rows = 1000, .cols = 500, .nnz = 10000, .rows_used = 1000, .cols_used = 500, .longest = 10};
    for (int b = 0; b < SPMMI_REUSE_BINS; b++) {
        m.by_rows.working_set[b] = b < 6 ? ldexp(1, b) : 500;
        m.by_rows.near[b] = b < 6 ? 0 : 0.95;
    }
    m.side_by_side = m.by_rows;
    return m;
}

#endif
