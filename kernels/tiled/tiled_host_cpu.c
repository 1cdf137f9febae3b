/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_host_cpu.h. Also has the functions of the tiled family on the CPU for the executor. */
#include "tiled_host_cpu.h"

#include <string.h>

#include "executor/backend.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/units.h"
#include "executor/pack/op_pattern.h"
#include "kernels/shared/scatter_cpu.h"
#include "tiled_cpu.h"
#include "tiled_name.h"

#define DEFAULT_BLOCK_ROWS 256u

/* op(A) and the part with its items, which are borrowed from the plan or made here. */
struct source {
    struct spmmi_op_pattern a;
    struct spmmi_part part;
    uint32_t *items; /* owned; NULL if the plan has items */
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
    const uint64_t units = spmmi_units_count(source->a.rows, source->a.row_ptr, part->item_size);
    SPMM_REQUIRE(units <= SPMMI_UNIT_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "%llu units are more than 32 bits can index", (unsigned long long)units);
    SPMM_TRY(spmmi_part_set_items(part, units, NULL, diag));
    source->items = part->items;
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

/* Returns the part that runs if the plan has none of this schedule: units in their order,
 * segments of the mean row length. */
static struct spmmi_part default_part(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule)
{
    const int64_t rows = op == SPMM_OP_N ? plan->rows : plan->cols;
    const int64_t mean = rows > 0 ? (plan->nnz + rows - 1) / rows : 0;
    const int64_t segment = mean < 1 ? 1 : mean < SPMMI_ROW_SEGMENT_MAX ? mean : SPMMI_ROW_SEGMENT_MAX;
    return (struct spmmi_part){.op = op,
                               .family = SPMM_FAMILY_TILED,
                               .schedule = schedule,
                               .item_size = schedule == SPMM_SCHEDULE_SEGMENTED ? (uint32_t)segment : 0,
                               .block_rows = DEFAULT_BLOCK_ROWS,
                               .stage_slots = SPMMI_STAGE_SLOTS_DEFAULT};
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_tiled *counts)
{
    return sizeof(struct spmmi_cpu_tiled) + spmmi_tiled_bytes(counts) +
           (uint64_t)plan->nnz * sizeof(uint32_t) +
           (uint64_t)counts->slice_count * SPMMI_TILED_LANES * spmm_dtype_size(plan->dtype);
}

static spmm_status_t count(const struct spmmi_part_source *from, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = from->plan;
    struct source source;
    uint64_t scratch = 0;
    struct spmmi_tiled counts;
    SPMM_TRY(source_open(plan, from->part, &source, diag));
    SPMM_TRY(spmmi_tiled_count(source.a.rows, source.a.cols, source.a.row_ptr, source.a.col_ind, &source.part,
                               &counts, &scratch, diag));
    *bytes += held_bytes(plan, &counts);
    spmmi_scratch_is(from, scratch + spmmi_op_pattern_bytes(plan, from->part->op) +
                               (source.items == NULL ? 0 : source.part.item_count * sizeof *source.items));
cleanup:
    source_close(&source);
    return status;
}

spmm_status_t spmmi_cpu_tiled_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                   struct spmmi_cpu_tiled *tiled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct source source;
    *tiled = (struct spmmi_cpu_tiled){.part = *part, .dtype = plan->dtype, .nnz = plan->nnz};
    tiled->part.items = NULL;
    SPMM_TRY(source_open(plan, part, &source, diag));
    SPMM_TRY(spmmi_tiled_build(source.a.rows, source.a.cols, source.a.row_ptr, source.a.col_ind, &source.part,
                               &tiled->layout, diag));
    if (source.a.map != NULL)
        SPMM_TRY(spmmi_op_pattern_map_from_a(&tiled->layout.value_map, plan->nnz, source.a.map, diag));
    tiled->values = spmmi_alloc_zero((uint64_t)tiled->layout.view.slice_count * SPMMI_TILED_LANES,
                                     spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(tiled->values, diag);
    tiled->layout.view.values = tiled->values;
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

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cpu_tiled *made = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    *state = made;
    SPMM_TRY(spmmi_cpu_tiled_make(source->plan, source->part, made, diag));
    made->threads = source->device->threads;
    *bytes += held_bytes(source->plan, &made->layout.view);
cleanup:
    return status;
}

static void destroy(void *state)
{
    spmmi_cpu_tiled_free(state);
    spmmi_free(state);
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    const struct spmmi_cpu_tiled *tiled = state;
    (void)stream;
    spmmi_cpu_scatter(tiled->dtype, tiled->nnz, tiled->layout.value_map, values, tiled->values);
    return SPMM_OK;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    return tiled_cpu_workspace(&((const struct spmmi_cpu_tiled *)state)->layout.view, product);
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct spmmi_cpu_tiled *tiled = state;
    const struct tiled_cpu_job job = {&tiled->layout.view, product, workspace};
    (void)stream;
    tiled_cpu_run(&job, tiled->threads);
    return SPMM_OK;
}

static void part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows, char *text,
                      size_t size)
{
    (void)compute, (void)has_long_rows;
    spmmi_tiled_name("cpu", part, 0, text, size);
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    part_name(&((const struct spmmi_cpu_tiled *)state)->part, product->compute, 0, text, size);
}

const struct spmmi_backend spmmi_tiled_cpu = {.create = create,
                                              .destroy = destroy,
                                              .set_values = set_values,
                                              .workspace = workspace,
                                              .run = run,
                                              .describe = describe,
                                              .part_name = part_name,
                                              .default_part = default_part};
