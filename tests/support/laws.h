/* SPDX-License-Identifier: Apache-2.0 */
/* Laws that the products of every plan obey, whatever its family is. Each function fails the test if its law
 * is violated. */
#ifndef TEST_LAWS_H
#define TEST_LAWS_H

#include "products.h"

/* Returns a product for a turn. Products differ in layouts, gaps, shifts and factors; TEST_TURNS turns have
 * all combinations of layouts and factors. */
#define TEST_TURNS 32
struct test_product test_product_of_turn(spmm_op_t op, int64_t n, int turn, enum test_values values);

/* Products of all turns, with up to 70 columns, satisfy the error bound. */
void test_law_turns(const struct test_matrix *a, const spmm_plan_t *plan);

/* Products of both ops with first, first + step, .. up to 70 columns satisfy the bound. Each uses the next
 * turn. */
void test_law_widths(const struct test_matrix *a, const spmm_plan_t *plan, enum test_values values,
                     int64_t first, int64_t step, int *turn);

/* On the CPU, the product has the same bits with any number of threads and in every run. */
void test_law_threads(const struct test_matrix *a, const spmm_plan_t *plan,
                      const struct test_product *product);

/* After new values are set, the executor computes products of the new matrix, for both ops. a receives the
 * new values, which are of the kind of the product's values. */
void test_law_new_values(struct test_matrix *a, const spmm_plan_t *plan, const struct test_product *product);

/* In empty rows of A, C is beta C0, and exactly 0 if beta is 0. run: test_product_run or a similar
 * function. */
void test_law_empty_rows(test_product_runner run, spmm_executor_t *executor, const struct test_matrix *a,
                         spmm_dtype_t dtype, const struct test_product *product);

/* The prediction of spmm_executor_memory_bytes is sufficient for the query itself, for making the executor
 * and for holding it. force_kernel: as in the executor options. */
void test_law_memory_report(const spmm_plan_t *plan, const char *force_kernel);

/* With permuted output, the first part stores the rows of C in the order of its items. Afterwards plan
 * permutes its output. */
void test_law_permuted_output(const struct test_matrix *a, spmm_plan_t *plan,
                              const struct test_product *product);

#endif
