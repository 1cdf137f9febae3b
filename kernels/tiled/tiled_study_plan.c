/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_study_plan.h. */
#include "tiled_study_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "tiled_chart_plan.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "tiled_cost.h"
#include "inspector/reorder/order_units.h"
#include "inspector/analysis/panel_stats.h"
#include "inspector/analysis/sorted_columns.h"

#define LANES 32u
#define SECTOR_BYTES 32u
/* The sample: as many panels as hold so many nonzeros on average; no more than a quarter of many panels. */
#define SAMPLE_NONZEROS (INT64_C(1) << 17)
#define SAMPLE_LEAST 8
#define SAMPLE_ENOUGH 64
#define SAMPLE_MOST 128

static spmm_status_t cut(struct spmmi_tiled_study *s, const struct spmmi_pattern *a, spmm_diag_t *diag)
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

static void free_study(struct spmmi_tiled_study *s)
{
    spmmi_free(s->order);
    spmmi_free(s->unit_row);
    spmmi_free(s->cut_ptr);
}

spmm_status_t spmmi_study_of(struct spmmi_tiled_studies *studies, const struct spmmi_pattern *a,
                             uint32_t segment, struct spmmi_tiled_study **study, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < studies->count; i++) {
        if (studies->list[i].segment == segment) {
            *study = &studies->list[i];
            return SPMM_OK;
        }
    }
    struct spmmi_tiled_study *s = NULL;
    SPMM_REQUIRE(studies->count < SPMMI_STUDY_MAX, SPMM_ERR_INTERNAL, diag, "more than %d segment lengths",
                 SPMMI_STUDY_MAX);
    s = &studies->list[studies->count];
    memset(s, 0, sizeof *s);
    s->segment = segment;
    s->units = spmmi_units_count(a->rows, a->row_ptr, segment);
    s->columns_used = studies->columns_used;
    s->unit_ptr = a->row_ptr;
    SPMM_REQUIRE(s->units <= SPMMI_UNIT_MAX, SPMM_ERR_MATRIX_TOO_LARGE, diag,
                 "segments of %u nonzeros would be %llu, at most %u are possible", segment,
                 (unsigned long long)s->units, SPMMI_UNIT_MAX);
    if (segment != 0)
        SPMM_TRY(cut(s, a, diag));
    studies->count++;
    *study = s;
cleanup:
    if (status != SPMM_OK && s != NULL)
        free_study(s);
    return status;
}

void spmmi_studies_free(struct spmmi_tiled_studies *studies)
{
    for (int i = 0; i < studies->count; i++)
        free_study(&studies->list[i]);
    studies->count = 0;
}

void spmmi_studies_close(void *studies)
{
    spmmi_studies_free(studies);
}

static uint32_t row_of(const struct spmmi_tiled_study *s, uint64_t unit)
{
    return s->unit_row == NULL ? (uint32_t)unit : s->unit_row[unit];
}

/* Is the unit a whole row, which its thread writes to C? */
static bool writes_row(const struct spmmi_tiled_study *s, uint64_t unit)
{
    const uint32_t row = row_of(s, unit);
    return (unit == 0 || row_of(s, unit - 1) != row) && (unit + 1 == s->units || row_of(s, unit + 1) != row);
}

static double measure_spread(const struct spmmi_tiled_study *s, uint32_t number_bytes)
{
    const uint32_t rows_a_sector = SECTOR_BYTES / number_bytes;
    uint64_t rows = 0, sectors = 0;
    for (uint64_t first = 0; first < s->units; first += LANES) {
        int32_t touched[LANES];
        int64_t count = 0;
        for (uint64_t i = first; i < first + LANES && i < s->units; i++) {
            if (writes_row(s, s->order[i]))
                touched[count++] = (int32_t)(row_of(s, s->order[i]) / rows_a_sector);
        }
        rows += (uint64_t)count;
        sectors += (uint64_t)spmmi_sort_unique(touched, count);
    }
    const double least = (double)rows / rows_a_sector;
    return (double)sectors > least ? (double)sectors / least : 1;
}

spmm_status_t spmmi_study_order(struct spmmi_tiled_study *study, const struct spmmi_pattern *a,
                                const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_order_input in = {.rows = a->rows,
                                         .cols = a->cols,
                                         .row_ptr = a->row_ptr,
                                         .col_ind = a->col_ind,
                                         .units = study->units,
                                         .unit_ptr = study->unit_ptr,
                                         .unit_row = study->unit_row,
                                         .threads = r->threads};
    if (study->order != NULL)
        return SPMM_OK;
    study->order = spmmi_alloc(study->units, sizeof *study->order);
    SPMM_TRY_ALLOC(study->order, diag);
    SPMM_TRY(spmmi_order_units(&in, spmmi_study_order_kind(r), study->order, diag));
    study->spread = measure_spread(study, (uint32_t)spmm_dtype_size(r->options.dtype));
    study->is_in_order = true;
    for (uint64_t i = 0; i < study->units && study->is_in_order; i++)
        study->is_in_order = study->order[i] == i;
cleanup:
    return status;
}

static int index_of_panel(uint32_t panel_rows)
{
    int index = 0;
    for (uint32_t rows = SPMMI_PANEL_ROWS_MIN; rows < panel_rows; rows *= 2)
        index++;
    return index;
}

static struct spmmi_panel_input panel_input(const struct spmmi_tiled_study *study,
                                            const struct spmmi_pattern *a, const struct spmmi_request *r,
                                            uint32_t panel_rows, bool is_reordered, int64_t n)
{
    return (struct spmmi_panel_input){
        .cols = a->cols,
        .units = study->units,
        .unit_ptr = study->unit_ptr,
        .col_ind = a->col_ind,
        .order = is_reordered ? study->order : NULL,
        .segment = study->segment,
        .panel_rows = panel_rows,
        .stage_slots = r->options.stage_slots,
        .number_bytes = (uint32_t)spmm_dtype_size(r->options.dtype),
        .register_tile = spmmi_model_register_tile(n, r->options.dtype),
        .n = n,
        .multiprocessors = r->device.multiprocessors,
        .threads = r->threads,
    };
}

spmm_status_t spmmi_study_exact(const struct spmmi_tiled_study *study, const struct spmmi_pattern *a,
                                const struct spmmi_request *r, uint32_t panel_rows, bool is_reordered,
                                int64_t n, spmm_panel_stats_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_panel_input input = panel_input(study, a, r, panel_rows, is_reordered, n);
    status = spmmi_panel_stats(&input, stats);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of the panels");
cleanup:
    return status;
}

static spmm_status_t estimate(const struct spmmi_tiled_study *study, const struct spmmi_panel_input *input,
                              int64_t nnz, spmm_panel_stats_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const double panels = (double)study->units / input->panel_rows;
    const double held = fmin((double)SAMPLE_NONZEROS * panels / (double)nnz, SAMPLE_MOST);
    const double wanted = fmax(fmin(held, fmax(panels / 4, SAMPLE_ENOUGH)), SAMPLE_LEAST);
    status = spmmi_panel_estimate(input, study->columns_used, (int64_t)wanted, stats);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for a sample of the panels");
cleanup:
    return status;
}

spmm_status_t spmmi_study_panels(struct spmmi_tiled_study *study, const struct spmmi_pattern *a,
                                 const struct spmmi_request *r, uint32_t panel_rows, bool is_reordered,
                                 int64_t n, spmm_panel_stats_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int height = index_of_panel(panel_rows), order = is_reordered ? 1 : 0;
    spmm_panel_stats_t *const known = &study->stats[height][order];
    const struct spmmi_panel_input input = panel_input(study, a, r, panel_rows, is_reordered, n);
    if (!study->has_stats[height][order]) {
        if (r->family == SPMM_FAMILY_TILED)
            SPMM_TRY(spmmi_study_exact(study, a, r, panel_rows, is_reordered, n, known, diag));
        else
            SPMM_TRY(estimate(study, &input, a->nnz, known, diag));
        study->has_stats[height][order] = true;
    }
    /* Only these depend on n. */
    *stats = *known;
    stats->n = n;
    stats->register_tile = input.register_tile;
    stats->blocks = known->panels * (n / input.register_tile + (n % input.register_tile != 0));
    stats->utilization =
        spmmi_utilisation(study->units, panel_rows, n, input.register_tile, r->device.multiprocessors);
cleanup:
    return status;
}
