/* SPDX-License-Identifier: Apache-2.0 */
/* Which plans spmm-bench measures beside the default one. */
#ifndef SPMM_TOOLS_BENCH_PLANS_H
#define SPMM_TOOLS_BENCH_PLANS_H

#include <spmm/inspector.h>

/* Beside one plan for each schedule of the first family. */
enum bench_plans {
    BENCH_PLANS_DEFAULT, /* none */
    BENCH_PLANS_ALL,     /* families that stage B: each schedule, permutation and height of row blocks */
    BENCH_PLANS_TILES,   /* the same without a permutation, with each number of columns a thread: GPUs only */
    BENCH_PLANS_TENSOR,  /* of tensor cores: each storage, height, permutation and compute type */
    BENCH_PLANS_TENSOR_PLAIN, /* the same without a permutation */
};

/* What the help says of them, made from the library's list of kernels: empty before bench_plans_help_make. */
#define BENCH_PLANS_HELP_BYTES 600
extern char bench_plans_help[BENCH_PLANS_HELP_BYTES];
void bench_plans_help_make(void);

/* Takes a plan, and the kernel to force, NULL: what the plan says. permutation is the one that was asked for. */
typedef void (*bench_plan_fn)(void *context, const spmm_plan_t *plan, const char *kernel,
                              spmm_reorder_t permutation);

/* Make them one after the other. options say for which type, op, layouts and n; the first family's are for all layouts
 * and n. What the inspector refuses is left out, and so are permutations that change nothing. */
void bench_plans_each(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                      enum bench_plans plans, bench_plan_fn take, void *context);

#endif
