/* SPDX-License-Identifier: Apache-2.0 */
/* See bcsr_pack.h. Block columns are found by marking the columns of the rows, or by sorting them. Bitmaps
 * are made from marks. If columns are far apart or a value map is wanted, one cursor per row passes over its
 * nonzeros once instead, in the order of steps, block rows and blocks. */
#include "bcsr_pack.h"

#include <string.h>

#include "bcsr_shape.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "kernels/tcblock/tcblock_keys.h"

#define UNIT_ROWS_MAX 128u
#define MARKED_A_NONZERO \
    SPMMI_MARKED_WINDOW /* for bitmaps, whose marks are cleared but not searched; no other limit was tried */

static uint32_t block_columns(uint32_t value_bytes)
{
    return SPMMI_BCSR_COLUMNS(value_bytes);
}

static uint32_t marked_max(uint64_t nonzeros, uint32_t cols)
{
    return spmmi_marked_max(nonzeros, cols, MARKED_A_NONZERO);
}

static spmm_status_t unit_make(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols, void *unit,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_bcsr_unit *u = unit;
    (void)unit_rows;
    memset(u, 0, sizeof *u);
    u->marked_max = marked_max(nonzeros, cols);
    SPMM_TRY_ALLOC(u->columns = spmmi_alloc(nonzeros, sizeof *u->columns), diag);
    SPMM_TRY_ALLOC(u->keys = spmmi_alloc(nonzeros, sizeof *u->keys), diag);
    SPMM_TRY_ALLOC(u->spare = spmmi_alloc(nonzeros, sizeof *u->spare), diag);
    SPMM_TRY_ALLOC(u->marks = spmmi_alloc(spmmi_bcsr_marks_bytes(u->marked_max), sizeof *u->marks), diag);
cleanup:
    return status;
}

static void unit_free(void *unit)
{
    struct spmmi_bcsr_unit *u = unit;
    spmmi_free(u->marks);
    spmmi_free(u->spare);
    spmmi_free(u->keys);
    spmmi_free(u->columns);
    memset(u, 0, sizeof *u);
}

static uint64_t unit_bytes(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols)
{
    const struct spmmi_bcsr_unit *u = NULL;
    (void)unit_rows;
    return nonzeros * (sizeof *u->columns + sizeof *u->keys + sizeof *u->spare) +
           spmmi_bcsr_marks_bytes(marked_max(nonzeros, cols));
}

/* Returns the shift from a column to its block column. */
static uint32_t shift_of(const struct spmmi_tcblock_frame *f)
{
    return (uint32_t)__builtin_ctz(f->layout->view.block_columns);
}

/* Sets *block_rows to the block rows of the equal rows from row r on. Returns the first row after these. */
static uint32_t block_rows_of(const struct spmmi_tcblock_rows *look, uint32_t r, uint32_t *block_rows)
{
    const uint32_t next = spmmi_tcblock_rows_end(look, r, look->count);
    *block_rows = (UINT32_C(2) << (next - 1) / SPMMI_BCSR_ROWS) - (UINT32_C(1) << r / SPMMI_BCSR_ROWS);
    return next;
}

/* Finds the block columns with a word of block rows per block column, for `words`
 * block columns from `low` on. */
static void columns_mark(const struct spmmi_tcblock_frame *f, struct spmmi_bcsr_unit *unit,
                         const struct spmmi_tcblock_rows *look, uint32_t low, uint32_t words)
{
    const uint32_t shift = shift_of(f);
    uint32_t *const marks = (uint32_t *)(void *)unit->spare;
    memset(marks, 0, words * sizeof *marks);
    for (uint32_t r = 0, next, block_rows; r < look->count; r = next) {
        next = block_rows_of(look, r, &block_rows);
        for (int64_t q = f->row_ptr[look->rows[r]]; q < f->row_ptr[look->rows[r] + 1]; q++)
            marks[((uint32_t)f->col_ind[q] >> shift) - low] |= block_rows;
    }
    for (uint32_t i = 0; i < words; i++)
        if (marks[i] != 0)
            unit->columns[unit->count++] = (struct spmmi_bcsr_column){low + i, marks[i]};
}

/* Collects the block columns of the sorted keys, and which block rows have each. */
static void columns_join(struct spmmi_bcsr_unit *unit, uint32_t keys)
{
    for (uint32_t i = 0; i < keys; i++) {
        const uint32_t column = (uint32_t)(unit->keys[i] >> SPMMI_KEY_SHIFT);
        if (unit->count == 0 || unit->columns[unit->count - 1].column != column)
            unit->columns[unit->count++] = (struct spmmi_bcsr_column){column, 0};
        unit->columns[unit->count - 1].block_rows |= (uint32_t)unit->keys[i];
    }
}

/* Finds the block columns by sorting. Time: linear in the nonzeros times the bytes of the range. */
static void columns_sort(const struct spmmi_tcblock_frame *f, struct spmmi_bcsr_unit *unit,
                         const struct spmmi_tcblock_rows *look, uint32_t low, uint32_t high)
{
    const uint32_t shift = shift_of(f);
    uint32_t keys = 0;
    for (uint32_t r = 0, next, block_rows; r < look->count; r = next) {
        const uint32_t first = keys;
        next = block_rows_of(look, r, &block_rows);
        for (int64_t q = f->row_ptr[look->rows[r]]; q < f->row_ptr[look->rows[r] + 1]; q++) {
            const uint32_t column = (uint32_t)f->col_ind[q] >> shift;
            if (keys == first || unit->keys[keys - 1] >> SPMMI_KEY_SHIFT != column)
                unit->keys[keys++] = (uint64_t)column << SPMMI_KEY_SHIFT | block_rows;
        }
    }
    spmmi_tcblock_keys_sort(&unit->keys, &unit->spare, keys, low, high);
    columns_join(unit, keys);
}

/* Finds the block columns of a unit. Ranges of up to twice as many block columns as nonzeros, as in bands and
 * meshes, are marked, for which `spare` has space. Time: linear in the nonzeros, or the time of sorting. */
static void unit_read(const struct spmmi_tcblock_frame *f, void *scratch, const uint32_t *rows,
                      uint32_t row_count)
{
    struct spmmi_bcsr_unit *unit = scratch;
    struct spmmi_tcblock_rows look;
    spmmi_tcblock_rows_look(f->row_ptr, f->col_ind, rows, row_count, &look);
    unit->count = 0;
    if (look.low > look.high)
        return;
    const uint32_t low = look.low >> shift_of(f), high = look.high >> shift_of(f);
    if (high - low < look.nonzeros * (sizeof *unit->spare / sizeof(uint32_t)))
        columns_mark(f, unit, &look, low, high - low + 1);
    else
        columns_sort(f, unit, &look, low, high);
}

static uint64_t unit_bytes_kept(const void *unit)
{
    const struct spmmi_bcsr_unit *u = unit;
    return sizeof(uint64_t) + u->count * sizeof *u->columns;
}

static void unit_keep(const void *unit, char *memory)
{
    const struct spmmi_bcsr_unit *u = unit;
    *(uint64_t *)(void *)memory = u->count;
    memcpy(memory + sizeof(uint64_t), u->columns, u->count * sizeof *u->columns);
}

static void unit_recall(void *unit, const void *scratch, const char *memory)
{
    struct spmmi_bcsr_unit *u = unit;
    const struct spmmi_bcsr_unit *made = scratch;
    u->marks = made->marks;
    u->marked_max = made->marked_max;
    u->count = (uint32_t) * (const uint64_t *)(const void *)memory;
    u->columns = (struct spmmi_bcsr_column *)((uintptr_t)memory + sizeof(uint64_t));
}

/* Returns the mask of a step: bit 4 w + i is set if block row w has a block in block column i. */
static uint32_t mask_of(const struct spmmi_bcsr_unit *unit, uint64_t step)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < SPMMI_BCSR_STEP && step * SPMMI_BCSR_STEP + i < unit->count; i++)
        for (uint32_t rows = unit->columns[step * SPMMI_BCSR_STEP + i].block_rows; rows > 0; rows &= rows - 1)
            mask |= UINT32_C(1) << (SPMMI_BCSR_STEP * (uint32_t)__builtin_ctz(rows) + i);
    return mask;
}

static uint64_t steps_of(const struct spmmi_bcsr_unit *unit)
{
    return ((uint64_t)unit->count + SPMMI_BCSR_STEP - 1) / SPMMI_BCSR_STEP;
}

static struct spmmi_tcblock_position unit_needs(const struct spmmi_tcblock_frame *f, const void *unit,
                                                uint32_t *blocks_max, uint32_t *values_max)
{
    const uint32_t values = SPMMI_BCSR_ROWS * f->layout->view.block_columns;
    struct spmmi_tcblock_position needs = {steps_of(unit), 0, 0};
    for (uint64_t s = 0; s < needs.step; s++) {
        const uint32_t blocks = spmmi_ones(mask_of(unit, s));
        needs.block += blocks;
        *blocks_max = blocks > *blocks_max ? blocks : *blocks_max;
    }
    needs.value = needs.block * values;
    *values_max = *blocks_max * values;
    return needs;
}

/* The range of nonzeros left in each row of a block-row group. */
struct cursors {
    int64_t next[UNIT_ROWS_MAX], end[UNIT_ROWS_MAX];
};

static void cursors_set(const struct spmmi_tcblock_rows *look, uint32_t rows, struct cursors *cursors)
{
    for (uint32_t r = 0; r < rows; r++) {
        cursors->next[r] = r < look->count ? look->row_ptr[look->rows[r]] : 0;
        cursors->end[r] = r < look->count ? look->row_ptr[look->rows[r] + 1] : 0;
    }
}

/* The position of a value in its block: spmmi_tcblock_wide_position is the sum of an offset of the row
 * and an offset of the column. */
struct offsets {
    uint32_t of_row[SPMMI_BCSR_ROWS], of_column[SPMMI_BCSR_COLUMNS(2)];
};

static void offsets_make(uint32_t value_bytes, struct offsets *offsets)
{
    for (uint32_t r = 0; r < SPMMI_BCSR_ROWS; r++)
        offsets->of_row[r] = spmmi_tcblock_wide_position(value_bytes, r, 0);
    for (uint32_t p = 0; p < SPMMI_BCSR_COLUMNS(value_bytes); p++)
        offsets->of_column[p] = spmmi_tcblock_wide_position(value_bytes, 0, p);
}

/* Fills block number `block`, which is block row w of block column `column`. */
static void block_fill(const struct spmmi_tcblock_frame *f, const struct offsets *offsets,
                       struct cursors *cursors, uint32_t w, uint32_t column, uint64_t block)
{
    const uint32_t shift = shift_of(f), width = 1u << shift, words = width / 4;
    const int32_t *const col_ind = f->col_ind;
    uint32_t *const map = f->layout->value_map;
    uint64_t bitmap[4] = {0};
    for (uint32_t r = 0; r < SPMMI_BCSR_ROWS; r++) {
        const uint32_t first = (uint32_t)(block * SPMMI_BCSR_ROWS * width) + offsets->of_row[r];
        const int64_t end = cursors->end[w * SPMMI_BCSR_ROWS + r];
        int64_t q = cursors->next[w * SPMMI_BCSR_ROWS + r];
        uint64_t columns = 0; /* bit p: column p of the block is present */
        for (; q < end && (uint32_t)col_ind[q] >> shift == column; q++) {
            const uint32_t p = (uint32_t)col_ind[q] & (width - 1);
            columns |= UINT64_C(1) << p;
            if (map != NULL)
                map[q] = first + offsets->of_column[p];
        }
        cursors->next[w * SPMMI_BCSR_ROWS + r] = q;
        bitmap[r * width / 64] |= columns << r * width % 64;
    }
    memcpy(f->layout->bitmaps + block * words, bitmap, words * sizeof *bitmap);
}

/* Fills the bitmaps, and the value map if wanted, with cursors. */
static void blocks_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit,
                        const struct spmmi_tcblock_rows *look, struct spmmi_tcblock_position position)
{
    struct cursors cursors;
    struct offsets offsets;
    offsets_make(f->value_bytes, &offsets);
    cursors_set(look, f->part->block_rows, &cursors);
    for (uint64_t s = 0; s < steps_of(unit); s++)
        for (uint32_t left = f->layout->masks[position.step + s]; left > 0; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctz(left);
            block_fill(f, &offsets, &cursors, bit / SPMMI_BCSR_STEP,
                       unit->columns[s * SPMMI_BCSR_STEP + bit % SPMMI_BCSR_STEP].column, position.block++);
        }
}

/* Fills the masks, the columns, and the first block of each step. */
static void steps_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit,
                       struct spmmi_tcblock_position position)
{
    struct spmmi_tcblock_layout *layout = f->layout;
    for (uint64_t s = 0; s < steps_of(unit); s++) {
        const uint64_t first = s * SPMMI_BCSR_STEP;
        const uint32_t mask = mask_of(unit, s);
        layout->masks[position.step + s] = mask;
        layout->block_first[position.step + s] = (uint32_t)position.block;
        for (uint64_t i = first; i < first + SPMMI_BCSR_STEP; i++)
            layout->columns[position.step * SPMMI_BCSR_STEP + i] =
                unit->columns[i < unit->count ? i : unit->count - 1].column * layout->view.block_columns;
        position.block += spmmi_ones(mask);
    }
}

static void unit_fill(const struct spmmi_tcblock_frame *f, const void *scratch, uint32_t u,
                      struct spmmi_tcblock_position position)
{
    const struct spmmi_bcsr_unit *unit = scratch;
    const uint64_t first = (uint64_t)u * f->part->block_rows, left = f->part->item_count - first;
    struct spmmi_tcblock_rows look;
    for (uint32_t r = 0; r < f->part->block_rows; r++)
        (void)spmmi_tcblock_row_fill(f, first + r);
    spmmi_tcblock_rows_look(f->row_ptr, f->col_ind, f->part->items + first,
                            left < f->part->block_rows ? (uint32_t)left : f->part->block_rows, &look);
    steps_fill(f, unit, position);
    if (f->layout->value_map == NULL && unit->count > 0 &&
        spmmi_rows_are_marked(&look, unit->marked_max, MARKED_A_NONZERO))
        spmmi_bcsr_bitmaps_fill(f, unit, &look, position.step);
    else
        blocks_fill(f, unit, &look, position);
}

/* Returns the mean over items of the distance from first to last column. For split groups this is less than
 * the distance of the whole group. */
static uint64_t reach(const struct spmmi_tcblocks *layout)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        const uint64_t begin = SPMMI_BCSR_STEP * (uint64_t)layout->items[i].begin,
                       end = SPMMI_BCSR_STEP * (uint64_t)layout->items[i].end;
        if (begin < end)
            sum += layout->columns[end - 1] - layout->columns[begin] + layout->block_columns;
    }
    return layout->item_count > 0 ? sum / layout->item_count : 0;
}

const struct spmmi_tcblock_kind spmmi_bcsr_kind = {.block_rows = SPMMI_BCSR_ROWS,
                                                   .block_columns = block_columns,
                                                   .step_columns = SPMMI_BCSR_STEP,
                                                   .has_masks = 1,
                                                   .unit_size = sizeof(struct spmmi_bcsr_unit),
                                                   .unit_bytes = unit_bytes,
                                                   .unit_make = unit_make,
                                                   .unit_free = unit_free,
                                                   .unit_read = unit_read,
                                                   .kept_max = sizeof(struct spmmi_bcsr_column),
                                                   .kept_unit = sizeof(uint64_t),
                                                   .unit_bytes_kept = unit_bytes_kept,
                                                   .unit_keep = unit_keep,
                                                   .unit_recall = unit_recall,
                                                   .unit_needs = unit_needs,
                                                   .unit_fill = unit_fill,
                                                   .reach = reach};
