/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of orders in a plan: which are there, and that they are those of spmm_matrix_order_figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "format/plan.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define ORDERS_MAX 6

static const int64_t n_64[] = {64};

struct stats_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    int count;
    struct {
        spmm_op_t op;
        spmm_reorder_t order;
    } list[ORDERS_MAX];
};

static const struct stats_case cases[] = {
    {"a_named_order_stands_beside_the_rows_as_they_are",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "panel", .reorder = SPMM_REORDER_RCM),
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_RCM}}},
    {"all_orders_that_were_tried_are_told",
     "gen:femshuf:9:9:9",
     OPTIONS(.n = n_64, .n_count = 1, .layouts = SPMM_LAYOUT_ROW_MAJOR, .force_kernel = "panel"),
     4,
     {{SPMM_OP_N, SPMM_REORDER_NONE},
      {SPMM_OP_N, SPMM_REORDER_MINHASH},
      {SPMM_OP_N, SPMM_REORDER_RCM},
      {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"each_op_has_its_own",
     "gen:rmat:8:9",
     OPTIONS(.n = n_64, .n_count = 1, .ops = 3, .force_kernel = "window", .reorder = SPMM_REORDER_MINHASH),
     4,
     {{SPMM_OP_N, SPMM_REORDER_NONE},
      {SPMM_OP_N, SPMM_REORDER_MINHASH},
      {SPMM_OP_T, SPMM_REORDER_NONE},
      {SPMM_OP_T, SPMM_REORDER_MINHASH}}},
    {"orders_of_tiled_are_told_too",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .balance = SPMM_BALANCE_NONE,
             .reorder = SPMM_REORDER_RADIX),
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"an_order_that_is_that_of_the_matrix_is_none",
     "gen:band:300:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "panel", .reorder = SPMM_REORDER_RCM),
     0,
     {{SPMM_OP_N, 0}}},
    {"without_orders_there_are_no_figures",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "rows"),
     0,
     {{SPMM_OP_N, 0}}},
};

static void expect_figures(const spmm_order_stats_t *s, const spmm_matrix_t *m)
{
    spmm_order_figures_t f = {.struct_size = sizeof f};
    assert_int_equal(s->units, m->rows);
    assert_int_equal(spmm_matrix_order_figures(m, s->order, 2, &f, NULL), SPMM_OK);
    assert_memory_equal(s->blocks, f.blocks, sizeof f.blocks);
    assert_memory_equal(s->footprint, f.footprint, sizeof f.footprint);
    assert_memory_equal(s->reuse, f.reuse, sizeof f.reuse);
}

static void plans_hold_figures_of_orders(void **state)
{
    const struct stats_case *c = *state;
    spmm_matrix_t *m = inspect_generate(c->spec);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    spmm_order_stats_t s;
    for (int i = 0; i < c->count; i++) {
        assert_int_equal(spmm_plan_order_stats(plan, i, &s), SPMM_OK);
        assert_int_equal(s.op, c->list[i].op);
        assert_int_equal(s.order, c->list[i].order);
        if (s.op == SPMM_OP_N)
            expect_figures(&s, m);
    }
    assert_int_equal(spmm_plan_order_stats(plan, c->count, &s), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void figures_of_segments_count_segments(void **state)
{
    static const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .balance = SPMM_BALANCE_SEGMENTS,
                .segment_length = 9, .reorder = SPMM_REORDER_RADIX);
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:5:5:5");
    spmm_plan_t *plan = inspect_plan(m, &options);
    spmm_order_stats_t natural, radix;
    assert_int_equal(spmm_plan_order_stats(plan, 0, &natural), SPMM_OK);
    assert_int_equal(spmm_plan_order_stats(plan, 1, &radix), SPMM_OK);
    assert_true(natural.units > m->rows && natural.units == radix.units);
    assert_int_equal(natural.units, plan->parts[0].item_count);
    assert_true(radix.footprint[0] < natural.footprint[0]);
    assert_int_equal(radix.footprint[2], plan->panel_stats.footprint[2]);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 1];
    size_t count = 0;
    for (; count < COUNT(cases); count++)
        tests[count] = (struct CMUnitTest){cases[count].name, plans_hold_figures_of_orders, NULL, NULL,
                                           (void *)(uintptr_t)&cases[count]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(figures_of_segments_count_segments);
    return cmocka_run_group_tests_name("order_stats", tests, NULL, NULL);
}
