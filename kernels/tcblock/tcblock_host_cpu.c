/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_host_cpu.h. */
#include "tcblock_host_cpu.h"

#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "tcblock_cpu.h"
#include "tcblock_name.h"
#include "kernels/shared/scatter_cpu.h"

#define SLOT_ALIGN 64u

static uint64_t value_room(const struct spmmi_tcblocks *counts)
{
    return counts->value_count + SPMMI_TCBLOCK_PAD;
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_tcblocks *counts)
{
    return sizeof(struct spmmi_cpu_tcblocks) + spmmi_tcblocks_bytes(counts) +
           (uint64_t)plan->nnz * sizeof(uint32_t) + value_room(counts) * spmm_dtype_size(plan->dtype);
}

static spmm_status_t count(const struct spmmi_part_source *source, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = source->plan;
    struct spmmi_op_pattern a;
    struct spmmi_tcblocks counts;
    uint64_t scratch = 0;
    SPMM_TRY(spmmi_op_pattern_open(plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_tcblocks_count(source->backend->kind, a.rows, a.cols, a.row_ptr, a.col_ind, source->part,
                                  plan->dtype, &counts, &scratch, diag));
    spmmi_scratch_is(source, scratch + spmmi_op_pattern_bytes(plan, source->part->op));
    *bytes += held_bytes(plan, &counts) + spmmi_cpu_long_rows_bytes(&a, source->long_rows, plan->dtype);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

spmm_status_t spmmi_cpu_tcblocks_make(const struct spmmi_tcblock_kind *kind, const spmm_plan_t *plan,
                                      const struct spmmi_part *part, const struct spmmi_part *long_rows,
                                      struct spmmi_cpu_tcblocks *tcblocks, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_tcblock_layout *layout = &tcblocks->layout;
    *tcblocks = (struct spmmi_cpu_tcblocks){.part = *part, .dtype = plan->dtype, .nnz = plan->nnz};
    tcblocks->part.items = NULL;
    SPMM_TRY(spmmi_op_pattern_open(plan, part->op, &a, diag));
    SPMM_TRY(
        spmmi_tcblocks_build(kind, a.rows, a.cols, a.row_ptr, a.col_ind, part, plan->dtype, layout, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_op_pattern_map_from_a(&layout->value_map, plan->nnz, a.map, diag));
    tcblocks->values = spmmi_alloc_zero(value_room(&layout->view), spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(tcblocks->values, diag);
    layout->view.values = tcblocks->values;
    SPMM_TRY(spmmi_cpu_long_rows_make(&a, long_rows, plan->dtype, &tcblocks->long_rows, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    if (status != SPMM_OK)
        spmmi_cpu_tcblocks_free(tcblocks);
    return status;
}

void spmmi_cpu_tcblocks_free(struct spmmi_cpu_tcblocks *tcblocks)
{
    spmmi_cpu_long_rows_free(&tcblocks->long_rows);
    spmmi_free(tcblocks->values);
    spmmi_tcblocks_free(&tcblocks->layout);
    tcblocks->values = NULL;
}

spmm_status_t spmmi_cpu_tcblocks_create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cpu_tcblocks *made = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    *state = made;
    SPMM_TRY(spmmi_cpu_tcblocks_make(source->backend->kind, source->plan, source->part, source->long_rows,
                                     made, diag));
    made->threads = source->device->threads;
    *bytes += held_bytes(source->plan, &made->layout.view) +
              spmmi_cpu_long_rows_held(&made->long_rows, made->dtype);
cleanup:
    return status;
}

void spmmi_cpu_tcblocks_destroy(void *state)
{
    spmmi_cpu_tcblocks_free(state);
    spmmi_free(state);
}

spmm_status_t spmmi_cpu_tcblocks_set_values(void *state, const void *values, void *stream)
{
    const struct spmmi_cpu_tcblocks *f = state;
    (void)stream;
    spmmi_cpu_scatter(f->dtype, f->nnz, f->layout.value_map, values, f->values);
    spmmi_cpu_long_rows_set_values(&f->long_rows, f->dtype, values);
    return SPMM_OK;
}

/* ---- Products. The workspace holds the slots of split units, then what the long rows need ---- */

static uint64_t slot_bytes(const struct spmmi_cpu_tcblocks *f, const struct spmmi_product *product)
{
    const uint64_t bytes = spmmi_tcblock_slot_bytes(&f->layout.view, (int)product->a_type, product->b.cols);
    return bytes > UINT64_MAX - SLOT_ALIGN ? UINT64_MAX : (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

uint64_t spmmi_cpu_tcblocks_workspace(const void *state, const struct spmmi_product *product)
{
    const struct spmmi_cpu_tcblocks *f = state;
    const uint64_t slots = slot_bytes(f, product),
                   rows = spmmi_cpu_long_rows_workspace(&f->long_rows, product);
    return slots > UINT64_MAX - rows ? UINT64_MAX : slots + rows;
}

spmm_status_t spmmi_cpu_tcblocks_run(const void *state, const struct spmmi_product *product, void *workspace,
                                     void *stream)
{
    const struct spmmi_cpu_tcblocks *f = state;
    const struct tcblock_cpu_job job = {&f->layout.view, product, workspace};
    const int has_long_rows = f->long_rows.a.rows > 0;
    void *rows = has_long_rows ? (char *)workspace + slot_bytes(f, product) : NULL;
    (void)stream;
    if (has_long_rows)
        spmmi_cpu_long_rows_multiply(&f->long_rows, product, rows, f->threads);
    tcblock_cpu_run(&job, f->threads);
    if (has_long_rows)
        spmmi_cpu_long_rows_store(&f->long_rows, product, rows);
    return SPMM_OK;
}

void spmmi_cpu_tcblocks_part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows,
                                  char *text, size_t size)
{
    spmmi_tcblock_name("cpu", part, compute, has_long_rows, text, size);
}

void spmmi_cpu_tcblocks_describe(const void *state, const struct spmmi_product *product, char *text,
                                 size_t size)
{
    const struct spmmi_cpu_tcblocks *f = state;
    spmmi_cpu_tcblocks_part_name(&f->part, product->compute, f->long_rows.a.rows > 0, text, size);
}
