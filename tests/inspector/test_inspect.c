/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_inspect as a whole: what lands in the plan, what is refused, sameness, short memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/alloc.h"
#include "format/plan.h"
#include "inspector/choose.h"
#include "inspector/matrix.h"

static spmm_matrix_t *generate(const char *spec)
{
    spmm_matrix_t *m = NULL;
    spmm_diag_t diag = {0};
    if (spmm_matrix_generate(spec, &m, &diag) != SPMM_OK)
        fail_msg("%s: %s", spec, diag.text);
    return m;
}

static spmm_plan_t *inspect(const spmm_matrix_t *m, const spmm_inspect_options_t *options)
{
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    if (spmm_inspect(m, options, &plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(diag.status, SPMM_OK);
    return plan;
}

/* ---- Every generator, every option that changes the plan ---- */

static const char *const specs[] = {
    "gen:fem3:4:4:4", "gen:femshuf:4:4:4", "gen:lap27:6",     "gen:qcd:2",       "gen:band:500:9",
    "gen:band:500:2", "gen:block:128:8:3", "gen:rand:900:12", "gen:rmat:9:8",    "gen:dense:30:40",
    "gen:diag:100",   "gen:arrow:900",     "gen:empty:5:7",   "gen:empty:0:7",   "gen:empty:7:0",
    "gen:empty:0:0",  "gen:diag:1",        "gen:dense:1:999", "gen:dense:999:1", "gen:powerlaw:300:300:4",
};

/* The longest row of op(A), counted the plain way. */
static int64_t longest_row(const spmm_matrix_t *m, spmm_op_t op)
{
    int64_t longest = 0;
    if (op == SPMM_OP_N) {
        for (int64_t i = 0; i < m->rows; i++) {
            const int64_t length = m->row_ptr[i + 1] - m->row_ptr[i];
            longest = length > longest ? length : longest;
        }
        return longest;
    }
    int64_t *counts = calloc((size_t)m->cols + 1, sizeof *counts);
    assert_non_null(counts);
    for (int64_t p = 0; p < m->nnz; p++) {
        const int64_t length = ++counts[m->col_ind[p]];
        longest = length > longest ? length : longest;
    }
    free(counts);
    return longest;
}

/* One variant for each decision of the rule, in order; one part for each schedule that is used; the candidates of
 * rows in the trace of each variant, the one that runs marked. */
static void follows_the_decisions(const spmm_plan_t *plan, const spmm_matrix_t *m, spmm_schedule_t forced)
{
    uint32_t variant = 0, parts = 0, entry = 0;
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++) {
        const struct spmmi_choice_input input = {
            .nnz = m->nnz, .longest = longest_row(m, (spmm_op_t)op), .forced = forced};
        struct spmmi_decision decisions[SPMMI_DECISION_MAX];
        const int count = spmmi_decisions_merge(decisions, spmmi_choose(&input, decisions));
        uint32_t schedules = 0;
        assert_in_range(plan->variant_count, variant + (uint32_t)count, SPMMI_VARIANT_MAX);
        for (int i = 0; i < count; i++, variant++) {
            const struct spmmi_variant *v = &plan->variants[variant];
            assert_int_equal(v->op, op);
            assert_int_equal(v->n_min, decisions[i].n_min);
            assert_int_equal(v->n_max, decisions[i].n_max);
            assert_int_equal(v->part_count, 1);
            assert_int_equal(plan->parts[v->part_first].op, op);
            assert_int_equal(plan->parts[v->part_first].schedule, decisions[i].schedule);
            int rows = 0;
            for (; entry < plan->trace_count && plan->trace[entry].variant == variant; entry++) {
                const struct spmmi_trace *t = &plan->trace[entry];
                assert_int_equal(t->chosen, t->schedule == decisions[i].schedule);
                if (t->family == SPMM_FAMILY_ROWS)
                    assert_int_equal(t->predicted_us > 0, m->nnz > 0);
                rows += t->family == SPMM_FAMILY_ROWS;
            }
            assert_int_equal(rows, SPMMI_CANDIDATE_ROWS);
            schedules |= 1u << decisions[i].schedule;
        }
        for (; schedules != 0; schedules &= schedules - 1)
            parts++;
    }
    assert_int_equal(plan->variant_count, variant);
    assert_int_equal(plan->part_count, parts);
    assert_int_equal(plan->trace_count, entry);
}

static void passes_the_check_of_the_format(void **state)
{
    const char *spec = *state;
    spmm_matrix_t *m = generate(spec);
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        for (int schedule = 0; schedule <= SPMM_SCHEDULE_NONZERO_SPLIT; schedule++) {
            for (int pattern_only = 0; pattern_only <= 1; pattern_only++) {
                spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
                spmm_diag_t diag = {0};
                spmm_csr_t csr;
                options.dtype = (spmm_dtype_t)dtype;
                options.schedule = (spmm_schedule_t)schedule;
                options.pattern_only = pattern_only;
                options.ops = 3;
                spmm_plan_t *plan = inspect(m, &options);
                if (spmmi_plan_check(plan, &diag) != SPMM_OK)
                    fail_msg("%s: %s", spec, diag.text);
                assert_int_equal(spmm_matrix_csr(m, &csr), SPMM_OK);
                assert_int_equal(spmm_plan_matches(plan, &csr, !pattern_only, NULL), SPMM_OK);
                assert_string_equal(plan->source, spec);
                follows_the_decisions(plan, m, options.schedule);
                if (schedule != 0) {
                    assert_int_equal(plan->variant_count, 2);
                    assert_int_equal(plan->part_count, 2);
                    assert_int_equal(plan->parts[0].schedule, schedule);
                    assert_int_equal(plan->parts[1].schedule, schedule);
                }
                spmm_plan_destroy(plan);
            }
        }
    }
    spmm_matrix_destroy(m);
}

static void defaults_are_f32_and_one_variant_for_everything(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:band:50:3"); /* rows of 7 */
    spmm_plan_t *plan = inspect(m, NULL);
    assert_int_equal(plan->dtype, SPMM_F32);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->part_count, 1);
    const struct spmmi_variant *v = &plan->variants[0];
    assert_int_equal(v->op, SPMM_OP_N);
    assert_int_equal(v->compute, SPMM_F32);
    assert_int_equal(v->layouts, SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR);
    assert_int_equal(v->target, 0);
    assert_int_equal(v->n_min, 1);
    assert_int_equal(v->n_max, SPMMI_N_MAX);
    assert_int_equal(plan->parts[0].schedule, SPMM_SCHEDULE_ROW_SPLIT);
    for (int64_t p = 0; p < m->nnz; p++)
        assert_true(((float *)plan->values)[p] == (float)m->values[p]);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void schedule_of_the_transpose_follows_its_own_rows(void **state)
{
    static const struct {
        const char *spec;
        spmm_schedule_t schedules[2]; /* of op N and op T */
        uint64_t items[2];
    } cases[] = {
        {"gen:dense:60:3", {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT}, {20, 23}},
        {"gen:dense:3:60", {SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_SCHEDULE_ROW_SPLIT}, {23, 20}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_matrix_t *m = generate(cases[i].spec);
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.ops = 3;
        spmm_plan_t *plan = inspect(m, &options);
        assert_int_equal(plan->part_count, 2);
        for (int op = 0; op < 2; op++) {
            assert_int_equal(plan->parts[op].schedule, cases[i].schedules[op]);
            assert_int_equal(plan->parts[op].item_count, cases[i].items[op]);
        }
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(m);
    }
}

static void only_ranges_of_the_named_n_get_a_variant(void **state)
{
    static const int64_t n[] = {70, 1};
    (void)state;
    spmm_matrix_t *m = generate("gen:band:40:9"); /* rows of 19: too long for one lane group where n = 1 */
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.n = n;
    options.n_count = 2;
    spmm_plan_t *plan = inspect(m, &options);
    assert_int_equal(plan->variant_count, 2);
    assert_int_equal(plan->variants[0].n_max, 1);
    assert_int_equal(plan->parts[plan->variants[0].part_first].schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
    assert_int_equal(plan->variants[1].n_min, 49);
    assert_int_equal(plan->variants[1].n_max, 96);
    assert_int_equal(plan->parts[plan->variants[1].part_first].schedule, SPMM_SCHEDULE_ROW_SPLIT);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void device_profiles_name_their_target(void **state)
{
    static const struct {
        const char *device;
        uint32_t target;
    } devices[] = {{"any", 0}, {"cpu", 1}, {"a100", 80}, {"h100", 90}, {"h200", 90}};
    (void)state;
    spmm_matrix_t *m = generate("gen:diag:3");
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.device = devices[i].device;
        spmm_plan_t *plan = inspect(m, &options);
        assert_int_equal(plan->variants[0].target, devices[i].target);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static void values_of_a_pattern_are_one(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 2, 3};
    const int32_t col_ind[] = {0, 2, 1};
    const spmm_csr_t csr = {.rows = 2,
                            .cols = 3,
                            .nnz = 3,
                            .row_ptr_type = SPMM_I64,
                            .col_ind_type = SPMM_I32,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind};
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.dtype = (spmm_dtype_t)dtype;
        spmm_plan_t *plan = inspect(m, &options);
        for (int p = 0; p < 3; p++)
            assert_true(dtype == SPMM_F32 ? ((float *)plan->values)[p] == 1.0f
                                          : ((double *)plan->values)[p] == 1.0);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

/* ---- Rounding ---- */

static spmm_status_t inspect_value(double value, spmm_dtype_t dtype, double *stored, spmm_diag_t *diag)
{
    const int64_t row_ptr[] = {0, 1, 3};
    const int32_t col_ind[] = {0, 0, 4};
    const double values[] = {1, 2, value};
    const spmm_csr_t csr = {.rows = 2,
                            .cols = 5,
                            .nnz = 3,
                            .row_ptr_type = SPMM_I64,
                            .col_ind_type = SPMM_I32,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind,
                            .value_type = SPMM_F64,
                            .values = values};
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *m = NULL;
    spmm_plan_t *plan = NULL;
    options.dtype = dtype;
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    const spmm_status_t status = spmm_inspect(m, &options, &plan, diag);
    spmm_matrix_destroy(m);
    if (status == SPMM_OK)
        *stored = dtype == SPMM_F32 ? (double)((float *)plan->values)[2] : ((double *)plan->values)[2];
    else
        assert_null(plan);
    spmm_plan_destroy(plan);
    return status;
}

static void values_are_rounded_to_the_nearest_float(void **state)
{
    (void)state;
    double stored = 0;
    assert_int_equal(inspect_value(0.1, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == (double)0.1f);
    assert_int_equal(inspect_value(1e-60, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == 0);
    assert_int_equal(inspect_value(FLT_MAX, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == FLT_MAX);
    assert_int_equal(inspect_value(1e300, SPMM_F64, &stored, NULL), SPMM_OK);
    assert_true(stored == 1e300);
}

static void infinities_and_nan_of_the_file_stay(void **state)
{
    (void)state;
    double stored = 0;
    assert_int_equal(inspect_value((double)-INFINITY, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(stored == (double)-INFINITY);
    assert_int_equal(inspect_value((double)NAN, SPMM_F32, &stored, NULL), SPMM_OK);
    assert_true(isnan(stored));
}

static void a_value_too_large_for_a_float_is_refused_with_its_place(void **state)
{
    (void)state;
    double stored = 0;
    spmm_diag_t diag = {0};
    assert_int_equal(inspect_value(-3.5e38, SPMM_F32, &stored, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(diag.status, SPMM_ERR_ARGUMENT);
    assert_int_equal(diag.offset, 1);
    assert_non_null(strstr(diag.text, "row 2, column 5"));
    assert_non_null(strstr(diag.text, "--dtype f64"));
}

/* ---- Refusals ---- */

static const int64_t n_zero[] = {8, 0};

struct refusal_case {
    const char *name;
    spmm_inspect_options_t options;
    const char *fragment;
};

#define OPTIONS(...)                                               \
    {                                                              \
        .struct_size = sizeof(spmm_inspect_options_t), __VA_ARGS__ \
    }
static const struct refusal_case refusal_cases[] = {
    {"refuses_options_without_their_size", {.struct_size = 0}, "struct_size"},
    {"refuses_an_unknown_dtype", OPTIONS(.dtype = (spmm_dtype_t)5), "dtype 5"},
    {"refuses_an_unknown_layout", OPTIONS(.layouts = 4), "layouts 0x4"},
    {"refuses_an_unknown_op", OPTIONS(.ops = 8), "ops 0x8"},
    {"refuses_an_unknown_device", OPTIONS(.device = "h300"),
     "expected a device of any, cpu, a100, h100, h200, or a profile file, found \"h300\" (No such file or "
     "directory)"},
    {"refuses_an_unknown_schedule", OPTIONS(.schedule = (spmm_schedule_t)9), "schedule 9"},
    {"refuses_an_unknown_kernel", OPTIONS(.force_kernel = "rows/fast"), "found \"rows/fast\""},
    {"refuses_a_kernel_of_another_family", OPTIONS(.force_kernel = "tiled/row-split"),
     "found \"tiled/row-split\""},
    {"refuses_a_kernel_without_its_schedule", OPTIONS(.force_kernel = "rows/"), "found \"rows/\""},
    {"refuses_a_kernel_against_the_schedule",
     OPTIONS(.schedule = SPMM_SCHEDULE_ROW_SPLIT, .force_kernel = "rows/nonzero-split"), "contradict"},
    {"refuses_a_tiled_kernel_against_the_schedule",
     OPTIONS(.schedule = SPMM_SCHEDULE_WHOLE, .force_kernel = "tiled/segmented"), "contradict"},
    {"refuses_a_family_against_the_schedule",
     OPTIONS(.schedule = SPMM_SCHEDULE_WHOLE, .force_kernel = "rows"), "contradict"},
    {"refuses_an_unknown_balance", OPTIONS(.balance = (spmm_balance_t)3), "balance 3"},
    {"refuses_an_unknown_order", OPTIONS(.reorder = (spmm_reorder_t)3), "reorder 3"},
    {"refuses_panels_of_48_rows", OPTIONS(.panel_rows = 48), "found 48"},
    {"refuses_panels_of_512_rows", OPTIONS(.panel_rows = 512), "found 512"},
    {"refuses_stages_of_8_rows", OPTIONS(.stage_slots = 8), "32..4095, found 8"},
    {"refuses_segments_beyond_the_format", OPTIONS(.segment_length = SPMMI_ROW_SEGMENT_MAX + 1),
     "1073741825"},
    {"refuses_a_negative_threshold", OPTIONS(.u_min = -1), "u_min"},
    {"refuses_an_infinite_threshold", OPTIONS(.cv_max = (double)INFINITY), "cv_max"},
    {"refuses_a_scale_that_is_no_number", OPTIONS(.segment_scale = (double)NAN), "segment_scale"},
    {"refuses_segments_of_whole_rows",
     OPTIONS(.force_kernel = "tiled/whole", .balance = SPMM_BALANCE_SEGMENTS), "contradict"},
    {"refuses_whole_rows_of_segments",
     OPTIONS(.force_kernel = "tiled/segmented", .balance = SPMM_BALANCE_NONE), "contradict"},
    {"refuses_a_length_for_whole_rows", OPTIONS(.balance = SPMM_BALANCE_NONE, .segment_length = 8),
     "length of 8"},
    {"refuses_an_order_of_rows_kernels", OPTIONS(.force_kernel = "rows", .reorder = SPMM_REORDER_RADIX),
     "tiled family"},
    {"refuses_panels_of_rows_kernels", OPTIONS(.schedule = SPMM_SCHEDULE_ROW_SPLIT, .panel_rows = 64),
     "tiled family"},
    {"refuses_permuted_output_of_rows_kernels", OPTIONS(.force_kernel = "rows", .permute_output = 1),
     "tiled family"},
    {"refuses_permuted_output_of_the_transpose", OPTIONS(.ops = 3, .permute_output = 1), "op N only"},
    {"refuses_permuted_output_of_segments", OPTIONS(.force_kernel = "tiled/segmented", .permute_output = 1),
     "whole rows"},
    {"refuses_permuted_output_without_an_order", OPTIONS(.reorder = SPMM_REORDER_NONE, .permute_output = 1),
     "contradict"},
    {"refuses_permuted_output_of_two", OPTIONS(.permute_output = 2), "found 2"},
    {"refuses_n_of_zero", OPTIONS(.n = n_zero, .n_count = 2), "found 0"},
    {"refuses_a_negative_count_of_n", OPTIONS(.n = n_zero, .n_count = -1), "n_count"},
    {"refuses_negative_threads", OPTIONS(.threads = -1), "threads"},
};

static void refuses_with_one_sentence(void **state)
{
    const struct refusal_case *c = *state;
    spmm_matrix_t *m = generate("gen:diag:3");
    spmm_plan_t *plan = (spmm_plan_t *)m;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_inspect(m, &c->options, &plan, &diag), SPMM_ERR_ARGUMENT);
    assert_null(plan);
    if (strstr(diag.text, c->fragment) == NULL)
        fail_msg("found the sentence \"%s\"", diag.text);
    spmm_matrix_destroy(m);
}

static void refuses_missing_arguments(void **state)
{
    (void)state;
    spmm_plan_t *plan = NULL;
    spmm_matrix_t *m = generate("gen:diag:3");
    assert_int_equal(spmm_inspect(NULL, NULL, &plan, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_inspect(m, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_matrix_destroy(m);
}

static void refuses_dimensions_beyond_the_format(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0};
    const spmm_matrix_t m = {.cols = SPMMI_DIM_MAX + 1, .row_ptr = row_ptr};
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_inspect(&m, NULL, &plan, NULL), SPMM_ERR_MATRIX_TOO_LARGE);
    assert_null(plan);
}

static void kernels_can_be_forced_by_name(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:diag:40");
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.force_kernel = "rows/row-split";
    spmm_plan_t *plan = inspect(m, &options);
    assert_int_equal(plan->parts[0].schedule, SPMM_SCHEDULE_ROW_SPLIT);
    assert_int_equal(plan->trace[0].reason, SPMMI_REASON_FORCED);
    spmm_plan_destroy(plan);
    options.force_kernel = "rows/nonzero-split";
    plan = inspect(m, &options);
    assert_int_equal(plan->parts[0].schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* ---- Sameness, progress, memory ---- */

/* ---- The tiled family ---- */

struct tiled_case {
    const char *name, *spec;
    spmm_inspect_options_t options;
    spmm_schedule_t schedule;
    uint32_t granule, panel_rows, flags;
    enum spmmi_reason reason;
};
static const int64_t n_64[] = {64};

/* 132 multiprocessors; R = 16, so that 64 columns make 4 blocks of a panel. */
static const struct tiled_case tiled_cases[] = {
    /* 625 panels of 32 rows: 18.9 blocks; of 256: 2.4. Rows of 7. */
    {"even_rows_in_many_panels_stay_whole", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_EVEN},
    /* 2 panels of 32 rows: U = 8 / 132, mu = 1000, segments of 61. */
    {"few_rows_are_cut_into_u_mu", "gen:dense:64:1000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 61, 32, 0, SPMMI_REASON_UNDERUSED},
    /* One row of 20000, the others of 2; mu = 2.99990. */
    {"uneven_rows_are_cut_into_mu", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 3, 256, 0, SPMMI_REASON_UNEVEN},
    {"lengths_can_be_scaled", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             .segment_scale = 4),
     SPMM_SCHEDULE_SEGMENTED, 12, 256, 0, SPMMI_REASON_UNEVEN},
    {"lengths_can_have_a_floor", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE,
             .segment_least = 32),
     SPMM_SCHEDULE_SEGMENTED, 32, 256, 0, SPMMI_REASON_UNEVEN},
    {"thresholds_can_be_moved", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE, .cv_max = 100),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_EVEN},
    {"u_min_can_be_moved", "gen:dense:64:1000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .reorder = SPMM_REORDER_NONE, .u_min = 0.01),
     SPMM_SCHEDULE_WHOLE, 0, 32, 0, SPMMI_REASON_EVEN},
    {"whole_rows_can_be_forced", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled/whole", .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_FORCED},
    {"whole_rows_can_be_had_by_balance_none", "gen:arrow:20000",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .balance = SPMM_BALANCE_NONE,
             .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 256, 0, SPMMI_REASON_FORCED},
    {"segments_of_mu_can_be_forced", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .schedule = SPMM_SCHEDULE_SEGMENTED, .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 7, 256, 0, SPMMI_REASON_FORCED},
    {"segments_can_be_given_a_length", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .balance = SPMM_BALANCE_SEGMENTS,
             .segment_length = 5, .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_SEGMENTED, 5, 256, 0, SPMMI_REASON_FORCED},
    {"panels_can_be_given_a_height", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .panel_rows = 64,
             .reorder = SPMM_REORDER_NONE),
     SPMM_SCHEDULE_WHOLE, 0, 64, 0, SPMMI_REASON_EVEN},
    {"more_blocks_can_be_asked_for", "gen:band:20000:3",
     OPTIONS(.n = n_64, .n_count = 1, .force_kernel = "tiled", .blocks_per_sm = 4,
             .reorder = SPMM_REORDER_NONE),
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
    /* The band is sorted already: the order by pattern is the one there is. */
    {"an_order_that_gains_nothing_is_refused", "gen:band:20000:3",
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
    spmm_matrix_t *m = generate(c->spec);
    spmm_plan_t *plan = inspect(m, &c->options);
    if (spmmi_plan_check(plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->part_count, 1);
    const struct spmmi_part *part = &plan->parts[0];
    assert_int_equal(part->family, SPMM_FAMILY_TILED);
    assert_int_equal(part->schedule, c->schedule);
    assert_int_equal(part->granule, c->granule);
    assert_int_equal(part->panel_rows, c->panel_rows);
    assert_int_equal(part->stage_slots, 447);
    assert_int_equal(part->flags, c->flags);
    assert_int_equal(plan->variants[0].layouts, SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR);
    assert_true(plan->has_panel_stats);
    assert_int_equal(plan->panel_stats.panel_rows, c->panel_rows);
    assert_int_equal(plan->panel_stats.segment, c->granule);
    assert_int_equal(plan->panel_stats.is_reordered, (c->flags & SPMMI_PART_REORDERED) != 0);
    int winners = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        const struct spmmi_trace *t = &plan->trace[i];
        if (!t->chosen || t->reason == SPMMI_REASON_REUSE)
            continue;
        assert_int_equal(t->family, SPMM_FAMILY_TILED);
        assert_int_equal(t->schedule, c->schedule);
        assert_int_equal(t->reason, c->reason);
        winners++;
    }
    assert_int_equal(winners, 1);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Both intensities are in the trace, and the new order is in use where it says so. */
static void the_trace_tells_what_the_order_does(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:femshuf:20:20:20");
    for (int reorder = SPMM_REORDER_AUTO; reorder <= SPMM_REORDER_RADIX; reorder++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.force_kernel = "tiled";
        options.reorder = (spmm_reorder_t)reorder;
        spmm_plan_t *plan = inspect(m, &options);
        int entries = 0;
        for (uint32_t i = 0; i < plan->trace_count; i++) {
            const struct spmmi_trace *t = &plan->trace[i];
            if (t->reason != SPMMI_REASON_REUSE)
                continue;
            const struct spmmi_part *part = &plan->parts[plan->variants[t->variant].part_first];
            assert_true(t->figure > 0 && t->threshold > 0 && t->figure != t->threshold);
            assert_int_equal(t->chosen, (part->flags & SPMMI_PART_REORDERED) != 0);
            if (reorder == SPMM_REORDER_RADIX)
                assert_int_equal(t->chosen, 1);
            else if (t->chosen)
                assert_true(t->figure > t->threshold);
            entries++;
        }
        assert_int_equal(entries, reorder == SPMM_REORDER_NONE ? 0 : (int)plan->variant_count);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

static void permuted_output_has_one_order_for_every_product(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:femshuf:9:9:9");
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    const uint32_t *order = NULL;
    int64_t count = 0;
    options.permute_output = 1;
    options.reorder = SPMM_REORDER_RADIX;
    spmm_plan_t *plan = inspect(m, &options);
    assert_int_equal(plan->variant_count, 1);
    assert_int_equal(plan->variants[0].n_min, 1);
    assert_int_equal(plan->variants[0].n_max, SPMMI_N_MAX);
    assert_int_equal(spmm_plan_row_order(plan, 0, &order, &count), SPMM_OK);
    assert_int_equal(count, m->rows);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

/* Every generator in every configuration, both ops: the format accepts the parts. */
static void tiled_parts_pass_the_check_of_the_format(void **state)
{
    static const char *const kernels[] = {"tiled", "tiled/whole", "tiled/segmented"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        spmm_matrix_t *m = generate(specs[s]);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            for (int reorder = SPMM_REORDER_AUTO; reorder <= SPMM_REORDER_RADIX; reorder++) {
                spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
                spmm_diag_t diag = {0};
                options.force_kernel = kernels[k];
                options.reorder = (spmm_reorder_t)reorder;
                options.ops = 3;
                spmm_plan_t *plan = inspect(m, &options);
                if (spmmi_plan_check(plan, &diag) != SPMM_OK)
                    fail_msg("%s: %s", specs[s], diag.text);
                for (uint32_t i = 0; i < plan->variant_count; i++)
                    assert_int_equal(plan->parts[plan->variants[i].part_first].family, SPMM_FAMILY_TILED);
                spmm_plan_destroy(plan);
            }
        }
        spmm_matrix_destroy(m);
    }
}

static void bytes_are_the_same(const spmm_matrix_t *m, spmm_inspect_options_t options)
{
    void *first = NULL;
    size_t first_size = 0;
    for (int threads = 1; threads <= 7; threads += 3) {
        spmm_save_options_t save = SPMM_SAVE_OPTIONS_INIT;
        void *bytes = NULL;
        size_t size = 0;
        options.threads = threads;
        save.threads = threads;
        spmm_plan_t *plan = inspect(m, &options);
        assert_int_equal(spmm_plan_write(plan, &save, &bytes, &size, NULL), SPMM_OK);
        spmm_plan_destroy(plan);
        if (first == NULL) {
            first = bytes;
            first_size = size;
            continue;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        spmm_plan_bytes_free(bytes);
    }
    spmm_plan_bytes_free(first);
}

static void plan_bytes_do_not_depend_on_threads(void **state)
{
    static const char *const large[] = {"gen:rmat:14:20", "gen:fem3:20:20:20", "gen:rand:150000:2"};
    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        spmm_matrix_t *m = generate(large[s]);
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.ops = 3;
        bytes_are_the_same(m, options);
        options.ops = 1;
        options.n = n_64;
        options.n_count = 1;
        options.force_kernel = "tiled";
        options.reorder = SPMM_REORDER_RADIX;
        bytes_are_the_same(m, options);
        spmm_matrix_destroy(m);
    }
}

/* Adjacency matrices hold nothing but ones: no other plans are packed as hard. */
static void plans_of_a_million_ones_load_again(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:dense:2000:1000");
    for (int64_t p = 0; p < m->nnz; p++)
        m->values[p] = 1;
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        spmm_plan_t *loaded = NULL;
        spmm_csr_t csr;
        spmm_diag_t diag = {0};
        void *bytes = NULL;
        size_t size = 0;
        options.dtype = (spmm_dtype_t)dtype;
        spmm_plan_t *plan = inspect(m, &options);
        assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
        if (spmm_plan_read(bytes, size, NULL, &loaded, &diag) != SPMM_OK)
            fail_msg("%s", diag.text);
        assert_int_equal(spmm_matrix_csr(m, &csr), SPMM_OK);
        assert_int_equal(spmm_plan_matches(loaded, &csr, 1, NULL), SPMM_OK);
        spmm_plan_bytes_free(bytes);
        spmm_plan_destroy(loaded);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

struct progress_record {
    uint64_t last;
    int calls, backwards;
};

static void record_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct progress_record *r = context;
    r->backwards |= done < r->last || done > total || stage[0] == '\0';
    r->last = done;
    r->calls++;
}

static void progress_goes_forward_to_its_end(void **state)
{
    (void)state;
    struct progress_record record = {0};
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.progress = record_progress;
    options.progress_context = &record;
    spmm_matrix_t *m = generate("gen:diag:3");
    spmm_plan_destroy(inspect(m, &options));
    assert_int_equal(record.calls, 4);
    assert_int_equal(record.last, 3);
    assert_false(record.backwards);
    spmm_matrix_destroy(m);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    spmm_matrix_t *m = generate("gen:fem3:2:2:2");
    const int64_t live = spmmi_alloc_live();
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    int64_t failures = 0;
    options.ops = 3;
    for (;; failures++) {
        spmm_diag_t diag = {0};
        spmm_plan_t *plan = NULL;
        spmmi_alloc_fail_at(failures, 1);
        const spmm_status_t status = spmm_inspect(m, &options, &plan, &diag);
        spmmi_alloc_fail_at(-1, 0);
        if (status == SPMM_OK) {
            spmm_plan_destroy(plan);
            break;
        }
        assert_int_equal(status, SPMM_ERR_MEMORY);
        assert_null(plan);
        assert_int_equal(diag.status, SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(failures >= 7);
    assert_int_equal(spmmi_alloc_live(), live);
    spmm_matrix_destroy(m);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(defaults_are_f32_and_one_variant_for_everything),
        cmocka_unit_test(schedule_of_the_transpose_follows_its_own_rows),
        cmocka_unit_test(only_ranges_of_the_named_n_get_a_variant),
        cmocka_unit_test(device_profiles_name_their_target),
        cmocka_unit_test(values_of_a_pattern_are_one),
        cmocka_unit_test(values_are_rounded_to_the_nearest_float),
        cmocka_unit_test(infinities_and_nan_of_the_file_stay),
        cmocka_unit_test(a_value_too_large_for_a_float_is_refused_with_its_place),
        cmocka_unit_test(refuses_missing_arguments),
        cmocka_unit_test(refuses_dimensions_beyond_the_format),
        cmocka_unit_test(kernels_can_be_forced_by_name),
        cmocka_unit_test(the_trace_tells_what_the_order_does),
        cmocka_unit_test(permuted_output_has_one_order_for_every_product),
        cmocka_unit_test(tiled_parts_pass_the_check_of_the_format),
        cmocka_unit_test(plan_bytes_do_not_depend_on_threads),
        cmocka_unit_test(plans_of_a_million_ones_load_again),
        cmocka_unit_test(progress_goes_forward_to_its_end),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(refusal_cases) + COUNT(tiled_cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] = (struct CMUnitTest){specs[i], passes_the_check_of_the_format, NULL, NULL,
                                             (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(refusal_cases); i++)
        tests[count++] = (struct CMUnitTest){refusal_cases[i].name, refuses_with_one_sentence, NULL, NULL,
                                             (void *)(uintptr_t)&refusal_cases[i]};
    for (size_t i = 0; i < COUNT(tiled_cases); i++)
        tests[count++] = (struct CMUnitTest){tiled_cases[i].name, configures_the_tiled_family, NULL, NULL,
                                             (void *)(uintptr_t)&tiled_cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("inspect", tests, NULL, NULL);
}
