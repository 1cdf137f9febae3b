/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_unit.h. If columns are not far apart, they are found by marks: first the columns of all rows
 * together, then the columns of each row window. Otherwise each window is a merge of its eight sorted rows,
 * and a row block sorts the columns of its windows. */
#include "tcblock_unit.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "tcblock_keys.h"
#include "tcblock_rows.h"

#define NO_COLUMN UINT32_MAX

static uint32_t marked_a_nonzero(uint32_t windows)
{
    return windows == 1 ? SPMMI_MARKED_WINDOW : SPMMI_MARKED_ROW_BLOCK;
}

static uint32_t marked_max(uint32_t windows, uint64_t nonzeros, uint32_t cols)
{
    return spmmi_marked_max(nonzeros, cols, marked_a_nonzero(windows));
}

/* Returns the entries of `positions`: one per marked column (row block), or per entry (window). */
static uint64_t positions_of(uint32_t windows, uint64_t nonzeros, uint32_t cols)
{
    return windows == 1 ? nonzeros + 1 : marked_max(windows, nonzeros, cols);
}

uint64_t spmmi_tcblock_unit_bytes(uint32_t windows, uint64_t nonzeros, uint32_t cols)
{
    const struct spmmi_tcblock_unit *u = NULL;
    const uint64_t lists = (nonzeros + 1) * (sizeof *u->entries + sizeof *u->rows) +
                           spmmi_marks_bytes(marked_max(windows, nonzeros, cols)) +
                           positions_of(windows, nonzeros, cols) * sizeof *u->positions;
    return windows == 1 ? lists
                        : lists + (nonzeros + 1) * (sizeof *u->rank + sizeof *u->found + 2 * sizeof *u->keys);
}

spmm_status_t spmmi_tcblock_unit_make(uint32_t windows, uint64_t nonzeros, uint32_t cols,
                                      struct spmmi_tcblock_unit *unit, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t panel = windows == 1 ? 0 : nonzeros + 1;
    memset(unit, 0, sizeof *unit);
    unit->windows = windows;
    unit->marked_max = marked_max(windows, nonzeros, cols);
    SPMM_TRY_ALLOC(unit->entries = spmmi_alloc(nonzeros + 1, sizeof *unit->entries), diag);
    SPMM_TRY_ALLOC(unit->rows = spmmi_alloc(nonzeros + 1, sizeof *unit->rows), diag);
    SPMM_TRY_ALLOC(unit->rank = spmmi_alloc(panel, sizeof *unit->rank), diag);
    SPMM_TRY_ALLOC(unit->marks = spmmi_alloc(spmmi_marks_bytes(unit->marked_max), sizeof *unit->marks), diag);
    SPMM_TRY_ALLOC(
        unit->positions = spmmi_alloc(positions_of(windows, nonzeros, cols), sizeof *unit->positions), diag);
    SPMM_TRY_ALLOC(unit->found = spmmi_alloc(panel, sizeof *unit->found), diag);
    SPMM_TRY_ALLOC(unit->keys = spmmi_alloc(panel, sizeof *unit->keys), diag);
    SPMM_TRY_ALLOC(unit->spare = spmmi_alloc(panel, sizeof *unit->spare), diag);
    unit->columns = windows == 1 ? unit->entries : unit->found;
cleanup:
    return status;
}

void spmmi_tcblock_unit_free(void *unit_)
{
    struct spmmi_tcblock_unit *const unit = unit_;
    spmmi_free(unit->spare);
    spmmi_free(unit->keys);
    spmmi_free(unit->found);
    spmmi_free(unit->positions);
    spmmi_free(unit->marks);
    spmmi_free(unit->rank);
    spmmi_free(unit->rows);
    spmmi_free(unit->entries);
    memset(unit, 0, sizeof *unit);
}

/* ---- Columns that are far apart ---- */

/* Merges the rows of one window into entries from e on. Returns the end of the entries. */
static uint32_t window_merge(struct spmmi_tcblock_unit *unit, uint32_t e, const int64_t *row_ptr,
                             const int32_t *col_ind, const uint32_t *rows, uint32_t row_count)
{
    uint32_t head[SPMMI_WINDOW_ROWS], least = NO_COLUMN;
    const int32_t *next[SPMMI_WINDOW_ROWS], *end[SPMMI_WINDOW_ROWS];
    for (uint32_t r = 0; r < SPMMI_WINDOW_ROWS; r++) {
        next[r] = r < row_count ? col_ind + row_ptr[rows[r]] : col_ind;
        end[r] = r < row_count ? col_ind + row_ptr[rows[r] + 1] : col_ind;
        head[r] = next[r] < end[r] ? (uint32_t)*next[r] : NO_COLUMN;
        least = head[r] < least ? head[r] : least;
    }
    for (; least != NO_COLUMN; e++) {
        uint32_t holders = 0, values = 0, following = NO_COLUMN;
        for (uint32_t r = 0; r < SPMMI_WINDOW_ROWS; r++) {
            const uint32_t has = head[r] == least;
            holders |= has << r;
            values += has;
            next[r] += has;
            head[r] = next[r] < end[r] ? (uint32_t)*next[r] : NO_COLUMN;
            following = head[r] < following ? head[r] : following;
        }
        unit->entries[e] = (struct spmmi_tcblock_column){least, values};
        unit->rows[e] = (uint8_t)holders;
        least = following;
    }
    return e;
}

/* Joins the entries of each column to one column of the unit and sets rank, the position of an entry's column
 * in ascending order. Returns the number of columns. */
static uint32_t columns_sort(struct spmmi_tcblock_unit *unit, uint32_t entries, uint32_t low, uint32_t high)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < entries; e++)
        unit->keys[e] = (uint64_t)unit->entries[e].column << SPMMI_KEY_SHIFT | e;
    spmmi_tcblock_keys_sort(&unit->keys, &unit->spare, entries, low, high);
    for (uint32_t i = 0; i < entries; i++) {
        const uint32_t e = (uint32_t)unit->keys[i];
        const struct spmmi_tcblock_column *entry = &unit->entries[e];
        if (count == 0 || unit->found[count - 1].column != entry->column)
            unit->found[count++] = (struct spmmi_tcblock_column){entry->column, 0};
        unit->found[count - 1].values += entry->values;
        unit->rank[e] = count - 1;
    }
    return count;
}

/* Finds the columns of a unit of either family. */
static void unit_merge(struct spmmi_tcblock_unit *unit, const struct spmmi_tcblock_rows *look)
{
    uint32_t entries = 0;
    for (uint32_t w = 0; w < unit->windows; w++) {
        const uint32_t first = w * SPMMI_WINDOW_ROWS;
        const uint32_t left = look->count > first ? look->count - first : 0;
        unit->window_first[w] = entries;
        if (left > 0)
            entries = window_merge(unit, entries, look->row_ptr, look->col_ind, look->rows + first,
                                   left < SPMMI_WINDOW_ROWS ? left : SPMMI_WINDOW_ROWS);
    }
    unit->window_first[unit->windows] = entries;
    unit->count = unit->windows == 1 ? entries : columns_sort(unit, entries, look->low, look->high);
}

/* ---- Columns that are close together ---- */

/* Clears the marks of this number of columns. */
static void marks_clear(struct spmmi_tcblock_unit *unit, uint32_t columns)
{
    memset(unit->marks, 0, spmmi_marks_bytes(columns));
}

/* Finds the columns of a unit of one window. */
static void window_mark(struct spmmi_tcblock_unit *unit, const struct spmmi_tcblock_rows *look)
{
    const uint32_t range = look->high - look->low + 1;
    marks_clear(unit, range);
    spmmi_marks_rows(unit->marks, look, 0, look->count, NULL);
    unit->count = spmmi_marks_list(unit->marks, range, unit->positions, unit->rows);
    unit->window_first[0] = 0;
    unit->window_first[1] = unit->count;
    for (uint32_t e = 0; e < unit->count; e++)
        unit->entries[e] =
            (struct spmmi_tcblock_column){look->low + unit->positions[e], spmmi_ones(unit->rows[e])};
}

/* Finds the columns of a row block, without counting their values, and the position of each column. */
static void columns_mark(struct spmmi_tcblock_unit *unit, const struct spmmi_tcblock_rows *look)
{
    const uint32_t range = look->high - look->low + 1;
    marks_clear(unit, range);
    for (uint32_t r = 0; r < look->count; r = spmmi_tcblock_rows_end(look, r, look->count))
        spmmi_marks_row(unit->marks, look, r, NULL, 1);
    unit->count = spmmi_marks_list(unit->marks, range, unit->rank, unit->rows);
    for (uint32_t i = 0; i < unit->count; i++) {
        unit->found[i] = (struct spmmi_tcblock_column){look->low + unit->rank[i], 0};
        unit->positions[unit->rank[i]] = i;
    }
}

/* Finds the columns of a row block, then the columns of each window and their ranks. */
static void row_block_mark(struct spmmi_tcblock_unit *unit, const struct spmmi_tcblock_rows *look)
{
    uint32_t e = 0;
    columns_mark(unit, look);
    for (uint32_t w = 0; w < unit->windows; w++) {
        const uint32_t first = w * SPMMI_WINDOW_ROWS, last = first + SPMMI_WINDOW_ROWS;
        unit->window_first[w] = e;
        if (first >= look->count)
            continue;
        marks_clear(unit, unit->count);
        spmmi_marks_rows(unit->marks, look, first, last < look->count ? last : look->count, unit->positions);
        const uint32_t end = e + spmmi_marks_list(unit->marks, unit->count, unit->rank + e, unit->rows + e);
        for (; e < end; e++)
            unit->found[unit->rank[e]].values += spmmi_ones(unit->rows[e]);
    }
    unit->window_first[unit->windows] = e;
}

void spmmi_tcblock_unit_read(struct spmmi_tcblock_unit *unit, const int64_t *row_ptr, const int32_t *col_ind,
                             const uint32_t *rows, uint32_t row_count)
{
    struct spmmi_tcblock_rows look;
    spmmi_tcblock_rows_look(row_ptr, col_ind, rows, row_count, &look);
    unit->count = 0;
    memset(unit->window_first, 0, sizeof unit->window_first);
    if (look.low > look.high)
        return;
    if (!spmmi_rows_are_marked(&look, unit->marked_max, marked_a_nonzero(unit->windows)))
        unit_merge(unit, &look);
    else if (unit->windows == 1)
        window_mark(unit, &look);
    else
        row_block_mark(unit, &look);
}

/* ---- Kept units: windows, count and window_first; then columns, ranks (row block only), rows ---- */

static uint64_t ranks_of(const struct spmmi_tcblock_unit *unit)
{
    return unit->windows == 1 ? 0 : unit->window_first[unit->windows];
}

uint64_t spmmi_tcblock_unit_bytes_kept(const void *unit_)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    return SPMMI_UNIT_KEPT(unit->windows) + unit->count * sizeof *unit->columns +
           ranks_of(unit) * sizeof *unit->rank + unit->window_first[unit->windows] * sizeof *unit->rows;
}

void spmmi_tcblock_unit_keep(const void *unit_, char *memory)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    const uint64_t ranks = ranks_of(unit);
    uint32_t *const head = (uint32_t *)(void *)memory;
    head[0] = unit->windows;
    head[1] = unit->count;
    memcpy(head + 2, unit->window_first, (unit->windows + 1) * sizeof *head);
    memory += SPMMI_UNIT_KEPT(unit->windows);
    memcpy(memory, unit->columns, unit->count * sizeof *unit->columns);
    memory += unit->count * sizeof *unit->columns;
    memcpy(memory, unit->rank, ranks * sizeof *unit->rank);
    memcpy(memory + ranks * sizeof *unit->rank, unit->rows,
           unit->window_first[unit->windows] * sizeof *unit->rows);
}

void spmmi_tcblock_unit_recall(void *unit_, const void *scratch, const char *memory)
{
    (void)scratch;
    struct spmmi_tcblock_unit *const unit = unit_;
    const uint32_t *const head = (const uint32_t *)(const void *)memory;
    unit->windows = head[0];
    unit->count = head[1];
    memcpy(unit->window_first, head + 2, (unit->windows + 1) * sizeof *head);
    unit->columns = (const struct spmmi_tcblock_column *)(const void *)(memory + SPMMI_UNIT_KEPT(head[0]));
    unit->rank = (uint32_t *)(uintptr_t)(unit->columns + unit->count);
    unit->rows = (uint8_t *)(unit->rank + ranks_of(unit));
}
