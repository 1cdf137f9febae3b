/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on the GPU against the long double reference and the CPU twin: every value type,
 * register tile, row block height and layout of B and C; cut stages, segments, orders of the units. Also
 * its device memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <spmm/executor.h>

#include "cuda_product.h"
#include "kernels/tiled/tiled_kernel.h"
#include "kernels/tiled/tiled_shape.h"
#include "tests/support/plan_build.h"

static const int64_t widths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5}, {0, 0}, {0, 2}};
#define FACTOR_COUNT ((int)(sizeof factors / sizeof factors[0]))

static const struct layout {
    struct test_plan_options plan;
    uint32_t block_rows, stage_slots;
    int is_reordered;
} layouts[] = {
    {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 32, 439, 0},
    {{SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 7, 1, 0}, 64, 32, 1},
    {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 256, 40, 1},
    {{SPMM_F64, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 128, 32, 0},
    {{SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 1, 1, 0}, 256, 439, 0},
    {{SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 64, 33, 1},
    {{SPMM_F16, SPMM_SCHEDULE_SEGMENTED, 16, 1, 0}, 32, 439, 0},
    {{SPMM_BF16, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 128, 439, 0},
    {{SPMM_BF16, SPMM_SCHEDULE_SEGMENTED, 5, 1, 0}, 256, 47, 1},
};
#define LAYOUT_COUNT ((int)(sizeof layouts / sizeof layouts[0]))

static spmm_plan_t *plan_make(const struct test_matrix *a, const struct layout *layout)
{
    spmm_plan_t *plan = test_plan_build(a, layout->plan);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        plan->parts[i].block_rows = layout->block_rows;
        plan->parts[i].stage_slots = layout->stage_slots;
    }
    if (layout->is_reordered)
        test_plan_reorder(plan, 7, 0);
    return plan;
}

/* kernel: kernel that the GPU must run, or NULL. */
static struct test_cuda_pair pair_make(const struct test_matrix *a, const struct layout *layout,
                                       const char *kernel)
{
    return test_cuda_pair_make(plan_make(a, layout), kernel);
}

static void widths_and_layouts(const struct test_matrix *a, const struct layout *layout,
                               enum test_values values, int turn)
{
    struct test_cuda_pair pair = pair_make(a, layout, NULL);
    for (int w = 0; w < WIDTH_COUNT; w++, turn++) {
        const int64_t gap = turn % 3 == 0 ? 0 : turn % 9;
        const struct test_product product = {
            .op = (spmm_op_t)(turn / 4 % 2),
            .n = widths[w],
            .b_layout = (spmm_layout_t)(turn & 1),
            .c_layout = (spmm_layout_t)(turn >> 1 & 1),
            .b_gap = gap,
            .c_gap = turn % 2 == 0 ? gap : 4,
            .shift = turn % 5 == 1 ? turn % 4 : 0,
            .alpha = factors[turn % FACTOR_COUNT].alpha,
            .beta = factors[turn % FACTOR_COUNT].beta,
            .values = values,
        };
        test_cuda_product_check(pair.gpu, pair.cpu, a, layout->plan.dtype, &product);
    }
    test_cuda_pair_free(&pair);
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        for (int l = 0; l < LAYOUT_COUNT; l++)
            widths_and_layouts(a, &layouts[l], TEST_VALUES_REAL, i * LAYOUT_COUNT + l);
        test_matrix_free(a);
    }
}

/* Checks that the name of the product's kernel ends with /r and the register tile. */
static void check_tile(spmm_executor_t *gpu, const struct test_matrix *a, spmm_dtype_t dtype,
                       const struct test_product *product, uint32_t tile)
{
    const spmm_executor_info_t info = test_cuda_product_info(gpu, a, dtype, product);
    char end[8];
    assert_true(snprintf(end, sizeof end, "/r%u", tile) > 0);
    assert_string_equal(strrchr(info.kernel, '/'), end);
}

/* Checks one register tile with fewer columns, as many columns and more columns than the tile, in all
 * layouts of B and C, aligned and not. */
static void tile_meets_the_bound(const struct test_matrix *a, const struct layout *layout, uint32_t tile)
{
    char kernel[40];
    const char *schedule = spmm_schedule_name(layout->plan.schedule);
    assert_true(snprintf(kernel, sizeof kernel, "cuda/tiled/%s/r%u", schedule, tile) > 0);
    const int64_t some[] = {tile, tile / 2 + 1, tile + 3};
    struct test_cuda_pair pair = pair_make(a, layout, kernel);
    for (int turn = 0; turn < 24; turn++) {
        const struct test_product product = {
            .op = (spmm_op_t)(turn / 3 % 2),
            .n = some[turn % 3],
            .b_layout = (spmm_layout_t)(turn & 1),
            .c_layout = (spmm_layout_t)(turn >> 1 & 1),
            .shift = turn >> 2 & 1,
            .alpha = 1,
            .beta = turn % 5 == 0 ? 0.5 : 0,
            .values = TEST_VALUES_REAL,
        };
        check_tile(pair.gpu, a, layout->plan.dtype, &product, tile);
        test_cuda_product_check(pair.gpu, pair.cpu, a, layout->plan.dtype, &product);
    }
    test_cuda_pair_free(&pair);
}

/* Forces each instance by name, as instances of many columns are not chosen by default. Stages are small
 * enough for the largest register tile. */
static void every_tiled_instance_meets_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        struct layout layout = layouts[l];
        layout.stage_slots = layout.stage_slots < 90 ? layout.stage_slots : 90;
        for (uint32_t tile = 1; tile <= SPMMI_TILED_REGISTER_TILE_MAX; tile *= 2)
            tile_meets_the_bound(a, &layout, tile);
    }
    test_matrix_free(a);
}

/* 100 rows in row blocks of 256: the launch counts rows, not threads. */
static void the_tile_grows_when_threads_are_many(void **state)
{
    static const struct layout whole = {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, 256, 40, 0};
    (void)state;
    int count = 0;
    assert_int_equal(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    const int64_t most = (int64_t)count * SPMMI_TILED_THREADS_PER_SM / 100; /* columns at R = 1 */
    const struct {
        int64_t n;
        uint32_t tile;
    } cases[] = {{1, 1}, {most, 1}, {most + 1, 2}, {2 * most + 2, 4}, {64 * most, 16}};
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    struct test_cuda_pair pair = pair_make(a, &whole, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct test_product product = {.n = cases[i].n,
                                             .b_layout = SPMM_COL_MAJOR,
                                             .c_layout = SPMM_COL_MAJOR,
                                             .alpha = 1,
                                             .values = TEST_VALUES_REAL};
        check_tile(pair.gpu, a, SPMM_F32, &product, cases[i].tile);
        test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
    }
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

static void tiles_that_are_none_or_too_large_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        spmm_status_t status;
    } cases[] = {
        {"cuda/tiled", SPMM_OK},
        {"cuda/tiled/whole/r4", SPMM_OK},
        {"cuda/tiled/whole/p32", SPMM_OK},
        {"tiled/whole/p32/r4", SPMM_OK},
        {"cuda/tiled/whole/p64", SPMM_ERR_ARGUMENT},
        {"cuda/tiled/whole/r4/p32", SPMM_ERR_ARGUMENT},
        {"cuda/tiled/whole/p32/r32", SPMM_ERR_UNSUPPORTED},
        {"cuda/rows", SPMM_ERR_ARGUMENT}, /* the plan has no part of rows, and a GPU makes none */
        {"cuda/tiled/whole/r32", SPMM_ERR_UNSUPPORTED}, /* two stages of 1000 slots of 272 bytes */
        {"cuda/tiled/whole/r3", SPMM_ERR_ARGUMENT},
        {"cuda/tiled/whole/r64", SPMM_ERR_ARGUMENT},
        {"cuda/tiled/whole/r", SPMM_ERR_ARGUMENT},
        {"cuda/tiled/whole16", SPMM_ERR_ARGUMENT},
        {"cuda/rows/row-split/r4", SPMM_ERR_ARGUMENT},
    };
    const struct layout layout = {{SPMM_F64, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, 32, 1000, 0};
    struct test_matrix *a = test_matrix_named("1 x 9000 dense", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_make(a, &layout);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *executor = NULL;
        options.force_kernel = cases[i].kernel;
        assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), cases[i].status);
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, NULL, NULL), cases[i].status);
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static uint64_t bytes_of(const spmm_plan_t *plan, const char *kernel)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    uint64_t bytes = 0;
    options.force_kernel = kernel;
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, &bytes, NULL), SPMM_OK);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, kernel);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.device_bytes, bytes);
    spmm_executor_destroy(executor);
    return bytes;
}

/* A plan with a part for the transpose needs no memory for it without the variant that names it: as much
 * as a plan without the part. */
static void parts_that_no_variant_names_take_no_memory(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        struct layout alone = layouts[l];
        alone.plan.has_transpose = 0;
        spmm_plan_t *both = plan_make(a, &layouts[l]), *one = plan_make(a, &alone);
        assert_int_equal(both->part_count, 2);
        assert_true(bytes_of(both, NULL) > bytes_of(one, NULL));
        both->variant_count = 1;
        assert_int_equal(bytes_of(both, NULL), bytes_of(one, NULL));
        spmm_plan_destroy(one);
        spmm_plan_destroy(both);
    }
    test_matrix_free(a);
}

/* The variant names the part with row blocks of 256 units. The second part, with segments, is used only if
 * its kernel is forced by name. */
static void a_forced_kernel_brings_its_part(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct layout whole = {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, 256, 100, 0};
    const struct layout cut = {{SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 3, 0, 0}, 32, 100, 0};
    spmm_plan_t *plan = plan_make(a, &whole), *other = plan_make(a, &cut);
    const uint64_t alone = bytes_of(plan, NULL), wanted = bytes_of(other, NULL);
    plan->parts[1] = other->parts[0];
    plan->part_count = 2;
    assert_int_equal(bytes_of(plan, NULL), alone);
    assert_int_equal(bytes_of(plan, "cuda/tiled/segmented"), wanted);
    assert_int_equal(bytes_of(plan, "cuda/tiled/segmented/r8"), wanted);
    other->parts[0].items = NULL; /* now owned by the plan */
    spmm_plan_destroy(other);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tiled_instance_meets_the_bound),
        cmocka_unit_test(the_tile_grows_when_threads_are_many),
        cmocka_unit_test(tiles_that_are_none_or_too_large_are_refused),
        cmocka_unit_test(parts_that_no_variant_names_take_no_memory),
        cmocka_unit_test(a_forced_kernel_brings_its_part),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
