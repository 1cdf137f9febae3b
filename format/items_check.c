/* SPDX-License-Identifier: Apache-2.0 */
/* The items of parts: docs/plan-format.md section 6.8. Kernels walk the rows that items name without looking
 * back, so every item is proved against the row pointers of op(A). */
#include "alloc.h"
#include "diag.h"
#include "plan_check.h"
#include "stats.h"

/* The pattern that a part partitions. */
struct pattern {
    int64_t rows, nnz;
    const int64_t *row_ptr;
};

uint64_t spmmi_check_bytes(uint64_t cols, uint64_t nnz, int has_transpose)
{
    const uint64_t stats = spmmi_stats_bytes(cols, nnz);
    const uint64_t pointers = has_transpose ? (cols + 1) * sizeof(int64_t) : 0;
    return stats > pointers ? stats : pointers;
}

/* Item i names the row that holds nonzero i * granule. */
static spmm_status_t check_nonzero_split(const struct pattern *a, const struct spmmi_part *part,
                                         uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t granule = part->granule;
    const uint64_t expected = ((uint64_t)a->nnz + granule - 1) / granule;
    SPMM_REQUIRE_AT(part->item_count == expected, SPMM_ERR_PLAN_ITEMS, diag, index,
                    "part %u has %llu items, expected %llu", index, (unsigned long long)part->item_count,
                    (unsigned long long)expected);
    for (uint64_t i = 0; i < expected; i++) {
        const int64_t row = part->items[i], first = (int64_t)(i * granule);
        SPMM_REQUIRE_AT(row < a->rows && a->row_ptr[row] <= first && first < a->row_ptr[row + 1],
                        SPMM_ERR_PLAN_ITEMS, diag, i,
                        "item %llu of part %u names row %lld, which does not hold %lld",
                        (unsigned long long)i, index, (long long)row, (long long)first);
    }
cleanup:
    return status;
}

/* Item i starts at items[i] and ends with the first row that brings it to granule nonzeros, or with the last. */
static spmm_status_t check_row_split(const struct pattern *a, const struct spmmi_part *part, uint32_t index,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE_AT((part->item_count == 0) == (a->rows == 0) && part->item_count <= (uint64_t)a->rows,
                    SPMM_ERR_PLAN_ITEMS, diag, index, "part %u has %llu items for %lld rows", index,
                    (unsigned long long)part->item_count, (long long)a->rows);
    for (uint64_t i = 0; i < part->item_count; i++) {
        const int64_t row = part->items[i];
        const int64_t end = i + 1 < part->item_count ? (int64_t)part->items[i + 1] : a->rows;
        const int is_last = i + 1 == part->item_count;
        SPMM_REQUIRE_AT((i > 0 || row == 0) && row < end && end <= a->rows, SPMM_ERR_PLAN_ITEMS, diag, i,
                        "item %llu of part %u spans rows %lld to %lld", (unsigned long long)i, index,
                        (long long)row, (long long)end);
        SPMM_REQUIRE_AT((is_last || a->row_ptr[end] - a->row_ptr[row] >= (int64_t)part->granule) &&
                            a->row_ptr[end - 1] - a->row_ptr[row] < (int64_t)part->granule,
                        SPMM_ERR_PLAN_ITEMS, diag, i, "item %llu of part %u does not close at %u nonzeros",
                        (unsigned long long)i, index, part->granule);
    }
cleanup:
    return status;
}

spmm_status_t spmmi_check_items(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *transposed = NULL;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        struct pattern pattern = {plan->rows, plan->nnz, plan->row_ptr};
        if (part->op == SPMM_OP_T) {
            if (transposed == NULL) {
                transposed = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *transposed);
                SPMM_TRY_ALLOC(transposed, diag);
                spmmi_transpose_row_ptr(plan->cols, plan->nnz, plan->col_ind, transposed);
            }
            pattern = (struct pattern){plan->cols, plan->nnz, transposed};
        }
        if (part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
            SPMM_TRY(check_nonzero_split(&pattern, part, i, diag));
        else
            SPMM_TRY(check_row_split(&pattern, part, i, diag));
    }
cleanup:
    spmmi_free(transposed);
    return status;
}
