/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) of a plan as a matrix, with its rows in any order: the reference for products. */
#ifndef TEST_OP_MATRIX_H
#define TEST_OP_MATRIX_H

#include "format/plan.h"
#include "matrices.h"

/* Makes the matrix whose row i is row order[i] of op(A); order NULL: row i. values have the plan's type and
 * are in the order of A; NULL: the plan's own values. Free it with test_matrix_free. */
struct test_matrix *test_op_matrix(const spmm_plan_t *plan, spmm_op_t op, const uint32_t *order,
                                   const void *values);

#endif
