/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_tiled.h. */
#include "tiled_host_cpu.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "executor/pack/op_pattern.h"

#define DEFAULT_PANEL_ROWS 256u

/* op(A) and the part with its items: borrowed from the plan, or made here. */
struct source {
    struct spmmi_op_pattern a;
    struct spmmi_part part;
    uint32_t *items; /* owned; NULL for those of the plan */
};

static void source_close(struct source *source)
{
    spmmi_free(source->items);
    spmmi_op_pattern_close(&source->a);
}

static spmm_status_t source_identity(struct source *source, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_part *part = &source->part;
    part->item_count = spmmi_units_count(source->a.rows, source->a.row_ptr, part->granule);
    SPMM_REQUIRE(part->item_count <= SPMMI_UNIT_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "%llu units are more than 32 bits number", (unsigned long long)part->item_count);
    SPMM_TRY_ALLOC(source->items = spmmi_alloc(part->item_count, sizeof *source->items), diag);
    for (uint64_t i = 0; i < part->item_count; i++)
        source->items[i] = (uint32_t)i;
    part->items = source->items;
cleanup:
    return status;
}

static spmm_status_t source_open(const spmm_plan_t *plan, const struct spmmi_part *part,
                                 struct source *source, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *source = (struct source){.part = *part};
    SPMM_TRY(spmmi_op_pattern_open(plan, part->op, &source->a, diag));
    if (part->items == NULL)
        SPMM_TRY(source_identity(source, diag));
cleanup:
    return status;
}

struct spmmi_part spmmi_cpu_tiled_default(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule)
{
    const int64_t rows = op == SPMM_OP_N ? plan->rows : plan->cols;
    const int64_t mean = rows > 0 ? (plan->nnz + rows - 1) / rows : 0;
    const int64_t segment = mean < 1 ? 1 : mean < SPMMI_ROW_SEGMENT_MAX ? mean : SPMMI_ROW_SEGMENT_MAX;
    return (struct spmmi_part){.op = op,
                               .family = SPMM_FAMILY_TILED,
                               .schedule = schedule,
                               .granule = schedule == SPMM_SCHEDULE_SEGMENTED ? (uint32_t)segment : 0,
                               .panel_rows = DEFAULT_PANEL_ROWS,
                               .stage_slots = SPMMI_STAGE_SLOTS_DEFAULT};
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_tiled *counts)
{
    return spmmi_tiled_bytes(counts) + (uint64_t)plan->nnz * sizeof(uint32_t) +
           (uint64_t)counts->slice_count * SPMMI_TILED_LANES * spmm_dtype_size(plan->dtype);
}

spmm_status_t spmmi_cpu_tiled_bytes(const spmm_plan_t *plan, const struct spmmi_part *part, uint64_t *bytes,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct source source;
    struct spmmi_tiled counts;
    *bytes = 0;
    SPMM_TRY(source_open(plan, part, &source, diag));
    SPMM_TRY(spmmi_tiled_count(source.a.rows, source.a.cols, source.a.row_ptr, source.a.col_ind, &source.part,
                               &counts, diag));
    *bytes = held_bytes(plan, &counts);
cleanup:
    source_close(&source);
    return status;
}

spmm_status_t spmmi_cpu_tiled_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                   struct spmmi_cpu_tiled *tiled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct source source;
    memset(tiled, 0, sizeof *tiled);
    SPMM_TRY(source_open(plan, part, &source, diag));
    SPMM_TRY(spmmi_tiled_build(source.a.rows, source.a.cols, source.a.row_ptr, source.a.col_ind, &source.part,
                               &tiled->layout, diag));
    if (source.a.map != NULL)
        SPMM_TRY(spmmi_tiled_map_from_a(&tiled->layout, plan->nnz, source.a.map, diag));
    tiled->values = spmmi_alloc_zero((uint64_t)tiled->layout.view.slice_count * SPMMI_TILED_LANES,
                                     spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(tiled->values, diag);
    tiled->layout.view.values = tiled->values;
    tiled->host_bytes = held_bytes(plan, &tiled->layout.view);
cleanup:
    source_close(&source);
    if (status != SPMM_OK)
        spmmi_cpu_tiled_free(tiled);
    return status;
}

void spmmi_cpu_tiled_free(struct spmmi_cpu_tiled *tiled)
{
    spmmi_free(tiled->values);
    spmmi_tiled_free(&tiled->layout);
    memset(tiled, 0, sizeof *tiled);
}
