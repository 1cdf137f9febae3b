/* SPDX-License-Identifier: Apache-2.0 */
/* Public getters of a plan in memory. They fail for invalid arguments only. */
#include <stdio.h>
#include <string.h>

#include "format/base/dtype.h"
#include "format/base/options.h"
#include "format/family.h"
#include "format/file/plan_records.h"
#include "format/file/plan_write.h"

spmm_status_t spmm_plan_info(const spmm_plan_t *plan, spmm_plan_info_t *info)
{
    if (plan == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_plan_info_t full;
    memset(&full, 0, sizeof full);
    full.rows = plan->rows;
    full.cols = plan->cols;
    full.nnz = plan->nnz;
    full.a_type = full.b_type = full.c_type = plan->dtype;
    full.sum_type = spmmi_dtype_of(plan->dtype)->sums;
    full.has_values = plan->values != NULL;
    full.csr_bytes = spmmi_csr_bytes(plan->rows, plan->nnz, full.has_values ? plan->dtype : (spmm_dtype_t)0);
    memcpy(full.pattern_digest, plan->pattern_digest, sizeof full.pattern_digest);
    memcpy(full.values_digest, plan->values_digest, sizeof full.values_digest);
    full.variant_count = (int)plan->variant_count;
    full.part_count = (int)plan->part_count;
    full.trace_count = (int)plan->trace_count;
    full.section_count = (int)plan->section_count;
    full.file_bytes = plan->file_bytes;
    const int is_fresh = plan->format_major == 0;
    full.format_major = is_fresh ? SPMMI_FORMAT_MAJOR : plan->format_major;
    full.format_minor =
        is_fresh ? spmmi_plan_minor(spmmi_plan_features(plan), plan->metadata != NULL) : plan->format_minor;
    memcpy(full.source, plan->source, sizeof full.source);
    memcpy(full.writer, plan->writer, sizeof full.writer);
    return spmmi_info_write(info, &full, sizeof full);
}

uint32_t spmmi_plan_types(const spmm_plan_t *plan)
{
    uint32_t types = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        types |= SPMMI_TYPE_BIT(spmmi_variant_type(&plan->variants[i]));
    return types;
}

spmm_status_t spmm_plan_matrix_stats(const spmm_plan_t *plan, spmm_matrix_stats_t *stats)
{
    return plan == NULL ? SPMM_ERR_ARGUMENT : spmmi_info_write(stats, &plan->stats, sizeof plan->stats);
}

spmm_status_t spmm_plan_row_block_metrics(const spmm_plan_t *plan, spmm_row_block_metrics_t *metrics)
{
    if (plan == NULL)
        return SPMM_ERR_ARGUMENT;
    return spmmi_info_write(metrics, &plan->row_block_metrics, sizeof plan->row_block_metrics);
}

static int is_index(int index, uint32_t count)
{
    return (uint32_t)index < count; /* a negative index becomes larger than any count */
}

spmm_status_t spmm_plan_permutation_metrics(const spmm_plan_t *plan, int index,
                                            spmm_permutation_metrics_t *metrics)
{
    if (plan == NULL || !is_index(index, plan->permutation_metrics_count))
        return SPMM_ERR_ARGUMENT;
    return spmmi_info_write(metrics, &plan->permutation_metrics[index], sizeof *plan->permutation_metrics);
}

spmm_status_t spmm_plan_variant(const spmm_plan_t *plan, int index, spmm_variant_info_t *info)
{
    if (plan == NULL || !is_index(index, plan->variant_count))
        return SPMM_ERR_ARGUMENT;
    const struct spmmi_variant *v = &plan->variants[index];
    spmm_variant_info_t full;
    memset(&full, 0, sizeof full);
    full.op = v->op;
    full.compute = v->compute;
    full.layouts = v->layouts;
    full.n_min = v->n_min;
    full.n_max = v->n_max;
    full.target = v->target;
    full.part_first = (int)v->part_first;
    full.part_count = (int)v->part_count;
    full.a_type = spmmi_variant_type(v);
    return spmmi_info_write(info, &full, sizeof full);
}

spmm_status_t spmm_plan_part(const spmm_plan_t *plan, int index, spmm_part_info_t *info)
{
    if (plan == NULL || !is_index(index, plan->part_count))
        return SPMM_ERR_ARGUMENT;
    const struct spmmi_part *p = &plan->parts[index];
    spmm_part_info_t full;
    memset(&full, 0, sizeof full);
    full.family = p->family;
    full.schedule = p->schedule;
    full.item_size = p->item_size;
    full.items = (int64_t)p->item_count;
    full.block_rows = p->block_rows;
    full.stage_slots = p->stage_slots;
    full.is_reordered = (p->flags & SPMMI_PART_REORDERED) != 0;
    full.permutes_output = (p->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
    full.is_long_rows = (p->flags & SPMMI_PART_LONG_ROWS) != 0;
    return spmmi_info_write(info, &full, sizeof full);
}

/* Returns the items of a part as row numbers. The part must have all of these flags and a schedule with whole
 * rows (ROWS); else the result is ARGUMENT. */
static spmm_status_t rows_of_part(const spmm_plan_t *plan, int index, uint32_t flags, const uint32_t **rows,
                                  int64_t *count)
{
    if (rows == NULL || count == NULL)
        return SPMM_ERR_ARGUMENT;
    *rows = NULL;
    *count = 0;
    if (plan == NULL || !is_index(index, plan->part_count))
        return SPMM_ERR_ARGUMENT;
    const struct spmmi_part *part = &plan->parts[index];
    const struct spmmi_schedule *schedule = spmmi_schedule_of(part->family, part->schedule);
    if ((part->flags & flags) != flags || schedule->items != SPMMI_ITEMS_ROWS)
        return SPMM_ERR_ARGUMENT;
    *rows = part->items;
    *count = (int64_t)part->item_count;
    return SPMM_OK;
}

spmm_status_t spmm_plan_row_permutation(const spmm_plan_t *plan, int part, const uint32_t **permutation,
                                        int64_t *count)
{
    return rows_of_part(plan, part, SPMMI_PART_PERMUTES_OUTPUT, permutation, count);
}

spmm_status_t spmm_plan_part_permutation(const spmm_plan_t *plan, int part, const uint32_t **permutation,
                                         int64_t *count)
{
    return rows_of_part(plan, part, SPMMI_PART_REORDERED, permutation, count);
}

spmm_status_t spmm_plan_symmetric_permutation(const spmm_plan_t *plan, const uint32_t **permutation,
                                              int64_t *count)
{
    if (permutation == NULL || count == NULL)
        return SPMM_ERR_ARGUMENT;
    *permutation = NULL;
    *count = 0;
    if (plan == NULL)
        return SPMM_ERR_ARGUMENT;
    *permutation = plan->symmetric_permutation;
    *count = plan->symmetric_permutation == NULL ? 0 : plan->rows;
    return SPMM_OK;
}

/* Writes the sentence for a reason of the search (SPMMI_REASON_TYPE and later). */
static void search_text(const struct spmmi_trace *t, char *text, size_t size)
{
    static const char *const forms[] = {
        [SPMMI_REASON_TYPE] = "its kernels do not multiply these values as the options ask",
        [SPMMI_REASON_COLUMNS] = "%.0f columns, it is considered from %.0f on",
        [SPMMI_REASON_SMALL] = "nonzeros: %.0f, it is considered from %.0f on",
        [SPMMI_REASON_UNPRICED] = "the cost model has no prediction for it here",
        [SPMMI_REASON_TOO_LARGE] = "%.0f entries, it can index %.0f",
        [SPMMI_REASON_PRUNED] = "it could take %.2f us at best, the best so far takes %.2f us",
        [SPMMI_REASON_FULL] = "%.2f nonzeros a block of 8 x 8, from %.2f on permutations are not tried",
        [SPMMI_REASON_SIMILARITY] =
            "row windows of similar rows would keep %.3f of their columns, permutations are tried below %.2f",
        [SPMMI_REASON_BREAK_EVEN] = "it pays off after %.0f products, %.0f are expected",
        [SPMMI_REASON_NOT_MEASURED] = "it could not be measured (status %.0f)",
    };
    const size_t count = sizeof forms / sizeof forms[0];
    if (t->reason == SPMMI_REASON_MEASURED)
        (void)snprintf(text, size, "measured %.2f us, the %s %.2f us", t->value,
                       t->chosen ? "alternative" : "winner", t->threshold);
    else if (t->reason < count && forms[t->reason] != NULL)
        (void)snprintf(text, size, forms[t->reason], t->value, t->threshold);
    else
        (void)snprintf(text, size, "no reason given");
}

static void reason_text(const struct spmmi_trace *t, char *text, size_t size)
{
    switch ((enum spmmi_reason)t->reason) {
    case SPMMI_REASON_FORCED:
        (void)snprintf(text, size, "the caller named this schedule");
        return;
    case SPMMI_REASON_MEAN_ROW:
        (void)snprintf(text, size, "%.2f nonzeros per row on average, the schedules are equal at %.2f",
                       t->value, t->threshold);
        return;
    case SPMMI_REASON_IMBALANCE:
        (void)snprintf(text, size, "the longest row holds %.0f nonzeros, the row-split limit is %.0f",
                       t->value, t->threshold);
        return;
    case SPMMI_REASON_PREDICTED:
        (void)snprintf(text, size, "predicted %.2f us, the %s %.2f us", t->value,
                       t->chosen ? "alternative" : "winner", t->threshold);
        return;
    case SPMMI_REASON_UNDERUSED:
        (void)snprintf(text, size, "%.3f thread blocks per multiprocessor; below %.2f rows are cut", t->value,
                       t->threshold);
        return;
    case SPMMI_REASON_UNEVEN:
        (void)snprintf(text, size, "sigma / mu is %.3f, above %.2f rows are cut", t->value, t->threshold);
        return;
    case SPMMI_REASON_EVEN:
        (void)snprintf(text, size, "sigma / mu is %.3f, up to %.2f rows stay whole", t->value, t->threshold);
        return;
    case SPMMI_REASON_REUSE:
        (void)snprintf(text, size, "intensity %.4f flop/byte with the permutation, %.4f without", t->value,
                       t->threshold);
        return;
    case SPMMI_REASON_DENSITY:
        (void)snprintf(text, size, "%.2f nonzeros per block of 8 x 8; below %.2f tensor cores are slower",
                       t->value, t->threshold);
        return;
    case SPMMI_REASON_MARGIN:
        (void)snprintf(text, size,
                       "predicted %.2f us, %s below %.2f us: %s risk, a factor on predictions, is higher",
                       t->value, t->chosen ? "taken" : "it would have been chosen", t->threshold,
                       t->chosen ? "the alternative's" : "its");
        return;
    case SPMMI_REASON_BLOCKS:
        (void)snprintf(text, size, "%.0f blocks after %s, %.0f before", t->value,
                       t->permutation != 0 ? spmm_reorder_name(t->permutation) : "permuting", t->threshold);
        return;
    case SPMMI_REASON_LONG_ROWS:
        (void)snprintf(text, size, "%.0f nonzeros of %.0f long %s are %scomputed by a separate kernel",
                       t->threshold, t->value, t->value == 1 ? "row" : "rows", t->chosen ? "" : "not ");
        return;
    case SPMMI_REASON_LONG_ROWS_BLOCKS:
        (void)snprintf(text, size, "%.0f blocks without the long rows, %.0f with them", t->value,
                       t->threshold);
        return;
    default:
        search_text(t, text, size);
        return;
    }
}

spmm_status_t spmm_plan_trace(const spmm_plan_t *plan, int index, spmm_trace_info_t *info)
{
    if (plan == NULL || !is_index(index, plan->trace_count))
        return SPMM_ERR_ARGUMENT;
    const struct spmmi_trace *t = &plan->trace[index];
    spmm_trace_info_t full;
    memset(&full, 0, sizeof full);
    full.variant = (int)t->variant;
    full.family = t->family;
    full.schedule = t->schedule;
    full.compute =
        t->compute != 0 ? t->compute : (spmm_compute_t)spmmi_variant_type(&plan->variants[t->variant]);
    full.reorder = t->permutation;
    full.chosen = t->chosen != 0;
    full.predicted_us = t->predicted_us;
    full.measured_us = t->measured_us;
    full.value = t->value;
    full.threshold = t->threshold;
    reason_text(t, full.reason, sizeof full.reason);
    return spmmi_info_write(info, &full, sizeof full);
}

spmm_status_t spmm_plan_section(const spmm_plan_t *plan, int index, spmm_section_info_t *info)
{
    if (plan == NULL || !is_index(index, plan->section_count))
        return SPMM_ERR_ARGUMENT;
    return spmmi_info_write(info, &plan->sections[index], sizeof *plan->sections);
}

spmm_status_t spmm_plan_csr(const spmm_plan_t *plan, spmm_csr_t *view)
{
    if (plan == NULL || view == NULL)
        return SPMM_ERR_ARGUMENT;
    *view = (spmm_csr_t){plan->rows,    plan->cols,    plan->nnz,   SPMM_I64,    SPMM_I32,
                         plan->row_ptr, plan->col_ind, plan->dtype, plan->values};
    return SPMM_OK;
}
