/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan from a matrix in four steps: copy, statistics, choice of kernels, partition. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/log.h"
#include "format/base/team.h"
#include "format/family.h"
#include "format/matrix/round_values.h"
#include "format/metadata.h"
#include "format/plan.h"
#include "inspect_options.h"
#include "inspector/search/search_plan.h"
#include "inspector/search/search_share.h"
#include "inspector/matrix/inspect_values.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/permutation_units.h"
#include "inspector/matrix/source_name.h"
#include "inspector/reorder/symmetric_permutation.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */

static void report(const struct spmmi_request *r, const char *stage, uint64_t done, uint64_t total)
{
    if (r->options.progress != NULL)
        r->options.progress(r->options.progress_context, stage, done, total);
}

/* ---- The matrix, copied into the plan ---- */

static spmm_status_t copy_pattern(const spmm_matrix_t *a, const struct spmmi_request *r, spmm_plan_t *plan,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int threads = r->threads;
    plan->rows = a->rows;
    plan->cols = a->cols;
    plan->nnz = a->nnz;
    plan->dtype = r->options.a_type;
    plan->row_ptr = spmmi_alloc((uint64_t)a->rows + 1, sizeof *plan->row_ptr);
    SPMM_TRY_ALLOC(plan->row_ptr, diag);
    plan->col_ind = spmmi_alloc((uint64_t)a->nnz, sizeof *plan->col_ind);
    SPMM_TRY_ALLOC(plan->col_ind, diag);
    memcpy(plan->row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *plan->row_ptr);
#pragma omp parallel for schedule(static) num_threads(spmmi_team(a->nnz > NONZEROS_PARALLEL ? threads : 1))
    for (int64_t p = 0; p < a->nnz; p++)
        plan->col_ind[p] = a->col_ind[p];
cleanup:
    return status;
}

/* ---- Metrics and digests ---- */

/* Computes the statistics and digests of the matrix. They run concurrently because neither is parallel
 * itself. */
static spmm_status_t analysis(spmm_plan_t *plan, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
#pragma omp parallel sections num_threads(spmmi_team(plan->nnz > NONZEROS_PARALLEL ? threads : 1))
    {
#pragma omp section
        status = spmmi_stats_compute(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->values,
                                     plan->dtype, &plan->stats);
#pragma omp section
        {
            spmmi_digest_pattern(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->pattern_digest);
            if (plan->values != NULL)
                spmmi_digest_values(plan->nnz, plan->dtype, plan->values, plan->values_digest);
        }
    }
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the statistics of %lld columns",
                 (long long)plan->cols);
cleanup:
    return status;
}

/* Debug builds only: checks that the plan would load, as no plan that is refused may leave the inspector. */
static spmm_status_t check_own_work(const spmm_plan_t *plan, spmm_diag_t *diag)
{
#ifdef NDEBUG
    (void)plan;
    (void)diag;
    return SPMM_OK;
#else
    const spmm_status_t status = spmmi_plan_check(plan, diag);
    assert(status == SPMM_OK || status == SPMM_ERR_MEMORY);
    return status;
#endif
}

static spmm_status_t check_matrix(const spmm_matrix_t *matrix, const struct spmmi_request *r,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(
        matrix->rows <= SPMMI_DIM_MAX && matrix->cols <= SPMMI_DIM_MAX && matrix->nnz <= SPMMI_NNZ_MAX,
        SPMM_ERR_MATRIX_TOO_LARGE, diag,
        "%lld x %lld with %lld nonzeros is more than the %lld rows and columns and %lld nonzeros of a plan",
        (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz, (long long)SPMMI_DIM_MAX,
        (long long)SPMMI_NNZ_MAX);
    SPMM_TRY(spmmi_permutation_check(r->options.reorder, matrix->rows, matrix->cols, (uint64_t)matrix->rows,
                                     diag));
cleanup:
    return status;
}

/* Copies the values in the widest requested type, and checks that they fit all narrower types. */
static spmm_status_t copy_values(const spmm_matrix_t *a, const struct spmmi_requests *requests,
                                 spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int threads = requests->list[0].threads;
    uint32_t types = 0;
    for (int i = 0; i < requests->count; i++)
        types |= SPMMI_TYPE_BIT(requests->list[i].options.a_type);
    SPMM_TRY(spmmi_inspect_values(a, threads, plan, diag));
    SPMM_TRY(spmmi_values_fit(plan, types, threads, diag));
cleanup:
    return status;
}

/* Makes kernels keep the row order of the permuted matrix, unless the caller leaves the choice of a row
 * permutation open. */
static void keep_rows(struct spmmi_requests *requests)
{
    for (int i = 0; i < requests->count; i++)
        if (requests->list[i].options.reorder != SPMM_REORDER_AUTO)
            requests->list[i].options.reorder = SPMM_REORDER_NONE;
}

/* Logs the choice, one sentence per variant. */
static void log_choice(const spmm_plan_t *plan)
{
    static const char *const layouts[] = {"no", "row-major", "column-major", "row- and column-major"};
    spmmi_log(SPMM_LOG_INFO, "%s: inspected, %lld x %lld, %lld nonzeros, %s, %u variants", plan->source,
              (long long)plan->rows, (long long)plan->cols, (long long)plan->nnz,
              spmm_dtype_name(plan->dtype), plan->variant_count);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *const v = &plan->variants[i];
        const struct spmmi_part *const part = &plan->parts[v->part_first];
        spmmi_log(SPMM_LOG_INFO, "%s: op %s, %s, n = %lld to %lld, target %u: %s/%s, %s%s", plan->source,
                  spmm_op_name(v->op), layouts[v->layouts & 3u], (long long)v->n_min, (long long)v->n_max,
                  v->target, spmm_family_name(part->family), spmm_schedule_name(part->schedule),
                  spmm_compute_name(v->compute), v->part_count > 1 ? ", long rows split off" : "");
    }
}

/* Logs the merged ranges of n, and records them in the metadata after the pairs of the caller. If those pairs
 * already use the key or leave no space, only the log reports the merges. */
static spmm_status_t tell_merges(const struct spmmi_merges *merges, const struct spmmi_request *r,
                                 spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t count = (size_t)r->options.metadata_count;
    spmm_metadata_t pairs[SPMMI_METADATA_PAIRS + 1];
    char *packed = NULL, text[128];
    uint64_t bytes = 0;
    if (merges->count == 0)
        return SPMM_OK;
    spmmi_merges_text(merges, text, sizeof text);
    spmmi_log(merges->loss > SPMMI_SHARE_LOSS ? SPMM_LOG_WARNING : SPMM_LOG_INFO, "%s: %s", plan->source,
              text);
    if (count > 0)
        memcpy(pairs, r->options.metadata, count * sizeof *pairs);
    pairs[count] = (spmm_metadata_t){SPMMI_MERGES_KEY, text};
    status = spmmi_metadata_pack(pairs, (int64_t)count + 1, &packed, &bytes, &spmmi_diag_unheard);
    if (status == SPMM_ERR_ARGUMENT)
        return SPMM_OK;
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the metadata");
    spmmi_free(plan->metadata);
    plan->metadata = packed;
    plan->metadata_bytes = bytes;
cleanup:
    return status;
}

spmm_status_t spmm_inspect(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                           spmm_plan_t **plan, spmm_diag_t *diag)
{
    enum { STAGES = 3 };
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = NULL;
    spmm_matrix_t *permuted = NULL;
    uint32_t *permutation = NULL;
    struct spmmi_requests requests = {.list = NULL};
    struct spmmi_merges merges;

    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    SPMM_TRY(spmmi_requests_make(options, &requests, diag));
    const struct spmmi_request *const r = &requests.list[0];
    SPMM_TRY(check_matrix(matrix, r, diag));
    if (r->options.symmetric_permutation) {
        report(r, "order", 0, STAGES);
        SPMM_TRY(spmmi_symmetric_permutation(matrix, r, &permutation, &permuted, diag));
        keep_rows(&requests);
    }
    const spmm_matrix_t *const a = permuted != NULL ? permuted : matrix;

    p = spmmi_plan_new();
    SPMM_TRY_ALLOC(p, diag);
    spmmi_source_name(a->info.name, p->source, sizeof p->source);
    (void)snprintf(p->writer, sizeof p->writer, "spmm-inspector %s", spmm_version_string());
    SPMM_TRY(spmmi_metadata_pack(r->options.metadata, r->options.metadata_count, &p->metadata,
                                 &p->metadata_bytes, diag));
    report(r, "copy", 0, STAGES);
    SPMM_TRY(copy_pattern(a, r, p, diag));
    if (!r->options.pattern_only)
        SPMM_TRY(copy_values(a, &requests, p, diag));
    report(r, "statistics", 1, STAGES);
    SPMM_TRY(analysis(p, r->threads, diag));
    report(r, "partition", 2, STAGES);
    SPMM_TRY(spmmi_search_plan(&requests, p, &merges, diag));
    SPMM_TRY(tell_merges(&merges, r, p, diag));
    p->symmetric_permutation = permutation;
    permutation = NULL;
    SPMM_TRY(check_own_work(p, diag));
    report(r, "partition", STAGES, STAGES);

    if (spmmi_log_on(SPMM_LOG_INFO))
        log_choice(p);
    *plan = p;
    p = NULL;
cleanup:
    spmmi_requests_free(&requests);
    spmmi_free(permutation);
    spmm_matrix_destroy(permuted);
    spmm_plan_destroy(p);
    return status;
}
