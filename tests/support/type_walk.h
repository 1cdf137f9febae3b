/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the combinations of value types that kernels are compiled for. */
#ifndef TEST_TYPE_WALK_H
#define TEST_TYPE_WALK_H

#include <spmm/common.h>

#include "matrices.h"

/* Row index of the table of types; 0 past the last one. */
int test_types_at(int index, spmm_types_info_t *types);

/* turn grows with the calls; shape is one of so many that tests have of a plan. */
typedef void (*test_types_check)(const struct test_matrix *a, const spmm_types_info_t *types, int shape,
                                 int turn, enum test_values values);

/* Every matrix of matrices.h with every row of the table; shapes below shape_count take turns. */
void test_types_of_every_matrix(enum test_values values, int shape_count, test_types_check check);

#endif
