/* SPDX-License-Identifier: Apache-2.0 */
/* See spmmi_plan_copy_pattern in plan.h. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "plan.h"

/* Allocates a copy of count elements in *to. NULL is copied as NULL. */
static spmm_status_t copy(const void *from, uint64_t count, size_t size, void **to, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *to = NULL;
    if (from == NULL)
        return SPMM_OK;
    *to = spmmi_alloc(count, size);
    SPMM_TRY_ALLOC(*to, diag);
    memcpy(*to, from, (size_t)count * size);
cleanup:
    return status;
}

/* Copies all members that are not pointers, except the
 * digest of the values and the description of the file. */
static void copy_members(const spmm_plan_t *from, spmm_plan_t *to)
{
    *to = *from;
    to->row_ptr = NULL;
    to->col_ind = NULL;
    to->values = NULL;
    to->symmetric_permutation = NULL;
    to->product = NULL;
    to->permutation_metrics = NULL;
    to->trace = NULL;
    to->metadata = NULL;
    to->sections = NULL;
    for (uint32_t i = 0; i < to->part_count; i++)
        to->parts[i].items = NULL;
    memset(to->values_digest, 0, sizeof to->values_digest);
    to->section_count = 0;
    to->file_bytes = 0;
    to->format_major = to->format_minor = 0;
}

spmm_status_t spmmi_plan_copy_pattern(const spmm_plan_t *plan, spmm_plan_t **copied, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = spmmi_plan_new();
    SPMM_TRY_ALLOC(p, diag);
    copy_members(plan, p);
#define COPY(member, count) \
    SPMM_TRY(copy(plan->member, (uint64_t)(count), sizeof *plan->member, (void **)&p->member, diag))
    COPY(row_ptr, plan->rows + 1);
    COPY(col_ind, plan->nnz);
    COPY(symmetric_permutation, plan->rows);
    COPY(permutation_metrics, plan->permutation_metrics_count);
    COPY(trace, plan->trace_count);
    COPY(metadata, plan->metadata_bytes);
    for (uint32_t i = 0; i < plan->part_count; i++)
        COPY(parts[i].items, plan->parts[i].item_count);
#undef COPY
    SPMM_TRY(spmmi_spgemm_copy(plan->product, &p->product, diag));
    *copied = p;
    p = NULL;
cleanup:
    spmm_plan_destroy(p);
    return status;
}
