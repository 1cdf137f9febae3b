/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the digests of a plan's arrays. A digest is computed sequentially from the first byte to the
 * last, so it runs on its own thread while other threads do other checks. */
#ifndef SPMMI_DIGESTS_CHECK_H
#define SPMMI_DIGESTS_CHECK_H

#include <pthread.h>

#include "format/plan.h"

struct spmmi_digest_job {
    const spmm_plan_t *plan;
    void (*make)(const spmm_plan_t *plan, uint8_t digest[16]);
    uint8_t digest[16];
    int is_started; /* whether it runs on its own thread */
    pthread_t thread;
};

struct spmmi_digests {
    struct spmmi_digest_job pattern, values; /* values.plan = NULL: the values are not checked */
};

/* Starts the computation of the digests. Row pointers and nnz must have been checked, and the arrays must not
 * change until spmmi_digests_end. If threads > 1 and the plan is large, each digest runs on an additional
 * thread; otherwise spmmi_digests_end computes it. */
void spmmi_digests_begin(struct spmmi_digests *digests, int threads, const spmm_plan_t *plan,
                         int with_values);
/* Returns the number of OpenMP threads for other checks while the digests are computed, if the caller may use
 * `threads` threads on a machine with `processors` processors. */
int spmmi_digests_threads_beside(const struct spmmi_digests *digests, int threads, int processors);
/* Completes the digests and checks that they equal the digests of the plan. Call it once after each begin. */
spmm_status_t spmmi_digests_end(struct spmmi_digests *digests, spmm_diag_t *diag);

#endif
