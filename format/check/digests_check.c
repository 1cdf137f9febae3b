/* SPDX-License-Identifier: Apache-2.0 */
/* See digests_check.h. */
#include "digests_check.h"

#include <string.h>

#include "format/base/diag.h"
#include "format/base/digest.h"

#define NONZEROS_PARALLEL 262144 /* with fewer nonzeros, starting a thread takes longer than it saves */

static void digest_pattern(const spmm_plan_t *p, uint8_t digest[16])
{
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, digest);
}

/* Computes the digest of the values, or zeros if the plan has no values. */
static void digest_values(const spmm_plan_t *p, uint8_t digest[16])
{
    memset(digest, 0, 16);
    if (p->values != NULL)
        spmmi_digest_values(p->nnz, p->dtype, p->values, digest);
}

static void *job_run(void *job)
{
    struct spmmi_digest_job *const j = job;
    j->make(j->plan, j->digest);
    return NULL;
}

static void job_begin(struct spmmi_digest_job *job, int threads)
{
    job->is_started = threads > 1 && job->plan->nnz >= NONZEROS_PARALLEL &&
                      pthread_create(&job->thread, NULL, job_run, job) == 0;
}

static void job_end(struct spmmi_digest_job *job)
{
    if (job->is_started)
        (void)pthread_join(job->thread, NULL);
    else
        (void)job_run(job);
}

void spmmi_digests_begin(struct spmmi_digests *digests, int threads, const spmm_plan_t *plan, int with_values)
{
    *digests = (struct spmmi_digests){{.plan = plan, .make = digest_pattern},
                                      {.plan = with_values ? plan : NULL, .make = digest_values}};
    job_begin(&digests->pattern, threads);
    if (with_values && plan->values != NULL)
        job_begin(&digests->values, threads);
}

/* Leaves one processor to each digest thread, because an OpenMP thread that shares a processor
 * with it would make all other threads wait. With fewer than three processors per digest,
 * reserved processors would idle too long, so all threads are used for the other checks. Measured
 * for a load of gen:rand:1000000:13 (2-core virtual machine, 2026-11-27): on one thread, the
 * other checks take 24 ms and both digests 4 ms. On two processors, the load takes 52 to 57 ms if
 * one thread does the other checks, and 46 to 52 ms if two do. The rule for two digests on 4 and
 * 5 processors and for one digest on 2 is derived from these shares, not measured. */
int spmmi_digests_threads_beside(const struct spmmi_digests *digests, int threads, int processors)
{
    const int digesting = digests->pattern.is_started + digests->values.is_started;
    const int left = processors - digesting;
    return threads <= left || left < 2 * digesting ? threads : left;
}

spmm_status_t spmmi_digests_end(struct spmmi_digests *digests, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *const p = digests->pattern.plan;
    const int with_values = digests->values.plan != NULL;
    job_end(&digests->pattern);
    if (with_values)
        job_end(&digests->values);
    SPMM_RULE(memcmp(digests->pattern.digest, p->pattern_digest, sizeof p->pattern_digest) == 0, DIGEST, 0,
              "the pattern does not have the digest that the plan gives");
    SPMM_RULE(!with_values || memcmp(digests->values.digest, p->values_digest, sizeof p->values_digest) == 0,
              DIGEST, 0, "the values do not have the digest that the plan gives");
cleanup:
    return status;
}
