/* SPDX-License-Identifier: Apache-2.0 */
/* The items of parts: docs/plan-format.md section 6.8. Kernels trust the rows that items name, so every item is checked
 * against the row pointers of op(A). */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/family.h"
#include "plan_check.h"
#include "format/matrix/stats.h"
#include "format/matrix/units.h"

#define WORD_BITS 64u

/* The pattern that a part partitions. */
struct pattern {
    int64_t rows, nnz;
    const int64_t *row_ptr;
};

static uint64_t bitmap_words(uint64_t bits)
{
    return bits / WORD_BITS + (bits % WORD_BITS != 0);
}

uint64_t spmmi_check_bytes(uint64_t cols, uint64_t nnz, struct spmmi_check_extent extent)
{
    const uint64_t stats = spmmi_stats_bytes(cols, nnz);
    const uint64_t items = (extent.has_transpose ? (cols + 1) * sizeof(int64_t) : 0) +
                           bitmap_words(extent.reordered_items) * sizeof(uint64_t);
    const uint64_t most = stats > items ? stats : items;
    return most > extent.product_bytes ? most : extent.product_bytes;
}

/* Item i names the row that holds nonzero i * item size. */
static spmm_status_t check_nonzero_split(const struct pattern *a, const struct spmmi_part *part,
                                         uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t item_size = part->item_size;
    const uint64_t expected = ((uint64_t)a->nnz + item_size - 1) / item_size;
    SPMM_RULE(part->item_count == expected, ITEMS, index, "part %u has %llu items, expected %llu", index,
              (unsigned long long)part->item_count, (unsigned long long)expected);
    for (uint64_t i = 0; i < expected; i++) {
        const int64_t row = part->items[i], first = (int64_t)(i * item_size);
        SPMM_RULE(row < a->rows && a->row_ptr[row] <= first && first < a->row_ptr[row + 1], ITEMS, index,
                  "item %llu of part %u names row %lld, which does not hold %lld", (unsigned long long)i,
                  index, (long long)row, (long long)first);
    }
cleanup:
    return status;
}

/* Item i starts at items[i] and ends with the first row that brings it to item size nonzeros, or with the last. */
static spmm_status_t check_row_split(const struct pattern *a, const struct spmmi_part *part, uint32_t index,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE((part->item_count == 0) == (a->rows == 0), ITEMS, index, "part %u has %llu items for %lld rows",
              index, (unsigned long long)part->item_count, (long long)a->rows);
    for (uint64_t i = 0; i < part->item_count; i++) {
        const int64_t row = part->items[i];
        const int64_t end = i + 1 < part->item_count ? (int64_t)part->items[i + 1] : a->rows;
        const int is_last = i + 1 == part->item_count;
        SPMM_RULE((i > 0 || row == 0) && row < end && end <= a->rows, ITEMS, index,
                  "item %llu of part %u spans rows %lld to %lld", (unsigned long long)i, index,
                  (long long)row, (long long)end);
        SPMM_RULE((is_last || a->row_ptr[end] - a->row_ptr[row] >= (int64_t)part->item_size) &&
                      a->row_ptr[end - 1] - a->row_ptr[row] < (int64_t)part->item_size,
                  ITEMS, index, "item %llu of part %u does not close at %u nonzeros", (unsigned long long)i,
                  index, part->item_size);
    }
cleanup:
    return status;
}

/* Marks the entries of a list. Returns the first position whose entry was seen before or is not below limit; count
 * where there is none. */
static uint64_t see(uint64_t *seen, uint64_t limit, const uint32_t *list, uint64_t count)
{
    uint64_t position = 0;
    for (; position < count; position++) {
        const uint32_t number = list[position];
        const uint64_t bit = UINT64_C(1) << (number % WORD_BITS);
        if (number >= limit || (seen[number / WORD_BITS] & bit) != 0)
            break;
        seen[number / WORD_BITS] |= bit;
    }
    return position;
}

/* *wrong: the first position whose entry occurs before it or is not below count; count where there is none. */
static spmm_status_t find_wrong(const uint32_t *list, uint64_t count, uint64_t *wrong, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t *seen = spmmi_alloc_zero(bitmap_words(count), sizeof *seen);
    SPMM_TRY_ALLOC(seen, diag);
    *wrong = see(seen, count, list, count);
cleanup:
    spmmi_free(seen);
    return status;
}

spmm_status_t spmmi_check_symmetric_permutation(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    const uint64_t rows = (uint64_t)plan->rows;
    uint64_t wrong = 0;
    spmm_status_t status = SPMM_OK;
    if (plan->symmetric_permutation == NULL)
        return SPMM_OK;
    SPMM_RULE(plan->rows == plan->cols, PERMUTATION, 0,
              "a symmetric permutation needs a square matrix, found %lld x %lld", (long long)plan->rows,
              (long long)plan->cols);
    SPMM_TRY(find_wrong(plan->symmetric_permutation, rows, &wrong, diag));
    SPMM_RULE(wrong == rows, PERMUTATION, wrong,
              "position %llu of the symmetric permutation has %u, which is there twice or not below %llu",
              (unsigned long long)wrong, plan->symmetric_permutation[wrong], (unsigned long long)rows);
cleanup:
    return status;
}

/* Every row, or with segment > 0 every segment of so many nonzeros, once, in any order that the part declares. */
static spmm_status_t check_order(const struct pattern *a, const struct spmmi_part *part, uint32_t segment,
                                 uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = spmmi_units_count(a->rows, a->row_ptr, segment);
    uint64_t wrong = 0;
    SPMM_RULE(part->item_count == count && count <= SPMMI_UNIT_MAX, ITEMS, index,
              "part %u has %llu items, expected %llu", index, (unsigned long long)part->item_count,
              (unsigned long long)count);
    if ((part->flags & SPMMI_PART_REORDERED) != 0) {
        SPMM_TRY(find_wrong(part->items, count, &wrong, diag));
        SPMM_RULE(wrong == count, ITEMS, index,
                  "item %llu of part %u is unit %u, which is there twice or not of %llu units",
                  (unsigned long long)wrong, index, part->items[wrong], (unsigned long long)count);
    } else {
        while (wrong < count && part->items[wrong] == wrong)
            wrong++;
        SPMM_RULE(wrong == count, ITEMS, index,
                  "item %llu of part %u is unit %u, but the part is not reordered", (unsigned long long)wrong,
                  index, part->items[wrong]);
    }
cleanup:
    return status;
}

static uint64_t ascends_until(const struct spmmi_part *part)
{
    uint64_t position = 1;
    while (position < part->item_count && part->items[position] > part->items[position - 1])
        position++;
    return position;
}

/* Every row once, in one of the two parts; the long ones have nonzeros, so that no kernel looks for empty rows among
 * them. */
static spmm_status_t check_long_rows(const struct pattern *a, const struct spmmi_part *part, uint32_t index,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part *long_rows = part + 1;
    const uint64_t rows = (uint64_t)a->rows;
    uint64_t *seen = NULL;
    SPMM_RULE(part->item_count > 0 && long_rows->item_count > 0 &&
                  part->item_count + long_rows->item_count == rows,
              ITEMS, long_rows->item_count > 0 ? index : index + 1,
              "part %u and its long rows have %llu and %llu items", index,
              (unsigned long long)part->item_count, (unsigned long long)long_rows->item_count);
    SPMM_RULE(ascends_until(long_rows) == long_rows->item_count, ITEMS, index,
              "the long rows of part %u do not ascend", index + 1);
    SPMM_RULE((part->flags & SPMMI_PART_REORDERED) != 0 || ascends_until(part) == part->item_count, ITEMS,
              index, "the rows of part %u do not ascend, but the part is not reordered", index);
    SPMM_TRY_ALLOC(seen = spmmi_alloc_zero(bitmap_words(rows), sizeof *seen), diag);
    SPMM_RULE(see(seen, rows, long_rows->items, long_rows->item_count) == long_rows->item_count &&
                  see(seen, rows, part->items, part->item_count) == part->item_count,
              ITEMS, index, "part %u and its long rows do not have every row once", index);
    for (uint64_t i = 0; i < long_rows->item_count; i++) {
        const uint32_t row = long_rows->items[i];
        SPMM_RULE(a->row_ptr[row] < a->row_ptr[row + 1], ITEMS, index,
                  "row %u of part %u is split off and has no nonzeros", row, index + 1);
    }
cleanup:
    spmmi_free(seen);
    return status;
}

/* A part and, where it has any, its long rows, which are not checked separately. */
static spmm_status_t check_part_items(const spmm_plan_t *plan, const struct pattern *a, uint32_t index,
                                      spmm_diag_t *diag)
{
    const struct spmmi_part *part = &plan->parts[index];
    if ((part->flags & SPMMI_PART_LONG_ROWS) != 0)
        return SPMM_OK;
    if (spmmi_long_rows_of(plan, index) != NULL)
        return check_long_rows(a, part, index, diag);
    switch (spmmi_schedule_of(part->family, part->schedule)->items) {
    case SPMMI_ITEMS_ROW_SPLIT:
        return check_row_split(a, part, index, diag);
    case SPMMI_ITEMS_NONZERO_SPLIT:
        return check_nonzero_split(a, part, index, diag);
    case SPMMI_ITEMS_ROWS:
        return check_order(a, part, 0, index, diag);
    case SPMMI_ITEMS_SEGMENTS:
        return check_order(a, part, part->item_size, index, diag);
    }
    return SPMM_ERR_INTERNAL;
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
        SPMM_TRY(check_part_items(plan, &pattern, i, diag));
    }
cleanup:
    spmmi_free(transposed);
    return status;
}
