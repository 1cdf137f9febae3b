/* SPDX-License-Identifier: Apache-2.0 */
/* See digests_check.h. */
#include "digests_check.h"

#include <string.h>

#include "format/base/diag.h"
#include "format/base/digest.h"

#define NONZEROS_PARALLEL 262144 /* with fewer, a thread takes longer to start than it saves */

static void digest_pattern(const spmm_plan_t *p, uint8_t digest[16])
{
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, digest);
}

/* Zeros where there are none. */
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

/* Each digest keeps one processor for itself, as a thread that shares one with it makes all other threads wait. But
 * with fewer than three processors for each digest that idles more than it saves: there all threads work.
 * Measured: of a load of gen:rand:1000000:13 on one thread the other checks take 24 ms, both digests 4; on two
 * processors the load takes 52 to 57 ms with one thread beside them, 46 to 52 with two (2-core virtual machine,
 * 2026-11-27). Derived from these shares, not measured: two digests on 4 and 5 processors, one digest on 2. */
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
