/* SPDX-License-Identifier: Apache-2.0 */
/* See wide_pack.h. Each slice is walked twice: first to count its batches, then to write them. */
#include "wide_pack.h"

#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"

#define BATCHES_MAX (UINT32_MAX / SPMMI_WIDE_BATCH_ENTRIES)
#define SLICE_MAX (SPMMI_WIDE_GROUPS * SPMMI_WIDE_GROUP_ROWS_MAX)
#define PHASES_FREE (1u << 20) /* this many phases take little memory in any case */

struct builder {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    struct spmmi_wide_layout *layout;
};

/* The progress in each row of a slice: its remaining nonzeros are at .. end - 1. */
struct walk {
    int64_t at[SLICE_MAX], end[SLICE_MAX];
    uint32_t rows;
};

/* ---- The order of the rows: longest first, so that the rows of a slice have about the same length ---- */

static spmm_status_t rows_sort(int64_t rows, const int64_t *row_ptr, uint32_t *row_of, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t longest = 0;
    uint32_t *start = NULL;
    for (int64_t i = 0; i < rows; i++)
        longest = row_ptr[i + 1] - row_ptr[i] > longest ? row_ptr[i + 1] - row_ptr[i] : longest;
    SPMM_TRY_ALLOC(start = spmmi_alloc_zero((uint64_t)longest + 2, sizeof *start), diag);
    for (int64_t i = 0; i < rows; i++)
        start[longest - (row_ptr[i + 1] - row_ptr[i]) + 1]++;
    for (int64_t i = 0; i <= longest; i++)
        start[i + 1] += start[i];
    for (int64_t i = 0; i < rows; i++)
        row_of[start[longest - (row_ptr[i + 1] - row_ptr[i])]++] = (uint32_t)i;
cleanup:
    spmmi_free(start);
    return status;
}

/* ---- Batches ---- */

static struct walk walk_of(const struct builder *b, uint32_t slice)
{
    struct walk w = {.rows = SPMMI_WIDE_GROUPS * b->layout->view.group_rows};
    for (uint32_t i = 0; i < w.rows; i++) {
        const uint32_t row = b->layout->row_of[(uint64_t)slice * w.rows + i];
        w.at[i] = row == SPMMI_NONE ? 0 : b->row_ptr[row];
        w.end[i] = row == SPMMI_NONE ? 0 : b->row_ptr[row + 1];
    }
    return w;
}

static bool is_before(const struct builder *b, const struct walk *w, uint32_t i, int64_t column)
{
    return w->at[i] < w->end[i] && b->col_ind[w->at[i]] < column;
}

static bool any_before(const struct builder *b, const struct walk *w, int64_t column)
{
    bool any = false;
    for (uint32_t i = 0; i < w->rows; i++)
        any |= is_before(b, w, i, column);
    return any;
}

/* Moves nonzeros of columns below `column` to a batch and fills the rest with padding. */
static void batch_take(const struct builder *b, struct walk *w, int64_t column, uint64_t batch, bool writes)
{
    const uint32_t group_rows = b->layout->view.group_rows;
    for (uint32_t e = 0; e < SPMMI_WIDE_BATCH_ENTRIES; e++) {
        const uint32_t i = e / SPMMI_WIDE_BATCH * group_rows + e % group_rows;
        const uint64_t entry = batch * SPMMI_WIDE_BATCH_ENTRIES + e;
        const bool has = is_before(b, w, i, column);
        if (writes)
            b->layout->ring_row[entry] =
                (uint16_t)(has ? (uint32_t)b->col_ind[w->at[i]] % SPMMI_WIDE_RING : SPMMI_WIDE_RING);
        if (writes && has)
            b->layout->value_map[w->at[i]] = (uint32_t)entry;
        w->at[i] += has;
    }
}

/* Counts or writes the batches of a slice. Returns their number. */
static uint32_t slice_walk(const struct builder *b, uint32_t slice, bool writes)
{
    const struct spmmi_wide *view = &b->layout->view;
    const uint64_t first = writes ? b->layout->slice_start[slice] : 0;
    uint32_t count = 0;
    struct walk w = walk_of(b, slice);
    for (uint32_t phase = 0; phase < view->panel_count; phase++) {
        const int64_t done = ((int64_t)phase + 1) * SPMMI_WIDE_PANEL;
        while (any_before(b, &w, done))
            batch_take(b, &w, done + SPMMI_WIDE_AHEAD * SPMMI_WIDE_PANEL, first + count++, writes);
        b->layout->phase_end[(uint64_t)slice * view->panel_count + phase] = count;
    }
    return count;
}

/* ---- Layouts ---- */

static spmm_status_t slices_make(struct builder *b, int64_t rows, int64_t cols, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_wide_layout *layout = b->layout;
    struct spmmi_wide *view = &layout->view;
    const uint32_t group_rows = spmmi_wide_group_rows((uint32_t)rows);
    *view = (struct spmmi_wide){.rows = (uint32_t)rows,
                                .cols = (uint32_t)cols,
                                .group_rows = group_rows,
                                .slice_count = spmmi_wide_slices((uint32_t)rows, group_rows),
                                .panel_count = spmmi_wide_panels((uint32_t)cols)};
    const uint64_t positions = (uint64_t)view->slice_count * SPMMI_WIDE_GROUPS * group_rows,
                   phases = (uint64_t)view->slice_count * view->panel_count;
    SPMM_REQUIRE(phases <= (uint64_t)b->row_ptr[rows] + PHASES_FREE, SPMM_ERR_UNSUPPORTED, diag,
                 "the wide family is for dense matrices: this one has %lld nonzeros in %llu pieces",
                 (long long)b->row_ptr[rows], (unsigned long long)phases);
    SPMM_TRY_ALLOC(layout->row_of = spmmi_alloc(positions, sizeof *layout->row_of), diag);
    SPMM_TRY_ALLOC(layout->phase_end = spmmi_alloc(phases, sizeof *layout->phase_end), diag);
    SPMM_TRY_ALLOC(layout->slice_start =
                       spmmi_alloc((uint64_t)view->slice_count + 1, sizeof *layout->slice_start),
                   diag);
    SPMM_TRY(rows_sort(rows, b->row_ptr, layout->row_of, diag));
    for (uint64_t i = (uint64_t)rows; i < positions; i++)
        layout->row_of[i] = SPMMI_NONE;
    uint64_t batches = 0;
    for (uint32_t s = 0; s < view->slice_count; s++) {
        layout->slice_start[s] = (uint32_t)batches;
        batches += slice_walk(b, s, false);
        SPMM_REQUIRE(batches <= BATCHES_MAX, SPMM_ERR_TOO_LARGE, diag,
                     "the padded entries of a wide part are more than 32 bits can index");
    }
    layout->slice_start[view->slice_count] = (uint32_t)batches;
    view->batch_count = (uint32_t)batches;
cleanup:
    return status;
}

spmm_status_t spmmi_wide_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                               struct spmmi_wide_layout *layout, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct builder b = {row_ptr, col_ind, layout};
    memset(layout, 0, sizeof *layout);
    SPMM_TRY(slices_make(&b, rows, cols, diag));
    struct spmmi_wide *view = &layout->view;
    const uint64_t entries = (uint64_t)view->batch_count * SPMMI_WIDE_BATCH_ENTRIES;
    SPMM_TRY_ALLOC(layout->ring_row = spmmi_alloc(entries, sizeof *layout->ring_row), diag);
    SPMM_TRY_ALLOC(layout->value_map = spmmi_alloc((uint64_t)row_ptr[rows], sizeof *layout->value_map), diag);
    for (uint32_t s = 0; s < view->slice_count; s++)
        (void)slice_walk(&b, s, true);
    view->slice_start = layout->slice_start;
    view->phase_end = layout->phase_end;
    view->row_of = layout->row_of;
    view->ring_row = layout->ring_row;
cleanup:
    if (status != SPMM_OK)
        spmmi_wide_free(layout);
    return status;
}

spmm_status_t spmmi_wide_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                               struct spmmi_wide *counts, spmm_diag_t *diag)
{
    struct spmmi_wide_layout layout = {.value_map = NULL};
    struct builder b = {row_ptr, col_ind, &layout};
    const spmm_status_t status = slices_make(&b, rows, cols, diag);
    *counts = layout.view;
    spmmi_wide_free(&layout);
    return status;
}

uint64_t spmmi_wide_bytes(const struct spmmi_wide *counts)
{
    const uint32_t slice = SPMMI_WIDE_GROUPS * counts->group_rows;
    const uint64_t words = (uint64_t)counts->slice_count * (1 + slice + counts->panel_count) + 1;
    return words * sizeof(uint32_t) +
           (uint64_t)counts->batch_count * SPMMI_WIDE_BATCH_ENTRIES * sizeof(uint16_t);
}

uint64_t spmmi_wide_scratch(const struct spmmi_wide *counts)
{
    return ((uint64_t)counts->cols + 2) * sizeof(uint32_t); /* of rows_sort: no row is longer than cols */
}

void spmmi_wide_free(struct spmmi_wide_layout *layout)
{
    spmmi_free(layout->ring_row);
    spmmi_free(layout->value_map);
    spmmi_free(layout->slice_start);
    spmmi_free(layout->phase_end);
    spmmi_free(layout->row_of);
    memset(layout, 0, sizeof *layout);
}
