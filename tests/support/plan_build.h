/* SPDX-License-Identifier: Apache-2.0 */
/* Plans built from small matrices without the inspector, with any schedule and item size, for tests of the
 * executor. */
#ifndef TEST_PLAN_BUILD_H
#define TEST_PLAN_BUILD_H

#include "format/family.h"
#include "format/plan.h"
#include "matrices.h"

struct test_plan_options {
    spmm_dtype_t dtype;
    spmm_schedule_t schedule;
    uint32_t item_size; /* segmented: nonzeros per segment; dense, packed: steps per item; else unused */
    int has_transpose;  /* 1: also has a variant for op = T */
    int has_no_values;
};

/* Builds a plan with one variant per op, for any n, layout and target. Tiled parts have row blocks of 32
 * units without a permutation. Parts with the schedules dense or packed are of the window family, with
 * compute type 3xtf32 for f32 values and without a permutation. Free it with spmm_plan_destroy. */
spmm_plan_t *test_plan_build(const struct test_matrix *a, struct test_plan_options options);

/* Changes all parts to a family that has their schedules, with this height and the minimum of stage slots.
 * f32 becomes 3xtf32 if the family runs on tensor cores. */
void test_plan_family(spmm_plan_t *plan, const struct spmmi_family *family, uint32_t unit_rows);

/* Changes the parts, which must all be dense or packed, to windows (unit_rows 8) or row blocks (64, 128,
 * 256), and sets the compute type. Updates the trace, which may be empty. */
void test_plan_units(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute);

/* The same for the bcsr family, whose parts are dense: block-row groups of 64 or 128 rows. */
void test_plan_groups(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute);

/* Recomputes the items of a part without a permutation. Family, schedule, item size and op must be set. Not
 * for long rows. */
void test_plan_part_fill(const spmm_plan_t *plan, struct spmmi_part *part);

/* Appends the variants and parts of another plan of the same matrix, and destroys that plan. */
void test_plan_join(spmm_plan_t *plan, spmm_plan_t *more);

/* Permutes the list in a way that depends only on seed. */
void test_shuffle(uint32_t *list, uint64_t count, uint64_t seed);

/* Permutes the units of every part that may have a permutation; the order depends only on seed.
 * permutes_output: parts that can do so also write C in that order. */
void test_plan_reorder(spmm_plan_t *plan, uint64_t seed, int permutes_output);

/* Splits the rows with at least `minimum` nonzeros off every part of window, panel or bcsr. They become a
 * part of long rows after it, and the other rows keep their order. Parts are not changed if all or none of
 * their rows are so long, if they permute their output, or if they already have long rows. Returns the number
 * of new parts. */
uint32_t test_plan_split_long_rows(spmm_plan_t *plan, int64_t minimum);

/* Returns a minimum between the lengths of the mean and the longest row: in most matrices, one or a few rows
 * are longer. */
int64_t test_long_rows_min(const struct test_matrix *a);

/* Sets synthetic metrics of two permutations of op N, starting with none. */
void test_plan_permutation_metrics(spmm_plan_t *plan);
/* Sets a symmetric permutation that depends only on seed. The matrix must be square and have rows. */
void test_plan_symmetric_permutation(spmm_plan_t *plan, uint64_t seed);

/* Returns the values of a matrix in a type, in CSR order. Free them with free(). */
void *test_values_of(const struct test_matrix *a, spmm_dtype_t dtype);

#endif
