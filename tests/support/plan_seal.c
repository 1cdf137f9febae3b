/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_seal.h. */
#include "plan_seal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "tests/support/tcblocks.h"

void test_plan_seal(spmm_plan_t *plan)
{
    if (spmmi_stats_compute(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->values, plan->dtype,
                            &plan->stats) != SPMM_OK)
        abort();
    spmmi_digest_pattern(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->pattern_digest);
    memset(plan->values_digest, 0, sizeof plan->values_digest);
    if (plan->values != NULL)
        spmmi_digest_values(plan->nnz, plan->dtype, plan->values, plan->values_digest);
}

int test_plan_may_compute(spmm_dtype_t dtype, const struct spmmi_family *family, int compute)
{
    const int is_tf32 = compute == SPMM_COMPUTE_TF32 || compute == SPMM_COMPUTE_3XTF32;
    const spmm_dtype_t type = is_tf32 ? SPMM_F32 : (spmm_dtype_t)compute;
    const int is_type = type == SPMM_F32 || type == SPMM_F64 || type == SPMM_F16 || type == SPMM_BF16;
    const int is_f32 = type == SPMM_F32, is_tensor = family->compute == SPMMI_COMPUTE_TENSOR;
    const int fits = is_tf32 ? is_f32 && family->compute != SPMMI_COMPUTE_VALUES : !is_f32 || !is_tensor;
    return is_type && (type == dtype || spmm_dtype_size(type) < spmm_dtype_size(dtype)) && fits;
}

static uint32_t reason_of(spmm_family_t family)
{
    if (test_is_tcblocks(family))
        return SPMMI_REASON_DENSITY;
    return spmmi_family_of(family)->slots_max > 0 ? SPMMI_REASON_EVEN : SPMMI_REASON_MEAN_ROW;
}

spmm_plan_t *test_plan_whole(const struct test_matrix *a, struct test_plan_options options,
                             const char *source)
{
    spmm_plan_t *plan = test_plan_build(a, options);
    plan->trace = spmmi_alloc_zero(plan->variant_count, sizeof *plan->trace);
    if (plan->trace == NULL)
        abort();
    plan->trace_count = plan->variant_count;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const spmm_family_t family = plan->parts[i].family;
        plan->trace[i] = (struct spmmi_trace){.variant = i,
                                              .family = family,
                                              .schedule = options.schedule,
                                              .chosen = 1,
                                              .reason = reason_of(family),
                                              .predicted_us = 12.5,
                                              .value = 4.25,
                                              .threshold = 9.35};
        if ((int)plan->variants[i].compute != (int)plan->dtype)
            plan->trace[i].compute = plan->variants[i].compute;
    }
    (void)snprintf(plan->source, sizeof plan->source, "%s", source);
    test_plan_seal(plan);
    return plan;
}

void test_plan_row_block_metrics(spmm_plan_t *plan)
{
    const struct spmmi_part *part = &plan->parts[0];
    spmm_row_block_metrics_t *s = &plan->row_block_metrics;
    plan->has_row_block_metrics = 1;
    *s = (spmm_row_block_metrics_t){.block_rows = part->block_rows,
                                    .stage_slots = part->stage_slots,
                                    .segment = part->item_size,
                                    .is_reordered = (part->flags & SPMMI_PART_REORDERED) != 0,
                                    .value_bytes = (int64_t)spmm_dtype_size(plan->dtype),
                                    .register_tile = 8,
                                    .n = 128,
                                    .multiprocessors = 132,
                                    .units = (int64_t)part->item_count};
    s->row_blocks = (s->units + s->block_rows - 1) / s->block_rows;
    s->thread_blocks = 16 * s->row_blocks;
    s->utilization = (double)s->thread_blocks / 132;
    s->working_set_sum = plan->nnz;
    s->working_set_max = plan->nnz;
    s->rho = plan->nnz > 0;
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
        s->working_set[h] = plan->nnz;
        s->reuse[h] = plan->nnz > 0;
    }
    s->stages = s->row_blocks;
    s->stages_max = s->row_blocks > 0;
    s->columns_used = plan->cols;
    s->line_gamma = 0.1;
    s->column_count[0] = plan->cols;
}

static int same_bytes(const void *a, const void *b, uint64_t count, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, count * size) == 0);
}

static int same_part(const struct spmmi_part *a, const struct spmmi_part *b)
{
    return a->op == b->op && a->family == b->family && a->schedule == b->schedule &&
           a->item_size == b->item_size && a->item_count == b->item_count && a->block_rows == b->block_rows &&
           a->stage_slots == b->stage_slots && a->flags == b->flags &&
           memcmp(a->items, b->items, a->item_count * sizeof *a->items) == 0;
}

static int same_trace(const struct spmmi_trace *a, const struct spmmi_trace *b)
{
    return a->variant == b->variant && a->family == b->family && a->schedule == b->schedule &&
           a->chosen == b->chosen && a->reason == b->reason && a->compute == b->compute &&
           a->permutation == b->permutation && a->predicted_us == b->predicted_us &&
           a->measured_us == b->measured_us && a->value == b->value && a->threshold == b->threshold;
}

static int same_product(const struct spmmi_spgemm *a, const struct spmmi_spgemm *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    /* The members in front of piece_products are words without padding. */
    int same = same_bytes(a, b, 1, offsetof(struct spmmi_spgemm, factor_op) + sizeof a->factor_op) &&
               a->piece_products == b->piece_products &&
               same_bytes(a->products, b->products, 1, sizeof a->products);
    for (uint32_t m = 0; same && m < spmmi_spgemm_matrices(a); m++) {
        const struct spmmi_spgemm_matrix *x = &a->matrices[m], *y = &b->matrices[m];
        same = x->rows == y->rows && x->cols == y->cols && x->nnz == y->nnz &&
               same_bytes(x->digest, y->digest, 1, sizeof x->digest) &&
               same_bytes(x->row_ptr, y->row_ptr, (uint64_t)x->rows + 1, sizeof *x->row_ptr) &&
               same_bytes(x->col_ind, y->col_ind, (uint64_t)x->nnz, sizeof *x->col_ind);
    }
    return same;
}

int test_plans_equal(const spmm_plan_t *a, const spmm_plan_t *b)
{
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz || a->dtype != b->dtype ||
        a->variant_count != b->variant_count || a->part_count != b->part_count ||
        a->trace_count != b->trace_count)
        return 0;
    int same = same_bytes(a->row_ptr, b->row_ptr, (uint64_t)a->rows + 1, sizeof *a->row_ptr) &&
               same_bytes(a->col_ind, b->col_ind, (uint64_t)a->nnz, sizeof *a->col_ind) &&
               same_bytes(a->values, b->values, (uint64_t)a->nnz, spmm_dtype_size(a->dtype)) &&
               same_bytes(a->pattern_digest, b->pattern_digest, 1, sizeof a->pattern_digest) &&
               same_bytes(a->values_digest, b->values_digest, 1, sizeof a->values_digest) &&
               same_bytes(&a->stats, &b->stats, 1, sizeof a->stats) &&
               a->has_row_block_metrics == b->has_row_block_metrics &&
               same_bytes(&a->row_block_metrics, &b->row_block_metrics, 1, sizeof a->row_block_metrics) &&
               same_bytes(a->symmetric_permutation, b->symmetric_permutation, (uint64_t)a->rows,
                          sizeof *a->symmetric_permutation) &&
               a->metadata_bytes == b->metadata_bytes &&
               same_bytes(a->metadata, b->metadata, a->metadata_bytes, 1) &&
               same_product(a->product, b->product) && strcmp(a->source, b->source) == 0 &&
               strcmp(a->writer, b->writer) == 0;
    /* Variants have no padding: two enums, two 4-byte words, two 8-byte words, two 4-byte words. */
    same = same && same_bytes(a->variants, b->variants, a->variant_count, sizeof a->variants[0]);
    for (uint32_t i = 0; same && i < a->part_count; i++)
        same = same_part(&a->parts[i], &b->parts[i]);
    for (uint32_t i = 0; same && i < a->trace_count; i++)
        same = same_trace(&a->trace[i], &b->trace[i]);
    return same;
}
