/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the combinations of value types for which kernels are compiled. */
#ifndef TEST_TYPE_WALK_H
#define TEST_TYPE_WALK_H

#include <spmm/common.h>

#include "matrices.h"

/* Gets row index of the table of types. Returns 0 if index is past the last row. */
int test_types_at(int index, spmm_types_info_t *types);

/* A check of one matrix and types. shape is below shape_count and selects one of a test's plans. turn
 * increases with each call. */
typedef void (*test_types_check)(const struct test_matrix *a, const spmm_types_info_t *types, int shape,
                                 int turn, enum test_values values);

/* Calls check for every matrix of matrices.h with every row of the table. shape runs through the numbers
 * below shape_count. */
void test_types_of_every_matrix(enum test_values values, int shape_count, test_types_check check);

#endif
