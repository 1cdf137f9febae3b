/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for every kernel that spmm_kernel_at lists. */
#ifndef TEST_KERNEL_PLANS_H
#define TEST_KERNEL_PLANS_H

#include <spmm/executor.h>

#include "plan_build.h"

#define TEST_KERNELS_MAX 32
/* Lists the kernels of a target, "cpu" or "cuda", and returns their number. */
int test_kernels_of(const char *target, spmm_kernel_info_t kernels[TEST_KERNELS_MAX]);
/* Returns 1 if the kernel supports values of this type. */
int test_kernel_takes(const spmm_kernel_info_t *kernel, spmm_dtype_t dtype);
/* Returns a type that the kernel supports; it changes with turn. */
spmm_dtype_t test_kernel_type(const spmm_kernel_info_t *kernel, int turn);

/* Makes a plan for both ops that this kernel runs. The caller must not ask for a type that the kernel does
 * not support. Item size, height, permutation, long rows and compute type change with turn. */
spmm_plan_t *test_kernel_plan(const spmm_kernel_info_t *kernel, const struct test_matrix *a,
                              spmm_dtype_t dtype, int turn);

#endif
