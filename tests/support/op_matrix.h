/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) of a plan as a matrix, its rows in any order: what a product is judged against. */
#ifndef TEST_OP_MATRIX_H
#define TEST_OP_MATRIX_H

#include "format/plan.h"
#include "matrices.h"

/* Row i is row order[i] of op(A); NULL: row i. values: of the plan's type in the order of A, NULL: the plan's own.
 * Free with test_matrix_free. */
struct test_matrix *test_op_matrix(const spmm_plan_t *plan, spmm_op_t op, const uint32_t *order,
                                   const void *values);

#endif
