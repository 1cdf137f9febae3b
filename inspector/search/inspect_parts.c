/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_parts.h. */
#include "inspect_parts.h"

#include <assert.h>
#include <math.h>

#include "choose_family.h"
#include "kernels/tcblock/fragment_plan.h"
#include "kernels/tiled/tiled_plan.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/analysis/order_stats.h"
#include "partition.h"

#define OPS 2
#define TRACE_MAX (OPS * SPMMI_FAMILY_DECISION_MAX * SPMMI_CANDIDATE_MAX)
static_assert(TRACE_MAX <= SPMMI_TRACE_MAX, "every candidate has its entry");
static_assert(OPS * SPMMI_FAMILY_DECISION_MAX <= SPMMI_VARIANT_MAX &&
                  2 * OPS * SPMMI_FAMILY_DECISION_MAX <= SPMMI_PART_MAX,
              "every decision has its variant, its part and its peeled rows");

/* What a part was made of beside its own fields; told apart by where it is. */
struct origin {
    const uint32_t *order;
    const struct spmmi_peel *peel;
};

static bool runs(const struct spmmi_part *part, const struct origin *from, spmm_op_t op,
                 const struct spmmi_decision *d)
{
    return part->op == op && part->family == d->family && part->schedule == d->schedule &&
           part->granule == d->granule && part->panel_rows == d->panel_rows &&
           part->stage_slots == d->stage_slots && part->flags == d->flags && from->order == d->order &&
           from->peel == d->peel;
}

/* What is kept while the parts of one op are made. */
struct op_work {
    struct spmmi_studies studies;
    struct origin origins[SPMMI_PART_MAX]; /* of the parts of this op */
};

/* The part of a decision, made if there is none yet. */
static spmm_status_t find_or_make_part(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                       const struct spmmi_decision *d, struct op_work *work,
                                       spmm_plan_t *plan, uint32_t *index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (*index = 0; *index < plan->part_count; ++*index) {
        if (runs(&plan->parts[*index], &work->origins[*index], a->op, d))
            goto cleanup;
    }
    struct spmmi_part *part = &plan->parts[plan->part_count];
    if (d->family == SPMM_FAMILY_TILED) {
        struct spmmi_tiled_study *study = NULL;
        SPMM_TRY(spmmi_study_of(&work->studies.tiled, a, d->granule, &study, diag));
        SPMM_TRY(spmmi_tiled_part(study, d, a->op, part, diag));
    } else if (d->family != SPMM_FAMILY_ROWS) {
        SPMM_TRY(spmmi_fragment_part(a, d, part, diag));
    } else {
        assert(plan->dtype == SPMM_F32 || plan->dtype == SPMM_F64); /* what the rows kernels multiply */
        status = spmmi_partition(a->op, d->schedule, d->granule, a->rows, a->row_ptr, r->threads, part);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the work items");
    }
    work->origins[plan->part_count++] = (struct origin){d->order, d->peel};
    if (d->peel != NULL) {
        SPMM_TRY(spmmi_peel_part(d->peel, part, part + 1, diag));
        plan->part_count++;
    }
cleanup:
    return status;
}

static spmm_status_t plan_op(const struct spmmi_request *r, const struct spmmi_pattern *a, spmm_plan_t *plan,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct op_work *work = spmmi_alloc_zero(1, sizeof *work);
    struct spmmi_family_choice choice;
    SPMM_TRY_ALLOC(work, diag);
    SPMM_TRY(spmmi_choose_family(r, a, &work->studies, &choice, diag));
    SPMM_TRY(spmmi_order_stats_add(r, a, &work->studies, plan, diag));
    if (!plan->has_panel_stats && choice.panel_stats.panel_rows > 0) {
        plan->panel_stats = choice.panel_stats;
        plan->has_panel_stats = 1;
    }
    for (int i = 0; i < choice.count; i++) {
        const struct spmmi_decision *d = &choice.decisions[i];
        uint32_t part = 0;
        SPMM_TRY(find_or_make_part(r, a, d, work, plan, &part, diag));
        for (int c = 0; c < d->candidate_count; c++) {
            plan->trace[plan->trace_count] = d->candidates[c];
            plan->trace[plan->trace_count++].variant = plan->variant_count;
        }
        plan->variants[plan->variant_count++] = (struct spmmi_variant){
            .op = a->op,
            .compute = d->compute != 0 ? d->compute : (spmm_compute_t)plan->dtype,
            .layouts = d->layouts,
            .target = r->device.target,
            .n_min = d->n_min,
            .n_max = d->n_max,
            .part_first = part,
            .part_count = d->peel != NULL ? 2 : 1,
        };
    }
cleanup:
    if (work != NULL) {
        spmmi_studies_free(&work->studies.tiled);
        spmmi_fragment_studies_free(&work->studies.fragments);
        spmmi_peels_free(&work->studies.peels);
    }
    spmmi_free(work);
    return status;
}

static double deviation(int64_t rows, const int64_t *row_ptr, double mean)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double difference = (double)(row_ptr[i + 1] - row_ptr[i]) - mean;
        sum += difference * difference;
    }
    return rows > 0 ? sqrt(sum / (double)rows) : 0;
}

static spmm_status_t plan_transpose(const struct spmmi_request *r, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *row_ptr);
    int32_t *col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *col_ind);
    SPMM_TRY_ALLOC(row_ptr, diag);
    SPMM_TRY_ALLOC(col_ind, diag);
    status = spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, row_ptr, col_ind, NULL);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the transpose");
    const double mean = plan->cols > 0 ? (double)plan->nnz / (double)plan->cols : 0;
    const struct spmmi_pattern a = {.op = SPMM_OP_T,
                                    .rows = plan->cols,
                                    .cols = plan->rows,
                                    .nnz = plan->nnz,
                                    .longest = plan->stats.col_max,
                                    .row_ptr = row_ptr,
                                    .col_ind = col_ind,
                                    .mean = mean,
                                    .stddev = deviation(plan->cols, row_ptr, mean)};
    SPMM_TRY(plan_op(r, &a, plan, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

spmm_status_t spmmi_inspect_parts(const struct spmmi_request *request, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern a = {.op = SPMM_OP_N,
                                    .rows = plan->rows,
                                    .cols = plan->cols,
                                    .nnz = plan->nnz,
                                    .longest = plan->stats.row_max,
                                    .row_ptr = plan->row_ptr,
                                    .col_ind = plan->col_ind,
                                    .mean = plan->stats.row_mean,
                                    .stddev = plan->stats.row_stddev};
    plan->trace = spmmi_alloc_zero(TRACE_MAX, sizeof *plan->trace);
    SPMM_TRY_ALLOC(plan->trace, diag);
    if ((request->options.ops & (1u << SPMM_OP_N)) != 0)
        SPMM_TRY(plan_op(request, &a, plan, diag));
    if ((request->options.ops & (1u << SPMM_OP_T)) != 0)
        SPMM_TRY(plan_transpose(request, plan, diag));
cleanup:
    return status;
}
