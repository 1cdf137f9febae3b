/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of spmm-bench. */
#ifndef SPMM_TOOLS_BENCH_OPTIONS_H
#define SPMM_TOOLS_BENCH_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/cli/cli.h"

#define BENCH_PROGRAM "spmm-bench"
#define BENCH_N_MAX_COUNT 64

struct bench_args {
    int64_t n[BENCH_N_MAX_COUNT], n_col[BENCH_N_MAX_COUNT]; /* for row-major and for column-major cases */
    size_t n_count, n_col_count;
    int dtypes, layouts, ops; /* masks: SPMM_TYPES_*, SPMM_LAYOUTS_*, SPMM_OPS_* */
    int b_type, c_type;       /* 0: b_type as A, c_type as B */
    int plans;                /* enum bench_plans */
    int compute;              /* least accurate compute type of f32 plans; 0: the inspector's default */
    const char *device_text;
    int device;
    int64_t threads, repeat;
    uint64_t budget;
    double max_seconds;
    const char *kernels, *peers, *mkl, *csv, *date, *commit, *report;
    const char *output;
    int no_peers, lists_peers, only_summary, json, quiet, calibrate, set_values, unit_values, jit;
};
extern struct bench_args bench_args;
extern const struct cli_program bench_program;

/* Fills bench_args. operands are the matrices. */
enum cli_result bench_options_read(int argc, char **argv, struct cli_operands *operands);

#endif
