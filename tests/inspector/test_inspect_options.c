/* SPDX-License-Identifier: Apache-2.0 */
/* Checks options of spmm_inspect: which are refused, and with which message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format/plan.h"
#include "inspect_support.h"
#include "inspector/cost/device_profile.h"

static const int64_t n_zero[] = {8, 0};

struct refusal_case {
    const char *name;
    spmm_inspect_options_t options;
    const char *excerpt;
};

static const struct refusal_case refusal_cases[] = {
    {"refuses_options_without_their_size", {.struct_size = 0}, "struct_size of the inspect options is 0"},
    {"refuses_tiled_options_without_their_size",
     OPTIONS(.tiled = &(const spmm_tiled_options_t){.segment_length = 8}),
     "struct_size of the tiled options is 0"},
    {"refuses_tcblock_options_without_their_size",
     OPTIONS(.tcblock = &(const spmm_tcblock_options_t){.block_rows = 64}),
     "struct_size of the tcblock options is 0"},
    {"refuses_an_unknown_type_of_a", OPTIONS(.a_type = (spmm_dtype_t)5), "unknown a_type 5"},
    {"refuses_an_unknown_type_of_b", OPTIONS(.b_type = (spmm_dtype_t)9), "unknown b_type 9"},
    {"refuses_an_unknown_type_of_sums", OPTIONS(.sum_type = (spmm_dtype_t)7), "unknown sum_type 7"},
    {"refuses_an_unknown_layout", OPTIONS(.layouts = 4), "layouts 0x4"},
    {"refuses_an_unknown_op", OPTIONS(.ops = 8), "ops 0x8"},
    {"refuses_an_unknown_device", OPTIONS(.device = "h300"),
     "expected a device of any, cpu, a100, h100, h200, or a profile file, found \"h300\" (No such file or "
     "directory)"},
    {"refuses_an_unknown_kernel", OPTIONS(.force_kernel = "rows/fast"), "is \"rows/fast\", expected rows"},
    {"refuses_a_kernel_of_another_family", OPTIONS(.force_kernel = "tiled/row-split"),
     "is \"tiled/row-split\", expected tiled, tiled/whole or tiled/segmented"},
    {"refuses_a_kernel_without_its_schedule", OPTIONS(.force_kernel = "rows/"),
     "is \"rows/\", expected rows"},
    {"refuses_an_instance", OPTIONS(.force_kernel = "cuda/tiled/whole/r8"),
     "ends with its schedule, found \"cuda/tiled/whole/r8\""},
    {"refuses_an_unknown_target", OPTIONS(.force_kernel = "gpu/rows"), "is \"gpu/rows\", expected rows"},
    {"refuses_a_target_alone", OPTIONS(.force_kernel = "cpu"), "is \"cpu\", expected rows"},
    {"refuses_a_kernel_of_gpus_for_the_cpu", OPTIONS(.device = "cpu", .force_kernel = "cuda/rows"),
     "a kernel of GPUs"},
    {"refuses_permuted_output_of_one_target", OPTIONS(.force_kernel = "cpu/tiled", .permute_output = 1),
     "leave the target out"},
    {"refuses_block_rows_of_tensor_cores_for_tiled",
     OPTIONS(.force_kernel = "tiled", TCBLOCK(.block_rows = 64)), "the named kernel is tiled"},
    {"refuses_block_rows_of_no_family", OPTIONS(TCBLOCK(.block_rows = 32)),
     "no family supports tcblock.block_rows 32"},
    {"refuses_block_rows_of_tiled_for_the_panel_family",
     OPTIONS(.force_kernel = "panel", TILED(.block_rows = 64)), "the named kernel is panel"},
    {"refuses_an_unknown_balance", OPTIONS(TILED(.balance = (spmm_balance_t)4)), "unknown tiled.balance 4"},
    {"refuses_an_unknown_permutation", OPTIONS(.reorder = (spmm_reorder_t)255), "unknown reorder 255"},
    {"refuses_row_blocks_of_48_rows", OPTIONS(TILED(.block_rows = 48)), "found 48"},
    {"refuses_row_blocks_of_512_rows", OPTIONS(TILED(.block_rows = 512)), "found 512"},
    {"refuses_stages_of_8_rows", OPTIONS(TILED(.stage_slots = 8)), "32..4095, found 8"},
    {"refuses_segments_beyond_the_format", OPTIONS(TILED(.segment_length = SPMMI_ROW_SEGMENT_MAX + 1)),
     "1073741825"},
    {"refuses_a_negative_threshold", OPTIONS(TILED(.u_min = -1)), "u_min"},
    {"refuses_an_infinite_threshold", OPTIONS(TILED(.cv_max = (double)INFINITY)), "cv_max"},
    {"refuses_a_scale_that_is_no_number", OPTIONS(TILED(.segment_scale = (double)NAN)), "segment_scale"},
    {"refuses_segments_of_whole_rows",
     OPTIONS(.force_kernel = "tiled/whole", TILED(.balance = SPMM_BALANCE_SEGMENTS)),
     "tiled/whole cannot be combined"},
    {"refuses_whole_rows_of_segments",
     OPTIONS(.force_kernel = "tiled/segmented", TILED(.balance = SPMM_BALANCE_NONE)),
     "tiled/segmented cannot be combined"},
    {"refuses_a_length_for_whole_rows", OPTIONS(TILED(.balance = SPMM_BALANCE_NONE, .segment_length = 8)),
     "segment_length 8"},
    {"refuses_a_permutation_of_rows_kernels", OPTIONS(.force_kernel = "rows", .reorder = SPMM_REORDER_RADIX),
     "the named kernel is rows"},
    {"refuses_row_blocks_of_rows_kernels", OPTIONS(.force_kernel = "rows/row-split", TILED(.block_rows = 64)),
     "tiled family"},
    {"refuses_permuted_output_of_rows_kernels", OPTIONS(.force_kernel = "rows", .permute_output = 1),
     "supports neither reorder nor permute_output"},
    {"refuses_permuted_output_of_the_transpose", OPTIONS(.ops = SPMM_OPS_N | SPMM_OPS_T, .permute_output = 1),
     "op N only"},
    {"refuses_permuted_output_of_segments", OPTIONS(.force_kernel = "tiled/segmented", .permute_output = 1),
     "whole rows"},
    {"refuses_permuted_output_without_a_permutation",
     OPTIONS(.reorder = SPMM_REORDER_NONE, .permute_output = 1), "contradict"},
    {"refuses_permuted_output_of_two", OPTIONS(.permute_output = 2), "found 2"},
    {"refuses_a_tensor_kernel_with_a_schedule_of_rows", OPTIONS(.force_kernel = "window/row-split"),
     "is \"window/row-split\", expected window, window/dense or window/packed"},
    {"refuses_segments_of_windows",
     OPTIONS(.force_kernel = "window", TILED(.balance = SPMM_BALANCE_SEGMENTS)),
     "the named kernel is window"},
    {"refuses_stages_of_the_panel_family", OPTIONS(.force_kernel = "panel/dense", TILED(.stage_slots = 64)),
     "the named kernel is panel"},
    {"refuses_row_blocks_of_the_window_family",
     OPTIONS(.force_kernel = "window/dense", TCBLOCK(.block_rows = 64)), "windows always have 8 rows"},
    {"refuses_row_blocks_of_32_rows_of_the_panel_family",
     OPTIONS(.force_kernel = "panel", TCBLOCK(.block_rows = 32)), "64, 128 or 256, found 32"},
    {"refuses_block_row_groups_of_256_rows", OPTIONS(.force_kernel = "bcsr", TCBLOCK(.block_rows = 256)),
     "tcblock.block_rows of the kernel bcsr must be 64 or 128, found 256"},
    {"refuses_packed_blocks_of_bcsr", OPTIONS(.force_kernel = "bcsr/packed"),
     "is \"bcsr/packed\", expected bcsr or bcsr/dense"},
    {"refuses_tensor_cores_for_f32", OPTIONS(.force_kernel = "panel", .compute = SPMM_COMPUTE_F32),
     "panel runs on tensor cores"},
    {"refuses_tf32_for_f64", OPTIONS(.a_type = SPMM_F64, .compute = SPMM_COMPUTE_TF32),
     "values of type f64 are not multiplied as tf32"},
    {"refuses_f16_for_f32", OPTIONS(.compute = SPMM_COMPUTE_F16), "f32 are not multiplied as f16"},
    {"refuses_an_unknown_compute_type", OPTIONS(.compute = (spmm_compute_t)9), "unknown compute 9"},
    {"refuses_long_rows_of_tiled",
     OPTIONS(.force_kernel = "tiled", TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
     "tcblock.long_rows applies to tensor-core families only, but the named kernel is tiled"},
    {"refuses_long_rows_of_rows_on_the_cpu",
     OPTIONS(.device = "cpu", .force_kernel = "cpu/rows", TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
     "but the named kernel is rows"},
    {"refuses_row_blocks_of_256_rows_for_an_h100",
     OPTIONS(.device = "h100", .force_kernel = "panel", TCBLOCK(.block_rows = 256)), "on CPUs only"},
    {"refuses_row_blocks_of_256_rows_for_an_a100",
     OPTIONS(.device = "a100", .force_kernel = "panel/packed", TCBLOCK(.block_rows = 256)), "on CPUs only"},
    {"refuses_row_blocks_of_256_rows_for_gpus",
     OPTIONS(.force_kernel = "cuda/panel", TCBLOCK(.block_rows = 256)),
     "the kernel panel supports tcblock.block_rows 256 on CPUs only, but the plan is for a GPU"},
    {"refuses_permuted_output_of_windows_without_a_permutation",
     OPTIONS(.force_kernel = "window", .reorder = SPMM_REORDER_NONE, .permute_output = 1), "contradict"},
    {"refuses_n_of_zero", OPTIONS(.n = n_zero, .n_count = 2), "found 0"},
    {"refuses_a_count_of_n_without_n", OPTIONS(.n_count = 3), "n is NULL, but n_count is 3"},
    {"refuses_a_pattern_only_of_two", OPTIONS(.pattern_only = 2), "pattern_only must be 0 or 1, found 2"},
    {"refuses_a_negative_pattern_only", OPTIONS(.pattern_only = -1), "found -1"},
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
    if (strstr(diag.text, c->excerpt) == NULL)
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

static void types_without_a_kernel_are_reported_with_those_that_have_one(void **state)
{
    const spmm_inspect_options_t wrong[] = {OPTIONS(.b_type = SPMM_F64), OPTIONS(.sum_type = SPMM_F64),
                                            OPTIONS(.a_type = SPMM_F16, .b_type = SPMM_F32)};
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag = {0};
        assert_int_equal(spmm_inspect(m, &wrong[i], &plan, &diag), SPMM_ERR_UNSUPPORTED);
        assert_non_null(strstr(diag.text, "f32 f32 f32 f32, f64 f64 f64 f64, f16 f16 f16 f32"));
    }
    spmm_matrix_destroy(m);
}

static void a_family_without_mixed_types_is_unsupported(void **state)
{
    const spmm_inspect_options_t options =
        OPTIONS(.b_type = SPMM_BF16, .c_type = SPMM_BF16, .force_kernel = "tiled");
    spmm_matrix_t *m = inspect_generate("gen:diag:3");
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(spmm_inspect(m, &options, &plan, &diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "the tiled kernels take B and C of the type of A only, f32"));
    spmm_matrix_destroy(m);
}

/* The family that is forced on one target does not take these options. They are accepted because other
 * targets choose freely. */
static void options_of_another_target_are_taken(void **state)
{
    const spmm_inspect_options_t good[] = {
        OPTIONS(.force_kernel = "panel", TCBLOCK(.block_rows = 256)),
        OPTIONS(.device = "cpu", .force_kernel = "panel", TCBLOCK(.block_rows = 256)),
        OPTIONS(.device = "h200", .force_kernel = "cpu/panel", TCBLOCK(.block_rows = 256)),
        OPTIONS(.device = "h200", .force_kernel = "panel", TCBLOCK(.block_rows = 128)),
        OPTIONS(.device = "h200", .force_kernel = "cpu/rows", TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
        OPTIONS(.force_kernel = "window", TCBLOCK(.long_rows = SPMM_LONG_ROWS_KEEP)),
    };
    spmm_matrix_t *m = inspect_generate("gen:band:400:3");
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        spmm_plan_destroy(inspect_plan(m, &good[i]));
    spmm_matrix_destroy(m);
}

static const struct spmmi_part *part_for(const spmm_plan_t *plan, uint32_t target)
{
    int fits = 0;
    const int v = spmmi_variant_pick(plan, SPMM_OP_N, target, 64, SPMM_LAYOUTS_ROW_MAJOR, &fits);
    assert_true(v >= 0); /* the CPU also runs variants of other targets */
    return &plan->parts[plan->variants[v].part_first];
}

static bool is_same_kernel(const struct spmmi_part *a, const struct spmmi_part *b)
{
    return a->family == b->family && a->schedule == b->schedule;
}

/* A kernel that names a target is forced only there. On other targets the plan is as without it. */
static void a_target_forces_its_variants_alone(void **state)
{
    enum { CPU = SPMMI_TARGET_CPU, GPU = 90 };
    static const char *const devices[] = {"h200", "any"};
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:band:4000:3");
    for (int d = 0; d < 2; d++) {
        spmm_inspect_options_t options = OPTIONS(.device = devices[d]);
        spmm_plan_t *chosen = inspect_plan(m, &options);
        options.force_kernel = "bcsr/dense";
        spmm_plan_t *forced = inspect_plan(m, &options);
        options.force_kernel = "cuda/bcsr/dense";
        spmm_plan_t *on_gpu = inspect_plan(m, &options);
        options.force_kernel = "cpu/bcsr";
        spmm_plan_t *on_cpu = inspect_plan(m, &options);
        assert_false(is_same_kernel(part_for(chosen, CPU), part_for(forced, CPU)));
        assert_false(is_same_kernel(part_for(chosen, GPU), part_for(forced, GPU)));
        assert_true(is_same_kernel(part_for(on_gpu, CPU), part_for(chosen, CPU)));
        assert_true(is_same_kernel(part_for(on_gpu, GPU), part_for(forced, GPU)));
        assert_true(is_same_kernel(part_for(on_cpu, CPU), part_for(forced, CPU)));
        assert_true(is_same_kernel(part_for(on_cpu, GPU), part_for(chosen, GPU)));
        spmm_plan_destroy(on_cpu);
        spmm_plan_destroy(on_gpu);
        spmm_plan_destroy(forced);
        spmm_plan_destroy(chosen);
    }
    spmm_matrix_destroy(m);
}

#define MORE 5 /* number of tests besides the refusals */
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(refusal_cases) + MORE] = {
        cmocka_unit_test(kernels_can_be_forced_by_name),
        cmocka_unit_test(types_without_a_kernel_are_reported_with_those_that_have_one),
        cmocka_unit_test(a_target_forces_its_variants_alone),
        cmocka_unit_test(a_family_without_mixed_types_is_unsupported),
        cmocka_unit_test(options_of_another_target_are_taken),
    };
    for (size_t i = 0; i < COUNT(refusal_cases); i++)
        tests[i + MORE] = (struct CMUnitTest){refusal_cases[i].name, refuses_with_one_sentence, NULL, NULL,
                                              (void *)(uintptr_t)&refusal_cases[i]};
    return cmocka_run_group_tests_name("inspect_options", tests, NULL, NULL);
}
