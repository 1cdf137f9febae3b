/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of measurements in spmm-bench: B, C and workspace on the device, the stopwatch, and the
 * reference that every product, ours and the peers', is checked against.
 *
 * A site has problems (one op(A) in one value type), a problem has cases (one layout and n), and in a case
 * kernels are measured. */
#ifndef SPMM_TOOLS_BENCH_SITE_H
#define SPMM_TOOLS_BENCH_SITE_H

#include "tools/compute/check.h"
#include "tools/compute/device_memory.h"
#include "tools/compute/timing.h"

struct bench_site {
    int device;
    int threads;     /* CPU threads of every competitor; 0: OpenMP's default */
    uint64_t budget; /* memory limit for a problem; 0: the limit of machine_memory.h */
    struct timing_rule rule;
    struct stopwatch *watch;
    struct device_block b, c, workspace;
    struct staging_block staging;
    const struct host_csr *a;    /* op(A) of the problem, borrowed */
    spmm_dtype_t b_type, c_type; /* of B and C in the problem */
    struct check_reference *reference;
    spmm_dense_t b_view, c_view; /* B and C of the case, on the device */
    double ms_best_peer;         /* best cold time so far of a right peer with exact factors; 0: none */
};

/* Device memory besides B and C; all 0 if unknown, as on a CPU. */
struct bench_memory {
    uint64_t a;         /* bytes that store A */
    uint64_t workspace; /* bytes for one product */
};
static inline uint64_t bench_memory_bytes(const struct bench_memory *memory)
{
    return memory->a + memory->workspace;
}

/* The result of one kernel in one case. */
struct bench_result {
    char name[64];
    struct arithmetic arithmetic; /* arithmetic that determines the error bound; set before the measurement */
    int may_round;                /* if the bound of f32 is exceeded, that of tf32 applies */
    spmm_status_t status;
    char note[160]; /* reason why there are no times */
    double error_ratio, ms_cold, ms_warm;
    struct bench_memory memory;
};

spmm_status_t bench_site_create(int device, int threads, const struct timing_rule *rule,
                                struct bench_site *site, spmm_diag_t *diag);
void bench_site_destroy(struct bench_site *site);

/* Sets op(A) and the types of B and C, and computes the reference for n_max columns: for all rows if that is
 * fast, else for 2000 rows including the longest. Fails with MEMORY if the reference and the cases would
 * exceed the budget. */
spmm_status_t bench_site_problem(struct bench_site *site, const struct host_csr *a, spmm_dtype_t b_type,
                                 spmm_dtype_t c_type, int64_t n_max, spmm_diag_t *diag);

/* Allocates B (random) and C for n columns. The numbers of rows are rounded up to a multiple of padding (1:
 * no padding). The added rows of B are zero. */
spmm_status_t bench_site_case(struct bench_site *site, spmm_layout_t layout, int64_t n, int64_t padding,
                              spmm_diag_t *diag);

/* Fills C with NaN, runs fn once, checks C, and then measures the time. A failure of fn is stored in the
 * result. */
void bench_site_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result);

/* Stores in the result that it failed, with the sentence of diag. */
void bench_result_fail(struct bench_result *result, spmm_status_t status, const spmm_diag_t *diag);

#endif
