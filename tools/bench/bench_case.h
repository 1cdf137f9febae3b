/* SPDX-License-Identifier: Apache-2.0 */
/* One case of spmm-bench with all its results, and the rules by which peers are compared with kernels. */
#ifndef SPMM_TOOLS_BENCH_CASE_H
#define SPMM_TOOLS_BENCH_CASE_H

#include "bench_ours.h"
#include "bench_peers.h"

struct bench_case {
    const char *matrix;
    int64_t rows, cols, nnz, n;
    spmm_layout_t layout;
    spmm_dtype_t dtype, b_type, c_type; /* dtype is the type of A */
    int has_unit_values;                /* the values of A are not read: each counts as 1 */
    spmm_op_t op;
    double bound_us; /* see bench_bound.h; 0 if unknown */
    const struct ours_info *info;
    const struct ours_result *ours;
    int ours_count;
    const struct bench_result *peers;
    int peers_count;
};

/* Returns 1 if the product was measured and is right. Wrong products are not compared. */
int bench_is_valid(const struct bench_result *result);

/* Returns the rival of `ours` with the least cold time among the peers of one library, or NULL. first is the
 * library's first peer. */
const struct bench_result *bench_best_of_library(const struct bench_case *done,
                                                 const struct bench_result *ours, int first);
/* Returns the same for the first library, which ratios refer to. */
const struct bench_result *bench_best_peer(const struct bench_case *done, const struct bench_result *ours);
/* Returns the least warm time of a rival from the library of peer `first`; infinite if there is none. */
double bench_least_warm(const struct bench_case *done, const struct bench_result *ours, int first);
int bench_is_first_of_library(const struct bench_case *done, int peer);
/* Returns 1 if the peer is the best one of its library for a kernel of ours; with is_chosen, for the plan's
 * choice. */
int bench_is_best(const struct bench_case *done, int peer, int is_chosen);

/* Returns the memory of a peer divided by ours; 0 if unknown. */
double bench_memory_ratio(const struct bench_memory *peer, const struct bench_memory *ours);

double bench_gflops(const struct bench_case *done, double ms);
/* Returns bound / cold time; 0 if unknown. */
double bench_bound_share(const struct bench_case *done, const struct bench_result *ours);

#endif
