/* SPDX-License-Identifier: Apache-2.0 */
/* spmm's own side of spmm-bench: the plan's default choice and every other kernel that can be forced. */
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
    int left_out; /* plans that found no memory */
};

/* One result in one case. */
struct ours_result {
    struct bench_result result;
    char family[16];
    int is_chosen;        /* the kernel that the plan picks by itself */
    double ms_set_values; /* to give its executor new values, cold; 0: not measured */
};
#define OURS_MAX 128

struct ours_options {
    const char *kernels; /* a part of the names to measure beside the default choice; NULL = all */
    enum bench_plans plans;
    spmm_compute_t
        compute; /* the least accurate one that the default plan of f32 may choose; 0: as accurate as f32 */
    uint32_t layouts; /* of these plans: a mask of SPMM_LAYOUT_* */
    const int64_t *n; /* that they are made for */
    int n_count;
    spmm_dtype_t b_type, c_type; /* of the products */
    int has_unit_values;
    int has_operator;              /* measure what spmm_executor_prepare compiles, too */
    const struct host_csr *values; /* A, whose values are set again and again; NULL: that is not measured */
};

/* Inspect (timed) and make the executors. */
spmm_status_t bench_ours_load(const spmm_matrix_t *matrix, spmm_dtype_t dtype, spmm_op_t op,
                              const struct ours_options *options, const struct bench_site *site,
                              struct bench_ours **ours, struct ours_info *info, spmm_diag_t *diag);
void bench_ours_destroy(struct bench_ours *ours);

/* Measure each kernel once in the site's case; the default choice comes first. */
void bench_ours_run(struct bench_ours *ours, struct bench_site *site, struct ours_result results[OURS_MAX],
                    int *count);

#endif
