/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the tiled family: computed by hand for a small matrix, and checked by its laws for
 * every named matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "kernels/tiled/tiled_pack.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"
#include "tests/support/scorecard.h"

struct shape {
    spmm_schedule_t schedule;
    uint32_t item_size, block_rows, stage_slots, flags;
};

static const struct shape shapes[] = {
    {SPMM_SCHEDULE_WHOLE, 0, 32, 32, 0},
    {SPMM_SCHEDULE_WHOLE, 0, 256, 447, 0},
    {SPMM_SCHEDULE_WHOLE, 0, 64, 100, SPMMI_PART_REORDERED},
    {SPMM_SCHEDULE_WHOLE, 0, 128, 4095, SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT},
    {SPMM_SCHEDULE_SEGMENTED, 1, 32, 32, 0},
    {SPMM_SCHEDULE_SEGMENTED, 7, 64, 50, SPMMI_PART_REORDERED},
    {SPMM_SCHEDULE_SEGMENTED, 100, 256, 447, SPMMI_PART_REORDERED},
    {SPMM_SCHEDULE_SEGMENTED, SPMMI_ROW_SEGMENT_MAX, 32, 447, 0},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/* A unit as the layout should see it, constructed without optimizations. */
struct unit {
    int64_t row, begin, end;
    uint32_t segments; /* number of segments of its row */
};

static uint32_t units_list(const struct test_matrix *a, const struct shape *shape, struct unit *units)
{
    uint32_t count = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t first = count, end = a->row_ptr[i + 1];
        int64_t begin = a->row_ptr[i];
        do {
            const int64_t length = shape->schedule == SPMM_SCHEDULE_WHOLE || end - begin < shape->item_size
                                       ? end - begin
                                       : shape->item_size;
            units[count++] = (struct unit){i, begin, begin + length, 0};
            begin += length;
        } while (begin < end);
        for (int64_t u = first; u < count; u++)
            units[u].segments = count - (uint32_t)first;
    }
    return count;
}

static struct spmmi_part part_of(const struct shape *shape, uint32_t unit_count)
{
    struct spmmi_part part = {SPMM_OP_N, SPMM_FAMILY_TILED, shape->schedule,    shape->item_size, unit_count,
                              NULL,      shape->block_rows, shape->stage_slots, shape->flags};
    part.items = calloc((size_t)unit_count + 1, sizeof *part.items);
    assert_non_null(part.items);
    for (uint32_t i = 0; i < unit_count; i++)
        part.items[i] = i;
    for (uint32_t i = unit_count; (shape->flags & SPMMI_PART_REORDERED) != 0 && i > 1; i--) {
        const uint32_t other = (uint32_t)(test_hash(i, 77) % i);
        const uint32_t kept = part.items[i - 1];
        part.items[i - 1] = part.items[other];
        part.items[other] = kept;
    }
    return part;
}

struct built {
    struct test_matrix *a;
    struct unit *units;
    struct spmmi_part part;
    struct spmmi_tiled_layout layout;
};

static struct built built_make(struct test_matrix *a, const struct shape *shape)
{
    struct built b = {.a = a};
    b.units = calloc((size_t)(a->rows + a->nnz) + 1, sizeof *b.units);
    assert_non_null(b.units);
    b.part = part_of(shape, units_list(a, shape, b.units));
    spmm_diag_t diag = {.text = ""};
    if (spmmi_tiled_build(a->rows, a->cols, a->row_ptr, a->col_ind, &b.part, &b.layout, &diag) != SPMM_OK)
        fail_msg("%s: %s", a->name, diag.text);
    return b;
}

static void built_free(struct built *b)
{
    spmmi_tiled_free(&b->layout);
    free(b->part.items);
    free(b->units);
    test_matrix_free(b->a);
}

/* Returns the matrix with rows {0, 3, 5}, {}, {3}, {0, 1, 2, 3, 4, 5}. */
static struct test_matrix *matrix_by_hand(void)
{
    static const int64_t row_ptr[] = {0, 3, 3, 4, 10};
    static const int32_t col_ind[] = {0, 3, 5, 3, 0, 1, 2, 3, 4, 5};
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct test_matrix){.name = "by hand", .rows = 4, .cols = 6, .nnz = 10};
    a->row_ptr = malloc(sizeof row_ptr);
    a->col_ind = malloc(sizeof col_ind);
    assert_true(a->row_ptr != NULL && a->col_ind != NULL);
    memcpy(a->row_ptr, row_ptr, sizeof row_ptr);
    memcpy(a->col_ind, col_ind, sizeof col_ind);
    return a;
}

#define ASSERT_ARRAY(got, ...)                                           \
    do {                                                                 \
        const uint32_t wanted[] = {__VA_ARGS__};                         \
        for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) \
            assert_int_equal((got)[at], wanted[at]);                     \
    } while (0)

static void whole_rows_worked_out_by_hand(void **state)
{
    (void)state;
    /* One stage may use the slots of two stages, which are four. Six columns do not fit, so there are three
     * stages of two. */
    const struct shape shape = {SPMM_SCHEDULE_WHOLE, 0, 32, 2, 0};
    struct built b = built_make(matrix_by_hand(), &shape);
    const struct spmmi_tiled *t = &b.layout.view;
    assert_int_equal(t->row_block_count, 1);
    assert_int_equal(t->stage_count, 3);
    assert_int_equal(t->working_set, 6);
    assert_int_equal(t->slice_count, 6); /* two entries of row 3 in each stage */
    assert_int_equal(t->stage_slots, 2);
    assert_int_equal(t->long_slots, 2);
    ASSERT_ARRAY(t->row_block_stage, 0, 3);
    ASSERT_ARRAY(t->stage_first, 0, 2, 4, 6);
    ASSERT_ARRAY(t->columns, 0, 1, 2, 3, 4, 5);
    ASSERT_ARRAY(t->warp_slice, 0, 2, 4, 6);
    ASSERT_ARRAY(t->target, 0, 1, 2, 3, SPMMI_TILED_NONE);
    ASSERT_ARRAY(t->local, 1, 0, 0, 1);      /* column 0 of rows 0 and 3 */
    ASSERT_ARRAY(t->local + 32, 0, 0, 0, 2); /* column 1 of row 3 */
    ASSERT_ARRAY(t->local + 64, 2, 0, 2, 2); /* column 3 of rows 0, 2 and 3: all read the same slot */
    ASSERT_ARRAY(t->local + 96, 0, 0, 0, 1); /* column 2 of row 3 */
    ASSERT_ARRAY(t->local + 128, 2, 0, 0, 2);
    ASSERT_ARRAY(t->local + 160, 0, 0, 0, 1);
    ASSERT_ARRAY(b.layout.value_map, 0, 64, 128, 66, 3, 35, 99, 67, 163, 131);
    built_free(&b);
}

static void segments_worked_out_by_hand(void **state)
{
    (void)state;
    /* The units are {0, 3} {5} {} {3} {0, 1} {2, 3} {4, 5}. */
    const struct shape shape = {SPMM_SCHEDULE_SEGMENTED, 2, 32, 32, 0};
    struct built b = built_make(matrix_by_hand(), &shape);
    const struct spmmi_tiled *t = &b.layout.view;
    assert_int_equal(t->stage_count, 1);
    assert_int_equal(t->slice_count, 2);
    assert_int_equal(t->partial_count, 5);
    assert_int_equal(t->split_count, 2);
    assert_int_equal(t->long_slots, 0);
    ASSERT_ARRAY(t->target, SPMMI_TILED_PARTIAL, SPMMI_TILED_PARTIAL | 1, 1, 2, SPMMI_TILED_PARTIAL | 2,
                 SPMMI_TILED_PARTIAL | 3, SPMMI_TILED_PARTIAL | 4, SPMMI_TILED_NONE);
    ASSERT_ARRAY((const uint32_t *)t->splits, 0, 0, 2, 3, 2, 3);
    /* Lanes 4, 5 and 6 begin with the columns that lanes 0, 3 and 1 read. */
    ASSERT_ARRAY(t->local, 1, 6, 0, 4, 1, 4, 6, 0);
    ASSERT_ARRAY(t->local + 32, 4, 0, 0, 0, 2, 3, 5, 0);
    ASSERT_ARRAY(b.layout.value_map, 0, 32, 1, 3, 4, 36, 37, 5, 38, 6);
    built_free(&b);
}

static void a_permuted_output_is_written_in_the_order(void **state)
{
    (void)state;
    const struct shape shape = {SPMM_SCHEDULE_WHOLE, 0, 32, 32,
                                SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT};
    struct built b = built_make(test_matrix_named("band", TEST_VALUES_REAL), &shape);
    for (uint32_t i = 0; i < b.part.item_count; i++)
        assert_int_equal(b.layout.target[i], i);
    built_free(&b);
}

/* Checks that stages cover the distinct columns of a row block in ascending order, with as few stages as the
 * slots allow, and with as equal sizes as possible. */
static void stages_are_as_they_should(const struct built *b)
{
    const struct spmmi_tiled *t = &b->layout.view;
    const uint32_t units = (uint32_t)b->part.item_count;
    assert_int_equal(t->row_block_count, (units + t->block_rows - 1) / t->block_rows);
    assert_int_equal(t->row_block_stage[0], 0);
    assert_int_equal(t->row_block_stage[t->row_block_count], t->stage_count);
    assert_int_equal(t->stage_first[t->stage_count], t->working_set);
    char *used = calloc((size_t)b->a->cols + 1, 1);
    assert_non_null(used);
    uint32_t widest = 0;
    for (uint32_t p = 0; p < t->row_block_count; p++) {
        memset(used, 0, (size_t)b->a->cols);
        for (uint32_t i = p * t->block_rows; i < units && i < (p + 1) * t->block_rows; i++)
            for (int64_t q = b->units[b->part.items[i]].begin; q < b->units[b->part.items[i]].end; q++)
                used[b->a->col_ind[q]] = 1;
        uint32_t at = t->stage_first[t->row_block_stage[p]];
        const uint32_t first = at;
        for (int64_t j = 0; j < b->a->cols; j++)
            if (used[j])
                assert_int_equal(t->columns[at++], j);
        const uint32_t stages = t->row_block_stage[p + 1] - t->row_block_stage[p];
        assert_int_equal(at, t->stage_first[t->row_block_stage[p + 1]]);
        const uint32_t fits = at - first <= 2 * b->part.stage_slots;
        assert_int_equal(stages,
                         fits ? at > first : (at - first + b->part.stage_slots - 1) / b->part.stage_slots);
        for (uint32_t s = 0; s < stages; s++) {
            const uint32_t *stage = t->stage_first + t->row_block_stage[p] + s;
            const uint32_t even = (at - first + stages - 1) / stages;
            assert_true(s + 1 == stages ? stage[1] - stage[0] <= even : stage[1] - stage[0] == even);
            widest = stage[1] - stage[0] > widest ? stage[1] - stage[0] : widest;
        }
    }
    assert_int_equal(t->stage_slots, widest);
    free(used);
}

/* Checks that each nonzero of a unit has its own position in the unit's lane, in the stage that holds its
 * column. */
static void units_are_in_their_lanes(const struct built *b, char *is_used)
{
    const struct spmmi_tiled *t = &b->layout.view;
    const uint32_t warps = t->block_rows / SPMMI_TILED_LANES;
    for (uint32_t i = 0; i < b->part.item_count; i++) {
        const struct unit *unit = &b->units[b->part.items[i]];
        const uint32_t row_block = i / t->block_rows, thread = i % t->block_rows;
        uint32_t s = t->row_block_stage[row_block];
        for (int64_t q = unit->begin; q < unit->end; q++) {
            const uint32_t position = b->layout.value_map[q], k = position / SPMMI_TILED_LANES;
            const uint32_t column = (uint32_t)b->a->col_ind[q];
            while (t->columns[t->stage_first[s + 1] - 1] < column)
                s++;
            assert_true(s < t->row_block_stage[row_block + 1]);
            const uint32_t *slice = t->warp_slice + s * warps + thread / SPMMI_TILED_LANES;
            assert_int_equal(position % SPMMI_TILED_LANES, thread % SPMMI_TILED_LANES);
            assert_true(k >= slice[0] && k < slice[1]);
            assert_true(t->local[position] > 0);
            assert_int_equal(t->columns[t->stage_first[s] + t->local[position] - 1], column);
            assert_false(is_used[position]);
            is_used[position] = 1;
        }
    }
}

/* Checks that positions without a nonzero are padding, after the last entry of their lane in the stage. */
static void entries_are_those_of_the_units(const struct built *b)
{
    const struct spmmi_tiled *t = &b->layout.view;
    const uint32_t count = t->stage_count * (t->block_rows / SPMMI_TILED_LANES);
    char *is_used = calloc((size_t)t->slice_count + 1, SPMMI_TILED_LANES);
    assert_non_null(is_used);
    assert_int_equal(t->warp_slice[0], 0);
    assert_int_equal(t->warp_slice[count], t->slice_count);
    units_are_in_their_lanes(b, is_used);
    for (uint32_t i = 0; i < count * SPMMI_TILED_LANES; i++) {
        int is_padding = 0;
        for (uint32_t k = t->warp_slice[i / SPMMI_TILED_LANES]; k < t->warp_slice[i / SPMMI_TILED_LANES + 1];
             k++) {
            const uint32_t position = k * SPMMI_TILED_LANES + i % SPMMI_TILED_LANES;
            is_padding = is_padding || !is_used[position];
            assert_int_equal(is_used[position], !is_padding);
            assert_int_equal(t->local[position] == 0, is_padding);
        }
    }
    free(is_used);
}

/* Checks that a warp has no more slices than its longest lane has entries. */
static void no_slice_is_all_padding(const struct built *b)
{
    for (uint32_t s = 0; s < b->layout.view.slice_count; s++) {
        int entries = 0;
        for (uint32_t lane = 0; lane < SPMMI_TILED_LANES; lane++)
            entries += b->layout.local[s * SPMMI_TILED_LANES + lane] != 0;
        assert_true(entries > 0);
    }
}

/* Checks that each row is written once: by the thread that has the whole row, or by the split of the row,
 * each of whose sums is written by one thread. */
static void targets_cover_every_row_once(const struct built *b)
{
    const struct spmmi_tiled *t = &b->layout.view;
    uint32_t *writers = calloc((size_t)b->a->rows + 1, sizeof *writers);
    uint32_t *sums = calloc((size_t)t->partial_count + 1, sizeof *sums);
    assert_true(writers != NULL && sums != NULL);
    uint32_t next = 0;
    for (uint32_t i = 0; i < t->split_count; i++) {
        const struct spmmi_tiled_split split = t->splits[i];
        assert_true(i == 0 || split.row > t->splits[i - 1].row);
        assert_int_equal(split.first, next);
        assert_true(split.count > 1);
        writers[split.row]++;
        for (uint32_t s = 0; s < split.count; s++)
            sums[next++] = split.row;
    }
    assert_int_equal(next, t->partial_count);
    uint32_t partials = 0;
    for (uint32_t i = 0; i < t->row_block_count * t->block_rows; i++) {
        if (i >= b->part.item_count) {
            assert_int_equal(t->target[i], SPMMI_TILED_NONE);
            continue;
        }
        const struct unit unit = b->units[b->part.items[i]];
        if ((b->part.flags & SPMMI_PART_PERMUTES_OUTPUT) != 0) {
            assert_int_equal(t->target[i], i);
            writers[i]++;
        } else if (unit.segments == 1) {
            assert_int_equal(t->target[i], unit.row);
            writers[unit.row]++;
        } else {
            const uint32_t p = t->target[i] & ~SPMMI_TILED_PARTIAL;
            assert_true(t->target[i] != p && p < t->partial_count && sums[p] == unit.row);
            partials++;
            /* Segments of a row are numbered from its first segment on. */
            const int64_t segment = (unit.begin - b->a->row_ptr[unit.row]) / b->part.item_size;
            assert_true(p == segment || sums[p - segment - 1] != unit.row);
            assert_int_equal(sums[p - segment], unit.row);
        }
    }
    assert_int_equal(partials, t->partial_count);
    for (int64_t r = 0; r < b->a->rows; r++)
        assert_int_equal(writers[r], 1);
    free(sums);
    free(writers);
}

static void every_matrix_keeps_the_laws_of_the_layout(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++)
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            struct built b = built_make(test_matrix_make(i, TEST_VALUES_REAL), &shapes[s]);
            stages_are_as_they_should(&b);
            entries_are_those_of_the_units(&b);
            no_slice_is_all_padding(&b);
            targets_cover_every_row_once(&b);
            built_free(&b);
        }
}

static void assert_same_layout(const struct built *b, const struct spmmi_tiled_layout *other)
{
    const struct spmmi_tiled *t = &b->layout.view;
    assert_int_equal(spmmi_tiled_bytes(t), spmmi_tiled_bytes(&other->view));
    const size_t slices = (size_t)t->slice_count * SPMMI_TILED_LANES;
    assert_memory_equal(t->row_block_stage, other->row_block_stage, ((size_t)t->row_block_count + 1) * 4);
    assert_memory_equal(t->stage_first, other->stage_first, ((size_t)t->stage_count + 1) * 4);
    assert_memory_equal(t->columns, other->columns, (size_t)t->working_set * 4);
    assert_memory_equal(t->warp_slice, other->warp_slice,
                        ((size_t)t->stage_count * t->block_rows / SPMMI_TILED_LANES + 1) * 4);
    assert_memory_equal(t->local, other->local, slices * sizeof *t->local);
    assert_memory_equal(t->target, other->target, (size_t)t->row_block_count * t->block_rows * 4);
    assert_memory_equal(b->layout.value_map, other->value_map, (size_t)b->a->nnz * 4);
}

static void the_layout_is_the_same_at_any_number_of_threads(void **state)
{
    (void)state;
    const int threads_before = omp_get_max_threads();
    for (int i = 0; i < test_matrix_count(); i++) {
        const struct shape *shape = &shapes[(size_t)i % SHAPE_COUNT];
        omp_set_num_threads(1);
        struct built b = built_make(test_matrix_make(i, TEST_VALUES_REAL), shape);
        for (int threads = 2; threads <= 5; threads += 3) {
            struct spmmi_tiled_layout other;
            omp_set_num_threads(threads);
            assert_int_equal(
                spmmi_tiled_build(b.a->rows, b.a->cols, b.a->row_ptr, b.a->col_ind, &b.part, &other, NULL),
                SPMM_OK);
            assert_same_layout(&b, &other);
            spmmi_tiled_free(&other);
        }
        built_free(&b);
    }
    omp_set_num_threads(threads_before);
}

/* For columns that are far apart, packing numbers the columns without gaps. Only the array of columns may
 * differ. */
static void distances_between_columns_change_only_columns(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct built b =
            built_make(test_matrix_make(i, TEST_VALUES_REAL), &shapes[(size_t)(i + 5) % SHAPE_COUNT]);
        const int64_t cols = INT32_MAX - 1, distance = cols / (b.a->cols > 0 ? b.a->cols : 1);
        struct spmmi_tiled_layout far;
        for (int64_t q = 0; q < b.a->nnz; q++)
            b.a->col_ind[q] = (int32_t)(b.a->col_ind[q] * distance);
        assert_int_equal(spmmi_tiled_build(b.a->rows, cols, b.a->row_ptr, b.a->col_ind, &b.part, &far, NULL),
                         SPMM_OK);
        assert_int_equal(far.view.cols, cols);
        for (uint32_t c = 0; c < far.view.working_set; c++)
            far.columns[c] /= (uint32_t)distance;
        far.view.cols = b.layout.view.cols;
        assert_same_layout(&b, &far);
        spmmi_tiled_free(&far);
        built_free(&b);
    }
}

static void counts_are_those_of_the_layout(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct built b =
            built_make(test_matrix_make(i, TEST_VALUES_REAL), &shapes[(size_t)(i + 3) % SHAPE_COUNT]);
        struct spmmi_tiled counts;
        uint64_t scratch = 0;
        assert_int_equal(spmmi_tiled_count(b.a->rows, b.a->cols, b.a->row_ptr, b.a->col_ind, &b.part, &counts,
                                           &scratch, NULL),
                         SPMM_OK);
        assert_null(counts.columns);
        assert_int_equal(counts.slice_count, b.layout.view.slice_count);
        assert_int_equal(spmmi_tiled_bytes(&counts), spmmi_tiled_bytes(&b.layout.view));
        built_free(&b);
    }
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    struct built b = built_make(test_matrix_named("power law", TEST_VALUES_REAL), &shapes[5]);
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    for (; status != SPMM_OK && k < 100; k++) {
        struct spmmi_tiled_layout layout;
        spmm_diag_t diag = {.text = ""};
        spmmi_alloc_fail_at(k, 0);
        status = spmmi_tiled_build(b.a->rows, b.a->cols, b.a->row_ptr, b.a->col_ind, &b.part, &layout, &diag);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && diag.text[0] != '\0'));
        spmmi_tiled_free(&layout);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(k > 10 && k < 100);
    built_free(&b);
}

static void what_passes_32_bits_or_does_not_fit_the_part_is_refused(void **state)
{
    (void)state;
    /* The row pointers claim 2^33 nonzeros. Their columns are not accessed. */
    const int64_t row_ptr[] = {0, INT64_C(1) << 33};
    uint32_t item = 0;
    struct spmmi_part part = {.family = SPMM_FAMILY_TILED,
                              .schedule = SPMM_SCHEDULE_WHOLE,
                              .item_count = 1,
                              .items = &item,
                              .block_rows = 32,
                              .stage_slots = 32};
    struct spmmi_tiled_layout layout;
    assert_int_equal(spmmi_tiled_build(1, 1, row_ptr, NULL, &part, &layout, NULL), SPMM_ERR_TOO_LARGE);
    const int64_t empty[] = {0, 0, 0};
    assert_int_equal(spmmi_tiled_build(2, 1, empty, NULL, &part, &layout, NULL), SPMM_ERR_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_rows_worked_out_by_hand),
        cmocka_unit_test(segments_worked_out_by_hand),
        cmocka_unit_test(a_permuted_output_is_written_in_the_order),
        cmocka_unit_test(every_matrix_keeps_the_laws_of_the_layout),
        cmocka_unit_test(the_layout_is_the_same_at_any_number_of_threads),
        cmocka_unit_test(distances_between_columns_change_only_columns),
        cmocka_unit_test(counts_are_those_of_the_layout),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(what_passes_32_bits_or_does_not_fit_the_part_is_refused),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
