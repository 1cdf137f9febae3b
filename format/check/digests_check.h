/* SPDX-License-Identifier: Apache-2.0 */
/* The digests of a plan's arrays. Each is one chain from the first byte to the last, so that several threads work on
 * other checks meanwhile. */
#ifndef SPMMI_DIGESTS_CHECK_H
#define SPMMI_DIGESTS_CHECK_H

#include <pthread.h>

#include "format/plan.h"

struct spmmi_digest_job {
    const spmm_plan_t *plan;
    void (*make)(const spmm_plan_t *plan, uint8_t digest[16]);
    uint8_t digest[16];
    int is_started; /* on a thread of its own */
    pthread_t thread;
};

struct spmmi_digests {
    struct spmmi_digest_job pattern, values; /* values.plan NULL: they are not looked at */
};

/* Row pointers and the number of nonzeros are right. The arrays stay as they are until the end. On one thread the work
 * is done there; on several each digest of a large plan has a thread besides. */
void spmmi_digests_begin(struct spmmi_digests *digests, int threads, const spmm_plan_t *plan,
                         int with_values);
/* Threads of OpenMP for other checks meanwhile, of those that a caller has on a machine of so many processors. */
int spmmi_digests_threads_beside(const struct spmmi_digests *digests, int threads, int processors);
/* Are they those that the plan gives? To be called once after each begin. */
spmm_status_t spmmi_digests_end(struct spmmi_digests *digests, spmm_diag_t *diag);

#endif
