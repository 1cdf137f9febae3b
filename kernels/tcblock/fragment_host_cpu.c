/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_host_cpu.h. */
#include "fragment_host_cpu.h"

#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "fragment_cpu.h"
#include "fragment_name.h"
#include "kernels/shared/scatter_cpu.h"

#define SLOT_ALIGN 64u

static uint64_t value_room(const struct spmmi_fragments *counts)
{
    return counts->value_count + SPMMI_FRAGMENT_PAD;
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_fragments *counts)
{
    return sizeof(struct spmmi_cpu_fragments) + spmmi_fragments_bytes(counts) +
           (uint64_t)plan->nnz * sizeof(uint32_t) + value_room(counts) * spmm_dtype_size(plan->dtype);
}

static spmm_status_t count(const struct spmmi_part_source *source, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = source->plan;
    struct spmmi_op_pattern a;
    struct spmmi_fragments counts;
    SPMM_TRY(spmmi_op_pattern_open(plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_fragments_count(source->backend->kind, a.rows, a.cols, a.row_ptr, a.col_ind, source->part,
                                   plan->dtype, &counts, diag));
    *bytes += held_bytes(plan, &counts) + spmmi_cpu_peeled_bytes(&a, source->long_rows, plan->dtype);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

spmm_status_t spmmi_cpu_fragments_make(const struct spmmi_fragment_kind *kind, const spmm_plan_t *plan,
                                       const struct spmmi_part *part, const struct spmmi_part *long_rows,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_fragment_layout *layout = &fragments->layout;
    *fragments = (struct spmmi_cpu_fragments){.part = *part, .dtype = plan->dtype, .nnz = plan->nnz};
    fragments->part.items = NULL;
    SPMM_TRY(spmmi_op_pattern_open(plan, part->op, &a, diag));
    SPMM_TRY(
        spmmi_fragments_build(kind, a.rows, a.cols, a.row_ptr, a.col_ind, part, plan->dtype, layout, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_op_pattern_map_from_a(&layout->value_map, plan->nnz, a.map, diag));
    fragments->values = spmmi_alloc_zero(value_room(&layout->view), spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(fragments->values, diag);
    layout->view.values = fragments->values;
    SPMM_TRY(spmmi_cpu_peeled_make(&a, long_rows, plan->dtype, &fragments->peeled, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    if (status != SPMM_OK)
        spmmi_cpu_fragments_free(fragments);
    return status;
}

void spmmi_cpu_fragments_free(struct spmmi_cpu_fragments *fragments)
{
    spmmi_cpu_peeled_free(&fragments->peeled);
    spmmi_free(fragments->values);
    spmmi_fragments_free(&fragments->layout);
    fragments->values = NULL;
}

spmm_status_t spmmi_cpu_fragments_create(const struct spmmi_part_source *source, void **state,
                                         uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cpu_fragments *made = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    *state = made;
    SPMM_TRY(spmmi_cpu_fragments_make(source->backend->kind, source->plan, source->part, source->long_rows,
                                      made, diag));
    made->threads = source->device->threads;
    *bytes +=
        held_bytes(source->plan, &made->layout.view) + spmmi_cpu_peeled_held(&made->peeled, made->dtype);
cleanup:
    return status;
}

void spmmi_cpu_fragments_destroy(void *state)
{
    spmmi_cpu_fragments_free(state);
    spmmi_free(state);
}

spmm_status_t spmmi_cpu_fragments_set_values(void *state, const void *values, void *stream)
{
    const struct spmmi_cpu_fragments *f = state;
    (void)stream;
    spmmi_cpu_scatter(f->dtype, f->nnz, f->layout.value_map, values, f->values);
    spmmi_cpu_peeled_set_values(&f->peeled, f->dtype, values);
    return SPMM_OK;
}

/* ---- Products: slots of units that were cut, then what the peeled rows need ---- */

static uint64_t slot_bytes(const struct spmmi_cpu_fragments *f, const struct spmmi_product *product)
{
    const uint64_t bytes = spmmi_fragment_slot_bytes(&f->layout.view, (int)product->a_type, product->b.cols);
    return bytes > UINT64_MAX - SLOT_ALIGN ? UINT64_MAX : (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

uint64_t spmmi_cpu_fragments_workspace(const void *state, const struct spmmi_product *product)
{
    const struct spmmi_cpu_fragments *f = state;
    const uint64_t slots = slot_bytes(f, product), rows = spmmi_cpu_peeled_workspace(&f->peeled, product);
    return slots > UINT64_MAX - rows ? UINT64_MAX : slots + rows;
}

spmm_status_t spmmi_cpu_fragments_run(const void *state, const struct spmmi_product *product, void *workspace,
                                      void *stream)
{
    const struct spmmi_cpu_fragments *f = state;
    const struct fragment_cpu_job job = {&f->layout.view, product, workspace};
    const int has_peeled = f->peeled.a.rows > 0;
    void *rows = has_peeled ? (char *)workspace + slot_bytes(f, product) : NULL;
    (void)stream;
    if (has_peeled)
        spmmi_cpu_peeled_multiply(&f->peeled, product, rows, f->threads);
    fragment_cpu_run(&job, f->threads);
    if (has_peeled)
        spmmi_cpu_peeled_store(&f->peeled, product, rows);
    return SPMM_OK;
}

void spmmi_cpu_fragments_describe(const void *state, const struct spmmi_product *product, char *text,
                                  size_t size)
{
    const struct spmmi_cpu_fragments *f = state;
    spmmi_fragment_name("cpu", &f->part, product->compute, f->peeled.a.rows > 0, text, size);
}
