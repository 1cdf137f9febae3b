/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the items of parts (docs/plan-format.md section 6.8). Kernels trust the rows that items name,
 * so every item is checked against the row pointers of op(A). */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/each.h"
#include "format/family.h"
#include "plan_check.h"
#include "format/matrix/stats.h"
#include "format/matrix/units.h"

#define WORD_BITS 64u
#define ITEMS_OF_PIECE 8192u

/* The pattern that a part partitions. */
struct pattern {
    int64_t rows, nnz;
    const int64_t *row_ptr;
};

static uint64_t bitmap_words(uint64_t bits)
{
    return bits / WORD_BITS + (bits % WORD_BITS != 0);
}

uint64_t spmmi_check_bytes(uint64_t cols, uint64_t nnz, int threads, struct spmmi_check_extent extent)
{
    const uint64_t stats = spmmi_stats_bytes(cols, nnz, threads);
    const uint64_t items = (extent.has_transpose ? (cols + 1) * sizeof(int64_t) : 0) +
                           bitmap_words(extent.reordered_items) * sizeof(uint64_t);
    const uint64_t most = stats > items ? stats : items;
    return most > extent.product_bytes ? most : extent.product_bytes;
}

/* A part whose items are checked one by one. */
struct listed {
    const struct pattern *a;
    const struct spmmi_part *part;
};

/* Returns true if item i is the row of nonzero i * item size. */
static int names_its_row(const struct listed *l, uint64_t i)
{
    const int64_t row = l->part->items[i], first = (int64_t)(i * l->part->item_size);
    return row < l->a->rows && l->a->row_ptr[row] <= first && first < l->a->row_ptr[row + 1];
}

static int64_t item_end(const struct listed *l, uint64_t i)
{
    return i + 1 < l->part->item_count ? (int64_t)l->part->items[i + 1] : l->a->rows;
}

/* Returns true if item i spans at least one row, the items ascend and item 0 begins at row 0. */
static int spans_rows(const struct listed *l, uint64_t i)
{
    const int64_t row = l->part->items[i], end = item_end(l, i);
    return (i > 0 || row == 0) && row < end && end <= l->a->rows;
}

/* Returns true if item i, which spans rows, ends at the first row
 * with which it has item size nonzeros, or at the last row. */
static int closes_at_size(const struct listed *l, uint64_t i)
{
    const int64_t *const row_ptr = l->a->row_ptr, row = l->part->items[i], end = item_end(l, i);
    const int64_t size = l->part->item_size;
    return (i + 1 == l->part->item_count || row_ptr[end] - row_ptr[row] >= size) &&
           row_ptr[end - 1] - row_ptr[row] < size;
}

static int is_named_wrong(const void *listed, uint64_t index, int thread)
{
    const struct listed *const l = listed;
    const uint64_t end = (uint64_t)spmmi_piece_end((int64_t)l->part->item_count, ITEMS_OF_PIECE, index);
    int is_right = 1;
    (void)thread;
    for (uint64_t i = index * ITEMS_OF_PIECE; i < end; i++)
        is_right &= names_its_row(l, i);
    return !is_right;
}

static int is_spanned_wrong(const void *listed, uint64_t index, int thread)
{
    const struct listed *const l = listed;
    const uint64_t end = (uint64_t)spmmi_piece_end((int64_t)l->part->item_count, ITEMS_OF_PIECE, index);
    int is_right = 1;
    (void)thread;
    for (uint64_t i = index * ITEMS_OF_PIECE; i < end && is_right; i++)
        is_right = spans_rows(l, i) && closes_at_size(l, i);
    return !is_right;
}

/* Checks pieces of items in parallel. Returns the first item of the first wrong piece, which the caller then
 * checks item by item. */
static uint64_t first_item(int threads, const struct listed *l,
                           int (*is_wrong)(const void *listed, uint64_t index, int thread))
{
    return ITEMS_OF_PIECE * spmmi_first_wrong(spmmi_pieces((int64_t)l->part->item_count, ITEMS_OF_PIECE),
                                              threads, is_wrong, l);
}

static spmm_status_t check_nonzero_split(int threads, const struct listed *l, uint32_t index,
                                         spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t item_size = l->part->item_size, count = l->part->item_count;
    const uint64_t expected = ((uint64_t)l->a->nnz + item_size - 1) / item_size;
    SPMM_RULE(count == expected, ITEMS, index, "part %u has %llu items, expected %llu", index,
              (unsigned long long)count, (unsigned long long)expected);
    for (uint64_t i = first_item(threads, l, is_named_wrong); i < expected; i++)
        SPMM_RULE(names_its_row(l, i), ITEMS, index,
                  "item %llu of part %u names row %lld, which does not hold %lld", (unsigned long long)i,
                  index, (long long)l->part->items[i], (long long)(i * item_size));
cleanup:
    return status;
}

static spmm_status_t check_row_split(int threads, const struct listed *l, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = l->part->item_count;
    SPMM_RULE((count == 0) == (l->a->rows == 0), ITEMS, index, "part %u has %llu items for %lld rows", index,
              (unsigned long long)count, (long long)l->a->rows);
    for (uint64_t i = first_item(threads, l, is_spanned_wrong); i < count; i++) {
        SPMM_RULE(spans_rows(l, i), ITEMS, index, "item %llu of part %u spans rows %lld to %lld",
                  (unsigned long long)i, index, (long long)l->part->items[i], (long long)item_end(l, i));
        SPMM_RULE(closes_at_size(l, i), ITEMS, index, "item %llu of part %u does not close at %u nonzeros",
                  (unsigned long long)i, index, l->part->item_size);
    }
cleanup:
    return status;
}

/* Marks the entries of a list in the bitmap seen. Returns the first position whose entry is already marked or
 * not below limit, or count if there is none. */
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

/* Sets *wrong to the first position whose entry occurs at an earlier position or is not below count, or to
 * count if the list is a permutation. */
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

/* Checks that the items are all rows (segment = 0), or all segments of `segment` nonzeros, each once: in any
 * order if the part is reordered, else ascending. */
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

/* Returns the first position whose item is not greater than the previous one, or item_count.
 * There must be an item. */
static uint64_t ascends_until(const struct spmmi_part *part)
{
    uint64_t position = 1;
    while (position < part->item_count && part->items[position] > part->items[position - 1])
        position++;
    return position;
}

/* Checks that each row is in exactly one of the two parts. Long rows must have nonzeros, because no kernel
 * searches them for empty rows. */
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

/* Checks the items of a part together with its long rows, if it has any.
 * Does nothing for a part of long rows. */
static spmm_status_t check_part_items(int threads, const spmm_plan_t *plan, const struct pattern *a,
                                      uint32_t index, spmm_diag_t *diag)
{
    const struct spmmi_part *part = &plan->parts[index];
    const struct listed listed = {a, part};
    if ((part->flags & SPMMI_PART_LONG_ROWS) != 0)
        return SPMM_OK;
    if (spmmi_long_rows_of(plan, index) != NULL)
        return check_long_rows(a, part, index, diag);
    switch (spmmi_schedule_of(part->family, part->schedule)->items) {
    case SPMMI_ITEMS_ROW_SPLIT:
        return check_row_split(threads, &listed, index, diag);
    case SPMMI_ITEMS_NONZERO_SPLIT:
        return check_nonzero_split(threads, &listed, index, diag);
    case SPMMI_ITEMS_ROWS:
        return check_order(a, part, 0, index, diag);
    case SPMMI_ITEMS_SEGMENTS:
        return check_order(a, part, part->item_size, index, diag);
    }
    return SPMM_ERR_INTERNAL;
}

spmm_status_t spmmi_check_items(int threads, const spmm_plan_t *plan, spmm_diag_t *diag)
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
        SPMM_TRY(check_part_items(threads, plan, &pattern, i, diag));
    }
cleanup:
    spmmi_free(transposed);
    return status;
}
