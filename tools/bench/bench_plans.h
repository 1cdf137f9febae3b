/* SPDX-License-Identifier: Apache-2.0 */
/* The plans that spmm-bench measures besides the default plan. */
#ifndef SPMM_TOOLS_BENCH_PLANS_H
#define SPMM_TOOLS_BENCH_PLANS_H

#include <spmm/inspector.h>

/* Sets of plans. Every set also has one plan for each schedule of the first family. */
enum bench_plans {
    BENCH_PLANS_DEFAULT, /* no further plans */
    BENCH_PLANS_ALL,     /* families that stage B: each schedule, permutation and height of row blocks */
    BENCH_PLANS_TILES,   /* GPUs: the same without permutations, with every number of columns per thread */
    BENCH_PLANS_TENSOR,  /* families on tensor cores: each storage, height, permutation and compute type */
    BENCH_PLANS_TENSOR_PLAIN, /* the same without permutations */
};

/* Help text about the sets, made from the library's list of kernels; empty before bench_plans_help_make. */
#define BENCH_PLANS_HELP_BYTES 600
extern char bench_plans_help[BENCH_PLANS_HELP_BYTES];
void bench_plans_help_make(void);

/* Receives a plan and the kernel to force (NULL: the plan's choice). permutation is the one that was
 * requested. */
typedef void (*bench_plan_fn)(void *context, const spmm_plan_t *plan, const char *kernel,
                              spmm_reorder_t permutation);

/* Makes the plans one after another. options has type, op, layouts and n; the plans of the first family are
 * for all layouts and n. Omits plans that the inspector refuses and permutations that change nothing. */
void bench_plans_each(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                      enum bench_plans plans, bench_plan_fn take, void *context);

#endif
