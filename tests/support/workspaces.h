/* SPDX-License-Identifier: Apache-2.0 */
/* That one workspace is enough for all products of up to so many columns, on any device. */
#ifndef TEST_WORKSPACES_H
#define TEST_WORKSPACES_H

#include <spmm/executor.h>

#include "matrices.h"

/* For every pair of layouts, all types of B and C that the table of types has with dtype, every n up to n_max and four
 * ways to align B and C: what a product needs is within spmm_executor_workspace_max, which one of them reaches. Returns
 * the largest of these maxima. */
uint64_t test_workspace_max_check(const spmm_executor_t *executor, const struct test_matrix *a,
                                  spmm_dtype_t dtype, spmm_op_t op, int64_t n_max);

/* The same of every kernel of "cpu" or "cuda" and every type that it takes, both ops, over matrices of three shapes;
 * more than one in eight need a workspace. */
void test_workspace_max_of_kernels(const char *target, int device, int64_t n_max);

#endif
