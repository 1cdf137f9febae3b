/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_unit.h. Each window is a merge of its eight rows, which are sorted already; a row block sorts the columns
 * of its row windows to join them. */
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

void spmmi_tcblock_unit_free(struct spmmi_tcblock_unit *unit)
{
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

/* Entries of one column become one column of the unit; rank is its position among them, ascending. */
static uint32_t columns_join(struct spmmi_tcblock_unit *unit, uint32_t entries)
{
    uint32_t low = UINT32_MAX, high = 0, count = 0;
    for (uint32_t e = 0; e < entries; e++) {
        const uint32_t column = unit->entries[e].column;
        unit->keys[e] = (uint64_t)column << SPMMI_KEY_SHIFT | e;
        low = column < low ? column : low;
        high = column > high ? column : high;
    }
    if (entries > 0)
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
