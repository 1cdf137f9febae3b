/* SPDX-License-Identifier: Apache-2.0 */
/* Plans built by hand from small matrices, with any schedule and item size: tests of the executor need no
 * inspector. */
#ifndef TEST_PLAN_BUILD_H
#define TEST_PLAN_BUILD_H

#include "format/family.h"
#include "format/plan.h"
#include "matrices.h"

struct test_plan_options {
    spmm_dtype_t dtype;
    spmm_schedule_t schedule;
    uint32_t item_size; /* of a segmented part: nonzeros of a segment; of a whole one: not used; of a dense or
                        * packed one: steps of an item */
    int has_transpose;  /* 1: a variant for op = T as well */
    int has_no_values;
};

/* One variant for each op, for any n, layout and target. Tiled parts have row blocks of 32 units, taken in order. Parts
 * of schedule dense or packed are of the window family, in 3xtf32 if the numbers are f32, their rows in order. Free
 * with spmm_plan_destroy. */
spmm_plan_t *test_plan_build(const struct test_matrix *a, struct test_plan_options options);

/* Another family that has the schedules of the plan's parts, units of so many rows, fewest slots, and f32 as 3xtf32
 * where it runs on tensor cores. */
void test_plan_family(spmm_plan_t *plan, const struct spmmi_family *family, uint32_t unit_rows);

/* Windows (unit_rows 8) or row blocks (64, 128, 256) and another compute type for a plan whose parts are all dense or
 * packed; its trace, which may be empty, follows. */
void test_plan_units(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute);

/* The same of the bcsr family, whose parts are dense: block-row groups of unit_rows, 64 or 128. */
void test_plan_groups(spmm_plan_t *plan, uint32_t unit_rows, spmm_compute_t compute);

/* The items of a part anew, in their own order: family, schedule, item size and op are there. Not of long rows. */
void test_plan_part_fill(const spmm_plan_t *plan, struct spmmi_part *part);

/* Moves the variants and parts of a plan of the same matrix behind those of the first, and frees what is left of it. */
void test_plan_join(spmm_plan_t *plan, spmm_plan_t *more);

/* The list in an order that follows from seed. */
void test_shuffle(uint32_t *list, uint64_t count, uint64_t seed);

/* Another order for the units of every part but those of family rows, which follows from seed. permutes_output: parts
 * of whole rows write C in that order. */
void test_plan_reorder(spmm_plan_t *plan, uint64_t seed, int permutes_output);

/* Rows of at least so many nonzeros leave every part of schedule dense or packed, which keeps the order of the others,
 * and become long rows behind it; a part of which all rows or none are so long stays as it is, and one that permutes
 * its output or has long rows already. Returns how many parts there are more. */
uint32_t test_plan_split_long_rows(spmm_plan_t *plan, int64_t minimum);

/* Between the longest and the mean row: of most matrices one row or a few are longer. */
int64_t test_long_rows_min(const struct test_matrix *a);

/* Synthetic metrics of two permutations of op N, none first. */
void test_plan_permutation_metrics(spmm_plan_t *plan);
/* An order of the rows and columns of a plan whose matrix is square and has rows; it follows from seed. */
void test_plan_symmetric_permutation(spmm_plan_t *plan, uint64_t seed);

/* Values of a matrix in a type, in CSR order; free with free(). */
void *test_values_of(const struct test_matrix *a, spmm_dtype_t dtype);

#endif
