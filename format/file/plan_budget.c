/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_budget.h. */
#include "plan_budget.h"

#include "format/base/diag.h"
#include "format/base/log.h"
#include "format/check/plan_check.h"
#include "frames.h"

#define BUDGET_LEAST (UINT64_C(1) << 30)
#define BUDGET_A_BYTE UINT64_C(2048) /* per byte of the file */

uint64_t spmmi_budget_default(uint64_t file_bytes)
{
    const uint64_t most = (UINT64_MAX - BUDGET_LEAST) / BUDGET_A_BYTE;
    return file_bytes <= most ? BUDGET_LEAST + BUDGET_A_BYTE * file_bytes : UINT64_MAX;
}

uint64_t spmmi_container_raw(const struct spmmi_container *c, uint32_t type, uint32_t part)
{
    const int entry = spmmi_container_find(c, type, part);
    return entry < 0 ? 0 : c->entries[entry].raw_bytes;
}

static struct spmmi_check_extent check_extent(const struct spmmi_container *c, const spmm_plan_t *plan)
{
    struct spmmi_check_extent extent = {0, 0, spmmi_check_spgemm_bytes(plan->product)};
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        const uint64_t items = spmmi_container_raw(c, SPMMI_SECTION_ITEMS, i) / sizeof *part->items;
        const int has_long_rows = spmmi_long_rows_of(plan, i) != NULL;
        const uint64_t long_rows =
            has_long_rows ? spmmi_container_raw(c, SPMMI_SECTION_ITEMS, i + 1) / sizeof *part->items : 0;
        extent.has_transpose |= part->op == SPMM_OP_T;
        if ((has_long_rows || (part->flags & SPMMI_PART_REORDERED) != 0) &&
            items + long_rows > extent.reordered_items)
            extent.reordered_items = items + long_rows;
    }
    const uint64_t permutation =
        spmmi_container_raw(c, SPMMI_SECTION_SYMMETRIC_PERMUTATION, SPMMI_NO_PART) / sizeof(uint32_t);
    extent.reordered_items = permutation > extent.reordered_items ? permutation : extent.reordered_items;
    return extent;
}

/* The sum cannot overflow: dimensions are within the limits V1 (docs/plan-format.md section 2), and a file
 * has at most one frame per 16 bytes. */
uint64_t spmmi_load_bytes(const struct spmmi_container *c, const spmm_plan_t *plan, int threads,
                          uint64_t held)
{
    const struct spmmi_header *h = &c->header;
    const struct spmmi_check_extent extent =
        plan != NULL ? check_extent(c, plan) : (struct spmmi_check_extent){0, 0, 0};
    uint64_t bytes = held + sizeof(spmm_plan_t) + sizeof(struct spmmi_spgemm) + sizeof *c +
                     spmmi_decoder_bytes(threads) + sizeof(int64_t) +
                     spmmi_check_bytes(h->cols, h->nnz, threads, extent) +
                     c->frame_first[h->section_count] * sizeof(struct spmmi_frame) +
                     h->section_count * (sizeof(spmm_section_info_t) + SPMMI_ALIGN);
    /* A triangle is counted below with its sections. The matrix that it is expanded to is counted here. */
    if ((h->flags & SPMMI_FLAG_TRIANGLE) != 0)
        bytes += (h->rows + 1) * sizeof(int64_t) + h->nnz * sizeof(int32_t) + 3 * SPMMI_ALIGN;
    if ((h->flags & SPMMI_FLAG_MIRRORED) != 0)
        bytes += h->nnz * spmm_dtype_size((spmm_dtype_t)h->dtype);
    for (uint32_t i = 0; i < h->section_count; i++) {
        const struct spmmi_entry *e = &c->entries[i];
        if (spmmi_section_find(e->type) == NULL)
            continue;
        /* Row lengths (4 bytes) become row pointers (8 bytes). */
        const int are_lengths = e->type == SPMMI_SECTION_ROW_LENGTHS || e->type == SPMMI_SECTION_OPERAND_ROWS;
        bytes += are_lengths ? 2 * e->raw_bytes + sizeof(int64_t) : e->raw_bytes;
    }
    return bytes;
}

spmm_status_t spmmi_budget_check(const struct spmmi_container *c, const spmm_plan_t *plan, uint64_t held,
                                 uint64_t budget, int *threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    while (*threads > 1 && spmmi_load_bytes(c, plan, *threads, held) > budget)
        *threads /= 2;
    const uint64_t needed = spmmi_load_bytes(c, plan, *threads, held);
    SPMM_RULE(needed <= budget, BUDGET, 0,
              "the load takes %llu bytes, %llu are allowed; a larger budget allows more",
              (unsigned long long)needed, (unsigned long long)budget);
cleanup:
    return status;
}

void spmmi_budget_warn(const uint8_t *bytes, uint64_t size, const spmm_plan_t *plan)
{
    struct spmmi_container c;
    if (!spmmi_log_on(SPMM_LOG_WARNING) ||
        spmmi_container_open(bytes, size, &c, &spmmi_diag_unheard) != SPMM_OK)
        return;
    const uint64_t needed = spmmi_load_bytes(&c, plan, 1, size), allowed = spmmi_budget_default(size);
    if (needed > allowed)
        spmmi_log(SPMM_LOG_WARNING,
                  "to load this plan of %llu bytes takes %llu, more than the %llu of the default budget: "
                  "loads of it need budget_bytes",
                  (unsigned long long)size, (unsigned long long)needed, (unsigned long long)allowed);
}
