/* SPDX-License-Identifier: Apache-2.0 */
/* Options of spmm_inspect: what is refused, and with which sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "format/plan.h"
#include "inspect_support.h"

static const int64_t n_zero[] = {8, 0};

struct refusal_case {
    const char *name;
    spmm_inspect_options_t options;
    const char *fragment;
};

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
    {"refuses_an_unknown_balance", OPTIONS(.balance = (spmm_balance_t)4), "balance 4"},
    {"refuses_an_unknown_order", OPTIONS(.reorder = (spmm_reorder_t)255), "reorder 255"},
    {"refuses_panels_of_48_rows", OPTIONS(.block_rows = 48), "found 48"},
    {"refuses_panels_of_512_rows", OPTIONS(.block_rows = 512), "found 512"},
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
    {"refuses_panels_of_rows_kernels", OPTIONS(.schedule = SPMM_SCHEDULE_ROW_SPLIT, .block_rows = 64),
     "tiled family"},
    {"refuses_permuted_output_of_rows_kernels", OPTIONS(.force_kernel = "rows", .permute_output = 1),
     "tiled family"},
    {"refuses_permuted_output_of_the_transpose", OPTIONS(.ops = 3, .permute_output = 1), "op N only"},
    {"refuses_permuted_output_of_segments", OPTIONS(.force_kernel = "tiled/segmented", .permute_output = 1),
     "whole rows"},
    {"refuses_permuted_output_without_an_order", OPTIONS(.reorder = SPMM_REORDER_NONE, .permute_output = 1),
     "contradict"},
    {"refuses_permuted_output_of_two", OPTIONS(.permute_output = 2), "found 2"},
    {"refuses_a_tensor_kernel_with_a_schedule_of_rows", OPTIONS(.force_kernel = "window/row-split"),
     "found \"window/row-split\""},
    {"refuses_a_schedule_of_tensor_kernels_alone", OPTIONS(.schedule = SPMM_SCHEDULE_PACKED),
     "schedule 6 is none that can be asked for without a kernel"},
    {"refuses_segments_of_windows", OPTIONS(.force_kernel = "window", .balance = SPMM_BALANCE_SEGMENTS),
     "the kernel is to be window"},
    {"refuses_stages_of_panels_of_tensor_cores", OPTIONS(.force_kernel = "panel/dense", .stage_slots = 64),
     "the kernel is to be panel"},
    {"refuses_panels_of_windows", OPTIONS(.force_kernel = "window/dense", .block_rows = 64),
     "windows have 8 rows"},
    {"refuses_tensor_panels_of_32_rows", OPTIONS(.force_kernel = "panel", .block_rows = 32),
     "64, 128 or 256, found 32"},
    {"refuses_strips_of_256_rows", OPTIONS(.force_kernel = "bcsr", .block_rows = 256),
     "panel_rows of the kernel bcsr must be 64 or 128, found 256"},
    {"refuses_packed_blocks_of_strips", OPTIONS(.force_kernel = "bcsr/packed"), "found \"bcsr/packed\""},
    {"refuses_tensor_cores_for_f32", OPTIONS(.force_kernel = "panel", .compute = SPMM_COMPUTE_F32),
     "panel runs on tensor cores"},
    {"refuses_tf32_for_f64", OPTIONS(.dtype = SPMM_F64, .compute = SPMM_COMPUTE_TF32),
     "numbers of type f64 are not multiplied as tf32"},
    {"refuses_f16_for_f32", OPTIONS(.compute = SPMM_COMPUTE_F16), "f32 are not multiplied as f16"},
    {"refuses_an_unknown_compute_type", OPTIONS(.compute = (spmm_compute_t)7), "not multiplied as ?"},
    {"refuses_permuted_output_of_windows_without_an_order",
     OPTIONS(.force_kernel = "window", .reorder = SPMM_REORDER_NONE, .permute_output = 1), "contradict"},
    {"refuses_n_of_zero", OPTIONS(.n = n_zero, .n_count = 2), "found 0"},
    {"refuses_a_negative_count_of_n", OPTIONS(.n = n_zero, .n_count = -1), "n_count"},
    {"refuses_negative_threads", OPTIONS(.threads = -1), "threads"},
};

static void refuses_with_one_sentence(void **state)
{
    const struct refusal_case *c = *state;
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    spmm_plan_t *plan = (spmm_plan_t *)m;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_inspect(m, &c->options, &plan, &diag), SPMM_ERR_ARGUMENT);
    assert_null(plan);
    if (strstr(diag.text, c->fragment) == NULL)
        fail_msg("found the sentence \"%s\"", diag.text);
    spmm_matrix_destroy(m);
}

static void kernels_can_be_forced_by_name(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:diag:40");
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.force_kernel = "rows/row-split";
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->parts[0].schedule, SPMM_SCHEDULE_ROW_SPLIT);
    assert_int_equal(plan->trace[0].reason, SPMMI_REASON_FORCED);
    spmm_plan_destroy(plan);
    options.force_kernel = "rows/nonzero-split";
    plan = inspect_plan(m, &options);
    assert_int_equal(plan->parts[0].schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(refusal_cases) + 1] = {
        cmocka_unit_test(kernels_can_be_forced_by_name),
    };
    for (size_t i = 0; i < COUNT(refusal_cases); i++)
        tests[i + 1] = (struct CMUnitTest){refusal_cases[i].name, refuses_with_one_sentence, NULL, NULL,
                                           (void *)(uintptr_t)&refusal_cases[i]};
    return cmocka_run_group_tests_name("inspect_options", tests, NULL, NULL);
}
