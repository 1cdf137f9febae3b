/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_layout.h.
 *
 * Panels are independent, so each pass takes them in parallel: first the distinct columns of each panel, ascending;
 * then how many slices each warp has in each stage; then, with all places known, the entries. A thread has one
 * number a column: a mark in the first pass ("seen in this panel"), later the column's rank in the panel.   */
#include "tiled_pack.h"

#include <stdbool.h>
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "executor/pack/op_pattern.h"
#include "tiled_banks.h"
#include "tiled_units.h"

#define RANK_BYTES_MAX (UINT64_C(1) << 30) /* of all threads' numbers a column: limits the threads */
#define SLICES_MAX (UINT32_MAX / SPMMI_TILED_LANES)
#define MARK 0x80000000u
#define SCAN_MAX 16u /* columns looked at for each one found, up to which a scan is faster than a sort */
#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)

struct builder {
    int64_t cols;
    const int32_t *col_ind;
    const struct spmmi_part *part;
    struct spmmi_tiled_units units;
    struct spmmi_tiled_layout *layout;
    uint32_t warps;        /* of a panel */
    uint32_t *panel_width; /* distinct columns of each panel */
    uint64_t *panel_begin; /* place of its list in distinct: entries of the panels before */
    uint32_t *distinct;    /* lists of distinct columns */
    int threads;
    uint32_t *ranks, *spares; /* threads times cols, and times spare_length */
    uint64_t spare_length;
};

/* Eight lanes of a warp: what is left of their units, and where their entries of a stage begin. */
struct group {
    uint32_t cursor[SPMMI_BANK_LANES], end[SPMMI_BANK_LANES];
    uint32_t place;
};

/* The unit that a thread of a panel owns; past the last one, the count of units. */
static uint32_t unit_at(const struct builder *b, uint32_t panel, uint32_t thread)
{
    const uint64_t position = (uint64_t)panel * b->part->panel_rows + thread;
    return position < b->units.count ? b->part->items[position] : b->units.count;
}

static uint32_t unit_begin(const struct builder *b, uint32_t unit)
{
    return b->units.begin[unit];
}

static uint32_t unit_end(const struct builder *b, uint32_t unit)
{
    return unit < b->units.count ? b->units.begin[unit + 1] : b->units.begin[unit];
}

static void list_sort(uint32_t *list, uint32_t *spare, uint32_t count, uint32_t low, uint32_t high)
{
    uint32_t *from = list, *to = spare;
    for (uint32_t shift = 0; shift < 32 && (high - low) >> shift > 0; shift += DIGIT_BITS) {
        uint32_t places[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < count; i++)
            places[((from[i] - low) >> shift) % DIGITS + 1]++;
        for (uint32_t d = 1; d < DIGITS; d++)
            places[d] += places[d - 1];
        for (uint32_t i = 0; i < count; i++)
            to[places[((from[i] - low) >> shift) % DIGITS]++] = from[i];
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, (size_t)count * sizeof *list);
}

/* The panel's distinct columns, ascending, into its list. */
static void panel_columns(struct builder *b, uint32_t panel, uint32_t *marks, uint32_t *spare)
{
    uint32_t *list = b->distinct + b->panel_begin[panel];
    const uint32_t mark = MARK | panel;
    uint32_t count = 0, low = UINT32_MAX, high = 0;
    for (uint32_t t = 0; t < b->part->panel_rows; t++) {
        const uint32_t unit = unit_at(b, panel, t);
        for (uint32_t q = unit_begin(b, unit); q < unit_end(b, unit); q++) {
            const uint32_t column = (uint32_t)b->col_ind[q];
            if (marks[column] == mark)
                continue;
            marks[column] = mark;
            list[count++] = column;
            low = column < low ? column : low;
            high = column > high ? column : high;
        }
    }
    b->panel_width[panel] = count;
    if (count > 0 && (high - low) / SCAN_MAX >= count) {
        list_sort(list, spare, count, low, high);
        return;
    }
    for (uint32_t column = low, found = 0; found < count; column++)
        if (marks[column] == mark)
            list[found++] = column;
}

/* Columns of one stage of the panel; its last stage may have fewer. */
static uint32_t stage_width(const struct builder *b, uint32_t panel)
{
    const uint32_t *stage = b->layout->panel_stage + panel;
    const uint32_t stages = stage[1] - stage[0];
    return stages == 0 ? 1 : (b->panel_width[panel] + stages - 1) / stages;
}

/* Columns into their place, ranks for the thread. */
static void panel_ranks(const struct builder *b, uint32_t panel, uint32_t *ranks)
{
    const uint32_t *list = b->distinct + b->panel_begin[panel];
    uint32_t *columns = b->layout->columns + b->layout->stage_first[b->layout->panel_stage[panel]];
    for (uint32_t i = 0; i < b->panel_width[panel]; i++) {
        columns[i] = list[i];
        ranks[list[i]] = i;
    }
}

/* Slices of each warp in each stage: as many as its longest lane has entries. */
static void panel_slices(struct builder *b, uint32_t panel, const uint32_t *ranks)
{
    const uint32_t width = stage_width(b, panel);
    uint32_t *slices = b->layout->warp_slice + (uint64_t)b->layout->panel_stage[panel] * b->warps;
    for (uint32_t t = 0; t < b->part->panel_rows; t++) {
        const uint32_t unit = unit_at(b, panel, t);
        const uint32_t end = unit_end(b, unit);
        for (uint32_t q = unit_begin(b, unit); q < end;) {
            const uint32_t stage = ranks[b->col_ind[q]] / width;
            uint32_t *most = &slices[stage * b->warps + t / SPMMI_TILED_LANES];
            uint32_t length = 0;
            for (; q < end && ranks[b->col_ind[q]] < (stage + 1) * width; q++)
                length++;
            *most = length > *most ? length : *most;
        }
    }
}

/* Entries of eight lanes of one stage: from their cursors on, as far as the stage goes. */
static void group_entries(const struct builder *b, uint32_t stage, uint32_t width, const uint32_t *ranks,
                          const struct group *g, struct spmmi_bank_turns *t, uint16_t *slots)
{
    struct spmmi_tiled_layout *layout = b->layout;
    for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
        uint32_t q = g->cursor[l];
        for (; q < g->end[l] && ranks[b->col_ind[q]] < (stage + 1) * width; q++)
            slots[l * t->stride + q - g->cursor[l]] = (uint16_t)(ranks[b->col_ind[q]] - stage * width + 1);
        t->count[l] = q - g->cursor[l];
    }
    spmmi_bank_order(t);
    for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
        for (uint32_t i = 0; i < t->count[l]; i++) {
            const uint32_t step = t->step[l * t->stride + i];
            const uint32_t place = g->place + step * SPMMI_TILED_LANES + l;
            layout->local[place] = slots[l * t->stride + i];
            layout->value_map[g->cursor[l] + i] = place;
        }
    }
}

/* scratch: slots, steps and queues of eight lanes in one stage. */
static void panel_entries(struct builder *b, uint32_t panel, const uint32_t *ranks, uint16_t *scratch)
{
    struct spmmi_tiled_layout *layout = b->layout;
    const uint32_t width = stage_width(b, panel),
                   stages = layout->panel_stage[panel + 1] - layout->panel_stage[panel];
    const uint32_t *slices = layout->warp_slice + (uint64_t)layout->panel_stage[panel] * b->warps;
    const uint32_t *next = layout->warp_slice + (uint64_t)layout->panel_stage[panel + 1] * b->warps;
    const size_t numbers = (size_t)SPMMI_BANK_LANES * width;
    struct spmmi_bank_turns t = {width, {0}, scratch, scratch + numbers, scratch + 2 * numbers};
    memset(layout->local + (size_t)*slices * SPMMI_TILED_LANES, 0,
           (size_t)(*next - *slices) * SPMMI_TILED_LANES * sizeof *layout->local);
    for (uint32_t first = 0; first < b->part->panel_rows; first += SPMMI_BANK_LANES) {
        struct group g;
        for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
            const uint32_t unit = unit_at(b, panel, first + l);
            g.cursor[l] = unit_begin(b, unit);
            g.end[l] = unit_end(b, unit);
        }
        for (uint32_t s = 0; s < stages; s++) {
            g.place = slices[s * b->warps + first / SPMMI_TILED_LANES] * SPMMI_TILED_LANES +
                      first % SPMMI_TILED_LANES;
            group_entries(b, s, width, ranks, &g, &t, scratch);
            for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++)
                g.cursor[l] += t.count[l];
        }
    }
}

static void panel_targets(struct builder *b, uint32_t panel)
{
    const bool permutes = (b->part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
    for (uint32_t t = 0; t < b->part->panel_rows; t++) {
        const uint32_t unit = unit_at(b, panel, t), position = panel * b->part->panel_rows + t;
        b->layout->target[position] = unit == b->units.count ? SPMMI_TILED_NONE
                                      : permutes             ? position
                                                             : b->units.target[unit];
    }
}

static spmm_status_t builder_start(struct builder *b, int64_t rows, const int64_t *row_ptr, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled *view = &b->layout->view;
    SPMM_TRY(spmmi_tiled_units_make(rows, row_ptr, b->part, &b->units, diag));
    b->warps = b->part->panel_rows / SPMMI_TILED_LANES;
    view->rows = (uint32_t)rows;
    view->cols = (uint32_t)b->cols;
    view->panel_rows = b->part->panel_rows;
    view->panel_count = (b->units.count + view->panel_rows - 1) / view->panel_rows;
    view->partial_count = b->units.partial_count;
    view->split_count = b->units.split_count;
    SPMM_TRY_ALLOC(b->panel_width = spmmi_alloc(view->panel_count, sizeof *b->panel_width), diag);
    SPMM_TRY_ALLOC(b->panel_begin = spmmi_alloc((uint64_t)view->panel_count + 1, sizeof *b->panel_begin),
                   diag);
    b->panel_begin[0] = 0;
    uint64_t longest = 0;
    for (uint32_t p = 0; p < view->panel_count; p++) {
        uint64_t entries = 0;
        for (uint32_t t = 0; t < view->panel_rows; t++)
            entries += unit_end(b, unit_at(b, p, t)) - unit_begin(b, unit_at(b, p, t));
        b->panel_begin[p + 1] = b->panel_begin[p] + entries;
        longest = entries > longest ? entries : longest;
    }
    b->spare_length = longest < (uint64_t)b->cols ? longest : (uint64_t)b->cols;
    const uint64_t threads_max = RANK_BYTES_MAX / ((uint64_t)b->cols * sizeof *b->ranks + 1) + 1;
    b->threads = omp_get_max_threads();
    if (threads_max < (uint64_t)b->threads)
        b->threads = (int)threads_max;
    const uint64_t threads = (uint64_t)b->threads;
    SPMM_TRY_ALLOC(b->distinct = spmmi_alloc(b->units.begin[b->units.count], sizeof *b->distinct), diag);
    SPMM_TRY_ALLOC(b->ranks = spmmi_alloc_zero(threads * (uint64_t)b->cols, sizeof *b->ranks), diag);
    SPMM_TRY_ALLOC(b->spares = spmmi_alloc(threads * b->spare_length, sizeof *b->spares), diag);
cleanup:
    return status;
}

static void builder_free(struct builder *b)
{
    spmmi_free(b->spares);
    spmmi_free(b->ranks);
    spmmi_free(b->distinct);
    spmmi_free(b->panel_begin);
    spmmi_free(b->panel_width);
    spmmi_tiled_units_free(&b->units);
}

/* Distinct columns, then the stages of each panel: as few as hold them, all but the last equally wide. */
static spmm_status_t stages_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint32_t panels = view->panel_count;
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 4)
    for (uint32_t p = 0; p < panels; p++) {
        const size_t thread = (size_t)omp_get_thread_num();
        panel_columns(b, p, b->ranks + thread * (size_t)b->cols, b->spares + thread * b->spare_length);
    }
    SPMM_TRY_ALLOC(layout->panel_stage = spmmi_alloc((uint64_t)panels + 1, sizeof *layout->panel_stage),
                   diag);
    layout->panel_stage[0] = 0;
    for (uint32_t p = 0; p < panels; p++) {
        const uint32_t stages = spmmi_panel_stages(b->panel_width[p], b->part->stage_slots);
        layout->panel_stage[p + 1] = layout->panel_stage[p] + stages;
        view->footprint += b->panel_width[p];
    }
    view->stage_count = layout->panel_stage[panels];
    SPMM_TRY_ALLOC(layout->stage_first =
                       spmmi_alloc((uint64_t)view->stage_count + 1, sizeof *layout->stage_first),
                   diag);
    uint32_t first = 0;
    for (uint32_t p = 0; p < panels; p++) {
        const uint32_t width = stage_width(b, p);
        for (uint32_t s = layout->panel_stage[p]; s < layout->panel_stage[p + 1]; s++)
            layout->stage_first[s] = first + (s - layout->panel_stage[p]) * width;
        first += b->panel_width[p];
        const uint32_t widest = width < b->panel_width[p] ? width : b->panel_width[p];
        view->stage_slots = widest > view->stage_slots ? widest : view->stage_slots;
        if (layout->panel_stage[p + 1] - layout->panel_stage[p] > 1)
            view->long_slots = widest > view->long_slots ? widest : view->long_slots;
    }
    layout->stage_first[view->stage_count] = first;
cleanup:
    return status;
}

static spmm_status_t slices_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint64_t count = (uint64_t)view->stage_count * b->warps;
    SPMM_TRY_ALLOC(layout->columns = spmmi_alloc(view->footprint, sizeof *layout->columns), diag);
    SPMM_TRY_ALLOC(layout->warp_slice = spmmi_alloc_zero(count + 1, sizeof *layout->warp_slice), diag);
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 4)
    for (uint32_t p = 0; p < view->panel_count; p++) {
        uint32_t *ranks = b->ranks + (size_t)omp_get_thread_num() * (size_t)b->cols;
        panel_ranks(b, p, ranks);
        panel_slices(b, p, ranks);
    }
    uint64_t slices = 0;
    for (uint64_t i = 0; i <= count; i++) {
        const uint32_t here = layout->warp_slice[i];
        layout->warp_slice[i] = (uint32_t)slices;
        slices += here;
        SPMM_REQUIRE(slices <= SLICES_MAX, SPMM_ERR_TOO_LARGE, diag,
                     "the padded entries of a tiled part are more than 32 bits number");
    }
    view->slice_count = (uint32_t)slices;
cleanup:
    return status;
}

static spmm_status_t entries_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint64_t entries = (uint64_t)view->slice_count * SPMMI_TILED_LANES;
    const uint64_t nnz = b->units.begin[b->units.count];
    const uint64_t threads = (uint64_t)view->panel_count * view->panel_rows;
    const size_t scratch_each = (size_t)3 * SPMMI_BANK_LANES * (view->stage_slots + 1);
    uint16_t *scratch = spmmi_alloc((uint64_t)b->threads * scratch_each, sizeof *scratch);
    SPMM_TRY_ALLOC(scratch, diag);
    SPMM_TRY_ALLOC(layout->local = spmmi_alloc(entries, sizeof *layout->local), diag);
    SPMM_TRY_ALLOC(layout->target = spmmi_alloc(threads, sizeof *layout->target), diag);
    SPMM_TRY_ALLOC(layout->value_map = spmmi_alloc(nnz, sizeof *layout->value_map), diag);
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 4)
    for (uint32_t p = 0; p < view->panel_count; p++) {
        uint32_t *ranks = b->ranks + (size_t)omp_get_thread_num() * (size_t)b->cols;
        panel_ranks(b, p, ranks);
        panel_entries(b, p, ranks, scratch + (size_t)omp_get_thread_num() * scratch_each);
        panel_targets(b, p);
    }
    layout->splits = b->units.splits;
    b->units.splits = NULL;
cleanup:
    spmmi_free(scratch);
    return status;
}

spmm_status_t spmmi_tiled_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled_layout *layout,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct builder b = {.cols = cols, .col_ind = col_ind, .part = part, .layout = layout};
    memset(layout, 0, sizeof *layout);
    SPMM_TRY(builder_start(&b, rows, row_ptr, diag));
    SPMM_TRY(stages_make(&b, diag));
    SPMM_TRY(slices_make(&b, diag));
    SPMM_TRY(entries_make(&b, diag));
    layout->view.panel_stage = layout->panel_stage;
    layout->view.stage_first = layout->stage_first;
    layout->view.columns = layout->columns;
    layout->view.warp_slice = layout->warp_slice;
    layout->view.local = layout->local;
    layout->view.target = layout->target;
    layout->view.splits = layout->splits;
cleanup:
    builder_free(&b);
    if (status != SPMM_OK)
        spmmi_tiled_free(layout);
    return status;
}

spmm_status_t spmmi_tiled_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled *counts, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout layout = {.value_map = NULL};
    struct builder b = {.cols = cols, .col_ind = col_ind, .part = part, .layout = &layout};
    SPMM_TRY(builder_start(&b, rows, row_ptr, diag));
    SPMM_TRY(stages_make(&b, diag));
    SPMM_TRY(slices_make(&b, diag));
    *counts = layout.view;
cleanup:
    builder_free(&b);
    spmmi_tiled_free(&layout);
    return status;
}

spmm_status_t spmmi_tiled_map_from_a(struct spmmi_tiled_layout *layout, int64_t nnz, const int64_t *t_map,
                                     spmm_diag_t *diag)
{
    return spmmi_op_pattern_map_from_a(&layout->value_map, nnz, t_map, diag);
}

uint64_t spmmi_tiled_bytes(const struct spmmi_tiled *counts)
{
    const uint64_t warps = counts->panel_rows / SPMMI_TILED_LANES;
    const uint64_t numbers = (uint64_t)counts->panel_count + 1 + counts->stage_count + 1 + counts->footprint +
                             counts->stage_count * warps + 1 +
                             (uint64_t)counts->panel_count * counts->panel_rows;
    return numbers * sizeof(uint32_t) + (uint64_t)counts->slice_count * SPMMI_TILED_LANES * sizeof(uint16_t) +
           (uint64_t)counts->split_count * sizeof(struct spmmi_tiled_split);
}

void spmmi_tiled_free(struct spmmi_tiled_layout *layout)
{
    spmmi_free(layout->value_map);
    spmmi_free(layout->splits);
    spmmi_free(layout->local);
    spmmi_free(layout->target);
    spmmi_free(layout->warp_slice);
    spmmi_free(layout->columns);
    spmmi_free(layout->stage_first);
    spmmi_free(layout->panel_stage);
    memset(layout, 0, sizeof *layout);
}
