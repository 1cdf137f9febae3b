/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of spmm_executor_prepare: plans, executors on the fake GPU, and preparations. */
#ifndef TEST_PREPARE_SCENE_H
#define TEST_PREPARE_SCENE_H

#include "executor/executor_state.h"
#include "tests/support/matrices.h"

int setup(void **state);
int teardown(void **state);
struct test_matrix *matrix_make(void);
spmm_plan_t *plan_make(spmm_dtype_t dtype);
spmm_executor_t *executor_of(const spmm_plan_t *plan, spmm_jit_level_t level);
void parts_make(const spmm_plan_t *plan);
void describe(const spmm_plan_t *plan, spmm_op_t op, int64_t n, spmm_dense_t *b, spmm_dense_t *c);
spmm_preparation_t prepare_layout(spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                                  spmm_layout_t layout, unsigned flags);
spmm_preparation_t prepare(spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                           unsigned flags);
void expect(const spmm_preparation_t result, spmm_prepared_t how, const char *note);
int is_operator(const spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n);

#endif
