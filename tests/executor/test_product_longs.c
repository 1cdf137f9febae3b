/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of long entries of a sparse product on a GPU, and the memory for them and for counting: exactly the
 * reported bytes are enough. Each list has all products of its entry and no others. Slices beside long
 * entries that have all products in one piece (soles), and items that do without them if memory is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/spgemm/spgemm_share.h"
#include "kernels/spgemm/spgemm_items.h"
#include "kernels/spgemm/spgemm_longs.h"
#include "kernels/spgemm/spgemm_soles.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/sparse_scene.h"

TEST_PATTERN(one_row, true)
TEST_PATTERN(few_beside, j == 0 || j == 1 + i / 3)
TEST_PATTERN(far_beside, j == 0 || j == 1 + i % 3000)
/* Entries 0 and 1 of row 0 are long. Those of row 1 have lists if C is wide. */
TEST_PATTERN(long_rows, i == 0 || (i == 1 && j % 4 == 0) || (i == 2 && j < 30))
TEST_PATTERN(narrow_columns, j < 2 || j == 2 + i % 400)
TEST_PATTERN(wide_columns, j < 2 || j == 2 + i)
TEST_PATTERN(full_columns, j < 30 && i % 1000 >= j % 7)
TEST_PATTERN(short_rows, j < 4096)

static const struct test_pattern left = {"long rows", 3, 5000, long_rows},
                                 none = {"short rows", 3, 5000, short_rows},
                                 narrow = {"narrow", 5000, 402, narrow_columns},
                                 wide = {"wide", 5000, 5002, wide_columns},
                                 full = {"full", 5000, 30, full_columns},
                                 dense = {"one row", 1, 9000, one_row},
                                 few = {"few beside a long one", 9000, 3001, few_beside};

struct scene {
    struct test_sparse_scene of;
    struct spmmi_spgemm_stage stage;
};

static struct scene scene_of(const struct test_pattern *a, const struct test_pattern *b, int64_t piece)
{
    const struct spmmi_spgemm plan = {.flags = SPMMI_SPGEMM_STRETCHES, .piece_products = (uint64_t)piece};
    struct scene s;
    uint64_t bytes = 0;
    s.of = test_sparse_scene_of(a, b, 0, &s.stage);
    assert_int_equal(spmmi_spgemm_units(&s.stage, &plan, 0, 0, &bytes, NULL), SPMM_OK);
    return s;
}

static void scene_free(struct scene *s)
{
    spmmi_spgemm_stage_free(&s->stage);
    test_sparse_scene_free(&s->of);
}

static int64_t row_of_entry(const struct spmmi_csr_pattern *c, uint64_t entry)
{
    int64_t row = 0;
    while ((uint64_t)c->row_ptr[row + 1] <= entry)
        row++;
    return row;
}

/* Returns the index of the column in row k of b, -1 if the row does not have it. */
static int64_t position_of(const struct test_matrix *b, int64_t k, int32_t column)
{
    for (int64_t q = b->row_ptr[k]; q < b->row_ptr[k + 1]; q++)
        if (b->col_ind[q] == column)
            return q;
    return -1;
}

/* Checks that the words are all products of the entry, in ascending order of k. */
static void expect_words(const struct scene *s, const struct spmmi_spgemm_long *entry,
                         const struct spmmi_spgemm_word *words)
{
    const struct test_matrix *a = s->of.a;
    const int64_t row = row_of_entry(&s->stage.c, entry->out);
    uint32_t found = 0;
    for (int64_t p = a->row_ptr[row]; p < a->row_ptr[row + 1]; p++) {
        const int64_t q = position_of(s->of.b, a->col_ind[p], s->stage.c.col_ind[entry->out]);
        if (q < 0)
            continue;
        assert_true(found < entry->products);
        assert_int_equal(words[found].left, p);
        assert_int_equal(words[found].right, q);
        found++;
    }
    assert_int_equal(found, entry->products);
}

/* Checks that the stretches cover the words of each entry exactly once. */
static void expect_lists(const struct scene *s, const struct spmmi_spgemm_longs *longs)
{
    uint64_t words = 0;
    for (uint32_t e = 0; e < longs->count; e++) {
        const struct spmmi_spgemm_long *entry = &longs->entries[e];
        uint64_t at = entry->word;
        assert_true(at == words && entry->out < (uint64_t)s->stage.c.row_ptr[s->stage.c.rows]);
        for (uint32_t i = 0; i < entry->count; i++) {
            const struct spmmi_spgemm_stretch stretch = longs->stretches[entry->first + i];
            const uint32_t count = stretch.count & ~SPMMI_SPGEMM_BEGINS;
            assert_true(stretch.first == at && count > 0 && count <= SPMMI_SPGEMM_STRETCH);
            at += count;
        }
        assert_true(at == entry->word + entry->products);
        expect_words(s, entry, longs->words + words);
        words = at;
    }
    assert_true(words == longs->word_count);
}

static uint32_t length_of(const struct spmmi_spgemm_longs *longs, uint32_t i)
{
    return longs->stretches[longs->order[i]].count & ~SPMMI_SPGEMM_BEGINS;
}

static uint32_t left_of(const struct spmmi_spgemm_longs *longs, uint32_t i)
{
    return longs->words[longs->stretches[longs->order[i]].first].left;
}

/* Returns 1 if stretch i of the order precedes the next one correctly. */
static int is_ordered(const struct spmmi_spgemm_longs *longs, uint32_t i)
{
    const uint32_t length = length_of(longs, i), next_length = length_of(longs, i + 1),
                   left_entry = left_of(longs, i), next_left = left_of(longs, i + 1);
    if (length != next_length)
        return length > next_length;
    return left_entry != next_left ? left_entry < next_left : longs->order[i] < longs->order[i + 1];
}

/* Checks that the order has each stretch once: longer ones first, equal ones by their start in the left
 * factor. */
static void expect_order(const struct spmmi_spgemm_longs *longs)
{
    uint64_t numbers = 0;
    for (uint32_t i = 0; i < longs->stretch_count; i++) {
        assert_true(longs->order[i] < longs->stretch_count);
        assert_true(i + 1 == longs->stretch_count || is_ordered(longs, i));
        numbers += longs->order[i];
    }
    assert_true(longs->stretch_count == 0 ||
                numbers == (uint64_t)longs->stretch_count * (longs->stretch_count - 1) / 2);
}

#define ROUNDED 320 /* rounding of five blocks to 64 bytes each */

static void expect_within(const struct scene *s, int has_all, uint64_t budget, spmm_status_t expected)
{
    struct spmmi_spgemm_longs longs = {.count = 0};
    spmm_diag_t diag = {.status = SPMM_OK};
    uint64_t bytes = 0;
    test_counting_peak_reset();
    assert_int_equal(spmmi_spgemm_longs_make(&s->stage, has_all, budget, &longs, &bytes, &diag), expected);
    assert_int_equal(diag.status, expected);
    assert_in_range(test_counting_peak(), 0, budget + ROUNDED);
    if (expected != SPMM_OK)
        assert_true(longs.count == 0 && longs.words == NULL);
    spmmi_spgemm_longs_free(&longs);
}

static void lists_take_the_memory_that_they_say(void **state)
{
    static const struct {
        const struct test_pattern *right;
        int64_t piece; /* products of a piece: enough for long entries, or not, or far too few */
        int has_all;
        uint32_t lists;
    } cases[] = {{&narrow, INT64_MAX, 0, 2}, {&narrow, INT64_MAX, 1, 2}, {&narrow, 13000, 1, 2},
                 {&narrow, 1, 1, 0},         {&wide, 5000, 0, 2},        {&wide, 5000, 1, 4},
                 {&full, INT64_MAX, 1, 30}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int has_all = cases[i].has_all;
        struct scene s = scene_of(&left, cases[i].right, cases[i].piece);
        struct spmmi_spgemm_longs longs = {.count = 0};
        const uint64_t counts = (uint64_t)s.stage.task.right.cols * sizeof(uint32_t);
        uint64_t bytes = 0;
        assert_int_equal(spmmi_spgemm_longs_make(&s.stage, has_all, UINT64_MAX, &longs, &bytes, NULL),
                         SPMM_OK);
        assert_int_equal(longs.count, cases[i].lists);
        expect_lists(&s, &longs);
        expect_order(&longs);
        expect_within(&s, has_all, counts + bytes, SPMM_OK);
        if (bytes > 0) {
            expect_within(&s, has_all, counts + bytes - 1, SPMM_ERR_PLAN_BUDGET);
            expect_within(&s, has_all, bytes, SPMM_ERR_PLAN_BUDGET);
        }
        expect_within(&s, has_all, counts - 1, SPMM_ERR_PLAN_BUDGET);
        expect_within(&s, has_all, 0, SPMM_ERR_PLAN_BUDGET);
        spmmi_spgemm_longs_free(&longs);
        scene_free(&s);
    }
}

/* All rows have exactly one stretch, so nothing is counted and even a budget of 0 is enough. */
static void without_long_rows_nothing_is_taken(void **state)
{
    struct scene s = scene_of(&none, &narrow, INT64_MAX);
    (void)state;
    expect_within(&s, 1, 0, SPMM_OK);
    scene_free(&s);
}

#define SLICES 6
#define PIECE 6002 /* entries of the row in the first piece: 2 products each, 4 x 3001 or more */

static void expect_soles(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_soles *soles)
{
    const int64_t c_end = stage->c.row_ptr[1], most = spmmi_spgemm_slice_of(c_end);
    int slices = 0, mixed = 0;
    for (int64_t q = 0, own; (own = spmmi_spgemm_next_slice(stage, &q, c_end, most)) > 0; q += own) {
        // The range of entries of the row that the slice multiplies.
        const int64_t first = 3 * (q - 1), end = first + 3 * own;
        const int is_mixed = first < PIECE && end > PIECE;
        assert_int_equal(spmmi_spgemm_sole_piece(soles, q), is_mixed ? -1 : first < PIECE ? 0 : PIECE);
        mixed += is_mixed;
        slices++;
    }
    assert_true(slices == SLICES && mixed == 1);
    assert_int_equal(spmmi_spgemm_sole_piece(soles, 0), -1); /* entry 0 is long */
}

/* Makes a row with a long entry and others, in pieces. */
static struct scene scene_beside(const struct test_pattern *right, struct spmmi_spgemm_longs *longs)
{
    struct scene s = scene_of(&dense, right, 5000);
    uint64_t bytes = 0;
    *longs = (struct spmmi_spgemm_longs){.count = 0};
    assert_int_equal(spmmi_spgemm_longs_make(&s.stage, 1, UINT64_MAX, longs, &bytes, NULL), SPMM_OK);
    assert_int_equal(longs->count, 1);
    s.stage.longs = longs;
    return s;
}

static void slices_of_one_piece_are_found(void **state)
{
    struct spmmi_spgemm_longs longs;
    struct scene s = scene_beside(&few, &longs);
    struct spmmi_spgemm_soles soles;
    const uint64_t bytes = SLICES * (sizeof *soles.of + sizeof(int64_t)) + 3001 * sizeof(uint32_t);
    (void)state;
    assert_int_equal(spmmi_spgemm_soles_make(&s.stage, bytes, &soles, NULL), SPMM_OK);
    assert_int_equal(soles.count, SLICES - 1);
    assert_int_equal(soles.bytes, SLICES * sizeof *soles.of);
    expect_soles(&s.stage, &soles);
    spmmi_spgemm_soles_free(&soles);
    assert_int_equal(spmmi_spgemm_soles_make(&s.stage, bytes - 1, &soles, NULL), SPMM_OK);
    assert_true(soles.count == 0 && soles.bytes == 0); /* too little memory: no soles */
    spmmi_spgemm_longs_free(&longs);
    scene_free(&s);
}

/* Makes items with positions within this memory. */
static spmm_status_t make_items(const struct scene *s, uint64_t host_left)
{
    static const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER,
                                                      SPMMI_SPGEMM_NEVER, SPMM_F64};
    struct spmmi_spgemm_items items;
    const spmm_status_t status = spmmi_spgemm_items_make(&s->stage, &wanted, 1, host_left, &items, NULL);
    spmmi_spgemm_items_free(&items);
    return status;
}

/* Returns the least memory that is enough for the items, by bisection. It assumes that more memory is enough
 * too. */
static uint64_t bytes_of_items(const struct scene *s)
{
    uint64_t least = 1 << 18, enough = 1 << 19;
    assert_int_equal(make_items(s, least), SPMM_ERR_PLAN_BUDGET);
    while (least < enough) {
        const uint64_t half = least + (enough - least) / 2;
        const spmm_status_t status = make_items(s, half);
        least = status == SPMM_OK ? least : half + 1;
        enough = status == SPMM_OK ? half : enough;
    }
    return least;
}

/* Finds memory that is enough and checks that more is enough too. */
static void check_more(const struct scene *s, uint64_t first)
{
    uint64_t enough = first;
    while (make_items(s, enough) == SPMM_ERR_PLAN_BUDGET)
        enough += 8;
    for (uint64_t more = 8; more < 160; more += 8)
        assert_int_equal(make_items(s, enough + more), SPMM_OK);
}

/* The search for soles needs a count per column, so it depends on the budget. If these counts need about as
 * much memory as the items, the items must fit beside the result of the search, which finds no sole here, or
 * do without it. */
static void more_memory_is_enough_for_items_too(void **state)
{
    static struct test_pattern far = {"far beside a long one", 9000, 3001, far_beside};
    struct spmmi_spgemm_longs longs;
    struct scene s = scene_beside(&far, &longs);
    const uint64_t items = bytes_of_items(&s);
    (void)state;
    for (uint64_t less = 108; less <= 132; less += 24) {
        spmmi_spgemm_longs_free(&longs);
        scene_free(&s);
        far.cols = (int64_t)((items - less) / sizeof(uint32_t));
        s = scene_beside(&far, &longs);
        check_more(&s, items - 96);
    }
    spmmi_spgemm_longs_free(&longs);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_take_the_memory_that_they_say),
        cmocka_unit_test(without_long_rows_nothing_is_taken),
        cmocka_unit_test(slices_of_one_piece_are_found),
        cmocka_unit_test(more_memory_is_enough_for_items_too),
    };
    test_counting_allocator_set();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
