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
    assert_null(f->masks);
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
    /* Rows 0 and 8 are in windows 0 and 1, row 64 is alone in panel 1. In the Gray code the sets {0}, {0, 1}, {1} follow
     * each other: columns 0 .. 7 of window 0, then 20 of both, then 10 .. 17 of window 1. */
    int32_t columns[66 + 19 + 2] = {0,  1,  2,  3,  4,  5,  6,  7,  20,
                                    -1, -1, -1, -1, -1, -1, -1, -1, /* row 8: */
                                    10, 11, 12, 13, 14, 15, 16, 17, 20};
    for (size_t i = 26; i < sizeof columns / sizeof columns[0]; i++)
        columns[i] = -1;
    columns[26 + 56] = 19; /* row 64 */
    const struct shape shape = {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 0, SPMM_F32};
    struct built b = built_make(matrix_of(66, 21, columns), &shape);
    const struct spmmi_fragments *f = &b.layout.view;
    assert_int_equal(f->unit_count, 2);
    assert_int_equal(f->step_count, 3);
    assert_int_equal(f->block_count, 5);
    assert_int_equal(f->value_count, 20 + 4 + 4); /* 17, 1 and 1 numbers, each step filled up to 16 bytes */
    assert_int_equal(f->step_blocks_max, 3);
    assert_int_equal(f->step_values_max, 20);
    ASSERT_ARRAY(f->columns, 0, 4, 1, 5, 2, 6, 3, 7, 20, 13, 10, 14, 11, 15, 12, 16);
    ASSERT_ARRAY(f->columns + 16, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17);
    ASSERT_ARRAY(f->columns + 32, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 0);
    ASSERT_ARRAY(f->masks, 0x301, 0x002, 0x001);
    ASSERT_ARRAY(f->block_first, 0, 3, 4, 5);
    ASSERT_ARRAY(f->bitmaps, 0xff, 0x01, 0xff, 0x01, 0x01);
    ASSERT_ARRAY(f->value_first, 0, 8, 9, 20, 24, 28);
    ASSERT_ARRAY(b.layout.value_map, 0, 2, 4, 6, 1, 3, 5, 7, 8, /* row 8: */ 11, 13, 15, 10, 12, 14, 16, 20,
                 9, 24);
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
    int64_t *columns;  /* in the order of the steps */
    uint32_t *windows; /* of each */
    int64_t rows[256]; /* -1: none */
    int64_t unit_rows;
};

static uint32_t gray_place(uint32_t set)
{
    uint32_t place = 0;
    for (int bit = 31; bit >= 0; bit--) /* each digit of the place: is it different from the digit above? */
        place |= ((set >> bit ^ (bit < 31 ? place >> (bit + 1) : 0)) & 1u) << bit;
    return place;
}

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
        int64_t at = l.count++;
        for (; at > 0 && gray_place(l.windows[at - 1]) > gray_place(of_column[j]); at--) {
            l.columns[at] = l.columns[at - 1];
            l.windows[at] = l.windows[at - 1];
        }
        l.columns[at] = j;
        l.windows[at] = of_column[j];
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

/* One block: its bitmap, and the value map of its numbers. */
static uint32_t block_check(const struct built *b, const struct literal *l, int64_t first_column,
                            int64_t window, uint32_t block, uint64_t value)
{
    const struct spmmi_fragments *f = &b->layout.view;
    uint64_t bitmap = 0;
    uint32_t numbers = 0;
    for (int bit = 0; bit < 64; bit++) {
        const int lane = bit / 2, p = lane % 4 + 4 * (bit % 2);
        const int64_t row = l->rows[8 * window + lane / 4], at = first_column + p;
        const int64_t q = row < 0 || at >= l->count ? -1 : nonzero_at(b->a, row, l->columns[at]);
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

static void step_check(const struct built *b, const struct literal *l, int64_t step, struct walk *walk)
{
    const struct spmmi_fragments *f = &b->layout.view;
    const int is_window = b->shape->family == SPMM_FAMILY_WINDOW;
    const int64_t width = is_window ? 8 : 16;
    const uint32_t block_before = walk->block;
    uint64_t value = walk->value;
    for (int64_t p = 0; p < width; p++) {
        const uint32_t column = f->columns[walk->step * width + p / 8 * 8 + 2 * (p % 4) + p / 4 % 2];
        const int64_t at = step * width + p;
        int is_of_unit = 0;
        for (int64_t i = 0; at >= l->count && i < l->count; i++)
            is_of_unit |= l->columns[i] == column;
        assert_true(at < l->count ? l->columns[at] == column : is_of_unit);
    }
    for (int64_t group = 0; group < (is_window ? 1 : l->unit_rows / 64); group++) {
        const int64_t at = walk->step * (l->unit_rows / 64) + group;
        uint32_t mask = 0;
        if (!is_window)
            assert_int_equal(f->block_first[at], walk->block);
        for (int64_t bit = 0; bit < (is_window ? 1 : 16); bit++) {
            const int64_t window = 8 * group + bit % 8, first = step * width + bit / 8 * 8;
            uint32_t windows = 0;
            for (int64_t i = first; i < first + 8 && i < l->count; i++)
                windows |= l->windows[i];
            if ((windows >> window & 1) == 0)
                continue;
            mask |= 1u << bit;
            const uint32_t numbers = block_check(b, l, first, window, walk->block++, value);
            assert_true(numbers > 0);
            value += f->is_packed ? numbers : 64;
            walk->numbers += numbers;
        }
        if (!is_window)
            assert_int_equal(f->masks[at], mask);
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
    const int64_t width = b->shape->family == SPMM_FAMILY_WINDOW ? 8 : 16;
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
    if (width == 16)
        assert_int_equal(f->block_first[f->step_count * (f->unit_rows / 64)], f->block_count);
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
    const uint64_t steps = f->step_count, width = f->unit_rows == 8 ? 8 : 16, groups = f->unit_rows / 64;
    const uint64_t pad = SPMMI_FRAGMENT_PAD;
    const struct array all[ARRAY_COUNT] = {
        {f->row_of, (uint64_t)f->unit_count * f->unit_rows, pad, 4},
        {f->columns, steps * width, pad, 4},
        {f->masks, steps * groups, pad, 2},
        {f->block_first, steps * groups + 1, pad, 4},
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
            wanted.masks = NULL;
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
