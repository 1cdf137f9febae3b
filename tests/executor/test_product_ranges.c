/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a sparse product on a GPU that looks columns up: each entry of C is in exactly one range,
 * with its column. No data are stored per product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/spgemm/spgemm_ranges.h"
#include "tests/support/sparse_scene.h"

#define ROWS_MAX 1000
#define LONG_LIST ((int64_t)SPMMI_SPGEMM_RANGE_LENGTH_MAX + 1)

TEST_PATTERN(every, true)
TEST_PATTERN(diagonal, i == j)
TEST_PATTERN(five_points, i == j || i == j + 1 || j == i + 1 || i == j + 30 || j == i + 30)
TEST_PATTERN(chance, test_chance(i, j, 9))
TEST_PATTERN(gaps, i % 3 == 0 && test_chance(i, j, 20))

/* A product A B with the pattern of C, and its units for a given size of pieces. */
struct scene {
    struct test_sparse_scene of;
    struct spmmi_spgemm plan;
    struct spmmi_spgemm_stage stage;
    struct spmmi_spgemm_ranges ranges;
};

static struct scene scene_of(const struct test_pattern *a, const struct test_pattern *b, int64_t piece,
                             int is_lower)
{
    struct scene s = {.plan.piece_products = (uint64_t)piece};
    uint64_t bytes = 0;
    s.of = test_sparse_scene_of(a, b, is_lower, &s.stage);
    assert_int_equal(spmmi_spgemm_units(&s.stage, &s.plan, 0, 0, &bytes, NULL), SPMM_OK);
    assert_int_equal(spmmi_spgemm_ranges_make(&s.stage, UINT64_MAX, &s.ranges, NULL), SPMM_OK);
    return s;
}

static void scene_free(struct scene *s)
{
    spmmi_spgemm_ranges_free(&s->ranges);
    spmmi_spgemm_stage_free(&s->stage);
    test_sparse_scene_free(&s->of);
}

static int32_t column_of(const struct spmmi_spgemm_ranges *ranges, const struct spmmi_spgemm_range *range,
                         uint32_t e)
{
    const uint32_t *const words = ranges->words + range->columns;
    const int is_wide = spmmi_spgemm_range_unpack(range->counts).is_wide != 0;
    return range->base + (int32_t)(is_wide ? words[e] : words[e / 2] >> 16 * (e % 2) & 65535);
}

static int64_t row_of(const struct scene *s, int64_t entry)
{
    int64_t row = 0;
    while (s->of.c_row_ptr[row + 1] <= entry)
        row++;
    return row;
}

/* Checks a range and counts in `seen` the entries of C that it has. */
static void expect_range(const struct scene *s, const struct spmmi_spgemm_range *range, uint8_t *seen)
{
    const struct spmmi_spgemm_range_counts counts = spmmi_spgemm_range_unpack(range->counts);
    const int64_t row = row_of(s, range->out), entries = s->of.c_row_ptr[row + 1] - s->of.c_row_ptr[row];
    assert_int_equal(range->first, s->of.a->row_ptr[row]);
    assert_in_range(counts.entries, 1, SPMMI_SPGEMM_RANGE_ENTRIES);
    assert_int_equal(counts.is_part, counts.entries < entries || s->stage.task.is_lower);
    assert_true(range->columns < s->ranges.word_count);
    for (uint32_t e = 0; e < counts.entries; e++) {
        assert_int_equal(row_of(s, range->out + e), row);
        assert_int_equal(column_of(&s->ranges, range, e), s->of.c_col_ind[range->out + e]);
        assert_int_equal(seen[range->out + e]++, 0);
    }
}

/* Checks the pieces of a row against its units. */
static void expect_pieces(const struct scene *s, const struct spmmi_spgemm_cut_range *cut)
{
    const int64_t row = row_of(s, cut->range.out);
    uint32_t pieces = 0;
    for (int64_t u = 0; u < s->stage.unit_count; u++) {
        const struct spmmi_spgemm_unit *unit = &s->stage.units[u];
        if (unit->partial < 0 || unit->row != row)
            continue;
        assert_int_equal(s->ranges.ends[cut->piece + pieces++], unit->end);
    }
    assert_int_equal(pieces, cut->pieces);
    assert_int_equal(s->ranges.ends[cut->piece + pieces - 1], s->of.a->row_ptr[row + 1]);
}

static void expect_all(const struct scene *s)
{
    const struct spmmi_spgemm_ranges *r = &s->ranges;
    uint8_t *seen = test_sparse_room(s->of.c_row_ptr[s->of.a->rows], 1);
    for (uint32_t i = 0; i < r->count; i++) {
        const int64_t row = row_of(s, r->ranges[i].out);
        assert_int_equal(spmmi_spgemm_range_unpack(r->ranges[i].counts).length,
                         s->of.a->row_ptr[row + 1] - s->of.a->row_ptr[row]);
        expect_range(s, &r->ranges[i], seen);
    }
    for (uint32_t i = 0; i < r->cut_count; i++) {
        expect_range(s, &r->cuts[i].range, seen);
        expect_pieces(s, &r->cuts[i]);
    }
    for (int64_t q = 0; q < s->of.c_row_ptr[s->of.a->rows]; q++)
        assert_int_equal(seen[q], 1);
    free(seen);
}

static void every_entry_is_in_one_range(void **state)
{
    static const struct {
        struct test_pattern a, b;
        int64_t piece;
        int is_lower;
    } cases[] = {{{"chance", 60, 80, chance}, {"chance", 80, 700, chance}, 0, 0},
                 {{"chance", 60, 80, chance}, {"chance", 80, 700, chance}, 1, 0},
                 {{"chance", 60, 80, chance}, {"chance", 80, 100, chance}, 30, 0},
                 {{"gaps", 60, 80, gaps}, {"gaps", 80, 60, gaps}, 5, 0},
                 {{"chance", 60, 80, chance}, {"chance", 80, 60, chance}, 0, 1},
                 {{"every", 3, 40, every}, {"every", 40, 1500, every}, 9, 0},
                 {{"every", 1500, 3, every}, {"every", 3, 1500, every}, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = scene_of(&cases[i].a, &cases[i].b, cases[i].piece, cases[i].is_lower);
        assert_int_equal(s.ranges.cut_count > 0, s.stage.cut_count > 0);
        expect_all(&s);
        scene_free(&s);
    }
}

/* Makes the ranges of one row of C. Its list has `list` entries of the left factor, which all multiply the
 * same row with `entries` columns. */
static spmm_status_t make_row(int64_t list, int64_t entries, int32_t apart,
                              struct spmmi_spgemm_ranges *ranges, uint64_t budget)
{
    const int64_t left[] = {0, list}, c[] = {0, entries};
    int32_t *columns = test_sparse_room(entries, sizeof *columns);
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = 1, .partial = -1};
    for (int64_t e = 0; e < entries; e++)
        columns[e] = 7 + apart * (int32_t)e;
    const struct spmmi_spgemm_stage stage = {.task = {{1, 1, left, NULL}, {1, INT32_MAX - 1, c, columns}, 0},
                                             .c = {1, INT32_MAX - 1, c, columns},
                                             .units = &unit,
                                             .unit_count = 1};
    const spmm_status_t status = spmmi_spgemm_ranges_make(&stage, budget, ranges, NULL);
    free(columns);
    return status;
}

/* The class depends on the entries of a range, and on the length of the list, as longer lists get more lanes.
 * Lists that are too long for the counts of a range are stored as rows of one piece. */
static void ranges_have_classes(void **state)
{
    static const struct {
        int64_t list, entries;
        int range_class;
        uint32_t count, words;
    } cases[] = {{1, 1, 0, 1, 1},
                 {1, 8, 0, 1, 4},
                 {1, 9, 1, 1, 5},
                 {1, 32, 1, 1, 16},
                 {1, 33, 2, 1, 17},
                 {1, 128, 2, 1, 64},
                 {1, 129, 3, 1, 65},
                 {1, 256, 3, 1, 128},
                 {1, 257, 4, 1, 129},
                 {1, 512, 4, 1, 256},
                 {1, 514, 4, 2, 129},
                 {8, 8, 0, 1, 4},
                 {9, 8, 1, 1, 4},
                 {32, 1, 1, 1, 1},
                 {33, 8, 2, 1, 4},
                 {128, 9, 2, 1, 5},
                 {129, 8, 3, 1, 4},
                 {20000, 8, 3, 1, 4},
                 {20000, 257, 4, 1, 129},
                 {LONG_LIST - 1, 8, 3, 1, 4},
                 {LONG_LIST, 8, 5, 1, 4},
                 {LONG_LIST, 128, 5, 1, 64},
                 {LONG_LIST, 1032, 6, 3, 172}};
    struct spmmi_spgemm_ranges ranges;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int range_class = cases[i].range_class, is_cut = range_class >= SPMMI_SPGEMM_RANGE_CLASSES;
        assert_int_equal(make_row(cases[i].list, cases[i].entries, 1, &ranges, UINT64_MAX), SPMM_OK);
        assert_int_equal(ranges.spans[range_class].count, cases[i].count);
        assert_int_equal(ranges.count, is_cut ? 0 : cases[i].count);
        assert_int_equal(ranges.cut_count, is_cut ? cases[i].count : 0);
        assert_int_equal(ranges.end_count, is_cut);
        assert_true(!is_cut || ranges.ends[0] == cases[i].list);
        assert_int_equal(ranges.word_count, cases[i].words); /* the ranges of this row share their words */
        spmmi_spgemm_ranges_free(&ranges);
    }
}

static void columns_far_apart_take_four_bytes(void **state)
{
    static const struct {
        int32_t apart;
        uint32_t is_wide;
    } cases[] = {{65535, 0}, {65536, 1}, {INT32_MAX - 9, 1}};
    struct spmmi_spgemm_ranges ranges;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(make_row(1, 2, cases[i].apart, &ranges, UINT64_MAX), SPMM_OK);
        assert_int_equal(spmmi_spgemm_range_unpack(ranges.ranges[0].counts).is_wide, cases[i].is_wide);
        assert_int_equal(ranges.word_count, 1 + cases[i].is_wide);
        assert_int_equal(column_of(&ranges, ranges.ranges, 0), 7);
        assert_int_equal(column_of(&ranges, ranges.ranges, 1), 7 + cases[i].apart);
        spmmi_spgemm_ranges_free(&ranges);
    }
}

/* Equal patterns of C have equal ranges, however many products C has. */
static void there_is_nothing_for_each_product(void **state)
{
    static const struct test_pattern full = {"every", 100, 100, every}, one = {"one", 100, 100, diagonal},
                                     grid = {"five points", ROWS_MAX, ROWS_MAX, five_points};
    struct scene many = scene_of(&full, &full, 0, 0), few = scene_of(&one, &full, 0, 0),
                 alike = scene_of(&grid, &grid, 0, 0);
    (void)state;
    assert_int_equal(sizeof(struct spmmi_spgemm_range), 20); /* the sizes in product.h */
    assert_int_equal(sizeof(struct spmmi_spgemm_cut_range), 28);
    assert_int_equal(many.ranges.count, few.ranges.count);
    assert_int_equal(many.ranges.word_count, 50); /* words of one row, which all others share */
    assert_int_equal(few.ranges.word_count, 50);
    assert_int_equal(alike.ranges.count, ROWS_MAX);
    assert_true(alike.ranges.word_count < 1000); /* without sharing: 7 words per row */
    expect_all(&alike);
    scene_free(&many);
    scene_free(&few);
    scene_free(&alike);
}

/* A refusal allocates nothing. The counted memory is what is allocated: ranges, ends of pieces, words before
 * ranges share them, and hash slots (twice the number of ranges, rounded up to a power of two). */
static void a_small_budget_is_refused(void **state)
{
    static const struct {
        int64_t list, entries;
        uint64_t bytes;
    } cases[] = {{1, 100, 20 + 4 * (50 + 2)}, {LONG_LIST, 1032, 3 * 28 + 4 * (1 + 3 * 172 + 8)}};
    struct spmmi_spgemm_ranges ranges;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t less = 0; less < 2; less++) {
            assert_int_equal(make_row(cases[i].list, cases[i].entries, 1, &ranges, cases[i].bytes - less),
                             less > 0 ? SPMM_ERR_PLAN_BUDGET : SPMM_OK);
            assert_int_equal(ranges.words != NULL, less == 0);
            spmmi_spgemm_ranges_free(&ranges);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_in_one_range), cmocka_unit_test(ranges_have_classes),
        cmocka_unit_test(columns_far_apart_take_four_bytes),
        cmocka_unit_test(there_is_nothing_for_each_product), cmocka_unit_test(a_small_budget_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
