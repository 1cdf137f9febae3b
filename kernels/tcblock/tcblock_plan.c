/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_plan.h. Candidates in the order of A, or in the permutation that the caller names. */
#include "tcblock_plan.h"

#include <math.h>
#include <stdio.h>

#include "format/base/diag.h"
#include "kernels/long_rows/long_rows_plan.h"

#define HEIGHTS_BYTES 64
#define MAP_BYTES 12.0 /* per packed block: its bitmap, and where its values begin */
/* Without a model, packed blocks, which must be unpacked, may have this share of the bytes of dense
 * blocks. */
#define PACKED_GAIN 0.75
/* The sample has as many chunks of 256 rows as hold SAMPLE_NONZEROS nonzeros on average,
 * within a minimum and a maximum. */
#define SAMPLE_NONZEROS 131072.0
#define SAMPLE_MAX 128.0
#define SAMPLE_MIN 16.0
/* If a few rows are this many times as long as the mean, they make most blocks, and a sample has too few or
 * too many of them. Then all rows are counted, except in matrices with more nonzeros than SKEWED_NONZEROS. */
#define SKEWED_TIMES 16.0
#define SKEWED_MIN 64
#define SKEWED_NONZEROS 16777216

/* Cached analyses of the permutations that were considered, for all tensor-core families. */
struct analyses {
    struct {
        const uint32_t *permutation; /* NULL: the order of A */
        struct spmmi_tcblock_analysis analysis;
    } list[SPMMI_PERMUTATION_KINDS];
    int count;
};

static void close_analyses(void *memory)
{
    struct analyses *const all = memory;
    for (int i = 0; i < all->count; i++)
        spmmi_tcblock_analysis_close(&all->list[i].analysis);
}

int64_t spmmi_tcblock_sample(const struct spmmi_request *r, const struct spmmi_pattern *a)
{
    const double most = SKEWED_TIMES * (double)a->nnz / (double)(a->rows > 0 ? a->rows : 1);
    const bool is_skewed = a->longest >= SKEWED_MIN && (double)a->longest > most;
    if (r->family != 0 || (is_skewed && a->nnz <= SKEWED_NONZEROS))
        return 0;
    const double chunks = (double)a->rows / SPMMI_TCBLOCK_CHUNK;
    const double held = SAMPLE_NONZEROS * chunks / (double)(a->nnz > 0 ? a->nnz : 1);
    return (int64_t)fmax(fmin(held, SAMPLE_MAX), SAMPLE_MIN);
}

spmm_status_t spmmi_tcblock_analysis_of(const struct spmmi_search *s, const uint32_t *permutation,
                                        const struct spmmi_tcblock_analysis **analysis, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct analyses *all = spmmi_search_cache(s, "tcblock analyses", sizeof *all, close_analyses);
    int i = 0;
    SPMM_TRY_ALLOC(all, diag);
    while (i < all->count && all->list[i].permutation != permutation)
        i++;
    if (i == all->count) {
        SPMM_REQUIRE(i < SPMMI_PERMUTATION_KINDS, SPMM_ERR_INTERNAL, diag,
                     "more permutations than kinds of them");
        all->list[i].permutation = permutation;
        status = spmmi_tcblock_analysis_open(s->pattern, permutation, r->options.a_type,
                                             spmmi_tcblock_sample(r, s->pattern), r->threads,
                                             &all->list[i].analysis);
        all->count++;
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the metrics of tensor-core blocks");
    }
    *analysis = &all->list[i].analysis;
cleanup:
    return status;
}

/* Writes the values that block_rows may have, such as "64, 128 or 256". */
static void unit_heights(const struct spmmi_family *row, char text[HEIGHTS_BYTES])
{
    size_t used = 0;
    for (uint32_t rows = row->unit_min; rows <= row->unit_max && used < HEIGHTS_BYTES; rows *= 2)
        used += (size_t)snprintf(text + used, HEIGHTS_BYTES - used, "%s%u",
                                 rows == row->unit_min  ? ""
                                 : rows < row->unit_max ? ", "
                                                        : " or ",
                                 rows);
}

spmm_status_t spmmi_tcblock_check_options(const struct spmmi_request *r,
                                          const struct spmmi_tcblock_rules *rules, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_tiled_options_t *const t = &r->tiled;
    const uint32_t block_rows = r->tcblock.block_rows;
    const bool is_for_gpu = r->gpu_is_named || (r->device.target > SPMMI_TARGET_CPU && !r->cpu_is_named);
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    char heights[HEIGHTS_BYTES];
    unit_heights(row, heights);
    SPMM_REQUIRE(t->balance == 0 && t->segment_length == 0 && t->block_rows == 0 && t->stage_slots == 0,
                 SPMM_ERR_ARGUMENT, diag,
                 "the options in tiled apply to the tiled family only, but the named kernel is %s",
                 row->name);
    SPMM_REQUIRE(block_rows == 0 || row->unit_min < row->unit_max, SPMM_ERR_ARGUMENT, diag,
                 "tcblock.block_rows cannot be set for this kernel: its %ss always have %u rows", row->unit,
                 row->unit_min);
    SPMM_REQUIRE(block_rows == 0 || spmmi_is_power_within(block_rows, row->unit_min, row->unit_max),
                 SPMM_ERR_ARGUMENT, diag, "tcblock.block_rows of the kernel %s must be %s, found %u",
                 row->name, heights, block_rows);
    SPMM_REQUIRE(block_rows <= rules->free_rows || rules->free_rows == 0 || !is_for_gpu, SPMM_ERR_ARGUMENT,
                 diag, "the kernel %s supports tcblock.block_rows %u on CPUs only, but the plan is for a GPU",
                 row->name, block_rows);
cleanup:
    return status;
}

/* ---- What may run ---- */

static bool is_predicted(const struct spmmi_search *s)
{
    return s->pattern->nnz > 0 && s->request->device.target != SPMMI_TARGET_CPU;
}

static bool is_fitted(const struct spmmi_search *s, spmm_family_t family)
{
    const struct spmmi_request *const r = s->request;
    const enum spmmi_model_type type = spmmi_model_type_of(family, r->tensor, r->options.a_type);
    const int kernel = spmmi_profile_kernel(&r->device, family, SPMM_SCHEDULE_DENSE, type);
    return r->device.is_fitted[kernel][type] != 0;
}

static bool may_have_unit(const struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                          enum spmmi_tcblock_unit unit)
{
    const uint32_t named = s->request->tcblock.block_rows, rows = spmmi_tcblock_rows(unit);
    if (rules->first == rules->last)
        return true;
    if (named != 0)
        return rows == named;
    if (!is_predicted(s) || !is_fitted(s, rules->family))
        return rows == rules->default_rows(s);
    return rules->free_rows == 0 || rows <= rules->free_rows;
}

/* Without a prediction, packed blocks are chosen if they are much smaller. */
static spmm_schedule_t default_schedule(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f)
{
    if (spmmi_schedule_of(f->family, SPMM_SCHEDULE_PACKED) == NULL)
        return SPMM_SCHEDULE_DENSE;
    const double bytes = (double)spmm_dtype_size(s->request->options.a_type), dense = f->blocks * 64 * bytes;
    const double packed = f->blocks * MAP_BYTES + f->nnz * bytes;
    return packed > PACKED_GAIN * dense ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
}

static bool may_have_schedule(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f,
                              spmm_schedule_t schedule)
{
    if (spmmi_schedule_of(f->family, schedule) == NULL)
        return false;
    if (spmmi_is_forced(s) && s->request->schedule != 0)
        return schedule == s->request->schedule;
    return is_predicted(s) || schedule == default_schedule(s, f);
}

double spmmi_tcblock_analysis_fill(const struct spmmi_tcblock_analysis *analysis,
                                   enum spmmi_tcblock_unit unit)
{
    const struct spmmi_tcblock_counts *windows = &analysis->counts[SPMMI_TCBLOCK_8];
    const struct spmmi_tcblock_counts *own = &analysis->counts[unit];
    /* Windows and panels have the same blocks, except where steps split them: the blocks of windows count. */
    const struct spmmi_tcblock_counts *f = own->positions == windows->positions ? windows : own;
    return f->blocks > 0 ? f->nnz / f->blocks * windows->positions / f->positions : 0;
}

/* Returns why a free choice must not take this schedule; reason 0: it may. */
static struct spmmi_evidence reason_against(const struct spmmi_search *s,
                                            const struct spmmi_tcblock_counts *f, spmm_schedule_t schedule)
{
    if (!spmmi_is_forced(s) && !spmmi_tcblock_fits(f, schedule))
        return spmmi_why(SPMMI_REASON_TOO_LARGE, f->positions * f->blocks, UINT32_MAX);
    return spmmi_why((enum spmmi_reason)0, 0, 0);
}

void spmmi_tcblock_candidate(const struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                             const struct spmmi_tcblock_analysis *analysis, enum spmmi_tcblock_unit unit,
                             spmm_schedule_t schedule, struct spmmi_model_tcblocks *metrics,
                             struct spmmi_candidate *c)
{
    const struct spmmi_request *const r = s->request;
    const struct spmmi_tcblock_counts *const f = &analysis->counts[unit];
    const bool is_moved = c->permutation != NULL || r->options.permute_output;
    const bool scatters = c->permutation != NULL && !r->options.permute_output;
    c->family = rules->family;
    c->schedule = schedule;
    c->compute = r->tensor;
    c->unit_rows = f->unit_rows;
    c->item_size = spmmi_tcblock_item_size(f, r->device.multiprocessors);
    if (rules->uncut_steps != NULL && c->long_rows == NULL && f->longest > c->item_size &&
        f->longest <= rules->uncut_steps(s, f))
        c->item_size = (uint32_t)f->longest;
    c->flags = (is_moved ? SPMMI_PART_REORDERED : 0u) |
               (r->options.permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
    c->is_default = true;
    const struct spmmi_tcblock_items items = spmmi_tcblock_items(analysis, unit, c->item_size);
    *metrics = (struct spmmi_model_tcblocks){.counts = f,
                                             .items = items.items,
                                             .partials = items.partials,
                                             .item_size = c->item_size,
                                             .is_reordered = scatters,
                                             .has_long_rows = c->long_rows != NULL};
    c->metrics = metrics;
    const struct spmmi_evidence why = reason_against(s, f, schedule);
    c->refused = why.reason;
    c->value = why.value;
    c->threshold = why.threshold;
}

spmm_status_t spmmi_tcblock_emit(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                 const struct spmmi_row_permutation *permutation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_tcblock_analysis *natural = NULL, *analysis = NULL;
    SPMM_TRY(
        spmmi_tcblock_analysis_of(s, permutation != NULL ? permutation->permutation : NULL, &analysis, diag));
    if (permutation != NULL)
        SPMM_TRY(spmmi_tcblock_analysis_of(s, NULL, &natural, diag));
    for (int u = (int)rules->first; u <= (int)rules->last; u++) {
        const enum spmmi_tcblock_unit unit = (enum spmmi_tcblock_unit)u;
        for (int schedule = SPMM_SCHEDULE_DENSE; schedule <= SPMM_SCHEDULE_PACKED; schedule++) {
            struct spmmi_model_tcblocks metrics;
            struct spmmi_candidate c = {.permutation = NULL};
            if (!may_have_unit(s, rules, unit) ||
                !may_have_schedule(s, &analysis->counts[unit], (spmm_schedule_t)schedule))
                continue;
            if (permutation != NULL) {
                c.permutation = permutation->permutation;
                c.permutation_kind = permutation->kind;
                c.inspect_seconds = spmmi_permutation_seconds(s);
                c.evidence[c.evidence_count++] = spmmi_why(SPMMI_REASON_BLOCKS, analysis->counts[unit].blocks,
                                                           natural->counts[unit].blocks);
            }
            spmmi_tcblock_candidate(s, rules, analysis, unit, (spmm_schedule_t)schedule, &metrics, &c);
            SPMM_TRY(spmmi_search_emit(s, &c, diag));
        }
    }
cleanup:
    return status;
}

spmm_status_t spmmi_tcblock_propose(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_reorder_t wanted = s->request->options.reorder;
    const struct spmmi_row_permutation *permutation = NULL;
    if (!spmmi_is_forced(s) && s->pattern->nnz > (int64_t)UINT32_MAX) {
        const struct spmmi_evidence why =
            spmmi_why(SPMMI_REASON_TOO_LARGE, (double)s->pattern->nnz, UINT32_MAX);
        return spmmi_search_refuse(s, rules->family, (spmm_schedule_t)0, SPMM_REORDER_AUTO, &why, diag);
    }
    if (wanted != SPMM_REORDER_AUTO && wanted != SPMM_REORDER_NONE)
        SPMM_TRY(spmmi_row_permutation_of(s->permutations, wanted, &permutation, diag));
    SPMM_TRY(spmmi_tcblock_emit(
        s, rules, permutation != NULL && permutation->permutation != NULL ? permutation : NULL, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_tcblock_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                  struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_part_set_items(part, (uint64_t)s->pattern->rows, c->permutation, diag));
    if (c->long_rows != NULL)
        SPMM_TRY(spmmi_long_rows_split_part(c->long_rows, part, part + 1, diag));
cleanup:
    return status;
}
