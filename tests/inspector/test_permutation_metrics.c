/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the permutation metrics in a plan: which permutations have them, and that they equal the results of
 * spmm_matrix_permutation_metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "format/permutation.h"
#include "format/plan.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define PERMUTATIONS_MAX 6

/* A default choice; tiled may also try radix. */
#define FREE OPTIONS(.n = n_256, .n_count = 1, .device = "h200", .compute = SPMM_COMPUTE_TF32)

static const int64_t n_64[] = {64}, n_256[] = {256};

struct stats_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    int count;
    struct {
        spmm_op_t op;
        spmm_reorder_t permutation;
    } list[PERMUTATIONS_MAX];
};

static const struct stats_case cases[] = {
    {"a_named_permutation_is_listed_beside_the_order_of_a",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "panel", .reorder = SPMM_REORDER_RCM),
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_RCM}}},
    {"all_permutations_that_were_tried_are_listed",
     "gen:femshuf:9:9:9",
     OPTIONS(.n = n_64, .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR, .force_kernel = "panel"),
     5,
     {{SPMM_OP_N, SPMM_REORDER_NONE},
      {SPMM_OP_N, SPMMI_REORDER_GROWING},
      {SPMM_OP_N, SPMM_REORDER_MINHASH},
      {SPMM_OP_N, SPMM_REORDER_RCM},
      {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"row_blocks_that_are_slices_are_grown",
     "gen:lap27:20",
     FREE,
     3,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMMI_REORDER_GROWING}, {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"clusters_of_a_narrow_mesh_are_not_grown",
     "gen:fem3:6:6:60",
     FREE,
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_MINHASH}}},
    {"clusters_of_rows_that_share_nothing_are_not_grown",
     "gen:uniform:12000:12000:40",
     FREE,
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_MINHASH}}},
    {"similar_rows_no_better_than_clusters_are_the_last",
     "gen:femshuf:14:14:14",
     FREE,
     3,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMMI_REORDER_GROWING}, {SPMM_OP_N, SPMM_REORDER_MINHASH}}},
    {"others_are_tried_where_similar_rows_are_better_than_clusters",
     "gen:rmat:13:64",
     FREE,
     5,
     {{SPMM_OP_N, SPMM_REORDER_NONE},
      {SPMM_OP_N, SPMMI_REORDER_GROWING},
      {SPMM_OP_N, SPMM_REORDER_MINHASH},
      {SPMM_OP_N, SPMM_REORDER_RCM},
      {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"each_op_has_its_own",
     "gen:rmat:8:9",
     OPTIONS(.n = n_64, .n_count = 1, .ops = SPMM_OPS_N | SPMM_OPS_T, .force_kernel = "window",
             .reorder = SPMM_REORDER_MINHASH),
     4,
     {{SPMM_OP_N, SPMM_REORDER_NONE},
      {SPMM_OP_N, SPMM_REORDER_MINHASH},
      {SPMM_OP_T, SPMM_REORDER_NONE},
      {SPMM_OP_T, SPMM_REORDER_MINHASH}}},
    {"permutations_of_tiled_are_listed",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_RADIX,
             TILED(.balance = SPMM_BALANCE_NONE)),
     2,
     {{SPMM_OP_N, SPMM_REORDER_NONE}, {SPMM_OP_N, SPMM_REORDER_RADIX}}},
    {"the_identity_permutation_is_not_kept",
     "gen:band:300:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "panel", .reorder = SPMM_REORDER_RCM),
     0,
     {{SPMM_OP_N, 0}}},
    {"without_permutations_there_are_no_metrics",
     "gen:femshuf:5:5:5",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "rows"),
     0,
     {{SPMM_OP_N, 0}}},
};

static void expect_metrics(const spmm_permutation_metrics_t *s, const spmm_matrix_t *m)
{
    spmm_permutation_metrics_t f = {.struct_size = sizeof f};
    assert_int_equal(s->units, m->rows);
    assert_int_equal(spmm_matrix_permutation_metrics(m, s->kind, 2, &f, NULL), SPMM_OK);
    assert_int_equal(f.units, s->units);
    assert_int_equal(f.kind, s->kind);
    assert_memory_equal(s->block_count, f.block_count, sizeof f.block_count);
    assert_memory_equal(s->block_max, f.block_max, sizeof f.block_max);
    assert_memory_equal(s->block_mean, f.block_mean, sizeof f.block_mean);
    assert_memory_equal(s->block_stddev, f.block_stddev, sizeof f.block_stddev);
    assert_memory_equal(s->working_set, f.working_set, sizeof f.working_set);
    assert_memory_equal(s->reuse, f.reuse, sizeof f.reuse);
}

static void plans_hold_metrics_of_permutations(void **state)
{
    const struct stats_case *c = *state;
    spmm_matrix_t *m = inspect_generate(c->spec);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    spmm_permutation_metrics_t s = {.struct_size = sizeof s};
    for (int i = 0; i < c->count; i++) {
        assert_int_equal(spmm_plan_permutation_metrics(plan, i, &s), SPMM_OK);
        assert_int_equal(s.op, c->list[i].op);
        assert_int_equal(s.kind, c->list[i].permutation);
        if (s.op == SPMM_OP_N)
            expect_metrics(&s, m);
    }
    assert_int_equal(spmm_plan_permutation_metrics(plan, c->count, &s), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void metrics_of_segments_count_segments(void **state)
{
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_RADIX,
                TILED(.balance = SPMM_BALANCE_SEGMENTS, .segment_length = 9));
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:5:5:5");
    spmm_plan_t *plan = inspect_plan(m, &options);
    spmm_permutation_metrics_t natural = {.struct_size = sizeof natural}, radix = natural;
    assert_int_equal(spmm_plan_permutation_metrics(plan, 0, &natural), SPMM_OK);
    assert_int_equal(spmm_plan_permutation_metrics(plan, 1, &radix), SPMM_OK);
    assert_true(natural.units > m->rows && natural.units == radix.units);
    assert_int_equal(natural.units, plan->parts[0].item_count);
    assert_true(radix.working_set[0] < natural.working_set[0]);
    assert_int_equal(radix.working_set[2], plan->row_block_metrics.working_set[2]);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 1];
    size_t count = 0;
    for (; count < COUNT(cases); count++)
        tests[count] = (struct CMUnitTest){cases[count].name, plans_hold_metrics_of_permutations, NULL, NULL,
                                           (void *)(uintptr_t)&cases[count]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(metrics_of_segments_count_segments);
    return cmocka_run_group_tests_name("order_stats", tests, NULL, NULL);
}
