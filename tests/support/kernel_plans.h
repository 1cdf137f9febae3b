/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for each kernel that spmm_kernel_at lists, for tests of all of them. */
#ifndef TEST_KERNEL_PLANS_H
#define TEST_KERNEL_PLANS_H

#include <spmm/executor.h>

#include "plan_build.h"

#define TEST_KERNELS_MAX 32
/* Those of a target, "cpu" or "cuda": returns how many. */
int test_kernels_of(const char *target, spmm_kernel_info_t kernels[TEST_KERNELS_MAX]);
/* Does it multiply values of this type? */
int test_kernel_takes(const spmm_kernel_info_t *kernel, spmm_dtype_t dtype);
/* One of these types: they take turns. */
spmm_dtype_t test_kernel_type(const spmm_kernel_info_t *kernel, int turn);

/* Both ops, run by this kernel; a rows plan for a type that rows does not take is the caller's mistake. Item sizes,
 * heights of units, orders, long rows and compute types take turns. */
spmm_plan_t *test_kernel_plan(const spmm_kernel_info_t *kernel, const struct test_matrix *a,
                              spmm_dtype_t dtype, int turn);

#endif
