/* SPDX-License-Identifier: Apache-2.0 */
/* Laws that the products of every plan obey, whatever family it is of. Each fails the test where one is broken. */
#ifndef TEST_LAWS_H
#define TEST_LAWS_H

#include "products.h"

/* Products that differ in orders, gaps, shifts and factors: turns take all pairs of orders and factors in
 * TEST_TURNS. */
#define TEST_TURNS 32
struct test_product test_product_of_turn(spmm_op_t op, int64_t n, int turn, enum test_values values);

/* Every turn meets the bound, at widths up to 70. */
void test_law_turns(const struct test_matrix *a, const spmm_plan_t *plan);

/* Widths from first to 70 in steps meet the bound, for both ops; each takes the next turn. */
void test_law_widths(const struct test_matrix *a, const spmm_plan_t *plan, enum test_values values,
                     int64_t first, int64_t step, int *turn);

/* On the CPU the product has the same bits at any number of threads, and every time. */
void test_law_threads(const struct test_matrix *a, const spmm_plan_t *plan,
                      const struct test_product *product);

/* With new values the executor computes the products of the new matrix, for both ops. a takes the new values; those of
 * the product show their kind. */
void test_law_new_values(struct test_matrix *a, const spmm_plan_t *plan, const struct test_product *product);

/* Rows of A without nonzeros: beta C0 in C, and exactly 0 where beta is 0. run: test_product_run, or one like it. */
void test_law_empty_rows(test_product_runner run, spmm_executor_t *executor, const struct test_matrix *a,
                         spmm_dtype_t dtype, const struct test_product *product);

/* What spmm_executor_memory_bytes predicts is enough to ask, to make the executor and to hold it. force_kernel: as in
 * its options. */
void test_law_memory_report(const spmm_plan_t *plan, const char *force_kernel);

/* With its output permuted, the first part leaves C in the order of its items. The plan permutes afterwards. */
void test_law_permuted_output(const struct test_matrix *a, spmm_plan_t *plan,
                              const struct test_product *product);

#endif
