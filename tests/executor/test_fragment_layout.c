/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the window and panel families: by hand on a small matrix, and against a slow and plain
 * construction on every named matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "executor/fragment_layout.h"
#include "format/alloc.h"
#include "tests/support/matrices.h"

struct shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t panel_rows, granule;
    uint32_t flags;
    spmm_dtype_t dtype;
};

#define REORDERED_OUTPUT (SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT)
static const struct shape shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, SPMMI_STEPS_MAX, 0, SPMM_F32},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 7, 0, SPMM_F16},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 1, SPMMI_PART_REORDERED, SPMM_F64},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, 0, SPMM_F64},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 5, REORDERED_OUTPUT, SPMM_F32},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 128, 1, 0, SPMM_BF16},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 3, SPMMI_PART_REORDERED, SPMM_F16},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 256, SPMMI_STEPS_MAX, SPMMI_PART_REORDERED, SPMM_F64},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static struct spmmi_part part_of(const struct shape *shape, int64_t rows)
{
    struct spmmi_part part = {.op = SPMM_OP_N,
                              .family = shape->family,
                              .schedule = shape->schedule,
                              .granule = shape->granule,
                              .item_count = (uint64_t)rows,
                              .panel_rows = shape->panel_rows,
                              .flags = shape->flags};
    part.items = calloc((size_t)rows + 1, sizeof *part.items);
    assert_non_null(part.items);
    for (int64_t i = 0; i < rows; i++)
        part.items[i] = (uint32_t)i;
    for (uint64_t i = (uint64_t)rows; shape->flags != 0 && i > 1; i--) {
        const uint64_t other = test_hash(i, 78) % i;
        const uint32_t kept = part.items[i - 1];
        part.items[i - 1] = part.items[other];
        part.items[other] = kept;
    }
    return part;
}

struct built {
    struct test_matrix *a;
    const struct shape *shape;
    struct spmmi_part part;
    struct spmmi_fragment_layout layout;
};

static struct built built_make(struct test_matrix *a, const struct shape *shape)
{
    struct built b = {.a = a, .shape = shape, .part = part_of(shape, a->rows)};
    spmm_diag_t diag = {.text = ""};
    if (spmmi_fragments_build(a->rows, a->cols, a->row_ptr, a->col_ind, &b.part, shape->dtype, &b.layout,
                              &diag) != SPMM_OK)
        fail_msg("%s: %s", a->name, diag.text);
    return b;
}

static void built_free(struct built *b)
{
    spmmi_fragments_free(&b->layout);
    free(b->part.items);
    test_matrix_free(b->a);
}

/* A matrix of its rows written out, -1 ending each. */
static struct test_matrix *matrix_of(int64_t rows, int64_t cols, const int32_t *columns)
{
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct test_matrix){.name = "by hand", .rows = rows, .cols = cols};
    a->row_ptr = calloc((size_t)rows + 1, sizeof *a->row_ptr);
    a->col_ind = calloc((size_t)(rows * cols) + 1, sizeof *a->col_ind);
    assert_true(a->row_ptr != NULL && a->col_ind != NULL);
    for (int64_t i = 0; i < rows; i++, columns++) {
        for (; *columns >= 0; columns++)
            a->col_ind[a->nnz++] = *columns;
        a->row_ptr[i + 1] = a->nnz;
    }
    return a;
}

#define ASSERT_ARRAY(got, ...)                                           \
    do {                                                                 \
        const uint64_t wanted[] = {__VA_ARGS__};                         \
        for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) \
            assert_int_equal((got)[at], wanted[at]);                     \
    } while (0)

#define NONE SPMMI_FRAGMENT_NONE

static void a_window_by_hand(void **state)
{
    (void)state;
    /* Ten columns 0, 2, 3 .. 9, 11 of three rows: one step of eight, and one of 9 and 11 filled up with 11. Positions
     * 0 .. 7 are at places 0, 2, 4, 6, 1, 3, 5, 7 of a row of a block. */
    const int32_t columns[] = {0, 3, 9, -1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 11, -1};
    const struct shape shape = {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, SPMMI_STEPS_MAX, 0, SPMM_F32};
    struct built b = built_make(matrix_of(3, 12, columns), &shape);
    const struct spmmi_fragments *f = &b.layout.view;
    assert_int_equal(f->unit_count, 1);
    assert_int_equal(f->step_count, 2);
    assert_int_equal(f->block_count, 2);
    assert_int_equal(f->item_count, 1);
    assert_int_equal(f->slot_count, 0);
    assert_int_equal(f->split_count, 0);
    assert_int_equal(f->value_count, 12);
    assert_int_equal(f->step_blocks_max, 1);
    assert_int_equal(f->step_values_max, 9);
    assert_null(f->locals);
    assert_null(f->block_first);
    ASSERT_ARRAY(f->row_of, 0, 1, 2, NONE, NONE, NONE, NONE, NONE);
    ASSERT_ARRAY(f->columns, 0, 5, 2, 6, 3, 7, 4, 8, 9, 11, 11, 11, 11, 11, 11, 11, 0);
    /* Row 0: positions 0 and 2; row 2: positions 1 to 7. Then row 0: 0; row 2: 0 and 1. */
    ASSERT_ARRAY(f->bitmaps, 0xfe0011, 0x050001, 0);
    ASSERT_ARRAY(f->value_first, 0, 9, 12);
    /* Row 2 in fragment order: columns 5, 2, 6, 3, 7, 4, 8 from place 2 on. */
    ASSERT_ARRAY(b.layout.value_map, 0, 1, 9, 3, 5, 7, 2, 4, 6, 8, 10, 11);
    assert_int_equal(f->items[0].unit, 0);
    assert_int_equal(f->items[0].begin, 0);
    assert_int_equal(f->items[0].end, 2);
    assert_int_equal(f->items[0].slot, NONE);
    built_free(&b);
}

static void a_panel_by_hand(void **state)
{
    (void)state;
    /* Row 0 is in window 0, rows 8 and 9 in window 1, row 64 alone in panel 1. Panel 0 has columns 0 .. 8, 12 and
     * 20 .. 147: local rows 0 .. 127 are 0 .. 8, 12, 20 .. 137, and a second step has 138 .. 147. */
    int32_t columns[66 + 128 + 10 + 2 + 1];
    size_t end = 0;
    for (int32_t column = 20; column < 148; column++)
        columns[end++] = column;
    for (int i = 0; i < 8; i++) /* rows 0 .. 7 end */
        columns[end++] = -1;
    for (int32_t column = 0; column < 9; column++)
        columns[end++] = column;
    columns[end++] = 147;
    columns[end++] = -1;
    columns[end++] = 4; /* row 9 */
    columns[end++] = 12;
    columns[end++] = -1;
    for (int i = 10; i < 64; i++)
        columns[end++] = -1;
    columns[end++] = 19; /* row 64 */
    columns[end++] = -1;
    columns[end++] = -1;
    assert_int_equal(end, sizeof columns / sizeof columns[0]);
    const struct shape shape = {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 0, SPMM_F32};
    struct built b = built_make(matrix_of(66, 148, columns), &shape);
    const struct spmmi_fragments *f = &b.layout.view;
    assert_int_equal(f->unit_count, 2);
    assert_int_equal(f->step_count, 3);
    /* Step 0: 118 columns of window 0 are 15 blocks, 10 of window 1 two. Step 1: 10 of window 0, 1 of window 1. */
    assert_int_equal(f->block_count, 17 + 3 + 1);
    assert_int_equal(f->step_blocks_max, 17);
    assert_int_equal(f->value_count,
                     132 + 12 + 4); /* 118 + 11, 10 + 1 and 1 numbers, each step to 16 bytes */
    assert_int_equal(f->step_values_max, 132);
    ASSERT_ARRAY(f->columns, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 21);
    ASSERT_ARRAY(f->columns + 126, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 147, 147);
    ASSERT_ARRAY(f->columns + 254, 147, 147, 19, 19);
    ASSERT_ARRAY(f->block_first, 0, 15, 17, 17, 17, 17, 17, 17, 17, 19, 20, 20, 20, 20, 20, 20, 20, 21, 21);
    /* Window 0 has local rows 10 .. 127, 29 of residues 0 and 1, 30 of 2 and 3, which therefore go first: in order. The
     * lanes have positions 0 and 4, 1 and 5, 2 and 6, 3 and 7. */
    ASSERT_ARRAY(f->locals, 10, 14, 11, 15, 12, 16, 13, 17, 18, 22, 19, 23, 20, 24, 21, 25);
    /* Window 1 has local rows 0 .. 9: 0, 1, 2, 3, then 4, 5, 6, 7; then 8, 9 and six positions that repeat 8. */
    ASSERT_ARRAY(f->locals + 8 * 15, 0, 4, 1, 5, 2, 6, 3, 7, 8, 8, 9, 8, 8, 8, 8, 8);
    /* Row 8 has local rows 0 .. 8, row 9 those of columns 4 and 12: 4 and 9. */
    ASSERT_ARRAY(f->bitmaps + 15, 0x02ff, 0x0401);
    ASSERT_ARRAY(f->value_first + 14, 112, 118, 127, 132, 140, 142, 144, 148);
    /* In step 1 window 0 has 0 .. 9, window 1 local row 9. */
    ASSERT_ARRAY(f->locals + 8 * 17, 0, 4, 1, 5, 2, 6, 3, 7, 8, 8, 9, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9);
    ASSERT_ARRAY(f->bitmaps + 17, 0xff, 0x05, 0x01, 0x01);
    ASSERT_ARRAY(b.layout.value_map, 0, 2, 4, 6, 1, 3, 5, 7); /* columns 20 .. 27 */
    ASSERT_ARRAY(b.layout.value_map + 118, 132, 134, 136, 138, 133, 135, 137, 139, 140, 141);
    ASSERT_ARRAY(b.layout.value_map + 128, 118, 120, 122, 124, 119, 121, 123, 125, 127, 142, /* row 9 */ 126,
                 128, /* row 64 */ 144);
    assert_int_equal(f->item_count, 3);
    assert_int_equal(f->slot_count, 2);
    assert_int_equal(f->split_count, 1);
    assert_int_equal(f->items[1].begin, 1);
    assert_int_equal(f->items[1].slot, 1);
    assert_int_equal(f->items[2].unit, 1);
    assert_int_equal(f->items[2].slot, NONE);
    assert_int_equal(f->splits[0].unit, 0);
    assert_int_equal(f->splits[0].first, 0);
    assert_int_equal(f->splits[0].count, 2);
    built_free(&b);
}

/* Where the matrix holds (row, column) in CSR order; -1: nowhere. */
static int64_t nonzero_at(const struct test_matrix *a, int64_t row, int64_t column)
{
    int64_t begin = a->row_ptr[row], end = a->row_ptr[row + 1];
    while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        if (a->col_ind[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < a->row_ptr[row + 1] && a->col_ind[begin] == column ? begin : -1;
}

/* A unit as the layout should see it, found the plain way. */
struct literal {
    int64_t count;     /* columns */
    int64_t *columns;  /* ascending */
    uint32_t *windows; /* of each */
    int64_t rows[256]; /* -1: none */
    int64_t unit_rows;
};

static struct literal literal_make(const struct built *b, uint32_t unit)
{
    struct literal l = {.unit_rows = b->shape->panel_rows};
    l.columns = calloc((size_t)b->a->cols + 1, sizeof *l.columns);
    l.windows = calloc((size_t)b->a->cols + 1, sizeof *l.windows);
    uint32_t *of_column = calloc((size_t)b->a->cols + 1, sizeof *of_column);
    assert_true(l.columns != NULL && l.windows != NULL && of_column != NULL);
    for (int64_t r = 0; r < l.unit_rows; r++) {
        const int64_t at = unit * l.unit_rows + r;
        l.rows[r] = at < b->a->rows ? (int64_t)b->part.items[at] : -1;
        for (int64_t q = l.rows[r] < 0 ? 0 : b->a->row_ptr[l.rows[r]];
             l.rows[r] >= 0 && q < b->a->row_ptr[l.rows[r] + 1]; q++)
            of_column[b->a->col_ind[q]] |= UINT32_C(1) << r / 8;
    }
    for (int64_t j = 0; j < b->a->cols; j++) {
        if (of_column[j] == 0)
            continue;
        l.columns[l.count] = j;
        l.windows[l.count++] = of_column[j];
    }
    free(of_column);
    return l;
}

static void literal_free(struct literal *l)
{
    free(l->windows);
    free(l->columns);
}

/* Where the walk over the units is: what the next unit begins with. */
struct walk {
    uint32_t step, block, item, slot, split;
    uint64_t value, numbers;
};

/* One block: its bitmap, and the value map of its numbers. at: of each position, which of the unit's columns is there;
 * -1: none. */
static uint32_t block_check(const struct built *b, const struct literal *l, const int64_t at[8],
                            int64_t window, uint32_t block, uint64_t value)
{
    const struct spmmi_fragments *f = &b->layout.view;
    uint64_t bitmap = 0;
    uint32_t numbers = 0;
    for (int bit = 0; bit < 64; bit++) {
        const int lane = bit / 2, p = lane % 4 + 4 * (bit % 2);
        const int64_t row = l->rows[8 * window + lane / 4];
        const int64_t q = row < 0 || at[p] < 0 ? -1 : nonzero_at(b->a, row, l->columns[at[p]]);
        if (q < 0)
            continue;
        assert_int_equal(b->layout.value_map[q],
                         f->is_packed ? value + numbers : UINT64_C(64) * block + (uint64_t)bit);
        bitmap |= UINT64_C(1) << bit;
        numbers++;
    }
    assert_true(f->bitmaps[block] == bitmap);
    if (f->is_packed)
        assert_int_equal(f->value_first[block], value);
    return numbers;
}

/* The columns of one window in a step, as the positions of its blocks take them one after the other: of a panel, the
 * first of the residue modulo 4 that is not in the group of 4 yet and is the most common among those that are left. */
static int64_t positions_of(const struct built *b, const struct literal *l, int64_t window, int64_t first,
                            int64_t at[128])
{
    const int64_t width = b->shape->family == SPMM_FAMILY_WINDOW ? 8 : 128;
    uint32_t is_left[128] = {0};
    int64_t count = 0, total = 0;
    for (int64_t i = 0; i < width && first + i < l->count; i++) {
        is_left[i] = l->windows[first + i] >> window & 1;
        total += is_left[i];
    }
    for (; count < total; count++) {
        int64_t best = -1, best_left = 0;
        for (int is_any = 0; is_any < 2 && best < 0; is_any++)
            for (int64_t r = 0; r < 4 && (is_any == 0 || best < 0); r++) {
                int64_t left = 0, lowest = -1, is_used = 0;
                for (int64_t i = 128 - 4 + r; i >= 0; i -= 4) {
                    left += is_left[i];
                    lowest = is_left[i] ? i : lowest;
                }
                for (int64_t k = count / 4 * 4; k < count; k++)
                    is_used |= (at[k] - first) % 4 == r;
                if (left > best_left && (is_any || !is_used)) {
                    best = lowest;
                    best_left = left;
                }
            }
        if (width == 8) /* windows take them as they are */
            for (best = 0; !is_left[best];)
                best++;
        at[count] = first + best;
        is_left[best] = 0;
    }
    return total;
}

/* The blocks of one window in a step; the value behind them. */
static uint64_t run_check(const struct built *b, const struct literal *l, int64_t window, int64_t first,
                          uint64_t value, struct walk *walk)
{
    const struct spmmi_fragments *f = &b->layout.view;
    int64_t at[128];
    const int64_t count = positions_of(b, l, window, first, at);
    for (int64_t k = 0; k < count; k += 8) {
        int64_t of_block[8];
        for (int64_t p = 0; p < 8; p++) {
            of_block[p] = k + p < count ? at[k + p] : -1;
            if (f->locals != NULL)
                assert_int_equal(f->locals[8 * (uint64_t)walk->block + (uint64_t)(2 * (p % 4) + p / 4)],
                                 (k + p < count ? at[k + p] : at[k]) - first);
        }
        const uint32_t numbers = block_check(b, l, of_block, window, walk->block++, value);
        assert_true(numbers > 0);
        value += f->is_packed ? numbers : 64;
        walk->numbers += numbers;
    }
    return value;
}

static void step_check(const struct built *b, const struct literal *l, int64_t step, struct walk *walk)
{
    const struct spmmi_fragments *f = &b->layout.view;
    const int is_window = b->shape->family == SPMM_FAMILY_WINDOW;
    const int64_t width = is_window ? 8 : 128, windows = l->unit_rows / 8;
    const uint32_t block_before = walk->block;
    uint64_t value = walk->value;
    for (int64_t p = 0; p < width; p++) {
        const int64_t place = is_window ? 2 * (p % 4) + p / 4 : p, at = step * width + p;
        assert_int_equal(f->columns[walk->step * width + place],
                         l->columns[at < l->count ? at : l->count - 1]);
    }
    for (int64_t window = 0; window < windows; window++) {
        if (!is_window)
            assert_int_equal(f->block_first[walk->step * windows + window], walk->block);
        value = run_check(b, l, window, step * width, value, walk);
    }
    const uint64_t align = is_window ? 1 : 16 / spmm_dtype_size(b->shape->dtype);
    while (value % align != 0)
        value++;
    assert_in_range(walk->block - block_before, 1, f->step_blocks_max);
    assert_in_range(value - walk->value, 1, f->step_values_max);
    walk->value = value;
    walk->step++;
}

static void items_check(const struct built *b, uint32_t unit, uint32_t steps, struct walk *walk)
{
    const struct spmmi_fragments *f = &b->layout.view;
    uint32_t count = 1, longest = 0, shortest = UINT32_MAX, end = walk->step;
    while ((uint64_t)count * b->shape->granule < steps)
        count++;
    if (count > 1) {
        assert_int_equal(f->splits[walk->split].unit, unit);
        assert_int_equal(f->splits[walk->split].first, walk->slot);
        assert_int_equal(f->splits[walk->split].count, count);
        walk->split++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct spmmi_fragment_item *item = &f->items[walk->item++];
        const uint32_t length = item->end - item->begin;
        assert_int_equal(item->unit, unit);
        assert_int_equal(item->begin, end);
        assert_int_equal(item->slot, count > 1 ? walk->slot++ : NONE);
        end = item->end;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
    }
    assert_int_equal(end, walk->step + steps);
    assert_true(longest <= b->shape->granule && longest - shortest <= 1);
}

static void layout_check(const struct built *b)
{
    const struct spmmi_fragments *f = &b->layout.view;
    const int64_t width = b->shape->family == SPMM_FAMILY_WINDOW ? 8 : 128;
    struct walk walk = {0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(f->rows, b->a->rows);
    assert_int_equal(f->cols, b->a->cols);
    assert_int_equal(f->unit_rows, b->shape->panel_rows);
    assert_int_equal(f->is_packed, b->shape->schedule == SPMM_SCHEDULE_PACKED);
    assert_int_equal(f->unit_count, (b->a->rows + f->unit_rows - 1) / f->unit_rows);
    for (uint32_t unit = 0; unit < f->unit_count; unit++) {
        struct literal l = literal_make(b, unit);
        for (int64_t r = 0; r < l.unit_rows; r++) {
            const int64_t at = unit * l.unit_rows + r;
            const int64_t row = b->shape->flags == REORDERED_OUTPUT ? at : l.rows[r];
            assert_int_equal(f->row_of[at], l.rows[r] < 0 ? NONE : row);
        }
        const uint32_t steps = (uint32_t)((l.count + width - 1) / width);
        items_check(b, unit, steps, &walk);
        for (uint32_t s = 0; s < steps; s++)
            step_check(b, &l, s, &walk);
        literal_free(&l);
    }
    assert_int_equal(f->step_count, walk.step);
    assert_int_equal(f->block_count, walk.block);
    assert_int_equal(f->value_count, walk.value);
    assert_int_equal(f->item_count, walk.item);
    assert_int_equal(f->slot_count, walk.slot);
    assert_int_equal(f->split_count, walk.split);
    assert_int_equal(walk.numbers, b->a->nnz); /* each once: the value map was right for as many */
    if (width == 128)
        assert_int_equal(f->block_first[f->step_count * (f->unit_rows / 8)], f->block_count);
    if (f->is_packed)
        assert_int_equal(f->value_first[f->block_count], f->value_count);
}

static void every_number_is_where_a_plain_construction_puts_it(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            struct built b = built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &shapes[s]);
            layout_check(&b);
            built_free(&b);
        }
}

/* The arrays of a layout with their entries, padding included. */
struct array {
    const void *entries;
    uint64_t count, pad;
    size_t size;
};
#define ARRAY_COUNT 8
static void arrays_of(const struct spmmi_fragments *f, struct array arrays[ARRAY_COUNT])
{
    const uint64_t steps = f->step_count, width = f->unit_rows == 8 ? 8 : 128, windows = f->unit_rows / 8;
    const uint64_t pad = SPMMI_FRAGMENT_PAD;
    const struct array all[ARRAY_COUNT] = {
        {f->row_of, (uint64_t)f->unit_count * f->unit_rows, pad, 4},
        {f->columns, steps * width, pad, 4},
        {f->locals, f->block_count, pad, 8},
        {f->block_first, steps * windows + 1, pad, 4},
        {f->bitmaps, f->block_count, pad, 8},
        {f->value_first, f->block_count + UINT64_C(1), pad, 4},
        {f->items, f->item_count, 0, sizeof *f->items},
        {f->splits, f->split_count, 0, sizeof *f->splits},
    };
    memcpy(arrays, all, sizeof all);
}

static void padding_is_zero_and_bytes_are_exact(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            struct built b = built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &shapes[s]);
            struct array arrays[ARRAY_COUNT];
            uint64_t bytes = 0;
            arrays_of(&b.layout.view, arrays);
            for (int i = 0; i < ARRAY_COUNT; i++) {
                if (arrays[i].entries == NULL)
                    continue;
                const uint8_t *pad = (const uint8_t *)arrays[i].entries + arrays[i].count * arrays[i].size;
                for (uint64_t at = 0; at < arrays[i].pad * arrays[i].size; at++)
                    assert_int_equal(pad[at], 0);
                bytes += (arrays[i].count + arrays[i].pad) * arrays[i].size;
            }
            assert_int_equal(spmmi_fragments_bytes(&b.layout.view), bytes);
            built_free(&b);
        }
}

static void counts_are_those_of_the_layout(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            struct built b = built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &shapes[s]);
            struct spmmi_fragments counts, wanted = b.layout.view;
            wanted.row_of = wanted.columns = wanted.block_first = wanted.value_first = NULL;
            wanted.locals = NULL;
            wanted.bitmaps = NULL;
            wanted.items = NULL;
            wanted.splits = NULL;
            assert_int_equal(spmmi_fragments_count(b.a->rows, b.a->cols, b.a->row_ptr, b.a->col_ind, &b.part,
                                                   shapes[s].dtype, &counts, NULL),
                             SPMM_OK);
            assert_memory_equal(&counts, &wanted, sizeof counts);
            built_free(&b);
        }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    const int threads_before = omp_get_max_threads();
    static const char *const names[] = {"9000 x 1 dense", "power law", "band", "dense row among sparse"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            omp_set_num_threads(1);
            struct built one = built_make(test_matrix_named(names[i], TEST_VALUES_INTEGER), &shapes[s]);
            omp_set_num_threads(8);
            struct built many = built_make(test_matrix_named(names[i], TEST_VALUES_INTEGER), &shapes[s]);
            struct array arrays[2][ARRAY_COUNT];
            arrays_of(&one.layout.view, arrays[0]);
            arrays_of(&many.layout.view, arrays[1]);
            for (int k = 0; k < ARRAY_COUNT; k++) {
                assert_int_equal(arrays[0][k].count, arrays[1][k].count);
                if (arrays[0][k].entries != NULL)
                    assert_memory_equal(arrays[0][k].entries, arrays[1][k].entries,
                                        arrays[0][k].count * arrays[0][k].size);
            }
            assert_memory_equal(one.layout.value_map, many.layout.value_map,
                                (size_t)one.a->nnz * sizeof *one.layout.value_map);
            built_free(&one);
            built_free(&many);
        }
    omp_set_num_threads(threads_before);
}

static void the_map_of_a_transpose_is_in_the_order_of_a(void **state)
{
    (void)state;
    struct built b = built_make(test_matrix_named("arrow", TEST_VALUES_INTEGER), &shapes[1]);
    int64_t *t_map = calloc((size_t)b.a->nnz, sizeof *t_map);
    uint32_t *before = calloc((size_t)b.a->nnz, sizeof *before);
    assert_true(t_map != NULL && before != NULL);
    for (int64_t q = 0; q < b.a->nnz; q++)
        t_map[q] = b.a->nnz - 1 - q;
    memcpy(before, b.layout.value_map, (size_t)b.a->nnz * sizeof *before);
    assert_int_equal(spmmi_fragments_map_from_a(&b.layout, b.a->nnz, t_map, NULL), SPMM_OK);
    for (int64_t q = 0; q < b.a->nnz; q++)
        assert_int_equal(b.layout.value_map[t_map[q]], before[q]);
    free(before);
    free(t_map);
    built_free(&b);
}

static void too_many_nonzeros_are_refused(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, INT64_C(1) << 32};
    const struct spmmi_part part = {.family = SPMM_FAMILY_WINDOW,
                                    .schedule = SPMM_SCHEDULE_PACKED,
                                    .granule = 1,
                                    .item_count = 1,
                                    .panel_rows = 8};
    struct spmmi_fragment_layout layout;
    struct spmmi_fragments counts;
    assert_int_equal(
        spmmi_fragments_build(1, INT64_C(1) << 32, row_ptr, NULL, &part, SPMM_F32, &layout, NULL),
        SPMM_ERR_TOO_LARGE);
    assert_int_equal(
        spmmi_fragments_count(1, INT64_C(1) << 32, row_ptr, NULL, &part, SPMM_F32, &counts, NULL),
        SPMM_ERR_TOO_LARGE);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_INTEGER);
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        struct spmmi_part part = part_of(&shapes[s], a->rows);
        const int64_t live = spmmi_alloc_live();
        spmm_status_t status = SPMM_ERR_MEMORY;
        int64_t k = 0;
        for (; status != SPMM_OK; k++) {
            struct spmmi_fragment_layout layout;
            spmmi_alloc_fail_at(k, 0);
            status = spmmi_fragments_build(a->rows, a->cols, a->row_ptr, a->col_ind, &part, shapes[s].dtype,
                                           &layout, NULL);
            spmmi_alloc_fail_at(-1, 0);
            assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
            spmmi_fragments_free(&layout);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        assert_true(k > 8);
        free(part.items);
    }
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_by_hand),
        cmocka_unit_test(a_panel_by_hand),
        cmocka_unit_test(every_number_is_where_a_plain_construction_puts_it),
        cmocka_unit_test(padding_is_zero_and_bytes_are_exact),
        cmocka_unit_test(counts_are_those_of_the_layout),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_map_of_a_transpose_is_in_the_order_of_a),
        cmocka_unit_test(too_many_nonzeros_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
