/* SPDX-License-Identifier: Apache-2.0 */
/* Where spmm-bench measures: B, C and workspace on the device, the stopwatch, and the reference that judges every
 * product, ours and the peers' alike.
 *
 * site -> problem (one op(A) of one value type) -> case (one layout, one n) -> measure (one kernel). */
#ifndef SPMM_TOOLS_BENCH_SITE_H
#define SPMM_TOOLS_BENCH_SITE_H

#include "tools/compute/check.h"
#include "tools/compute/device_memory.h"
#include "tools/compute/timing.h"

struct bench_site {
    int device;
    int threads;     /* CPU: threads of every competitor; 0 = OpenMP's default */
    uint64_t budget; /* memory for a problem; 0: that of machine_memory.h */
    struct timing_rule rule;
    struct stopwatch *watch;
    struct device_block b, c, workspace;
    struct staging_block staging;
    const struct host_csr *a;    /* op(A) of the problem, borrowed */
    spmm_dtype_t b_type, c_type; /* of the problem */
    struct check_reference *reference;
    spmm_dense_t b_view, c_view; /* of the case, on the device */
    double ms_best_peer;         /* cold, of the case so far: right, and not of rounded factors; 0: none */
};

/* Device memory beside B and C; all 0 where it is not known, as on a CPU. */
struct bench_memory {
    uint64_t a;         /* what it holds of A */
    uint64_t workspace; /* of one product */
};
static inline uint64_t bench_memory_bytes(const struct bench_memory *memory)
{
    return memory->a + memory->workspace;
}

/* What one kernel did in one case. */
struct bench_result {
    char name[64];
    struct arithmetic arithmetic; /* that it is judged by: known before it is measured */
    int may_round;                /* a product of f32 that is not right as such is judged as one of tf32 */
    spmm_status_t status;
    char note[160]; /* why there are no times */
    double error_ratio, ms_cold, ms_warm;
    struct bench_memory memory;
};

spmm_status_t bench_site_create(int device, int threads, const struct timing_rule *rule,
                                struct bench_site *site, spmm_diag_t *diag);
void bench_site_destroy(struct bench_site *site);

/* Take op(A) and the types of B and C, and compute the reference for n_max columns: of all rows if that is fast, else
 * of 2000 of them, the longest included. MEMORY where this and the cases would exceed the budget. */
spmm_status_t bench_site_problem(struct bench_site *site, const struct host_csr *a, spmm_dtype_t b_type,
                                 spmm_dtype_t c_type, int64_t n_max, spmm_diag_t *diag);

/* Lay out B (random) and C for n columns. padding: B and C get a multiple of this many rows, of which the added
 * ones are zero in B; 1 = none. */
spmm_status_t bench_site_case(struct bench_site *site, spmm_layout_t layout, int64_t n, int64_t padding,
                              spmm_diag_t *diag);

/* Run fn once on a poisoned C and check it, then time it. A failure of fn is a result, not a failure of the site. */
void bench_site_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result);

/* Mark a result as failed, with the sentence of diag. */
void bench_result_fail(struct bench_result *result, spmm_status_t status, const spmm_diag_t *diag);

#endif
