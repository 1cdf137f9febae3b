/* SPDX-License-Identifier: Apache-2.0 */
/* One case of spmm-bench and all that was measured in it; which peers are compared with which kernels. */
#ifndef SPMM_TOOLS_BENCH_CASE_H
#define SPMM_TOOLS_BENCH_CASE_H

#include "bench_ours.h"
#include "bench_peers.h"

struct bench_case {
    const char *matrix;
    int64_t rows, cols, nnz, n;
    spmm_layout_t layout;
    spmm_dtype_t dtype, b_type, c_type; /* dtype is that of A */
    int has_unit_values;                /* the values of A are not read: each counts as 1 */
    spmm_op_t op;
    double bound_us; /* bench_bound.h; 0: not known */
    const struct ours_info *info;
    const struct ours_result *ours;
    int ours_count;
    const struct bench_result *peers;
    int peers_count;
};

/* A right product of finite time; a wrong one is no competitor. */
int bench_is_valid(const struct bench_result *result);

/* The fastest rival of one of ours, cold, from the library of the peer first; NULL without one. */
const struct bench_result *bench_best_of_library(const struct bench_case *done,
                                                 const struct bench_result *ours, int first);
/* That of the first library, which ratios are of. */
const struct bench_result *bench_best_peer(const struct bench_case *done, const struct bench_result *ours);
/* The least warm time of a rival from the library of the peer first; infinite without one. */
double bench_least_warm(const struct bench_case *done, const struct bench_result *ours, int first);
int bench_is_first_of_library(const struct bench_case *done, int peer);
/* The best of its library for some kernel of ours: for the plan's choice with is_chosen. */
int bench_is_best(const struct bench_case *done, int peer, int is_chosen);

/* Bytes of a peer over ours; 0: not known. */
double bench_memory_ratio(const struct bench_memory *peer, const struct bench_memory *ours);

double bench_gflops(const struct bench_case *done, double ms);
/* The bound over the cold time; 0: not known. */
double bench_bound_share(const struct bench_case *done, const struct bench_result *ours);

#endif
