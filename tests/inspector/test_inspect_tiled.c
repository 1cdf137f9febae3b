/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the decision chart, the row blocks and the permutation of the tiled family become in a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "format/plan.h"
#include "inspector/matrix/matrix.h"
#include "inspect_support.h"

struct tiled_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    spmm_schedule_t schedule;
    uint32_t item_size, block_rows, flags;
    enum spmmi_reason reason;
};
static const int64_t n_8[] = {8}, n_64[] = {64};

/* The device has 132 multiprocessors. R = 16, so 64 columns make 4 thread blocks per row block. */
static const struct tiled_case tiled_cases[] = {
    /* 625 row blocks of 32 rows make 18.9 thread blocks per multiprocessor, of 256 rows 2.4. All rows have
     * about 7 nonzeros. */
    {"even_rows_in_many_row_blocks_stay_whole", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_EVEN},
    /* 2 row blocks of 32 rows: U = 8 / 132, mu = 1000, so segments have 61 nonzeros. 1,088 segments times 64 columns
     * at R = 2 occupy the device in row blocks of 128. */
    {"few_rows_are_cut_into_u_mu", "gen:dense:64:1000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 61, 128, 0, SPMMI_REASON_UNDERUSED},
    /* One row has 20000 nonzeros, the others 2: mu = 2.99990. */
    {"uneven_rows_are_cut_into_mu", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 3, 256, 0, SPMMI_REASON_UNEVEN},
    {"lengths_can_be_scaled", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.segment_scale = 4)),
     SPMM_SCHEDULE_SEGMENTED, 12, 256, 0, SPMMI_REASON_UNEVEN},
    {"lengths_can_have_a_floor", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.segment_min = 32)),
     SPMM_SCHEDULE_SEGMENTED, 32, 256, 0, SPMMI_REASON_UNEVEN},
    {"thresholds_can_be_moved", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.cv_max = 100, .balance = SPMM_BALANCE_CHART)),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_EVEN},
    {"u_min_can_be_moved", "gen:dense:64:1000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.u_min = 0.01, .balance = SPMM_BALANCE_CHART)),
     SPMM_SCHEDULE_WHOLE, 0, 32, 0, SPMMI_REASON_EVEN},
    /* Predicted: 14.7 us as whole rows, 11.9 us in segments. */
    {"the_model_cuts_what_the_chart_leaves_whole", "gen:femshuf:8:8:8",
     OPTIONS(.n = n_8, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.u_min = 0.01)),
     SPMM_SCHEDULE_SEGMENTED, 62, 64, 0, SPMMI_REASON_PREDICTED},
    {"the_chart_alone_leaves_it_whole", "gen:femshuf:8:8:8",
     OPTIONS(.n = n_8, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.u_min = 0.01, .balance = SPMM_BALANCE_CHART)),
     SPMM_SCHEDULE_WHOLE, 0, 32, 0, SPMMI_REASON_EVEN},
    /* Predicted: 25 us in segments of the mean row length, 13 us as whole rows. */
    {"the_model_leaves_whole_what_the_chart_cuts", "gen:powerlaw:20000:100:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_PREDICTED},
    {"the_chart_alone_cuts_it", "gen:powerlaw:20000:100:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.balance = SPMM_BALANCE_CHART)),
     SPMM_SCHEDULE_SEGMENTED, 3, 256, 0, SPMMI_REASON_UNEVEN},
    /* The cost model of tiled covers only GPUs. */
    {"a_cpu_follows_the_chart", "gen:powerlaw:20000:100:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE, .device = "cpu"),
     SPMM_SCHEDULE_SEGMENTED, 3, 256, 0, SPMMI_REASON_UNEVEN},
    {"whole_rows_can_be_forced", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled/whole", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_FORCED},
    {"a_permutation_that_changes_nothing_is_none", "gen:dense:64:1000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled/whole", .reorder = SPMM_REORDER_RADIX),
     SPMM_SCHEDULE_WHOLE, 0, 32, 0, SPMMI_REASON_FORCED},
    {"whole_rows_can_be_had_by_balance_none", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.balance = SPMM_BALANCE_NONE)),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_FORCED},
    {"segments_of_mu_can_be_forced", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled/segmented", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 7, 256, 0, SPMMI_REASON_FORCED},
    {"segments_can_be_given_a_length", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.balance = SPMM_BALANCE_SEGMENTS, .segment_length = 5)),
     SPMM_SCHEDULE_SEGMENTED, 5, 256, 0, SPMMI_REASON_FORCED},
    {"the_height_of_row_blocks_is_an_option", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.block_rows = 64)),
     SPMM_SCHEDULE_WHOLE, 0, 64, 0, SPMMI_REASON_EVEN},
    {"more_blocks_can_be_asked_for", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             TILED(.blocks_per_sm = 4)),
     SPMM_SCHEDULE_WHOLE, 0, 128, 0, SPMMI_REASON_EVEN},
    {"rows_can_be_sorted", "gen:femshuf:20:20:20",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_RADIX),
     SPMM_SCHEDULE_WHOLE, 0, 256, SPMMI_PART_REORDERED, SPMMI_REASON_EVEN},
    {"segments_can_be_sorted", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_RADIX),
     SPMM_SCHEDULE_SEGMENTED, 3, 256, SPMMI_PART_REORDERED, SPMMI_REASON_UNEVEN},
    {"output_can_be_permuted", "gen:femshuf:20:20:20",
     OPTIONS(.reorder = SPMM_REORDER_RADIX, .permute_output = 1), SPMM_SCHEDULE_WHOLE, 0, 256,
     SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT, SPMMI_REASON_FORCED},
    /* The rows of a band are already sorted: radix returns the present order. */
    {"a_permutation_that_gains_nothing_is_refused", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled"), SPMM_SCHEDULE_WHOLE, 0, 256, 0,
     SPMMI_REASON_EVEN},
    {"a_matrix_without_rows_has_a_part", "gen:empty:0:7",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled"), SPMM_SCHEDULE_WHOLE, 0, 32, 0,
     SPMMI_REASON_EVEN},
    {"a_matrix_without_nonzeros_has_a_part", "gen:empty:70:7",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled"), SPMM_SCHEDULE_WHOLE, 0, 32, 0,
     SPMMI_REASON_EVEN},
};

static void configures_the_tiled_family(void **state)
{
    const struct tiled_case *c = *state;
    spmm_diag_t diag = {0};
    spmm_matrix_t *m = inspect_generate(c->spec);
    spmm_plan_t *plan = inspect_plan(m, &c->options);
    if (spmmi_plan_check(plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->part_count, 1);
    const struct spmmi_part *part = &plan->parts[0];
    assert_int_equal(part->family, SPMM_FAMILY_TILED);
    assert_int_equal(part->schedule, c->schedule);
    assert_int_equal(part->item_size, c->item_size);
    assert_int_equal(part->block_rows, c->block_rows);
    assert_int_equal(part->stage_slots, 447);
    assert_int_equal(part->flags, c->flags);
    assert_int_equal(plan->variants[0].layouts, SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR);
    assert_true(plan->has_row_block_metrics);
    assert_int_equal(plan->row_block_metrics.block_rows, c->block_rows);
    assert_int_equal(plan->row_block_metrics.segment, c->item_size);
    assert_int_equal(plan->row_block_metrics.is_reordered, (c->flags & SPMMI_PART_REORDERED) != 0);
    int winners = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (!t->chosen || t->reason == SPMMI_REASON_REUSE)
            continue;
        assert_int_equal(t->family, SPMM_FAMILY_TILED);
        assert_int_equal(t->schedule, c->schedule);
        assert_true(t->reason == SPMMI_REASON_FORCED || t->reason == SPMMI_REASON_PREDICTED);
        winners++;
    }
    assert_int_equal(winners, 1);
    /* The trace also has the decision of the chart, if the chart was used. */
    int asked = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++)
        asked += plan->trace[i].reason == (uint32_t)c->reason && !plan->trace[i].chosen;
    assert_true(asked > 0 || c->reason == SPMMI_REASON_FORCED || c->reason == SPMMI_REASON_PREDICTED);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Checks that the trace has both intensities and tells correctly whether the permutation is used. */
static void the_trace_says_what_the_permutation_does(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:20:20:20");
    for (int reorder = SPMM_REORDER_AUTO; reorder <= SPMM_REORDER_RADIX; reorder++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.force_kernel = "tiled";
        options.reorder = (spmm_reorder_t)reorder;
        spmm_plan_t *plan = inspect_plan(m, &options);
        int entries = 0;
        for (uint32_t i = 0; i < plan->trace_count; i++) {
            const struct spmmi_trace *t = &plan->trace[i];
            if (t->reason != SPMMI_REASON_REUSE)
                continue;
            const struct spmmi_part *part = &plan->parts[plan->variants[t->variant].part_first];
            assert_true(t->value > 0 && t->threshold > 0 && t->value != t->threshold);
            assert_int_equal(t->chosen, (part->flags & SPMMI_PART_REORDERED) != 0);
            if (reorder == SPMM_REORDER_RADIX)
                assert_int_equal(t->chosen, 1);
            else if (t->chosen)
                assert_true(t->value > t->threshold);
            entries++;
        }
        assert_int_equal(entries, reorder == SPMM_REORDER_NONE ? 0 : (int)plan->variant_count);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static const struct spmmi_trace *entry_of(const spmm_plan_t *plan, enum spmmi_reason reason,
                                          spmm_schedule_t schedule)
{
    for (uint32_t i = 0; i < plan->trace_count; i++)
        if (plan->trace[i].reason == reason && plan->trace[i].schedule == schedule)
            return &plan->trace[i];
    return NULL;
}

/* Checks that the trace has both schedules with their times, and the decision of the chart, which the model
 * overruled. */
static void the_trace_says_whether_chart_or_model_decided(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:powerlaw:20000:100:3");
    const spmm_inspect_options_t options =
        OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE);
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->trace_count, 4);
    const struct spmmi_trace *whole = entry_of(plan, SPMMI_REASON_PREDICTED, SPMM_SCHEDULE_WHOLE);
    const struct spmmi_trace *cut = entry_of(plan, SPMMI_REASON_PREDICTED, SPMM_SCHEDULE_SEGMENTED);
    const struct spmmi_trace *underused = entry_of(plan, SPMMI_REASON_UNDERUSED, SPMM_SCHEDULE_SEGMENTED);
    const struct spmmi_trace *uneven = entry_of(plan, SPMMI_REASON_UNEVEN, SPMM_SCHEDULE_WHOLE);
    assert_true(whole != NULL && cut != NULL && underused != NULL && uneven != NULL);
    assert_true(whole->chosen && !cut->chosen && !underused->chosen && !uneven->chosen);
    assert_true(whole->predicted_us < 0.9 * cut->predicted_us);
    assert_true(cut->value == cut->predicted_us && cut->threshold == whole->predicted_us);
    assert_true(uneven->value > uneven->threshold && underused->value > underused->threshold);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void permuted_output_has_one_permutation_for_every_product(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:femshuf:9:9:9");
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    options.permute_output = 1;
    options.reorder = SPMM_REORDER_RADIX;
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->variants[0].n_min, 1);
    assert_int_equal(plan->variants[0].n_max, SPMMI_N_MAX);
    assert_int_equal(spmm_plan_row_permutation(plan, 0, &permutation, &count), SPMM_OK);
    assert_int_equal(count, m->rows);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Inspects every generator in every configuration with both ops: the parts must pass the check of the
 * format. */
static void tiled_parts_pass_the_check_of_the_format(void **state)
{
    static const char *const kernels[] = {"tiled", "tiled/whole", "tiled/segmented"};
    (void)state;
    for (size_t s = 0; s < INSPECT_SPEC_COUNT; s++) {
        spmm_matrix_t *m = inspect_generate(inspect_specs[s]);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            for (int reorder = SPMM_REORDER_AUTO; reorder <= SPMM_REORDER_RADIX; reorder++) {
                spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
                spmm_diag_t diag = {0};
                options.force_kernel = kernels[k];
                options.reorder = (spmm_reorder_t)reorder;
                options.ops = SPMM_OPS_N | SPMM_OPS_T;
                spmm_plan_t *plan = inspect_plan(m, &options);
                if (spmmi_plan_check(plan, &diag) != SPMM_OK)
                    fail_msg("%s: %s", inspect_specs[s], diag.text);
                for (uint32_t i = 0; i < plan->variant_count; i++)
                    assert_int_equal(plan->parts[plan->variants[i].part_first].family, SPMM_FAMILY_TILED);
                spmm_plan_destroy(plan);
            }
        }
        spmm_matrix_destroy(m);
    }
}

/* Returns the part of the first tiled variant for a layout; NULL if there is none. */
static const struct spmmi_part *first_tiled(const spmm_plan_t *plan, uint32_t layout)
{
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_part *part = &plan->parts[plan->variants[i].part_first];
        if ((plan->variants[i].layouts & layout) != 0 && part->family == SPMM_FAMILY_TILED)
            return part;
    }
    return NULL;
}

/* A plan with tiled parts has row-block metrics, of the first part for column-major B if there is one. Other
 * plans have none. */
static void metrics_are_those_of_what_runs(void **state)
{
    static const char *const kernels[] = {NULL, "rows", "tiled"};
    static const uint32_t layouts[] = {0, SPMM_LAYOUTS_ROW_MAJOR, SPMM_LAYOUTS_COL_MAJOR};
    (void)state;
    for (size_t s = 0; s < INSPECT_SPEC_COUNT; s++) {
        spmm_matrix_t *m = inspect_generate(inspect_specs[s]);
        for (size_t k = 0; k < 9; k++) {
            spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
            options.force_kernel = kernels[k / 3];
            options.layouts = layouts[k % 3];
            spmm_plan_t *plan = inspect_plan(m, &options);
            const struct spmmi_part *part = first_tiled(plan, SPMM_LAYOUTS_COL_MAJOR);
            if (part == NULL)
                part = first_tiled(plan, SPMM_LAYOUTS_ROW_MAJOR);
            assert_int_equal(plan->has_row_block_metrics, part != NULL);
            assert_int_equal(plan->row_block_metrics.block_rows, part != NULL ? part->block_rows : 0);
            assert_int_equal(plan->row_block_metrics.segment, part != NULL ? part->item_size : 0);
            assert_int_equal(plan->row_block_metrics.is_reordered,
                             part != NULL && (part->flags & SPMMI_PART_REORDERED) != 0);
            spmm_plan_destroy(plan);
        }
        spmm_matrix_destroy(m);
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A default choice may take any family. The only requirement is that n = 1 takes rows. */
static void a_free_choice_passes_the_check_of_the_format(void **state)
{
    (void)state;
    for (size_t s = 0; s < INSPECT_SPEC_COUNT; s++) {
        spmm_matrix_t *m = inspect_generate(inspect_specs[s]);
        for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
            spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
            spmm_diag_t diag = {0};
            options.a_type = (spmm_dtype_t)dtype;
            options.ops = SPMM_OPS_N | SPMM_OPS_T;
            spmm_plan_t *plan = inspect_plan(m, &options);
            if (spmmi_plan_check(plan, &diag) != SPMM_OK)
                fail_msg("%s: %s", inspect_specs[s], diag.text);
            for (uint32_t i = 0; i < plan->variant_count; i++)
                if (plan->variants[i].n_min == 1)
                    assert_int_equal(plan->parts[plan->variants[i].part_first].family, SPMM_FAMILY_ROWS);
            spmm_plan_destroy(plan);
        }
        spmm_matrix_destroy(m);
    }
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(a_free_choice_passes_the_check_of_the_format),
        cmocka_unit_test(the_trace_says_what_the_permutation_does),
        cmocka_unit_test(the_trace_says_whether_chart_or_model_decided),
        cmocka_unit_test(permuted_output_has_one_permutation_for_every_product),
        cmocka_unit_test(tiled_parts_pass_the_check_of_the_format),
        cmocka_unit_test(metrics_are_those_of_what_runs),
    };
    struct CMUnitTest tests[COUNT(tiled_cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(tiled_cases); i++)
        tests[count++] = (struct CMUnitTest){tiled_cases[i].name, configures_the_tiled_family, NULL, NULL,
                                             (void *)(uintptr_t)&tiled_cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("inspect_tiled", tests, NULL, NULL);
}
