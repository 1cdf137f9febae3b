/* SPDX-License-Identifier: Apache-2.0 */
/* The pulls of a sparse product on a GPU: each entry of C is in exactly one pull, with all its products in
 * ascending order of k. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "kernels/spgemm/spgemm_items.h"
#include "kernels/spgemm/spgemm_pulls.h"
#include "tests/support/sparse_scene.h"

#define LONG_LIST 700 /* products of one entry of C, more than a pull of several entries can have */

#define BLOCKS_ROUNDED 2048 /* maximum bytes by which the rounding of blocks exceeds a budget */

TEST_PATTERN(every, true)
TEST_PATTERN(five_points, i == j || i == j + 1 || j == i + 1 || i == j + 30 || j == i + 30)
TEST_PATTERN(band, i < j + 16 && j < i + 16)
TEST_PATTERN(narrow_band, i < j + 7 && j < i + 8)
TEST_PATTERN(band_and_row, i == 0 || (i < j + 16 && j < i + 16))
TEST_PATTERN(hub, i == 0 || j == 0 || i == j)
TEST_PATTERN(chance, test_chance(i, j, 9))
TEST_PATTERN(gaps, i % 3 == 0 && test_chance(i, j, 20))
TEST_PATTERN(one_column, j == 0)
TEST_PATTERN(blocks_and_points, i < 600 ? i / 12 == j / 12 : i < j + 2 && j < i + 2 && j >= 600)
TEST_PATTERN(first_row, i == 0)
TEST_PATTERN(blocks_of_80, j / 80 == i)
TEST_PATTERN(six_of_25, j / 25 == i / 80 && (j + 25 - 4 * i % 25) % 25 < 6) /* 19 products per entry of C */
TEST_PATTERN(three_each, j / 3 == i)
TEST_PATTERN(stairs, j < 260 + 20 * i)
TEST_PATTERN(ten_each, (j - 31 * i % 1000 + 1000) % 1000 < 10)

/* A product A B with the pattern of C. */
struct scene {
    struct test_sparse_scene of;
    struct spmmi_spgemm_unit unit;
    struct spmmi_spgemm_stage stage;
    struct spmmi_spgemm_items items;
};

static struct scene scene_of(const struct test_pattern *a, const struct test_pattern *b, int is_lower)
{
    struct scene s = {.unit.partial = -1};
    s.of = test_sparse_scene_of(a, b, is_lower, &s.stage);
    s.unit.row_end = s.of.a->rows;
    s.stage.taken = is_lower ? test_sparse_room(s.of.a->nnz, sizeof *s.stage.taken) : NULL;
    for (int64_t i = 0; i < s.of.a->rows; i++)
        for (int64_t p = s.of.a->row_ptr[i]; p < s.of.a->row_ptr[i + 1]; p++) {
            const int64_t *const of = s.of.b->row_ptr + s.of.a->col_ind[p];
            int64_t end = of[0];
            while (end < of[1] && (!is_lower || s.of.b->col_ind[end] <= i))
                end++;
            s.stage.products += (uint64_t)(end - of[0]);
            if (is_lower)
                s.stage.taken[p] = (int32_t)(end - of[0]);
        }
    return s;
}

static void make(struct scene *s, enum spmmi_spgemm_choice pulls, spmm_dtype_t dtype)
{
    const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, pulls, SPMMI_SPGEMM_NEVER, dtype};
    s->stage.units = &s->unit;
    s->stage.unit_count = 1;
    assert_int_equal(spmmi_spgemm_items_make(&s->stage, &wanted, 1, UINT64_MAX, &s->items, NULL), SPMM_OK);
}

static void scene_free(struct scene *s)
{
    spmmi_spgemm_items_free(&s->items);
    free(s->stage.taken);
    test_sparse_scene_free(&s->of);
}

/* A product in a pull: indices of an entry of the left factor and of an entry of the right factor. */
struct product {
    int64_t p, q;
};

/* Returns the start of the row of the right factor that entry p of the left factor multiplies. */
static int64_t start_of(const struct spmmi_spgemm_items *items, int64_t p)
{
    return items->starts[p >> items->start_shift] +
           (int64_t)(items->near_starts != NULL ? items->near_starts[p] : 0);
}

/* Finds the products of a pull in the same way as the kernels. */
static void find_products(const struct scene *s, uint32_t i, struct product *products)
{
    const struct spmmi_spgemm_pull *pull = &s->items.pulls[i];
    const struct spmmi_spgemm_pull_counts counts = spmmi_spgemm_pull_unpack(pull->counts);
    const uint32_t *const words = s->items.words + s->items.words_at[i];
    const uint32_t chunks = counts.entries == 1 ? 0 : (counts.products + 31) / 32;
    uint32_t run = 0, begin = 0;
    for (uint32_t at = 0; at < counts.products; at++) {
        if (at > 0 && (chunks == 0 || (words[at / 32] >> at % 32 & 1) != 0)) {
            run++;
            begin = at;
        }
        const uint32_t word = counts.bits > 0 ? words[2 * chunks + run] : run;
        const int64_t p = pull->first + (int64_t)(word >> counts.bits);
        const int64_t *const b = s->of.b->row_ptr + s->of.a->col_ind[p];
        products[at] =
            (struct product){p, start_of(&s->items, p) + (word & ((1u << counts.bits) - 1)) + at - begin};
        assert_in_range(products[at].q, b[0], b[1] - 1);
    }
    assert_int_equal(run + 1, counts.runs);
}

/* Checks that the products of an entry ascend in k and that none is missing. Returns their number. */
static uint32_t expect_entry(const struct scene *s, const struct product *products, uint32_t count,
                             int64_t row, int64_t entry)
{
    uint32_t found = 0, expected = 0;
    int64_t last = -1;
    for (uint32_t at = 0; at < count; at++) {
        const struct product *x = &products[at];
        if (x->p < s->of.a->row_ptr[row] || x->p >= s->of.a->row_ptr[row + 1] ||
            s->of.b->col_ind[x->q] != s->of.c_col_ind[entry])
            continue;
        assert_true(x->p > last);
        last = x->p;
        found++;
    }
    for (int64_t p = s->of.a->row_ptr[row]; p < s->of.a->row_ptr[row + 1]; p++)
        expected += (uint32_t)test_matrix_stores(s->of.b, s->of.a->col_ind[p], s->of.c_col_ind[entry]);
    assert_int_equal(found, expected);
    return found;
}

/* Returns the index of the pull that begins with an entry of C. */
static uint32_t pull_of(const struct scene *s, int64_t entry)
{
    uint32_t i = 0;
    while (i < s->items.pull_count && s->items.pulls[i].out != entry)
        i++;
    assert_true(i < s->items.pull_count);
    return i;
}

/* A row with thousands of entries of the left factor, split over hundreds of pulls. */
static void long_rows_are_pulled_part_by_part(void **state)
{
    static const struct test_pattern a = {"first row", 1, 20000, first_row},
                                     b = {"ten each", 20000, 1000, ten_each};
    struct scene s = scene_of(&a, &b, 0);
    uint64_t products = 0;
    (void)state;
    make(&s, SPMMI_SPGEMM_WHEREVER, SPMM_F64);
    for (uint32_t i = 0; i < s.items.pull_count; i++)
        products += spmmi_spgemm_pull_unpack(s.items.pulls[i].counts).products;
    assert_int_equal(products, s.stage.products);
    assert_int_equal(s.items.pull_count, 1000); /* one per entry: 200 products are too many runs */
    scene_free(&s);
}

/* Returns the number of the piece of its row that entry p of the left factor belongs to. *pieces: number of
 * pieces of the row, 0 if it is not cut. */
static uint32_t piece_of(const struct scene *s, int64_t p, uint32_t *pieces)
{
    uint32_t piece = 0;
    *pieces = 0;
    for (int64_t u = 0; u < s->stage.unit_count; u++) {
        const struct spmmi_spgemm_unit *unit = &s->stage.units[u];
        if (unit->partial < 0 || p < s->of.a->row_ptr[unit->row] || p >= s->of.a->row_ptr[unit->row + 1])
            continue;
        piece += unit->end <= p;
        ++*pieces;
    }
    return piece;
}

/* Checks that the runs of a row that is cut have the right ends of pieces. */
static void expect_pieces(const struct scene *s, uint32_t i)
{
    const struct spmmi_spgemm_pull *pull = &s->items.pulls[i];
    const struct spmmi_spgemm_pull_counts counts = spmmi_spgemm_pull_unpack(pull->counts);
    const uint32_t *const words = s->items.words + s->items.words_at[i],
                          *const runs = words + (counts.entries == 1 ? 0 : (counts.products + 31) / 32 * 2),
                          *const of_pieces = words + spmmi_spgemm_pull_pieces_at(counts);
    uint32_t pieces = 0, last = 0;
    (void)piece_of(s, pull->first, &pieces);
    assert_int_equal(counts.is_cut, pieces > 0);
    if (pieces == 0)
        return;
    assert_int_equal(of_pieces[0], pieces);
    for (uint32_t r = 0; r < counts.runs; r++) {
        const uint32_t piece = piece_of(s, pull->first + (int64_t)(runs[r] >> counts.bits), &pieces);
        assert_int_equal(of_pieces[1 + r / 32] >> r % 32 & 1, r > 0 && piece != last);
        last = piece;
    }
}

/* Checks all pulls. unpulled: the only row without pulls, or -1. */
static void expect_pulls(const struct scene *s, int64_t unpulled)
{
    struct product *products = test_sparse_room(LONG_LIST, sizeof *products);
    int64_t row = 0, entry = 0;
    assert_int_equal(s->items.count, unpulled >= 0);
    for (uint32_t turn = 0; turn < s->items.pull_count; turn++) {
        if (unpulled >= 0 && entry == s->of.c_row_ptr[unpulled])
            entry = s->of.c_row_ptr[unpulled + 1];
        const uint32_t i = pull_of(s, entry);
        const struct spmmi_spgemm_pull_counts counts = spmmi_spgemm_pull_unpack(s->items.pulls[i].counts);
        uint32_t found = 0;
        assert_int_equal(spmmi_spgemm_pull_pack(counts), s->items.pulls[i].counts);
        assert_true(counts.entries == 1 ||
                    (counts.products <= SPMMI_SPGEMM_PULL && counts.runs <= SPMMI_SPGEMM_PULL_RUNS));
        assert_true(counts.products <= LONG_LIST);
        find_products(s, i, products);
        expect_pieces(s, i);
        for (uint32_t e = 0; e < counts.entries; e++, entry++) {
            while (s->of.c_row_ptr[row + 1] <= entry)
                row++;
            found += expect_entry(s, products, counts.products, row, entry);
        }
        assert_int_equal(found, counts.products);
    }
    assert_int_equal(entry, s->of.c_row_ptr[s->of.a->rows]);
    assert_true(s->items.are_mostly_pulled || s->stage.products == 0);
    free(products);
}

/* Short rows in common pulls, long rows in several, entries with hundreds of products, empty rows, rows of
 * one entry. */
static void every_entry_is_pulled_with_its_products(void **state)
{
    static const struct test_pattern left[] = {{"five points", 300, 300, five_points},
                                               {"hub", 400, 400, hub},
                                               {"chance", 120, 150, chance},
                                               {"gaps", 200, 200, gaps},
                                               {"every", 3, LONG_LIST, every},
                                               {"one column", 300, 5, one_column}},
                                     right[] = {
                                         {"five points", 300, 300, five_points}, {"hub", 400, 400, hub},
                                         {"chance", 150, 700, chance},           {"gaps", 200, 200, gaps},
                                         {"every", LONG_LIST, 2, every},         {"every", 5, 1, every}};
    (void)state;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct scene s = scene_of(&left[i], &right[i], 0);
        make(&s, SPMMI_SPGEMM_WHEREVER, SPMM_F64);
        expect_pulls(&s, -1);
        scene_free(&s);
    }
}

/* Only entries of the lower triangle, and units that several threads share. The number of threads must not
 * matter. */
static void pulls_of_a_lower_triangle_are_those_of_any_threads(void **state)
{
    enum { UNITS = 4, ROWS = 300 };
    static const struct test_pattern patterns[] = {
        {"chance", ROWS, ROWS, chance}, {"hub", ROWS, ROWS, hub}, {"five points", ROWS, ROWS, five_points}};
    const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_WHEREVER, SPMMI_SPGEMM_NEVER,
                                               SPMM_F64};
    (void)state;
    for (size_t k = 0; k < 2 * sizeof patterns / sizeof *patterns; k++) {
        struct scene s = scene_of(&patterns[k / 2], &patterns[k / 2], k % 2 == 1);
        struct spmmi_spgemm_unit units[UNITS];
        struct spmmi_spgemm_items other;
        for (int64_t u = 0; u < UNITS; u++)
            units[u] = (struct spmmi_spgemm_unit){
                .row = u * ROWS / UNITS, .row_end = (u + 1) * ROWS / UNITS, .partial = -1};
        s.stage.units = units;
        s.stage.unit_count = UNITS;
        assert_int_equal(spmmi_spgemm_items_make(&s.stage, &wanted, 1, UINT64_MAX, &s.items, NULL), SPMM_OK);
        assert_int_equal(spmmi_spgemm_items_make(&s.stage, &wanted, 4, UINT64_MAX, &other, NULL), SPMM_OK);
        expect_pulls(&s, -1);
        assert_int_equal(other.pull_count, s.items.pull_count);
        assert_int_equal(other.word_count, s.items.word_count);
        assert_memory_equal(other.pulls, s.items.pulls, other.pull_count * sizeof *other.pulls);
        assert_memory_equal(other.words_at, s.items.words_at, other.pull_count * sizeof *other.words_at);
        assert_memory_equal(other.words, s.items.words, other.word_count * sizeof *other.words);
        spmmi_spgemm_items_free(&other);
        scene_free(&s);
    }
}

/* Rows that the plan cuts, with few products and with many, among other rows. Entries have products in one
 * piece, in some pieces, or in all. */
static void rows_that_are_cut_are_pulled_with_their_pieces(void **state)
{
    static const struct test_pattern patterns[] = {
        {"hub", 400, 400, hub}, {"chance", 120, 120, chance}, {"band and a row", 400, 400, band_and_row}};
    static const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_WHEREVER,
                                                      SPMMI_SPGEMM_NEVER, SPMM_F64};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct scene s = scene_of(&patterns[i], &patterns[i], 0);
        const int64_t *a = s.of.a->row_ptr, rows = s.of.a->rows, entries = s.of.c_row_ptr[1];
        assert_true(a[1] > 3 && a[8] > a[7] + 1);
        struct spmmi_spgemm_unit units[] = {
            {.row = 0, .row_end = 1, .first = 0, .end = 2, .partial = 0},
            {.row = 0, .row_end = 1, .first = 2, .end = 3, .partial = entries},
            {.row = 0, .row_end = 1, .first = 3, .end = a[1], .partial = 2 * entries},
            {.row = 1, .row_end = 7, .partial = -1},
            {.row = 7, .row_end = 8, .first = a[7], .end = a[7] + 1, .partial = 3 * entries},
            {.row = 7, .row_end = 8, .first = a[7] + 1, .end = a[8], .partial = 4 * entries},
            {.row = 8, .row_end = rows, .partial = -1}};
        struct spmmi_spgemm_cut cuts[] = {{0, 0, 3}, {7, 3 * entries, 2}};
        s.stage.units = units;
        s.stage.unit_count = sizeof units / sizeof *units;
        s.stage.cuts = cuts;
        s.stage.cut_count = 2;
        s.stage.partials = INT64_C(1) << 32; /* more than items could have */
        assert_int_equal(spmmi_spgemm_items_make(&s.stage, &wanted, 2, UINT64_MAX, &s.items, NULL), SPMM_OK);
        expect_pulls(&s, -1);
        assert_int_equal(s.items.join_count, 0);
        scene_free(&s);
    }
}

/* A row in two pieces, with the default choice: it is pulled if the other rows are. Otherwise it keeps its
 * items. */
static void rows_that_are_cut_are_pulled_where_all_are(void **state)
{
    static const struct test_pattern patterns[] = {{"five points", 900, 900, five_points},
                                                   {"band and a row", 400, 400, band_and_row}};
    static const struct spmmi_spgemm_wanted by_rule = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_BY_RULE,
                                                       SPMMI_SPGEMM_NEVER, SPMM_F64};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct scene s = scene_of(&patterns[i], &patterns[i], 0);
        struct spmmi_spgemm_unit units[] = {
            {.row = 0, .row_end = 1, .first = 0, .end = 2, .partial = 0},
            {.row = 0, .row_end = 1, .first = 2, .end = s.of.a->row_ptr[1], .partial = s.of.c_row_ptr[1]},
            {.row = 1, .row_end = s.of.a->rows, .partial = -1}};
        struct spmmi_spgemm_cut cut = {0, 0, 2};
        s.stage.units = units;
        s.stage.unit_count = sizeof units / sizeof *units;
        s.stage.cuts = &cut;
        s.stage.cut_count = 1;
        assert_int_equal(spmmi_spgemm_items_make(&s.stage, &by_rule, 1, UINT64_MAX, &s.items, NULL), SPMM_OK);
        assert_int_equal(s.items.pull_count > 0, i == 0);
        assert_int_equal(s.items.join_count > 0, i == 1);
        assert_int_equal(s.items.count == 0, i == 0);
        scene_free(&s);
    }
}

/* Rows before and after a row without pulls are not combined. */
static void no_pull_goes_beyond_a_row_that_is_none(void **state)
{
    static const struct test_pattern a = {"five points", 300, 300, five_points};
    struct scene s = scene_of(&a, &a, 0);
    struct spmmi_spgemm_cut cut = {.row = 100, .pieces = 1};
    (void)state;
    s.stage.cuts = &cut;
    s.stage.cut_count = 1;
    make(&s, SPMMI_SPGEMM_WHEREVER, SPMM_F64);
    expect_pulls(&s, cut.row);
    scene_free(&s);
}

/* Rows that groups process are not pulled. */
static void groups_and_pulls_share_a_product(void **state)
{
    static const struct test_pattern a = {"blocks and points", 900, 900, blocks_and_points};
    const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_WHEREVER, SPMMI_SPGEMM_WHEREVER,
                                               SPMMI_SPGEMM_NEVER, SPMM_F64};
    struct scene s = scene_of(&a, &a, 0);
    int64_t entries = 0;
    (void)state;
    s.stage.units = &s.unit;
    s.stage.unit_count = 1;
    assert_int_equal(spmmi_spgemm_items_make(&s.stage, &wanted, 1, UINT64_MAX, &s.items, NULL), SPMM_OK);
    assert_int_equal(s.items.count, 200); /* three rows each */
    for (uint32_t i = 0; i < s.items.pull_count; i++) {
        assert_true(s.items.pulls[i].out >= s.of.c_row_ptr[600]);
        entries += spmmi_spgemm_pull_unpack(s.items.pulls[i].counts).entries;
    }
    assert_int_equal(entries, s.of.c_row_ptr[900] - s.of.c_row_ptr[600]);
    scene_free(&s);
}

/* The largest counts that can be packed, and rows that are too long for them. */
static void counts_hold_their_limits(void **state)
{
    static const struct spmmi_spgemm_pull_counts most[] = {
        {SPMMI_SPGEMM_PULL, 31, SPMMI_SPGEMM_PULL, SPMMI_SPGEMM_PULL_RUNS, 1},
        {1, 31, SPMMI_SPGEMM_PULL_LONGEST, SPMMI_SPGEMM_PULL_LONGEST, 1},
        {1, 31, SPMMI_SPGEMM_PULL_LONGEST, SPMMI_SPGEMM_PULL_LONGEST, 0},
        {1, 0, 1, 1, 0},
        {2, 9, 2, 1, 0}};
    const int64_t longest = SPMMI_SPGEMM_PULL_LONGEST,
                  limit = (1 << 13) - 1; /* 19 bits are left for entries of the row */
    int64_t left[] = {0, longest}, right[] = {0, limit}, out[] = {0, limit};
    int32_t *const columns = test_sparse_room(longest + 1, sizeof *columns);
    struct spmmi_spgemm_stage stage = {
        .task = {{1, 1, left, columns}, {1, (int32_t)limit + 1, right, NULL}, 0},
        .c = {1, (int32_t)limit + 1, out, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        const struct spmmi_spgemm_pull_counts found =
            spmmi_spgemm_pull_unpack(spmmi_spgemm_pull_pack(most[i]));
        assert_memory_equal(&found, &most[i], sizeof found);
    }
    assert_true(spmmi_spgemm_pulls_can(&stage, 0));
    right[1]++;
    assert_false(spmmi_spgemm_pulls_can(&stage, 0));
    right[1]--;
    left[1]++;
    assert_false(spmmi_spgemm_pulls_can(&stage, 0));
    free(columns);
}

/* Rows with few entries, whose steps are mostly idle, are pulled, and rows whose long lists would delay
 * others. Rows that fill their steps are not pulled, nor entries with many products. Between these limits f32
 * rows are pulled, because their pulls are faster. If one list is long, only its row is pulled. */
static void pulls_are_taken_by_rule(void **state)
{
    enum pulled { NONE, FIRST_ROW, ALL };
    static const struct {
        struct test_pattern left, right;
        spmm_dtype_t dtype;
        enum pulled pulled;
    } cases[] = {
        {{"five points", 900, 900, five_points}, {"five points", 900, 900, five_points}, SPMM_F64, ALL},
        {{"band", 400, 400, band}, {"band", 400, 400, band}, SPMM_F64, NONE},
        {{"narrow band", 2000, 2000, narrow_band}, {"narrow band", 2000, 2000, narrow_band}, SPMM_F64, NONE},
        {{"narrow band", 2000, 2000, narrow_band}, {"narrow band", 2000, 2000, narrow_band}, SPMM_F32, ALL},
        {{"band and a row", 400, 400, band_and_row}, {"band", 400, 400, band}, SPMM_F64, FIRST_ROW},
        {{"blocks", 60, 4800, blocks_of_80}, {"six of 25", 4800, 1500, six_of_25}, SPMM_F32, NONE},
        {{"every", 20, 171, every}, {"three each", 171, 513, three_each}, SPMM_F64, ALL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = scene_of(&cases[i].left, &cases[i].right, 0);
        make(&s, SPMMI_SPGEMM_BY_RULE, cases[i].dtype);
        assert_int_equal(s.items.pull_count > 0, cases[i].pulled != NONE);
        assert_int_equal(s.items.count == 0, cases[i].pulled == ALL);
        for (uint32_t k = 0; cases[i].pulled == FIRST_ROW && k < s.items.pull_count; k++)
            assert_true(s.items.pulls[k].out < s.of.c_row_ptr[1]);
        scene_free(&s);
    }
}

/* Returns what a budget allows: 0 (refused), 1 (items alone) or 2 (pulls). Checks that no more memory is
 * allocated, up to the rounding of blocks. */
static int within(struct scene *s, enum spmmi_spgemm_choice pulls, uint64_t budget)
{
    const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, pulls, SPMMI_SPGEMM_BY_RULE, SPMM_F64};
    s->stage.units = &s->unit;
    s->stage.unit_count = 1;
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmmi_spgemm_items_make(&s->stage, &wanted, 1, budget, &s->items, NULL);
    if (spmmi_alloc_peak_bytes() > budget + BLOCKS_ROUNDED)
        fail_msg("%llu bytes were taken, %llu were allowed", (unsigned long long)spmmi_alloc_peak_bytes(),
                 (unsigned long long)budget);
    assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
    const int given = status != SPMM_OK ? 0 : s->items.pull_count > 0 ? 2 : 1;
    spmmi_spgemm_items_free(&s->items);
    return given;
}

/* A larger budget never gives less. Pulls that were requested are made, or the budget is refused. */
static void no_budget_is_too_large(void **state)
{
    static const struct test_pattern five = {"five points", 900, 900, five_points},
                                     row = {"band and a row", 400, 400, band_and_row};
    const struct test_pattern *const patterns[] = {&five, &row};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct scene s = scene_of(patterns[i], patterns[i], 0);
        int by_rule = 0, forced = 0;
        for (uint64_t budget = 1000; forced < 2; budget += 1000) {
            const int now = within(&s, SPMMI_SPGEMM_BY_RULE, budget),
                      pulled = within(&s, SPMMI_SPGEMM_WHEREVER, budget);
            assert_true(now >= by_rule);
            assert_true(pulled >= forced && pulled != 1);
            by_rule = now;
            forced = pulled;
        }
        assert_int_equal(within(&s, SPMMI_SPGEMM_BY_RULE, INT64_MAX), 2);
        scene_free(&s);
    }
}

/* An entry with hundreds of products is started first, so that the others run beside it. */
static void the_longest_pulls_come_first(void **state)
{
    static const struct test_pattern a = {"hub", 400, 400, hub};
    struct scene s = scene_of(&a, &a, 0);
    (void)state;
    make(&s, SPMMI_SPGEMM_WHEREVER, SPMM_F64);
    assert_int_equal(spmmi_spgemm_pull_unpack(s.items.pulls[0].counts).products, 400);
    for (uint32_t i = 2; i < s.items.pull_count; i++) /* the others are in row order */
        assert_true(s.items.pulls[i].out > s.items.pulls[i - 1].out);
    scene_free(&s);
    static const struct test_pattern left = {"stairs", 6, 400, stairs}, right = {"every", 400, 1, every};
    s = scene_of(&left, &right, 0);
    make(&s, SPMMI_SPGEMM_WHEREVER, SPMM_F64);
    expect_pulls(&s, -1);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(spmmi_spgemm_pull_unpack(s.items.pulls[i].counts).products, 360 - 20 * i);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_pulled_with_its_products),
        cmocka_unit_test(the_longest_pulls_come_first),
        cmocka_unit_test(long_rows_are_pulled_part_by_part),
        cmocka_unit_test(pulls_of_a_lower_triangle_are_those_of_any_threads),
        cmocka_unit_test(rows_that_are_cut_are_pulled_with_their_pieces),
        cmocka_unit_test(rows_that_are_cut_are_pulled_where_all_are),
        cmocka_unit_test(no_pull_goes_beyond_a_row_that_is_none),
        cmocka_unit_test(groups_and_pulls_share_a_product),
        cmocka_unit_test(counts_hold_their_limits),
        cmocka_unit_test(no_budget_is_too_large),
        cmocka_unit_test(pulls_are_taken_by_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
