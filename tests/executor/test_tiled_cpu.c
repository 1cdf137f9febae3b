/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on the CPU: products compared with the reference for every named matrix, type and layout,
 * and the laws of products for its parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/shared/scatter_cpu.h"
#include "kernels/tiled/tiled_host_cpu.h"
#include "kernels/tiled/tiled_name.h"
#include "format/base/alloc.h"
#include "format/base/half.h"
#include "kernels/shared/half_cpu.h"
#include "kernels/tiled/tiled_cpu.h"
#include "tests/support/laws.h"
#include "tests/support/plan_build.h"

struct shape {
    spmm_schedule_t schedule;
    uint32_t item_size, block_rows, stage_slots;
    int is_reordered;
};

static const struct shape shapes[] = {
    {SPMM_SCHEDULE_WHOLE, 0, 32, 32, 0},      {SPMM_SCHEDULE_WHOLE, 0, 256, 447, 1},
    {SPMM_SCHEDULE_WHOLE, 0, 128, 4095, 0},   {SPMM_SCHEDULE_SEGMENTED, 1, 64, 100, 1},
    {SPMM_SCHEDULE_SEGMENTED, 13, 32, 40, 0}, {SPMM_SCHEDULE_SEGMENTED, 300, 256, 447, 1},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

/* Types in rotation. */
static spmm_dtype_t type_of(int turn)
{
    return (spmm_dtype_t)(SPMM_F32 + turn % 4);
}

static spmm_plan_t *plan_of(const struct test_matrix *a, spmm_dtype_t dtype, const struct shape *shape)
{
    const struct test_plan_options options = {dtype, shape->schedule, shape->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        plan->parts[i].block_rows = shape->block_rows;
        plan->parts[i].stage_slots = shape->stage_slots;
    }
    if (shape->is_reordered)
        test_plan_reorder(plan, 5, 0);
    return plan;
}

/* Odd widths and widths at the ends of tiles. Layouts, gaps, shifts and factors rotate. */
static void every_matrix(enum test_values values, int64_t n_step)
{
    int turn = 0;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, values);
        for (int s = 0; s < SHAPE_COUNT; s++) {
            spmm_plan_t *plan = plan_of(a, type_of(i + s), &shapes[s]);
            test_law_widths(a, plan, values, 1 + (i + s) % n_step, n_step, &turn);
            spmm_plan_destroy(plan);
        }
        test_matrix_free(a);
    }
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL, 23);
}

/* Sums of small integers are exact in f32 and f64. For 16-bit types the final rounding is judged. */
static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER, 37);
}

static void every_width_type_layout_and_factor_meets_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 1; s < SHAPE_COUNT; s += 3)
        for (int t = 0; t < 4; t++) {
            spmm_plan_t *plan = plan_of(a, type_of(t), &shapes[s]);
            test_law_turns(a, plan);
            spmm_plan_destroy(plan);
        }
    test_matrix_free(a);
}

static const char *const cut_matrices[] = {"dense row among sparse", "2 x 6000 short-fat", "dense", "band",
                                           "1 x 9000 dense",         "power law"};
#define CUT_COUNT ((int)(sizeof cut_matrices / sizeof cut_matrices[0]))

static void same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    for (int m = 0; m < CUT_COUNT; m++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            const spmm_dtype_t dtype = type_of(m + s);
            struct test_matrix *a = test_matrix_named(cut_matrices[m], TEST_VALUES_REAL);
            spmm_plan_t *plan = plan_of(a, dtype, &shapes[s]);
            struct test_product product = test_product_of_turn(SPMM_OP_N, 67, m + s, TEST_VALUES_REAL);
            product.alpha = 1.5, product.beta = -0.5;
            test_law_threads(a, plan, &product);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

/* Checks that if row j of B is not finite, exactly the rows of C that store column j are not finite. */
static void canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype, int64_t j)
{
    struct test_product product = test_product_of_turn(SPMM_OP_N, 5, (int)j, TEST_VALUES_REAL);
    product.alpha = 1, product.beta = 0;
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    for (int64_t q = 0; q < 5; q++)
        test_dense_set(&b, j, q, j & 4 ? (double)NAN : (double)INFINITY);
    test_product_run(executor, &product, &b, &c);
    test_product_check_canary(a, j, &c);
    test_dense_free(&b);
    test_dense_free(&c);
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    const char *names[] = {"first rows empty", "last rows empty", "odd rows empty",       "one dense column",
                           "diagonal",         "rows of 0 to 8",  "3000 x 3 tall-skinny", "arrow"};
    for (int m = 0; m < (int)(sizeof names / sizeof names[0]); m++)
        for (int s = 0; s < SHAPE_COUNT; s += 2) {
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            const spmm_dtype_t dtype = type_of(m + s / 2);
            spmm_plan_t *plan = plan_of(a, dtype, &shapes[s + m % 2]);
            spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
            for (int64_t j = 0; j < a->cols; j++)
                canary(executor, a, dtype, j);
            spmm_executor_destroy(executor);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

static void a_permuted_output_has_its_rows_in_the_order(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int t = 0; t < 4; t++) {
        spmm_plan_t *plan = plan_of(a, type_of(t), &shapes[2]);
        test_plan_reorder(plan, 9, 0);
        const struct test_product product = test_product_of_turn(SPMM_OP_N, 9, t, TEST_VALUES_REAL);
        test_law_permuted_output(a, plan, &product);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void new_values_give_the_product_of_a_new_plan(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_INTEGER);
        const spmm_dtype_t dtype = type_of(i);
        const struct shape *shape = &shapes[i % SHAPE_COUNT];
        spmm_plan_t *plan = plan_of(a, dtype, shape);
        const struct test_product product = test_product_of_turn(SPMM_OP_N, 7, i, TEST_VALUES_INTEGER);
        test_law_new_values(a, plan, &product);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void assert_runs(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        spmm_op_t op, const char *kernel)
{
    const struct test_product product = {op, 6, SPMM_ROW_MAJOR,  SPMM_COL_MAJOR, 0, 1, 0,
                                         1,  0, TEST_VALUES_REAL};
    test_product_check(executor, a, dtype, &product);
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, op, &b.view, &c.view, &info, NULL), SPMM_OK);
    assert_memory_equal(info.kernel, kernel, strlen(kernel));
    test_dense_free(&b);
    test_dense_free(&c);
}

/* The type and schedule of the plan, the forced kernel, and the start of the name of the kernel that runs. */
static const struct {
    spmm_dtype_t dtype;
    spmm_schedule_t schedule;
    const char *force_kernel, *runs;
} forced[] = {
    {SPMM_F32, SPMM_SCHEDULE_WHOLE, NULL, "cpu/tiled/whole/p32"},
    {SPMM_F64, SPMM_SCHEDULE_SEGMENTED, NULL, "cpu/tiled/segmented-16/p32"},
    {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, "cpu/tiled/whole", "cpu/tiled/whole/p256"},
    {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, "cpu/tiled/segmented", "cpu/tiled/segmented-"},
    {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, "cpu/tiled/segmented", "cpu/tiled/segmented-16/p32"},
    {SPMM_F32, SPMM_SCHEDULE_WHOLE, "cpu/rows/row-split", "cpu/rows/row-split"},
    {SPMM_F64, SPMM_SCHEDULE_SEGMENTED, "cpu/rows/nonzero-split", "cpu/rows/nonzero-split"},
    {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, NULL, "cpu/rows/row-split"},
    {SPMM_BF16, SPMM_SCHEDULE_NONZERO_SPLIT, "cpu/tiled/segmented", "cpu/tiled/segmented-"},
    {SPMM_F16, SPMM_SCHEDULE_SEGMENTED, NULL, "cpu/tiled/segmented-16/p32"},
};
#define FORCED_COUNT (sizeof forced / sizeof forced[0])

static void forced_and_default_parts_run_and_say_so(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++)
        for (size_t f = 0; f < FORCED_COUNT; f++) {
            struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
            const struct test_plan_options options = {forced[f].dtype, forced[f].schedule, 16, 1, 0};
            spmm_plan_t *plan = test_plan_build(a, options);
            spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, forced[f].force_kernel);
            for (int op = 0; op < 2; op++)
                assert_runs(executor, a, forced[f].dtype, (spmm_op_t)op, forced[f].runs);
            spmm_executor_destroy(executor);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

static void kernel_names_distinguish_all_variants(void **state)
{
    (void)state;
    static const struct {
        struct spmmi_part part;
        uint32_t register_tile;
        const char *target, *name;
    } cases[] = {
        {{.schedule = SPMM_SCHEDULE_WHOLE, .block_rows = 256}, 0, "cpu", "cpu/tiled/whole/p256"},
        {{.schedule = SPMM_SCHEDULE_SEGMENTED, .item_size = 48, .block_rows = 128},
         16,
         "cuda",
         "cuda/tiled/segmented-48/p128/r16"},
        {{.schedule = SPMM_SCHEDULE_WHOLE, .block_rows = 64, .flags = SPMMI_PART_REORDERED},
         1,
         "cuda",
         "cuda/tiled/whole/p64/reordered/r1"},
        {{.schedule = SPMM_SCHEDULE_WHOLE,
          .block_rows = 256,
          .flags = SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT},
         0,
         "cpu",
         "cpu/tiled/whole/p256/reordered/permuted"},
        {{.schedule = SPMM_SCHEDULE_SEGMENTED,
          .item_size = SPMMI_ROW_SEGMENT_MAX,
          .block_rows = 256,
          .flags = SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT},
         32,
         "cuda",
         "cuda/tiled/segmented-1073741824/p256/reordered/permuted/r32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_executor_info_t info; /* its field can hold the longest name */
        spmmi_tiled_name(cases[i].target, &cases[i].part, cases[i].register_tile, info.kernel,
                         sizeof info.kernel);
        assert_string_equal(info.kernel, cases[i].name);
    }
}

static void memory_report_before_equals_the_one_after(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++)
        for (size_t f = 0; f < FORCED_COUNT; f++) {
            struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
            const struct test_plan_options options = {forced[f].dtype, forced[f].schedule, 16, 1, 0};
            spmm_plan_t *plan = test_plan_build(a, options);
            test_law_memory_report(plan, forced[f].force_kernel);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

/* A plan of a thousand bytes can claim so many columns that an array of counts would take gigabytes. */
static void columns_without_nonzeros_take_no_memory(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const int64_t cols = a->cols;
    spmm_plan_t *plan = plan_of(a, SPMM_F32, &shapes[4]);
    uint64_t few = 0, many = 0;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, NULL, &few, NULL, NULL), SPMM_OK);
    plan->variant_count = 1; /* op T has one row per column */
    plan->cols = INT32_MAX - 1;
    for (int64_t q = 0; q < a->nnz; q++)
        plan->col_ind[q] = (int32_t)(plan->col_ind[q] * (plan->cols / cols));
    spmmi_alloc_peak_reset();
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, NULL, &many, NULL, NULL), SPMM_OK);
    assert_true(spmmi_alloc_peak_bytes() <= 2 * few);
    assert_true(many <= 2 * few);
    test_law_memory_report(plan, NULL);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* C is in the order of spmm_plan_row_permutation, whatever kernel is forced. */
static void a_forced_kernel_leaves_c_in_the_order_of_the_plan(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        spmm_status_t status;
    } kernels[] = {{"cpu/tiled/whole", SPMM_OK},
                   {"cpu/tiled/segmented", SPMM_ERR_ARGUMENT},
                   {"cpu/rows/row-split", SPMM_ERR_ARGUMENT},
                   {"cpu/rows/nonzero-split", SPMM_ERR_ARGUMENT}};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    test_plan_reorder(plan, 9, 1);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        spmm_executor_options_t settings = SPMM_EXECUTOR_OPTIONS_INIT;
        settings.force_kernel = kernels[k].name;
        spmm_executor_t *executor = NULL;
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &settings, &executor, NULL),
                         kernels[k].status);
        assert_true((executor != NULL) == (kernels[k].status == SPMM_OK));
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Every 16-bit value, and f32 values around all of them and around their midpoints. */
static void conversions_are_those_of_the_format(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 1u << 16; bits++) {
        const uint16_t half = (uint16_t)bits;
        const float values[] = {half_from_f16(half), half_from_bf16(half)};
        const float wanted[] = {spmmi_f32_from_f16(half), spmmi_f32_from_bf16(half)};
        for (int i = 0; i < 2; i++) {
            assert_true(isnan(wanted[i]) ? isnan(values[i])
                                         : half_bits_of(values[i]) == half_bits_of(wanted[i]));
            if (isnan(wanted[i]))
                continue;
            for (uint32_t step = 0; step < 64; step++) {
                const uint32_t shift = step % 16,
                               near = half_bits_of(wanted[i]) + (1u << shift) - 2 + step / 16;
                const float x = half_value_of(near);
                assert_true(isnan(x) || half_to_f16(x) == spmmi_f16_from_f32(x));
                assert_true(isnan(x) || half_to_bf16(x) == spmmi_bf16_from_f32(x));
            }
        }
    }
    assert_true(isnan(spmmi_f32_from_f16(half_to_f16(NAN))) && isnan(spmmi_f32_from_bf16(half_to_bf16(NAN))));
    assert_true(isnan(spmmi_f32_from_bf16(half_to_bf16(half_value_of(0x7f800001u)))));
}

#if defined(__x86_64__)
/* Computes one product with the functions of a level, row block by row block, in tiles of `columns` columns.
 * Then scales C. */
static void level_run(const struct tiled_cpu_ops *ops, const struct tiled_cpu_job *job, int columns)
{
    const int64_t n = job->product->b.cols;
    for (uint32_t p = 0; p < job->layout->row_block_count; p++)
        for (int64_t first = 0; first < n; first += columns) {
            const int64_t left = n - first;
            const struct tiled_cpu_tile tile = {job, p, columns, first, left < columns ? left : columns};
            ops->row_block(&tile);
        }
    for (uint32_t i = 0; i < job->layout->split_count; i++)
        ops->join(job, &job->layout->splits[i]);
    ops->scale(1, 0.3, job->product->c.data);
}

static void levels_agree(const struct test_matrix *a, spmm_dtype_t dtype, const struct shape *shape, int turn)
{
    const int columns = 4 << turn % 4;
    const struct test_product product = test_product_of_turn(SPMM_OP_N, 2 * turn + 1, turn, TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, dtype, shape);
    struct spmmi_cpu_tiled tiled;
    assert_int_equal(spmmi_cpu_tiled_make(plan, &plan->parts[0], &tiled, NULL), SPMM_OK);
    spmmi_cpu_scatter(dtype, plan->nnz, tiled.layout.value_map, plan->values, tiled.values);
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    struct test_dense d = test_dense_copy(&c);
    struct spmmi_product described = {
        .a_type = dtype, .alpha = 1.25, .beta = product.beta, .b = b.view, .c = c.view};
    void *workspace = malloc(tiled_cpu_workspace(&tiled.layout.view, &described) + 1);
    assert_non_null(workspace);
    const struct tiled_cpu_job job = {&tiled.layout.view, &described, workspace};
    level_run(&spmmi_tiled_cpu_portable[dtype], &job, columns);
    described.c = d.view;
    level_run(&spmmi_tiled_cpu_avx2[dtype], &job, columns);
    assert_memory_equal(c.block, d.block, c.block_bytes);
    free(workspace);
    test_dense_free(&d);
    test_dense_free(&c);
    test_dense_free(&b);
    spmmi_cpu_tiled_free(&tiled);
    spmm_plan_destroy(plan);
}
#endif

static void avx2_has_the_bits_of_the_portable_level(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int t = 0; t < 4; t++)
        for (int turn = 0; turn < 32; turn++)
            levels_agree(a, type_of(t), &shapes[turn / 4 % 2 * 3], turn);
    test_matrix_free(a);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(every_width_type_layout_and_factor_meets_the_bound),
        cmocka_unit_test(same_bits_at_any_number_of_threads),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(a_permuted_output_has_its_rows_in_the_order),
        cmocka_unit_test(new_values_give_the_product_of_a_new_plan),
        cmocka_unit_test(forced_and_default_parts_run_and_say_so),
        cmocka_unit_test(kernel_names_distinguish_all_variants),
        cmocka_unit_test(columns_without_nonzeros_take_no_memory),
        cmocka_unit_test(memory_report_before_equals_the_one_after),
        cmocka_unit_test(a_forced_kernel_leaves_c_in_the_order_of_the_plan),
        cmocka_unit_test(conversions_are_those_of_the_format),
        cmocka_unit_test(avx2_has_the_bits_of_the_portable_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
