/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_analysis_plan.h. */
#include "tiled_analysis_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "tiled_chart_plan.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "tiled_cost.h"
#include "inspector/reorder/permutation_units.h"
#include "inspector/analysis/row_block_metrics.h"
#include "format/matrix/sorted_columns.h"

#define LANES 32u
#define SECTOR_BYTES 32u
/* The sample has as many row blocks as hold SAMPLE_NONZEROS nonzeros on average, but no more than a quarter
 * of all if there are many. */
#define SAMPLE_NONZEROS (INT64_C(1) << 17)
#define SAMPLE_MIN 8
#define SAMPLE_ENOUGH 64
#define SAMPLE_MAX 128

static spmm_status_t cut(struct spmmi_tiled_analysis *s, const struct spmmi_pattern *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    s->cut_ptr = spmmi_alloc(s->units + 1, sizeof *s->cut_ptr);
    SPMM_TRY_ALLOC(s->cut_ptr, diag);
    s->unit_row = spmmi_alloc(s->units, sizeof *s->unit_row);
    SPMM_TRY_ALLOC(s->unit_row, diag);
    spmmi_units_cut(a->rows, a->row_ptr, s->segment, s->cut_ptr, s->unit_row);
    s->unit_ptr = s->cut_ptr;
    for (int64_t row = 0; row < a->rows; row++)
        s->cut_rows += a->row_ptr[row + 1] - a->row_ptr[row] > s->segment;
cleanup:
    return status;
}

static void free_analysis(struct spmmi_tiled_analysis *s)
{
    spmmi_free(s->permutation);
    spmmi_free(s->unit_row);
    spmmi_free(s->cut_ptr);
}

spmm_status_t spmmi_analysis_of(struct spmmi_tiled_analyses *analyses, const struct spmmi_pattern *a,
                                uint32_t segment, struct spmmi_tiled_analysis **analysis, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < analyses->count; i++) {
        if (analyses->list[i].segment == segment) {
            *analysis = &analyses->list[i];
            return SPMM_OK;
        }
    }
    struct spmmi_tiled_analysis *s = NULL;
    SPMM_REQUIRE(analyses->count < SPMMI_ANALYSIS_MAX, SPMM_ERR_INTERNAL, diag,
                 "more than %d segment lengths", SPMMI_ANALYSIS_MAX);
    s = &analyses->list[analyses->count];
    memset(s, 0, sizeof *s);
    s->segment = segment;
    s->units = spmmi_units_count(a->rows, a->row_ptr, segment);
    s->columns_used = analyses->columns_used;
    s->unit_ptr = a->row_ptr;
    SPMM_REQUIRE(s->units <= SPMMI_UNIT_MAX, SPMM_ERR_MATRIX_TOO_LARGE, diag,
                 "segments of %u nonzeros would make %llu units, at most %u are possible", segment,
                 (unsigned long long)s->units, SPMMI_UNIT_MAX);
    if (segment != 0)
        SPMM_TRY(cut(s, a, diag));
    analyses->count++;
    *analysis = s;
cleanup:
    if (status != SPMM_OK && s != NULL)
        free_analysis(s);
    return status;
}

void spmmi_analyses_free(struct spmmi_tiled_analyses *analyses)
{
    for (int i = 0; i < analyses->count; i++)
        free_analysis(&analyses->list[i]);
    analyses->count = 0;
}

void spmmi_analyses_close(void *analyses)
{
    spmmi_analyses_free(analyses);
}

static uint32_t row_of(const struct spmmi_tiled_analysis *s, uint64_t unit)
{
    return s->unit_row == NULL ? (uint32_t)unit : s->unit_row[unit];
}

/* Returns true if the unit is a whole row, which its thread writes to C. */
static bool writes_row(const struct spmmi_tiled_analysis *s, uint64_t unit)
{
    const uint32_t row = row_of(s, unit);
    return (unit == 0 || row_of(s, unit - 1) != row) && (unit + 1 == s->units || row_of(s, unit + 1) != row);
}

static double sector_amplification_of(const struct spmmi_tiled_analysis *s, uint32_t value_bytes)
{
    const uint32_t rows_a_sector = SECTOR_BYTES / value_bytes;
    uint64_t rows = 0, sectors = 0;
    for (uint64_t first = 0; first < s->units; first += LANES) {
        int32_t touched[LANES];
        int64_t count = 0;
        for (uint64_t i = first; i < first + LANES && i < s->units; i++) {
            if (writes_row(s, s->permutation[i]))
                touched[count++] = (int32_t)(row_of(s, s->permutation[i]) / rows_a_sector);
        }
        rows += (uint64_t)count;
        sectors += (uint64_t)spmmi_sort_unique(touched, count);
    }
    const double least = (double)rows / rows_a_sector;
    return (double)sectors > least ? (double)sectors / least : 1;
}

spmm_status_t spmmi_analysis_permutation(struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                         const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_permutation_input in = {.rows = a->rows,
                                               .cols = a->cols,
                                               .row_ptr = a->row_ptr,
                                               .col_ind = a->col_ind,
                                               .units = analysis->units,
                                               .unit_ptr = analysis->unit_ptr,
                                               .unit_row = analysis->unit_row,
                                               .threads = r->threads};
    if (analysis->permutation != NULL)
        return SPMM_OK;
    analysis->permutation = spmmi_alloc(analysis->units, sizeof *analysis->permutation);
    SPMM_TRY_ALLOC(analysis->permutation, diag);
    SPMM_TRY(spmmi_permutation_units(&in, spmmi_analysis_permutation_kind(r), analysis->permutation, diag));
    analysis->sector_amplification =
        sector_amplification_of(analysis, (uint32_t)spmm_dtype_size(r->options.a_type));
    analysis->is_identity = true;
    for (uint64_t i = 0; i < analysis->units && analysis->is_identity; i++)
        analysis->is_identity = analysis->permutation[i] == i;
cleanup:
    return status;
}

static int index_of_row_block(uint32_t block_rows)
{
    int index = 0;
    for (uint32_t rows = SPMMI_BLOCK_ROWS_MIN; rows < block_rows; rows *= 2)
        index++;
    return index;
}

static struct spmmi_row_block_input row_block_input(const struct spmmi_tiled_analysis *analysis,
                                                    const struct spmmi_pattern *a,
                                                    const struct spmmi_request *r, uint32_t block_rows,
                                                    bool is_reordered, int64_t n)
{
    return (struct spmmi_row_block_input){
        .cols = a->cols,
        .units = analysis->units,
        .unit_ptr = analysis->unit_ptr,
        .col_ind = a->col_ind,
        .permutation = is_reordered ? analysis->permutation : NULL,
        .segment = analysis->segment,
        .block_rows = block_rows,
        .stage_slots = r->tiled.stage_slots,
        .value_bytes = (uint32_t)spmm_dtype_size(r->options.a_type),
        .register_tile =
            spmmi_model_register_tile(n, analysis->units, r->options.a_type, r->device.multiprocessors),
        .n = n,
        .multiprocessors = r->device.multiprocessors,
        .threads = r->threads,
    };
}

spmm_status_t spmmi_analysis_exact(const struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                   const struct spmmi_request *r, uint32_t block_rows, bool is_reordered,
                                   int64_t n, spmm_row_block_metrics_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_block_input input = row_block_input(analysis, a, r, block_rows, is_reordered, n);
    status = spmmi_row_block_metrics(&input, stats);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the metrics of the row blocks");
cleanup:
    return status;
}

static spmm_status_t estimate(const struct spmmi_tiled_analysis *analysis,
                              const struct spmmi_row_block_input *input, int64_t nnz,
                              spmm_row_block_metrics_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const double row_blocks = (double)analysis->units / input->block_rows;
    const double held = fmin((double)SAMPLE_NONZEROS * row_blocks / (double)nnz, SAMPLE_MAX);
    const double wanted = fmax(fmin(held, fmax(row_blocks / 4, SAMPLE_ENOUGH)), SAMPLE_MIN);
    status = spmmi_row_block_estimate(input, analysis->columns_used, (int64_t)wanted, stats);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for a sample of the row blocks");
cleanup:
    return status;
}

spmm_status_t spmmi_analysis_row_blocks(struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                        const struct spmmi_request *r, uint32_t block_rows, bool is_reordered,
                                        int64_t n, spmm_row_block_metrics_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int height = index_of_row_block(block_rows), permutation = is_reordered ? 1 : 0;
    spmm_row_block_metrics_t *const known = &analysis->stats[height][permutation];
    const struct spmmi_row_block_input input = row_block_input(analysis, a, r, block_rows, is_reordered, n);
    if (!analysis->has_stats[height][permutation]) {
        if (r->family == SPMM_FAMILY_TILED)
            SPMM_TRY(spmmi_analysis_exact(analysis, a, r, block_rows, is_reordered, n, known, diag));
        else
            SPMM_TRY(estimate(analysis, &input, a->nnz, known, diag));
        analysis->has_stats[height][permutation] = true;
    }
    /* Only the following metrics depend on n. */
    *stats = *known;
    stats->n = n;
    stats->register_tile = input.register_tile;
    stats->thread_blocks = known->row_blocks * (n / input.register_tile + (n % input.register_tile != 0));
    stats->utilization =
        spmmi_utilisation(analysis->units, block_rows, n, input.register_tile, r->device.multiprocessors);
cleanup:
    return status;
}
