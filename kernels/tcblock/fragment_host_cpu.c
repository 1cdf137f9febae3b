/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_fragments.h. */
#include "fragment_host_cpu.h"

#include <string.h>

#include "executor/cpu/cpu_scatter.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "executor/pack/op_pattern.h"

#define SLOT_ALIGN 64u

static uint64_t value_room(const struct spmmi_fragments *counts)
{
    return counts->value_count + SPMMI_FRAGMENT_PAD;
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_fragments *counts)
{
    return spmmi_fragments_bytes(counts) + (uint64_t)plan->nnz * sizeof(uint32_t) +
           value_room(counts) * spmm_dtype_size(plan->dtype);
}

spmm_status_t spmmi_cpu_fragments_bytes(const spmm_plan_t *plan, uint32_t part, uint64_t *bytes,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_fragments counts;
    *bytes = 0;
    SPMM_TRY(spmmi_op_pattern_open(plan, plan->parts[part].op, &a, diag));
    SPMM_TRY(spmmi_fragments_count(a.rows, a.cols, a.row_ptr, a.col_ind, &plan->parts[part], plan->dtype,
                                   &counts, diag));
    *bytes = held_bytes(plan, &counts) + spmmi_cpu_peeled_bytes(&a, spmmi_peeled_of(plan, part), plan->dtype);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

spmm_status_t spmmi_cpu_fragments_make(const spmm_plan_t *plan, uint32_t part,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_fragment_layout *layout = &fragments->layout;
    const struct spmmi_part *peeled = spmmi_peeled_of(plan, part);
    memset(fragments, 0, sizeof *fragments);
    SPMM_TRY(spmmi_op_pattern_open(plan, plan->parts[part].op, &a, diag));
    SPMM_TRY(spmmi_fragments_build(a.rows, a.cols, a.row_ptr, a.col_ind, &plan->parts[part], plan->dtype,
                                   layout, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_fragments_map_from_a(layout, plan->nnz, a.map, diag));
    fragments->values = spmmi_alloc_zero(value_room(&layout->view), spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(fragments->values, diag);
    layout->view.values = fragments->values;
    SPMM_TRY(spmmi_cpu_peeled_make(&a, peeled, plan->dtype, &fragments->peeled, diag));
    fragments->host_bytes = held_bytes(plan, &layout->view) + spmmi_cpu_peeled_bytes(&a, peeled, plan->dtype);
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
    memset(fragments, 0, sizeof *fragments);
}

void spmmi_cpu_fragments_set_values(const struct spmmi_cpu_fragments *fragments, spmm_dtype_t dtype,
                                    int64_t nnz, const void *values)
{
    spmmi_cpu_scatter(dtype, nnz, fragments->layout.value_map, values, fragments->values);
    spmmi_cpu_peeled_set_values(&fragments->peeled, dtype, values);
}

/* ---- Products: slots of units that were cut, then what the peeled rows need ---- */

static uint64_t slot_bytes(const struct spmmi_cpu_fragments *fragments,
                           const struct spmmi_fragment_host *args)
{
    const uint64_t bytes = spmmi_fragment_slot_bytes(&fragments->layout.view, args->dtype, args->n);
    return bytes > UINT64_MAX - SLOT_ALIGN ? UINT64_MAX : (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

uint64_t spmmi_cpu_fragments_workspace(const struct spmmi_cpu_fragments *fragments,
                                       const struct spmmi_fragment_host *args)
{
    const uint64_t slots = slot_bytes(fragments, args);
    const uint64_t rows = spmmi_cpu_peeled_workspace(&fragments->peeled, args, fragments->layout.view.cols);
    return slots > UINT64_MAX - rows ? UINT64_MAX : slots + rows;
}

void spmmi_cpu_fragments_run(const struct spmmi_cpu_fragments *fragments,
                             const struct spmmi_fragment_host *args)
{
    struct spmmi_fragment_host product = *args;
    product.layout = &fragments->layout.view;
    const int has_peeled = fragments->peeled.a.rows > 0;
    void *rows = has_peeled ? (char *)args->workspace + slot_bytes(fragments, args) : NULL;
    if (has_peeled)
        spmmi_cpu_peeled_multiply(&fragments->peeled, &product, fragments->layout.view.cols, rows);
    spmmi_fragment_host_run(&product);
    if (has_peeled)
        spmmi_cpu_peeled_store(&fragments->peeled, &product, rows);
}
