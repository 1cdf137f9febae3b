/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a sparse product on a GPU and their order. The matrices have row pointers only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/spgemm/spgemm_items.h"

static const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER,
                                                  SPMM_F64};

#define SHORT_PARTS 20
#define PART 17     /* products of a part; with fewer, 32 parts side by side need fewer steps */
#define ENTRIES 300 /* entries per row of C, so positions have two bytes */

/* Row 0 multiplies one row of 300 entries, in 10 steps of 32 lanes. Row 1 has 340 products from 20 rows of 17
 * entries, which need one step each. */
static void wide_items_are_in_the_order_of_their_steps(void **state)
{
    (void)state;
    static const int64_t left[] = {0, 1, 1 + SHORT_PARTS}, right[] = {0, ENTRIES, ENTRIES + PART},
                         c[] = {0, ENTRIES, 2 * ENTRIES};
    int32_t columns[1 + SHORT_PARTS] = {0};
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = 2, .partial = -1};
    struct spmmi_spgemm_items items;
    for (int p = 1; p <= SHORT_PARTS; p++)
        columns[p] = 1;
    const struct spmmi_spgemm_stage stage = {.task = {{2, 2, left, columns}, {2, ENTRIES, right, NULL}, 0},
                                             .c = {2, ENTRIES, c, NULL},
                                             .units = &unit,
                                             .unit_count = 1};
    assert_int_equal(spmmi_spgemm_items_make(&stage, &wanted, 1, UINT64_MAX, &items, NULL), SPMM_OK);
    assert_int_equal(items.count, 2);
    assert_int_equal(items.bins.count, 1);
    assert_int_equal(items.bins.bin[0].lanes, 32);
    assert_int_equal(items.bins.bin[0].is_narrow, 0);
    assert_int_equal(items.c_at[0], ENTRIES);
    assert_int_equal(items.positions.keys[0],
                     8 * PART * SHORT_PARTS + 1); /* products, and positions of two bytes */
    assert_int_equal(items.positions.keys[1], 8 * ENTRIES + 1);
    spmmi_spgemm_items_free(&items);
}

/* Row 0 of the right factor has 300 entries, row 1 has 100. Nine rows multiply the first and are three groups
 * with wide positions; three rows multiply the second and are one group with narrow positions. */
static void groups_with_few_items_are_first(void **state)
{
    (void)state;
    enum { WIDE = 9, NARROW = 3, ROWS = WIDE + NARROW, FEW = 100 };
    static const int64_t right[] = {0, ENTRIES, ENTRIES + FEW};
    static const struct spmmi_spgemm_wanted groups = {SPMMI_SPGEMM_WHEREVER, SPMMI_SPGEMM_NEVER,
                                                      SPMMI_SPGEMM_NEVER, SPMM_F64};
    int64_t left[ROWS + 1] = {0}, c[ROWS + 1] = {0};
    int32_t columns[ROWS], of_right[ENTRIES + FEW];
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = ROWS, .partial = -1};
    struct spmmi_spgemm_items items;
    for (int j = 0; j < ENTRIES + FEW; j++)
        of_right[j] = j < ENTRIES ? j : j - ENTRIES;
    for (int i = 0; i < ROWS; i++) {
        columns[i] = i >= WIDE;
        left[i + 1] = i + 1;
        c[i + 1] = c[i] + (i < WIDE ? ENTRIES : FEW);
    }
    const struct spmmi_spgemm_stage stage = {
        .task = {{ROWS, 2, left, columns}, {2, ENTRIES, right, of_right}, 0},
        .c = {ROWS, ENTRIES, c, NULL},
        .units = &unit,
        .unit_count = 1};
    assert_int_equal(spmmi_spgemm_items_make(&stage, &groups, 1, UINT64_MAX, &items, NULL), SPMM_OK);
    assert_int_equal(items.group_count, 2);
    assert_int_equal(items.groups[0].bin.count, 1);
    assert_int_equal(items.groups[0].entries, FEW);
    assert_int_equal(items.c_at[items.groups[0].bin.first], WIDE * ENTRIES);
    assert_int_equal(items.groups[1].bin.count, WIDE / SPMMI_SPGEMM_GROUP);
    assert_int_equal(items.groups[1].entries, ENTRIES);
    spmmi_spgemm_items_free(&items);
}

/* Returns the only bin of a row, or of a piece of a row, that multiplies `length` rows of `each` entries and
 * has this number of entries of C. */
static struct spmmi_spgemm_bin bin_of(int64_t length, int64_t each, int64_t entries, int is_piece)
{
    const int64_t left[] = {0, length}, right[] = {0, each}, c[] = {0, entries};
    int32_t columns[1024] = {0};
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = 1, .end = length, .partial = is_piece ? 0 : -1};
    struct spmmi_spgemm_items items;
    const struct spmmi_spgemm_stage stage = {.task = {{1, 1, left, columns}, {1, entries, right, NULL}, 0},
                                             .c = {1, entries, c, NULL},
                                             .units = &unit,
                                             .unit_count = 1};
    assert_int_equal(spmmi_spgemm_items_make(&stage, &wanted, 1, UINT64_MAX, &items, NULL), SPMM_OK);
    const struct spmmi_spgemm_bin bin = items.bins.bin[0];
    spmmi_spgemm_items_free(&items);
    return bin;
}

/* Few rows: if the latency of a round favours no width, the fewest steps decide. Long lists of single
 * products do not go to few lanes, which would need many rounds. */
static void latency_counts_with_few_rows(void **state)
{
    static const struct {
        int64_t length, each, entries;
        int lanes, is_flat, has_few_entries;
    } cases[] = {{5, 5, 13, 32, 1, 1},    {1, 1, 1, 4, 0, 0},       {7, 7, 25, 8, 0, 0},
                 {1000, 1, 1, 32, 1, 1},  {1000, 3, 100, 32, 1, 0}, {1000, 32, 100, 32, 0, 0},
                 {20, 14, 256, 16, 0, 0}, {20, 14, 257, 32, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_spgemm_bin bin = bin_of(cases[i].length, cases[i].each, cases[i].entries, 0);
        assert_int_equal(bin.lanes, cases[i].lanes);
        assert_int_equal(bin.is_flat, cases[i].is_flat);
        assert_int_equal(bin.has_few_entries, cases[i].has_few_entries);
    }
}

/* For pieces latency counts less. */
static void pieces_have_fewer_lanes(void **state)
{
    (void)state;
    assert_int_equal(bin_of(60, 7, 118, 0).is_flat, 1);
    assert_int_equal(bin_of(60, 7, 118, 1).lanes, 8);
}

/* Describes the rows of a product. A row has a list of `length` entries, each of which multiplies a row of
 * the right factor with `each` entries, and `entries` entries of C. The first special_rows of every `period`
 * rows are special. */
struct mixture {
    int64_t rows, each, period, special_rows;
    struct {
        int64_t length, entries;
    } special, usual;
};

static spmm_status_t make_mixture(const struct mixture *x, const struct spmmi_spgemm_wanted *with,
                                  uint64_t budget, struct spmmi_spgemm_items *items)
{
    const int64_t right[] = {0, x->each},
                  longest = x->special.length > x->usual.length ? x->special.length : x->usual.length;
    int64_t *left = calloc((size_t)x->rows + 1, sizeof *left), *c = calloc((size_t)x->rows + 1, sizeof *c);
    int32_t *columns = calloc((size_t)(x->rows * longest), sizeof *columns);
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = x->rows, .partial = -1};
    assert_true(left != NULL && c != NULL && columns != NULL);
    for (int64_t i = 0; i < x->rows; i++) {
        const int is_special = i % x->period < x->special_rows;
        left[i + 1] = left[i] + (is_special ? x->special.length : x->usual.length);
        c[i + 1] = c[i] + (is_special ? x->special.entries : x->usual.entries);
    }
    const int32_t columns_of_c = (int32_t)x->usual.entries;
    const struct spmmi_spgemm_stage stage = {
        .task = {{x->rows, 1, left, columns}, {1, columns_of_c, right, NULL}, 0},
        .c = {x->rows, columns_of_c, c, NULL},
        .units = &unit,
        .unit_count = 1,
        .products = (uint64_t)(left[x->rows] * x->each)};
    const spmm_status_t status = spmmi_spgemm_items_make(&stage, with, 1, budget, items, NULL);
    free(left);
    free(c);
    free(columns);
    return status;
}

/* Makes items for rows with this number of list entries and of entries of C. Every fourth row has at most 2
 * list entries. */
static spmm_status_t make_rows(int64_t rows, int64_t length, int64_t each, int64_t entries,
                               const struct spmmi_spgemm_wanted *with, uint64_t budget,
                               struct spmmi_spgemm_items *items)
{
    const struct mixture x = {rows, each, 4, 1, {length < 2 ? length : 2, entries}, {length, entries}};
    return make_mixture(&x, with, budget, items);
}

static const struct spmmi_spgemm_wanted masked = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER,
                                                  SPMMI_SPGEMM_WHEREVER, SPMM_F64},
                                        by_rule = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_BY_RULE,
                                                   SPMMI_SPGEMM_BY_RULE, SPMM_F64};

/* One lane per entry, rounded up to 4 or 8 lanes. Items with more entries use positions. */
static void few_entries_have_masks(void **state)
{
    static const struct {
        int64_t entries;
        uint32_t lanes;
    } cases[] = {{1, 4}, {4, 4}, {5, 8}, {8, 8}, {9, 0}};
    struct spmmi_spgemm_items items;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(make_rows(100, 1, cases[i].entries, cases[i].entries, &masked, UINT64_MAX, &items),
                         SPMM_OK);
        const struct spmmi_spgemm_bin *bin = &items.masks[0];
        assert_int_equal(items.mask_count, cases[i].lanes > 0);
        assert_int_equal(items.bins.count, cases[i].lanes == 0);
        assert_int_equal(items.are_mostly_masked, cases[i].lanes > 0);
        if (cases[i].lanes > 0) {
            assert_int_equal(bin->lanes, cases[i].lanes);
            assert_int_equal(bin->count, 100);
            assert_int_equal(bin->turns, 1);
            assert_int_equal(spmmi_spgemm_stream_width(bin), 1);
            assert_int_equal(items.positions.units[0], 1); /* one list entry */
        }
        spmmi_spgemm_items_free(&items);
    }
}

/* Lane groups process several items if this leaves enough warps for all multiprocessors. */
static void many_items_with_masks_take_turns(void **state)
{
    static const struct {
        int64_t rows;
        uint32_t turns;
    } cases[] = {{16 * 8448 - 1, 1}, {16 * 8448, 2}, {100 * 8448, 8}};
    struct spmmi_spgemm_items items;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(make_rows(cases[i].rows, 1, 3, 3, &masked, UINT64_MAX, &items), SPMM_OK);
        assert_int_equal(items.masks[0].turns, cases[i].turns);
        spmmi_spgemm_items_free(&items);
    }
}

/* Masks are chosen for rows with few entries if they save a tenth of a lane per product, and then for all
 * rows. They are not chosen for rows with few products, which are pulled, with more entries, or in products
 * with few rows. */
static void masks_are_taken_by_rule(void **state)
{
    static const struct {
        int64_t rows, length, each, entries;
        int has_masks, has_pulls;
    } cases[] = {{9000, 8, 5, 8, 1, 0}, {8000, 8, 5, 8, 0, 1}, {9000, 2, 4, 8, 0, 1}, {9000, 8, 5, 9, 0, 1}};
    struct spmmi_spgemm_items items;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(make_rows(cases[i].rows, cases[i].length, cases[i].each, cases[i].entries, &by_rule,
                                   UINT64_MAX, &items),
                         SPMM_OK);
        assert_int_equal(items.mask_count > 0, cases[i].has_masks);
        assert_int_equal(items.pull_count > 0, cases[i].has_pulls);
        assert_true(items.bins.count == 0 || !cases[i].has_masks);
        spmmi_spgemm_items_free(&items);
    }
}

/* Masks save less in the few rows of 7 list entries than they cost in the others, which have one. The choice
 * is then the same as without masks. */
static void masks_that_cost_other_rows_more_are_not_taken(void **state)
{
    static const struct mixture few_gain = {100000, 6, 100, 8, {7, 8}, {1, 6}},
                                most_gain = {100000, 6, 100, 92, {7, 8}, {1, 6}};
    const struct spmmi_spgemm_wanted unmasked = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_BY_RULE, SPMMI_SPGEMM_NEVER,
                                                 SPMM_F64};
    struct spmmi_spgemm_items items, expected;
    (void)state;
    assert_int_equal(make_mixture(&few_gain, &unmasked, UINT64_MAX, &expected), SPMM_OK);
    assert_int_equal(make_mixture(&few_gain, &by_rule, UINT64_MAX, &items), SPMM_OK);
    assert_int_equal(items.mask_count, 0);
    assert_true(expected.pull_count > 0);
    assert_int_equal(items.pull_count, expected.pull_count);
    assert_int_equal(items.count, expected.count);
    spmmi_spgemm_items_free(&expected);
    spmmi_spgemm_items_free(&items);
    assert_int_equal(make_mixture(&most_gain, &by_rule, UINT64_MAX, &items), SPMM_OK);
    assert_true(items.mask_count > 0);
    spmmi_spgemm_items_free(&items);
}

/* A larger budget never gives less: first a refusal, then items alone, then masks. */
static void masks_are_left_where_the_budget_is_small(void **state)
{
    struct spmmi_spgemm_items items;
    int before = 0, seen[3] = {0};
    (void)state;
    for (uint64_t budget = 100000; before < 2 && budget < 1 << 28; budget += 50000) {
        const spmm_status_t status = make_rows(9000, 8, 5, 8, &by_rule, budget, &items);
        const int now = status != SPMM_OK ? 0 : items.mask_count == 0 ? 1 : 2;
        assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
        assert_true(now >= before);
        seen[now]++;
        before = now;
        spmmi_spgemm_items_free(&items);
    }
    assert_int_equal(before, 2);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wide_items_are_in_the_order_of_their_steps),
                                       cmocka_unit_test(groups_with_few_items_are_first),
                                       cmocka_unit_test(latency_counts_with_few_rows),
                                       cmocka_unit_test(pieces_have_fewer_lanes),
                                       cmocka_unit_test(few_entries_have_masks),
                                       cmocka_unit_test(many_items_with_masks_take_turns),
                                       cmocka_unit_test(masks_are_taken_by_rule),
                                       cmocka_unit_test(masks_that_cost_other_rows_more_are_not_taken),
                                       cmocka_unit_test(masks_are_left_where_the_budget_is_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
