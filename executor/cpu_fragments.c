/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_fragments.h. */
#include "cpu_fragments.h"

#include <string.h>

#include "format/alloc.h"
#include "format/diag.h"
#include "op_pattern.h"

static uint64_t value_room(const struct spmmi_fragments *counts)
{
    return counts->value_count + SPMMI_FRAGMENT_PAD;
}

static uint64_t held_bytes(const spmm_plan_t *plan, const struct spmmi_fragments *counts)
{
    return spmmi_fragments_bytes(counts) + (uint64_t)plan->nnz * sizeof(uint32_t) +
           value_room(counts) * spmm_dtype_size(plan->dtype);
}

spmm_status_t spmmi_cpu_fragments_bytes(const spmm_plan_t *plan, const struct spmmi_part *part,
                                        uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_fragments counts;
    *bytes = 0;
    SPMM_TRY(spmmi_op_pattern_open(plan, part->op, &a, diag));
    SPMM_TRY(spmmi_fragments_count(a.rows, a.cols, a.row_ptr, a.col_ind, part, plan->dtype, &counts, diag));
    *bytes = held_bytes(plan, &counts);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

spmm_status_t spmmi_cpu_fragments_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_fragment_layout *layout = &fragments->layout;
    memset(fragments, 0, sizeof *fragments);
    SPMM_REQUIRE(part->family != SPMM_FAMILY_BCSR, SPMM_ERR_UNSUPPORTED, diag,
                 "the CPU has no kernels of family bcsr");
    SPMM_TRY(spmmi_op_pattern_open(plan, part->op, &a, diag));
    SPMM_TRY(spmmi_fragments_build(a.rows, a.cols, a.row_ptr, a.col_ind, part, plan->dtype, layout, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_fragments_map_from_a(layout, plan->nnz, a.map, diag));
    fragments->values = spmmi_alloc_zero(value_room(&layout->view), spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(fragments->values, diag);
    layout->view.values = fragments->values;
    fragments->host_bytes = held_bytes(plan, &layout->view);
cleanup:
    spmmi_op_pattern_close(&a);
    if (status != SPMM_OK)
        spmmi_cpu_fragments_free(fragments);
    return status;
}

void spmmi_cpu_fragments_free(struct spmmi_cpu_fragments *fragments)
{
    spmmi_free(fragments->values);
    spmmi_fragments_free(&fragments->layout);
    memset(fragments, 0, sizeof *fragments);
}
