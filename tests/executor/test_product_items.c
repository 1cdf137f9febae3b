/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a sparse product on a GPU: which ones come first. Of the matrices there are row pointers alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/spgemm/spgemm_items.h"

static const struct spmmi_spgemm_wanted wanted = {SPMMI_SPGEMM_NEVER, SPMMI_SPGEMM_NEVER, SPMM_F64};

#define SHORT_PARTS 20
#define ENTRIES 300 /* of a row of C: positions of two bytes */

/* Row 0 multiplies one row of 300 entries, in 10 steps of 32 lanes; row 1 has 200 products, of 20 rows of 10 entries,
 * which take a step each. */
static void wide_items_are_in_the_order_of_their_steps(void **state)
{
    (void)state;
    static const int64_t left[] = {0, 1, 1 + SHORT_PARTS}, right[] = {0, ENTRIES, ENTRIES + 10},
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
                     2 * 10 * SHORT_PARTS + 1); /* products, and positions of two bytes */
    assert_int_equal(items.positions.keys[1], 2 * ENTRIES + 1);
    spmmi_spgemm_items_free(&items);
}

/* The one bin of a row that multiplies `length` rows of `each` entries, with so many entries of C. */
static struct spmmi_spgemm_bin bin_of(int64_t length, int64_t each, int64_t entries)
{
    const int64_t left[] = {0, length}, right[] = {0, each}, c[] = {0, entries};
    int32_t columns[1024] = {0};
    struct spmmi_spgemm_unit unit = {.row = 0, .row_end = 1, .partial = -1};
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

/* With few rows: where the latency of a round decides for no width, the least steps do; long lists of single products
 * do not go to few lanes, whose rounds are many. */
static void latency_counts_with_few_rows(void **state)
{
    static const struct {
        int64_t length, each, entries;
        int lanes, is_flat, has_few_entries;
    } cases[] = {{5, 5, 13, 32, 1, 1},   {1, 1, 1, 4, 0, 0},       {7, 7, 25, 8, 0, 0},
                 {1000, 1, 1, 32, 1, 1}, {1000, 3, 100, 32, 1, 0}, {1000, 32, 100, 32, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_spgemm_bin bin = bin_of(cases[i].length, cases[i].each, cases[i].entries);
        assert_int_equal(bin.lanes, cases[i].lanes);
        assert_int_equal(bin.is_flat, cases[i].is_flat);
        assert_int_equal(bin.has_few_entries, cases[i].has_few_entries);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wide_items_are_in_the_order_of_their_steps),
                                       cmocka_unit_test(latency_counts_with_few_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
