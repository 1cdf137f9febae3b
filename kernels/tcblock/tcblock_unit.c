/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_unit.h. Each window is a merge of its eight rows, which are sorted already; a row block joins the
 * columns of its row windows by marks, or sorts them where they are far apart. */
#include "tcblock_unit.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "tcblock_keys.h"

#define NO_COLUMN UINT32_MAX

uint64_t spmmi_tcblock_unit_bytes(uint32_t windows)
{
    const struct spmmi_tcblock_unit *u = NULL;
    const uint64_t one = sizeof *u->entries + sizeof *u->rows + sizeof *u->rank;
    return windows == 1 ? one : one + sizeof *u->found + 2 * sizeof *u->keys;
}

spmm_status_t spmmi_tcblock_unit_make(uint32_t windows, uint64_t nonzeros, struct spmmi_tcblock_unit *unit,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t panel = windows == 1 ? 0 : nonzeros;
    memset(unit, 0, sizeof *unit);
    unit->windows = windows;
    SPMM_TRY_ALLOC(unit->entries = spmmi_alloc(nonzeros, sizeof *unit->entries), diag);
    SPMM_TRY_ALLOC(unit->rows = spmmi_alloc(nonzeros, sizeof *unit->rows), diag);
    SPMM_TRY_ALLOC(unit->rank = spmmi_alloc(nonzeros, sizeof *unit->rank), diag);
    SPMM_TRY_ALLOC(unit->found = spmmi_alloc(panel, sizeof *unit->found), diag);
    SPMM_TRY_ALLOC(unit->keys = spmmi_alloc(panel, sizeof *unit->keys), diag);
    SPMM_TRY_ALLOC(unit->spare = spmmi_alloc(panel, sizeof *unit->spare), diag);
    unit->columns = windows == 1 ? unit->entries : unit->found;
    for (uint64_t e = 0; windows == 1 && e < nonzeros; e++)
        unit->rank[e] = (uint32_t)e;
cleanup:
    return status;
}

void spmmi_tcblock_unit_free(void *unit_)
{
    struct spmmi_tcblock_unit *const unit = unit_;
    spmmi_free(unit->spare);
    spmmi_free(unit->keys);
    spmmi_free(unit->found);
    spmmi_free(unit->rank);
    spmmi_free(unit->rows);
    spmmi_free(unit->entries);
    memset(unit, 0, sizeof *unit);
}

/* One window's entries from e on; the first entry behind them. */
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

/* The columns of the entries, ascending, and how many there are before each word of the marks. */
static uint32_t marks_read(struct spmmi_tcblock_unit *unit, const uint64_t *marks, uint64_t *before,
                           uint32_t words, uint32_t low)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++) {
        before[w] = count;
        for (uint64_t bits = marks[w]; bits > 0; bits &= bits - 1)
            unit->found[count++] =
                (struct spmmi_tcblock_column){low + 64 * w + (uint32_t)__builtin_ctzll(bits), 0};
    }
    return count;
}

/* By a bit for each column of the range, which has so many words. */
static uint32_t columns_mark(struct spmmi_tcblock_unit *unit, uint32_t entries, uint32_t low, uint32_t words)
{
    uint64_t *const marks = unit->keys, *const before = unit->spare;
    memset(marks, 0, words * sizeof *marks);
    for (uint32_t e = 0; e < entries; e++) {
        const uint32_t at = unit->entries[e].column - low;
        marks[at / 64] |= UINT64_C(1) << at % 64;
    }
    const uint32_t count = marks_read(unit, marks, before, words, low);
    for (uint32_t e = 0; e < entries; e++) {
        const uint32_t at = unit->entries[e].column - low;
        const uint64_t left = marks[at / 64] & ((UINT64_C(1) << at % 64) - 1);
        unit->rank[e] = (uint32_t)before[at / 64] + spmmi_ones(left);
        unit->found[unit->rank[e]].values += unit->entries[e].values;
    }
    return count;
}

/* By sorting the entries. */
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

/* Entries of one column become one column of the unit; rank is its position among them, ascending. Columns that are
 * not far apart are marked. */
static uint32_t columns_join(struct spmmi_tcblock_unit *unit, uint32_t entries)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t w = 0; w < unit->windows; w++) {
        const uint32_t begin = unit->window_first[w], end = unit->window_first[w + 1];
        if (begin == end)
            continue;
        const uint32_t first = unit->entries[begin].column, last = unit->entries[end - 1].column;
        low = first < low ? first : low;
        high = last > high ? last : high;
    }
    if (entries == 0)
        return 0;
    const uint32_t words = (high - low) / 64 + 1;
    return words <= entries ? columns_mark(unit, entries, low, words)
                            : columns_sort(unit, entries, low, high);
}

void spmmi_tcblock_unit_read(struct spmmi_tcblock_unit *unit, const int64_t *row_ptr, const int32_t *col_ind,
                             const uint32_t *rows, uint32_t row_count)
{
    uint32_t entries = 0;
    for (uint32_t w = 0; w < unit->windows; w++) {
        const uint32_t first = w * SPMMI_WINDOW_ROWS;
        const uint32_t left = row_count > first ? row_count - first : 0;
        unit->window_first[w] = entries;
        if (left > 0)
            entries = window_merge(unit, entries, row_ptr, col_ind, rows + first,
                                   left < SPMMI_WINDOW_ROWS ? left : SPMMI_WINDOW_ROWS);
    }
    unit->window_first[unit->windows] = entries;
    unit->count = entries;
    if (unit->windows > 1)
        unit->count = columns_join(unit, entries);
}

/* windows, count and the first entries, as many words as make columns begin at a multiple of 8 bytes; columns, ranks,
 * rows. */
static uint64_t head_words(uint32_t windows)
{
    return (2 + (uint64_t)windows + 1 + 1) / 2 * 2;
}

uint64_t spmmi_tcblock_unit_bytes_kept(const void *unit_)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    const uint64_t entries = unit->window_first[unit->windows];
    return head_words(unit->windows) * sizeof(uint32_t) + unit->count * sizeof *unit->columns +
           entries * (sizeof *unit->rank + sizeof *unit->rows);
}

void spmmi_tcblock_unit_keep(const void *unit_, char *memory)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    const uint64_t entries = unit->window_first[unit->windows];
    uint32_t *const head = (uint32_t *)(void *)memory;
    head[0] = unit->windows;
    head[1] = unit->count;
    memcpy(head + 2, unit->window_first, (unit->windows + 1) * sizeof *head);
    memory += head_words(unit->windows) * sizeof *head;
    memcpy(memory, unit->columns, unit->count * sizeof *unit->columns);
    memory += unit->count * sizeof *unit->columns;
    memcpy(memory, unit->rank, entries * sizeof *unit->rank);
    memcpy(memory + entries * sizeof *unit->rank, unit->rows, entries * sizeof *unit->rows);
}

void spmmi_tcblock_unit_recall(void *unit_, const char *memory)
{
    struct spmmi_tcblock_unit *const unit = unit_;
    const uint32_t *const head = (const uint32_t *)(const void *)memory;
    unit->windows = head[0];
    unit->count = head[1];
    memcpy(unit->window_first, head + 2, (unit->windows + 1) * sizeof *head);
    unit->columns = (const struct spmmi_tcblock_column *)(const void *)(head + head_words(unit->windows));
    unit->rank = (uint32_t *)(uintptr_t)(unit->columns + unit->count);
    unit->rows = (uint8_t *)(unit->rank + unit->window_first[unit->windows]);
}
