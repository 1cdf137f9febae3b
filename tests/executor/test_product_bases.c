/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products on a GPU store some numbers as distances from shared bases: each number is found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "kernels/spgemm/spgemm_bases.h"

#define COUNT 1001 /* no multiple of the neighbours that share a base */

/* The number of neighbours whose numbers are close together, and the step from one to the next such group. */
struct spacing {
    uint32_t neighbours, step, shift;
};

/* Returns number i: within each group distances reach `range` - 1 and descend. */
static uint32_t number_of(const struct spacing *x, uint32_t range, uint32_t i)
{
    const uint32_t of_group = i % x->neighbours;
    return i / x->neighbours * x->step + (of_group == 0 ? range - 1 : x->neighbours - 1 - of_group);
}

static struct spmmi_spgemm_items items_of(const struct spacing *x, uint32_t near, uint32_t left)
{
    struct spmmi_spgemm_items items = {.pull_count = 1, .direct = COUNT, .listed = COUNT};
    items.starts = spmmi_alloc(COUNT, sizeof *items.starts);
    items.lefts = spmmi_alloc(COUNT, sizeof *items.lefts);
    items.rows = spmmi_alloc_zero(UINT64_C(2) * COUNT, sizeof *items.rows);
    assert_true(items.starts != NULL && items.lefts != NULL && items.rows != NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        items.starts[i] = number_of(x, near, i);
        items.lefts[i] = number_of(x, left, i);
        items.rows[COUNT + i].counts = i % (SPMMI_SPGEMM_ITEM_ENTRIES + 1);
    }
    return items;
}

/* As many neighbours share a base as have distances that fit. Starts in groups of fewer than four keep 32
 * bits. */
static void numbers_are_found_again(void **state)
{
    const uint32_t near = 1u << 16, left = SPMMI_SPGEMM_LEFT_RANGE;
    static const struct spacing cases[] = {{256, 1, 8},       {300, 0, 8},     {256, 4000000, 8},
                                           {128, 4200000, 7}, {4, 4200000, 2}, {2, 4200000, 1},
                                           {1, 4200000, 0},   {3, 4200000, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct spacing *x = &cases[k];
        struct spmmi_spgemm_items items = items_of(x, near, left);
        assert_int_equal(spmmi_spgemm_bases_make(&items, 2, NULL), SPMM_OK);
        assert_int_equal(items.left_shift, x->shift);
        assert_int_equal(items.left_count, (COUNT + (1u << x->shift) - 1) >> x->shift);
        assert_int_equal(items.near_starts != NULL, x->shift >= 2);
        assert_int_equal(items.start_shift, x->shift >= 2 ? x->shift : 0);
        assert_int_equal(items.start_count, x->shift >= 2 ? items.left_count : COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t counts = items.rows[COUNT + i].counts;
            assert_int_equal(items.starts[i >> items.start_shift] +
                                 (items.near_starts != NULL ? items.near_starts[i] : 0u),
                             number_of(x, near, i));
            assert_int_equal(items.lefts[i >> items.left_shift] + SPMMI_SPGEMM_LEFT(counts),
                             number_of(x, left, i));
            assert_int_equal(SPMMI_SPGEMM_ENTRIES(counts), i % (SPMMI_SPGEMM_ITEM_ENTRIES + 1));
            assert_int_equal(items.rows[i].counts, 0);
        }
        spmmi_spgemm_items_free(&items);
    }
}

/* The longest distance is one more than fits: half as many neighbours share a base. */
static void distances_stop_at_their_limit(void **state)
{
    static const struct spacing x = {256, 1u << 20, 8};
    (void)state;
    struct spmmi_spgemm_items items = items_of(&x, (1u << 16) + 1, SPMMI_SPGEMM_LEFT_RANGE + 1);
    assert_int_equal(spmmi_spgemm_bases_make(&items, 2, NULL), SPMM_OK);
    assert_int_equal(items.start_shift, 7);
    assert_int_equal(items.left_shift, 7);
    spmmi_spgemm_items_free(&items);
}

/* Only pulls and masks read starts. */
static void starts_without_readers_have_no_bases(void **state)
{
    static const struct spacing x = {256, 1, 8};
    (void)state;
    struct spmmi_spgemm_items items = items_of(&x, 1u << 16, SPMMI_SPGEMM_LEFT_RANGE);
    items.pull_count = 0;
    assert_int_equal(spmmi_spgemm_bases_make(&items, 2, NULL), SPMM_OK);
    assert_int_equal(items.start_count, 0);
    assert_null(items.near_starts);
    spmmi_spgemm_items_free(&items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_found_again),
                                       cmocka_unit_test(distances_stop_at_their_limit),
                                       cmocka_unit_test(starts_without_readers_have_no_bases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
