/* SPDX-License-Identifier: Apache-2.0 */
/* spmm's kernels in spmm-bench: the plan's default choice and every other kernel that can be forced. */
#ifndef SPMM_TOOLS_BENCH_OURS_H
#define SPMM_TOOLS_BENCH_OURS_H

#include <spmm/spmm.h>

#include "bench_plans.h"
#include "bench_site.h"

struct bench_ours; /* plans and executors of one problem */

struct ours_info {
    double inspect_s;
    uint64_t plan_bytes;
    char device_name[64];
    int left_out; /* number of plans for which memory was too short */
};

/* The result of one kernel in one case. */
struct ours_result {
    struct bench_result result;
    char family[16];
    int is_chosen;        /* whether it is the plan's own choice */
    double ms_set_values; /* time for setting new values, cold; 0: not measured */
};
#define OURS_MAX 128

struct ours_options {
    const char *kernels; /* besides the default choice, only kernels whose names contain this; NULL: all */
    enum bench_plans plans;
    spmm_compute_t compute; /* least accurate compute type for the default f32 plan; 0: as accurate as f32 */
    uint32_t layouts;       /* layouts of the plans of bench_plans.h: a mask of SPMM_LAYOUT_* */
    const int64_t *n;       /* values of n for these plans */
    int n_count;
    spmm_dtype_t b_type, c_type; /* value types of B and C */
    int has_unit_values;
    int has_operator;              /* also measure the kernel that spmm_executor_prepare compiles */
    const struct host_csr *values; /* A, for measuring the time of new values; NULL: not measured */
};

/* Inspects the matrix, which is timed, and makes the executors. */
spmm_status_t bench_ours_load(const spmm_matrix_t *matrix, spmm_dtype_t dtype, spmm_op_t op,
                              const struct ours_options *options, const struct bench_site *site,
                              struct bench_ours **ours, struct ours_info *info, spmm_diag_t *diag);
void bench_ours_destroy(struct bench_ours *ours);

/* Measures each kernel once in the site's case. The default choice is the first result. */
void bench_ours_run(struct bench_ours *ours, struct bench_site *site, struct ours_result results[OURS_MAX],
                    int *count);

#endif
