/* SPDX-License-Identifier: Apache-2.0 */
/* Items of parts of a small pattern: right ones, and each rule of docs/plan-format.md section 6.8 broken
 * alone. Only the items are checked, so that no other rule refuses the case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "format/base/alloc.h"
#include "format/check/plan_check.h"

#define MOST 8

/* The rows have 2, 0, 3 and 2 nonzeros. A check that reads past the end finds a row that would be
 * accepted. */
static int64_t row_ptr[] = {0, 2, 2, 5, 7, 100};
static int32_t columns[7] = {0, 1, 0, 1, 2, 2, 3};
enum { ROWS = 4, NNZ = 7 };

struct items {
    uint64_t count;
    uint32_t list[MOST];
    spmm_status_t expected;
};

static spmm_plan_t plan; /* the cases set its parts */

static void set_part(uint32_t at, struct spmmi_part part, const struct items *items)
{
    static uint32_t lists[2][MOST];
    memcpy(lists[at], items->list, sizeof lists[at]);
    part.items = lists[at];
    part.item_count = items->count;
    plan.parts[at] = part;
}

static void start(uint32_t part_count)
{
    memset(&plan, 0, sizeof plan);
    plan.rows = plan.cols = ROWS;
    plan.nnz = NNZ;
    plan.row_ptr = row_ptr;
    plan.col_ind = columns;
    plan.part_count = part_count;
}

static void expect(const struct items *items, size_t number)
{
    const spmm_status_t found = spmmi_check_items(1, &plan, NULL);
    if (found != items->expected)
        fail_msg("case %zu: found \"%s\"", number, spmm_status_text(found));
}

static void expect_one(struct spmmi_part part, const struct items *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        start(1);
        set_part(0, part, &cases[i]);
        expect(&cases[i], i);
    }
}
#define EXPECT_ONE(part, cases) expect_one(part, cases, sizeof(cases) / sizeof(cases)[0])
#define BAD SPMM_ERR_PLAN_ITEMS

static void nonzero_split(void **state)
{
    (void)state;
    static const struct items cases[] = {
        {4, {0, 2, 2, 3}, SPMM_OK}, {3, {0, 2, 2, 3}, BAD},           {5, {0, 2, 2, 3, 3}, BAD},
        {4, {0, 1, 2, 3}, BAD},     {4, {0, 2, 3, 3}, BAD}, /* row 3 begins after nonzero 4 */
        {4, {0, 0, 2, 3}, BAD},                             /* row 0 ends before nonzero 2 */
        {4, {0, 2, 2, 4}, BAD},     {4, {0, 2, 2, 4000000000u}, BAD},
    };
    EXPECT_ONE(((struct spmmi_part){
                   .family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_NONZERO_SPLIT, .item_size = 2}),
               cases);
}

static void row_split(void **state)
{
    (void)state;
    static const struct items cases[] = {
        {3, {0, 1, 3}, SPMM_OK}, {0, {0}, BAD},
        {2, {1, 3}, BAD},       /* without row 0 */
        {4, {0, 1, 3, 4}, BAD}, /* the last item has no row */
        {4, {0, 1, 1, 3}, BAD},  {3, {0, 1, 4000000000u}, BAD},
        {4, {0, 1, 2, 3}, BAD}, /* row 1 alone has no nonzeros */
        {2, {0, 3}, BAD},       /* row 0 fills item 0 */
        {2, {0, 1}, BAD},       /* row 2 fills item 1 */
    };
    EXPECT_ONE(((struct spmmi_part){
                   .family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT, .item_size = 2}),
               cases);
}

static void rows_in_order(void **state)
{
    (void)state;
    static const struct items cases[] = {
        {4, {0, 1, 2, 3}, SPMM_OK}, {3, {0, 1, 2}, BAD}, {5, {0, 1, 2, 3, 4}, BAD}, {4, {0, 1, 3, 2}, BAD}};
    EXPECT_ONE(((struct spmmi_part){.family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_WHOLE}), cases);
}

static void rows_in_another_order(void **state)
{
    (void)state;
    static const struct items cases[] = {
        {4, {3, 1, 0, 2}, SPMM_OK}, {3, {0, 1, 2}, BAD}, {4, {0, 1, 1, 3}, BAD}, {4, {0, 1, 2, 4}, BAD}};
    EXPECT_ONE(((struct spmmi_part){.family = SPMM_FAMILY_TILED,
                                    .schedule = SPMM_SCHEDULE_WHOLE,
                                    .flags = SPMMI_PART_REORDERED}),
               cases);
}

/* The items of a window part and of the part of its long rows after it, for `rows` rows: all four, or the
 * last two. in_any_order: expected status if the part is reordered. */
static void long_rows(void **state)
{
    (void)state;
    static const struct {
        int rows;
        struct items part, split_off;
        spmm_status_t in_any_order;
    } cases[] = {
        {4, {3, {0, 1, 3}, SPMM_OK}, {1, {2}, 0}, SPMM_OK},
        {4, {2, {0, 1}, SPMM_OK}, {2, {2, 3}, 0}, SPMM_OK},
        {2, {1, {0}, SPMM_OK}, {1, {1}, 0}, SPMM_OK},
        {2, {0, {0}, BAD}, {2, {0, 1}, 0}, BAD},
        {2, {2, {0, 1}, BAD}, {0, {0}, 0}, BAD},
        {4, {2, {0, 1}, BAD}, {1, {2}, 0}, BAD}, /* without row 3 */
        {4, {3, {0, 1, 3}, BAD}, {2, {2, 3}, 0}, BAD},
        {4, {2, {0, 1}, BAD}, {2, {3, 2}, 0}, BAD},
        {4, {2, {0, 1}, BAD}, {2, {2, 2}, 0}, BAD},
        {4, {2, {0, 1}, BAD}, {2, {2, 4}, 0}, BAD},
        {4, {2, {1, 0}, BAD}, {2, {2, 3}, 0}, SPMM_OK},
        {4, {2, {0, 2}, BAD}, {2, {2, 3}, 0}, BAD},
        {4, {2, {0, 4}, BAD}, {2, {2, 3}, 0}, BAD},
        {4, {3, {0, 2, 3}, BAD}, {1, {1}, 0}, BAD}, /* row 1 is empty */
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct items part = cases[i / 2].part;
        if (i % 2 == 1)
            part.expected = cases[i / 2].in_any_order;
        start(2);
        plan.row_ptr = row_ptr + ROWS - cases[i / 2].rows;
        plan.rows = cases[i / 2].rows;
        set_part(0,
                 (struct spmmi_part){.family = SPMM_FAMILY_WINDOW,
                                     .schedule = SPMM_SCHEDULE_DENSE,
                                     .flags = i % 2 == 1 ? SPMMI_PART_REORDERED : 0},
                 &part);
        set_part(1,
                 (struct spmmi_part){.family = SPMM_FAMILY_ROWS,
                                     .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                     .flags = SPMMI_PART_LONG_ROWS},
                 &cases[i / 2].split_off);
        expect(&part, i / 2);
    }
}

/* A row of 2^32 - 1 or 2^32 nonzeros, in segments of one nonzero. If there are too many, the items are not
 * accessed. */
static void units_that_numbers_cannot_have(void **state)
{
    (void)state;
    static const struct items one = {1, {7}, BAD};
    for (int64_t extra = 0; extra < 2; extra++) {
        int64_t long_row[] = {0, UINT32_MAX + extra};
        spmm_diag_t diag = {.status = SPMM_OK};
        start(1);
        plan.rows = 1;
        plan.row_ptr = long_row;
        plan.nnz = long_row[1];
        set_part(0,
                 (struct spmmi_part){
                     .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_SEGMENTED, .item_size = 1},
                 &one);
        plan.parts[0].item_count = (uint64_t)long_row[1];
        assert_int_equal(spmmi_check_items(1, &plan, &diag), BAD);
        assert_non_null(strstr(diag.text, extra == 0 ? "is unit 7" : "items, expected"));
    }
}

static void a_permutation_of_rows_and_columns(void **state)
{
    (void)state;
    static uint32_t permutation[] = {3, 1, 0, 2};
    start(0);
    plan.symmetric_permutation = permutation;
    assert_int_equal(spmmi_check_symmetric_permutation(&plan, NULL), SPMM_OK);
    plan.cols++;
    assert_int_equal(spmmi_check_symmetric_permutation(&plan, NULL), SPMM_ERR_PLAN_PERMUTATION);
    plan.cols--;
    spmmi_alloc_fail_at(0, 0);
    assert_int_equal(spmmi_check_symmetric_permutation(&plan, NULL), SPMM_ERR_MEMORY);
    spmmi_alloc_fail_at(-1, 0);
    permutation[3] = 1;
    assert_int_equal(spmmi_check_symmetric_permutation(&plan, NULL), SPMM_ERR_PLAN_PERMUTATION);
}

static void no_memory(void **state)
{
    (void)state;
    static const struct items order = {4, {3, 1, 0, 2}, SPMM_ERR_MEMORY};
    start(1);
    set_part(0,
             (struct spmmi_part){
                 .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_WHOLE, .flags = SPMMI_PART_REORDERED},
             &order);
    spmmi_alloc_fail_at(0, 0);
    expect(&order, 0);
    static const struct items part = {3, {0, 1, 3}, SPMM_ERR_MEMORY}, split_off = {1, {2}, 0};
    start(2);
    set_part(0, (struct spmmi_part){.family = SPMM_FAMILY_WINDOW, .schedule = SPMM_SCHEDULE_DENSE}, &part);
    set_part(1,
             (struct spmmi_part){.family = SPMM_FAMILY_ROWS,
                                 .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                 .flags = SPMMI_PART_LONG_ROWS},
             &split_off);
    spmmi_alloc_fail_at(0, 0);
    expect(&part, 1);
    spmmi_alloc_fail_at(-1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonzero_split),
        cmocka_unit_test(row_split),
        cmocka_unit_test(rows_in_order),
        cmocka_unit_test(rows_in_another_order),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(units_that_numbers_cannot_have),
        cmocka_unit_test(a_permutation_of_rows_and_columns),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
