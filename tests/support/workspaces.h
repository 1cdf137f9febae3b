/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that one workspace is enough for all products of up to a maximum n, on any device. */
#ifndef TEST_WORKSPACES_H
#define TEST_WORKSPACES_H

#include <spmm/executor.h>

#include "matrices.h"

/* For every pair of layouts, all types of B and C that the table combines with dtype, every n up to n_max and
 * four alignments of B and C: checks that a product needs at most spmm_executor_workspace_max, and that one
 * product needs exactly this much. Returns the largest of these maxima. */
uint64_t test_workspace_max_check(const spmm_executor_t *executor, const struct test_matrix *a,
                                  spmm_dtype_t dtype, spmm_op_t op, int64_t n_max);

/* Checks every kernel of "cpu" or "cuda" with every type that it supports, both ops, and matrices of three
 * shapes. More than one in eight cases must need a workspace. */
void test_workspace_max_of_kernels(const char *target, int device, int64_t n_max);

#endif
