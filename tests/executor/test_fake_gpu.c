/* SPDX-License-Identifier: Apache-2.0 */
/* How the executor uses a GPU, tested with a GPU that answers as each case says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/product.h>

#include "executor/executor_state.h"
#include "fake_gpu.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

static int errors;

static void count_errors(void *context, spmm_log_level_t level, const char *text)
{
    (void)context, (void)text;
    errors += level == SPMM_LOG_ERROR;
}

static spmm_plan_t *plan_of_ops(int has_transpose)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, has_transpose, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, options);
    test_matrix_free(a);
    return plan;
}

static spmm_plan_t *plan_make(void)
{
    return plan_of_ops(0);
}

/* Checks that spmm_executor_create returns this status, and that its message contains the text. */
static void expect_refusal(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                           spmm_status_t status, const char *text)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    assert_int_equal(spmm_executor_create(plan, device, options, &executor, &diag), status);
    assert_int_equal(diag.status, status);
    assert_null(executor);
    if (strstr(diag.text, text) == NULL)
        fail_msg("%s", diag.text);
}

static void auto_is_the_gpu_where_it_runs_the_plan_else_the_cpu(void **state)
{
    static const struct {
        int count, runs;
        spmm_status_t memory;
        const char *kernel;
        int is_gpu;
    } cases[] = {
        {0, 0, SPMM_OK, NULL, 0},
        {1, 1, SPMM_OK, NULL, 1},
        {1, 0, SPMM_OK, NULL, 0},
        {2, 1, SPMM_ERR_UNSUPPORTED, NULL, 0},
        {1, 1, SPMM_ERR_TOO_LARGE, NULL, 0},
        {1, 1, SPMM_ERR_PLAN_FEATURE, NULL, 0},
        {1, 1, SPMM_ERR_MEMORY, NULL, 1},
        {1, 1, SPMM_ERR_ARGUMENT, NULL, 1},
        {1, 1, SPMM_OK, "rows/row-split", 1},
        {1, 1, SPMM_OK, "rows/nonzero-split", 0}, /* this GPU does not have it */
        {1, 1, SPMM_OK, "cpu/rows/row-split", 0},
    };
    spmm_plan_t *plan = plan_make();
    (void)state;
    spmm_log_set(count_errors, NULL, SPMM_LOG_ERROR);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *executor = NULL;
        spmm_diag_t diag;
        uint64_t device_bytes = 0;
        fake_gpu.count = cases[i].count, fake_gpu.runs = cases[i].runs, fake_gpu.memory = cases[i].memory;
        fake_gpu.name = SPMM_OK;
        options.force_kernel = cases[i].kernel;
        errors = 0;
        const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_AUTO, &options, &executor, &diag);
        if (status != (cases[i].is_gpu ? FAKE_GPU_CREATED : SPMM_OK))
            fail_msg("case %zu: %s", i, spmm_status_name(status));
        assert_int_equal(errors, cases[i].is_gpu); /* the attempt on the GPU alone logs no error */
        spmm_executor_destroy(executor);
        const spmm_status_t counted =
            spmm_executor_memory_bytes(plan, SPMM_DEVICE_AUTO, &options, NULL, &device_bytes, &diag);
        assert_int_equal(counted, cases[i].is_gpu ? cases[i].memory : SPMM_OK);
        assert_int_equal(device_bytes, cases[i].is_gpu && counted == SPMM_OK ? FAKE_GPU_BYTES : 0);
    }
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    spmm_plan_destroy(plan);
}

static void a_kernel_of_the_cpu_is_none_of_the_gpu(void **state)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = plan_make();
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    (void)state;
    fake_gpu_works();
    options.force_kernel = "cpu/rows/row-split";
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "\"cpu/rows/row-split\" is no kernel of this GPU"); /* lists no names */
    spmm_plan_destroy(plan);
}

/* The budgets for host and device memory both apply. No executor on the GPU is created if one is exceeded. */
static void the_budgets_hold_on_a_gpu(void **state)
{
    static const struct {
        uint64_t host, device;
        const char *text; /* part of the message; "": within the budgets */
    } cases[] = {
        {0, 999,
         "needs 1000 bytes of device memory or more, 999 are allowed; 900 are for the part of "
         "rows/row-split"},
        {0, 1000, ""},
        {500, 0, "bytes of host memory or more, 500 are allowed"},
        {1 << 20, 1000, ""},
    };
    spmm_plan_t *plan = plan_make();
    (void)state;
    fake_gpu_works();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        uint64_t host = 0, device = 0;
        options.host_budget_bytes = cases[i].host;
        options.device_budget_bytes = cases[i].device;
        const spmm_status_t expected = cases[i].text[0] == '\0' ? SPMM_OK : SPMM_ERR_PLAN_BUDGET;
        expect_refusal(plan, 0, &options, expected == SPMM_OK ? FAKE_GPU_CREATED : expected, cases[i].text);
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, &host, &device, NULL), expected);
        assert_true(expected != SPMM_OK || (host > 500 && device == 1000));
    }
    spmm_plan_destroy(plan);
}

/* SPMM_DEVICE_AUTO applies the budgets when it tries the GPU. A plan that exceeds them does not run on the
 * CPU instead. */
static void auto_counts_within_the_budgets(void **state)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = plan_make();
    (void)state;
    fake_gpu_works();
    fake_gpu.host_allowed = fake_gpu.device_allowed = 0;
    options.host_budget_bytes = 64 << 20;
    options.device_budget_bytes = FAKE_GPU_BYTES - 1;
    expect_refusal(plan, SPMM_DEVICE_AUTO, &options, SPMM_ERR_PLAN_BUDGET,
                   "needs 1000 bytes of device memory or more, 999 are allowed");
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_AUTO, &options, NULL, NULL, NULL),
                     SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(fake_gpu.host_allowed, options.host_budget_bytes);
    assert_int_equal(fake_gpu.device_allowed, options.device_budget_bytes);
    spmm_plan_destroy(plan);
}

static void a_device_without_a_name_is_told(void **state)
{
    spmm_plan_t *plan = plan_make();
    (void)state;
    fake_gpu_works();
    fake_gpu.name = SPMM_ERR_NO_DEVICE;
    expect_refusal(plan, 0, NULL, SPMM_ERR_NO_DEVICE, "device 0 has no name");
    spmm_plan_destroy(plan);
}

static void *take(void *context, size_t bytes, int device, void *stream)
{
    (void)context, (void)bytes, (void)device, (void)stream;
    return NULL;
}

static void give(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)context, (void)block, (void)bytes, (void)device, (void)stream;
}

static void allocators_go_to_the_gpu(void **state)
{
    const spmm_device_allocator_t allocator = {sizeof allocator, take, give, NULL};
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = plan_make();
    (void)state;
    fake_gpu_works();
    for (int has = 0; has < 2; has++) {
        options.allocator = has ? &allocator : NULL;
        expect_refusal(plan, 0, &options, FAKE_GPU_CREATED, "the GPU says no");
        assert_int_equal(fake_gpu.has_allocator, has);
    }
    spmm_plan_destroy(plan);
}

static void products_and_values_go_to_the_gpu(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    static const spmm_scalar_t one = {1, 0};
    static float b_room[1024 * 5], c_room[1024 * 5];
    static _Alignas(256) char workspace[FAKE_GPU_WORKSPACE];
    spmm_plan_t *plan = plan_make();
    (void)state;
    plan->variants[0].n_max = 4; /* makes n = 5 a fallback */
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    const spmm_dense_t b = {b_room, plan->cols, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {c_room, plan->rows, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    assert_true(plan->rows <= 1024 && plan->cols <= 1024);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL), SPMM_OK);
    assert_int_equal(bytes, FAKE_GPU_WORKSPACE);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, "cuda/fake");
    assert_int_equal(info.device_bytes, FAKE_GPU_BYTES);
    assert_int_equal(info.peak_device_bytes, FAKE_GPU_PEAK);
    assert_int_equal(info.pool_bytes, FAKE_GPU_POOL);
    assert_int_equal(info.csr_bytes, 4 * (plan->rows + 1) + 8 * plan->nnz);
    assert_true(info.fallback);
    assert_non_null(strstr(info.note, "compute capability 9.0"));
    for (int fails = 0; fails < 2; fails++) {
        fake_gpu.run = fails ? SPMM_ERR_DEVICE : SPMM_OK;
        assert_int_equal(spmm_executor_set_values(executor, b_room, NULL, NULL), fake_gpu.run);
        assert_int_equal(
            spmm_execute(executor, SPMM_OP_N, one, &b, one, &c, workspace, sizeof workspace, NULL, NULL),
            fake_gpu.run);
    }
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* They wait once before the copy is enqueued and once before the caller may free the values. */
static void new_values_wait_for_their_stream_beside_products(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    static float values[1024 * 5];
    spmm_plan_t *plan = plan_make();
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    (void)state;
    fake_gpu.watched = executor;
    fake_gpu.waits = fake_gpu.free_waits = 0;
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    assert_int_equal(fake_gpu.waits, 2);
    assert_int_equal(fake_gpu.free_waits, 2);
    fake_gpu.wait = SPMM_ERR_DEVICE;
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_ERR_DEVICE);
    assert_int_equal(fake_gpu.waits, 3); /* the first wait failed, so nothing was enqueued */
    fake_gpu.waits = 0;
    fake_gpu.waits_well = 1;
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_ERR_DEVICE);
    assert_int_equal(fake_gpu.waits, 2);
    fake_gpu.waits_well = 0;
    fake_gpu.wait = SPMM_OK;
    fake_gpu.watched = NULL;
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* The memory is allocated before the first wait for the stream. */
static void new_values_take_memory_first(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    static float values[1024 * 5];
    spmm_plan_t *plan = plan_make();
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    (void)state;
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_true(info.host_bytes > FAKE_GPU_MAPS);
    fake_gpu.waits = fake_gpu.opens = 0;
    fake_gpu.open = SPMM_ERR_DEVICE_MEMORY;
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_ERR_DEVICE_MEMORY);
    assert_int_equal(fake_gpu.opens, 1);
    assert_int_equal(fake_gpu.waits, 0);
    fake_gpu.open = SPMM_OK;
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    assert_int_equal(fake_gpu.waits, 2);
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* The first values are the plan's values, ones, or none. */
static void the_gpu_is_told_what_the_first_values_are(void **state)
{
    spmm_plan_t *plan = plan_make();
    float *const values = plan->values;
    (void)state;
    fake_gpu_works();
    for (int i = 0; i < 5; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        options.unit_values = i >= 3;
        plan->values = i == 0 || i == 4 ? NULL : values;
        for (int64_t q = 0; i == 2 && q < plan->nnz; q++)
            values[q] = 0.3f;
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, NULL, NULL), SPMM_OK);
        assert_int_equal(fake_gpu.first.exist, i > 0);
        assert_int_equal(fake_gpu.first.are_equal, i >= 2);
    }
    plan->values = values;
    spmm_plan_destroy(plan);
}

/* The GPU makes the ones of a pattern: the host allocates nothing for them. */
static void a_pattern_needs_no_values_on_a_gpu(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    static float room[2][1024 * 5];
    spmm_plan_t *plan = plan_make();
    float *const values = plan->values;
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    const spmm_dense_t b = {room[0], plan->cols, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {room[1], plan->rows, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    int64_t counts[2];
    (void)state;
    assert_true(plan->rows <= 1024 && plan->cols <= 1024);
    plan->values = NULL;
    for (int is_pattern = 0; is_pattern < 2; is_pattern++) {
        static _Alignas(256) char workspace[FAKE_GPU_WORKSPACE];
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *made = NULL;
        options.unit_values = is_pattern;
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(spmm_executor_create(plan, 0, &options, &made, NULL), SPMM_OK);
        counts[is_pattern] = spmmi_alloc_count();
        assert_int_equal(spmm_execute(made, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, workspace,
                                      sizeof workspace, NULL, NULL),
                         is_pattern ? SPMM_OK : SPMM_ERR_NO_VALUES);
        spmm_executor_destroy(made);
    }
    assert_int_equal(counts[0], counts[1]);
    plan->values = values;
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* The GPU is asked only if there is something to give back. This build has no GPU code that could do it. */
static void nothing_can_be_given_back_to_a_gpu(void **state)
{
    const spmm_device_allocator_t allocator = {sizeof allocator, take, give, NULL};
    static const int64_t row_ptr[] = {0};
    spmm_csr_t c = {.rows = 3};
    spmm_diag_t diag = {.text = ""};
    (void)state;
    fake_gpu_works();
    assert_int_equal(spmm_product_once_give_back(&c, &allocator, 0, NULL, &diag), SPMM_OK);
    assert_int_equal(c.rows, 0);
    c.row_ptr = row_ptr;
    assert_int_equal(spmm_product_once_give_back(&c, &allocator, 0, NULL, &diag), SPMM_ERR_NO_DEVICE);
    assert_non_null(strstr(diag.text, "this build has no GPU support"));
    assert_ptr_equal(c.row_ptr, row_ptr);
}

/* Programs compiled before the option new_values existed get all memory at creation, as before, so that
 * graphs they captured stay valid. */
static void older_programs_get_new_values(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    const size_t sizes[] = {offsetof(spmm_executor_options_t, new_values),
                            offsetof(spmm_executor_options_t, new_values) + sizeof(int) - 1,
                            offsetof(spmm_executor_options_t, reserved_2), sizeof(spmm_executor_options_t)};
    spmm_plan_t *plan = plan_make();
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    assert_false(fake_gpu.new_values); /* without options */
    for (int i = 0; i < 4; i++) {
        spmm_executor_t *older = NULL;
        options.struct_size = sizes[i];
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, NULL, NULL), SPMM_OK);
        assert_int_equal(fake_gpu.new_values, i < 2);
        fake_gpu.new_values = -1;
        assert_int_equal(spmm_executor_create(plan, 0, &options, &older, NULL), SPMM_OK);
        assert_int_equal(fake_gpu.new_values, i < 2);
        spmm_executor_destroy(older);
    }
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* Returns a plan of one part, with a variant for each of these targets. */
static spmm_plan_t *plan_for(const uint32_t *targets, uint32_t count)
{
    spmm_plan_t *plan = plan_make();
    for (uint32_t i = 0; i < count; i++) {
        plan->variants[i] = plan->variants[0];
        plan->variants[i].target = targets[i];
    }
    plan->variant_count = count;
    return plan;
}

static spmm_executor_info_t info_on(const spmm_plan_t *plan, uint32_t capability)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
    const spmm_dense_t b = {NULL, plan->cols, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {NULL, plan->rows, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_executor_info_t info = {.struct_size = sizeof info};
    fake_gpu.target = capability;
    spmm_executor_t *executor = fake_gpu_executor(plan, families, 1);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.variant, -1);
    assert_int_equal(info.target, 0);
    assert_false(info.is_own_target);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    fake_gpu_executor_free(executor);
    fake_gpu.target = 0;
    return info;
}

/* The order is: its own capability, the nearest one with the same major number, target 0 (any), the nearest
 * other GPU, the CPU. */
static void a_gpu_takes_the_variants_of_the_nearest_capability(void **state)
{
    static const struct {
        uint32_t machine, taken;
        uint32_t targets[6], count;
    } cases[] = {
        {90, 90, {1, 80, 90}, 3},          {80, 80, {1, 90, 80}, 3},     {86, 80, {1, 80, 90}, 3},
        {86, 89, {0, 80, 89}, 3},          {87, 86, {88, 86, 0}, 3},     {87, 88, {88, 85, 90}, 3},
        {90, 0, {1, 80, 0, 100}, 4},       {90, 80, {1, 80, 100}, 3},    {100, 90, {80, 90, 1}, 3},
        {95, 99, {90, 100, 99, 1}, 3},     {95, 99, {90, 99, 100}, 3},   {90, 1, {1}, 1},
        {120, 103, {1, 80, 90, 103}, 4},   {90, 999, {1, 999}, 2},       {2, 999, {1, 999}, 2},
        {89, 80, {1, 90, 80, 100, 70}, 5}, {85, 80, {70, 80, 90, 1}, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t machine = cases[i].machine, taken = cases[i].taken;
        spmm_plan_t *plan = plan_for(cases[i].targets, cases[i].count);
        const spmm_executor_info_t info = info_on(plan, machine);
        if (info.target != taken)
            fail_msg("case %zu: on %u the variant for %u, not that for %u", i, machine, info.target, taken);
        assert_int_equal(plan->variants[info.variant].target, taken);
        assert_int_equal(info.is_own_target, taken == machine);
        assert_int_equal(info.fallback, taken != machine && taken != 0);
        spmm_plan_destroy(plan);
    }
}

/* A variant for another GPU is better than one for another range of n. A variant for the CPU whose range
 * holds n is the last choice. */
static void n_counts_more_than_the_target(void **state)
{
    static const uint32_t targets[] = {90, 1, 80};
    spmm_plan_t *plan = plan_for(targets, 3);
    (void)state;
    plan->variants[0].n_max = 4;
    assert_int_equal(info_on(plan, 90).target, 80);
    plan->variants[2].layouts = SPMM_LAYOUTS_COL_MAJOR;
    assert_int_equal(info_on(plan, 90).target, 80);
    plan->variants[2].n_max = 4;
    assert_int_equal(info_on(plan, 90).target, 90);
    spmm_plan_destroy(plan);
}

/* If no range holds n, the next wider one is used, or the widest if there is none, whatever the order in the
 * plan. */
static void a_gap_runs_the_next_wider_range(void **state)
{
    static const struct {
        int64_t n_min[3], n_max[3];
        int taken; /* index of the variant used for n = 5 */
    } cases[] = {
        {{1, 13, 97}, {1, 48, 192}, 1}, {{97, 13, 1}, {192, 48, 1}, 1}, {{1, 2, 3}, {1, 2, 4}, 2},
        {{3, 2, 1}, {4, 2, 1}, 0},      {{1, 2, 97}, {1, 4, 192}, 2},   {{6, 97, 1}, {12, 192, 4}, 0},
    };
    static const uint32_t targets[] = {90, 90, 90};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_plan_t *plan = plan_for(targets, 3);
        for (int v = 0; v < 3; v++) {
            plan->variants[v].n_min = cases[i].n_min[v];
            plan->variants[v].n_max = cases[i].n_max[v];
        }
        const spmm_executor_info_t info = info_on(plan, 90);
        if (info.variant != cases[i].taken || info.fallback != 1)
            fail_msg("case %zu: variant %lld", i, (long long)info.variant);
        spmm_plan_destroy(plan);
    }
}

/* The CPU uses its own variants, then those for any device. Variants for GPUs are never used if one of these
 * exists, even if they alone hold n. */
static void the_cpu_takes_its_own_variants(void **state)
{
    static const uint32_t targets[][3] = {{90, 0, 1}, {90, 0, 80}, {90, 80, 100}};
    static const uint32_t taken[] = {1, 0, 90};
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        spmm_plan_t *plan = plan_for(targets[i], 3);
        const spmm_dense_t b = {NULL, plan->cols, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
        const spmm_dense_t c = {NULL, plan->rows, 5, 5, SPMM_ROW_MAJOR, SPMM_F32};
        spmm_executor_info_t info = {.struct_size = sizeof info};
        spmm_executor_t *executor = NULL;
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &executor, NULL), SPMM_OK);
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
        assert_int_equal(info.target, taken[i]);
        assert_int_equal(info.is_own_target, i == 0);
        assert_int_equal(info.fallback, i == 2);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    spmm_plan_t *plan = plan_for(targets[0], 3);
    plan->variants[2].n_max = plan->variants[1].n_max = 4;
    int fits = 1;
    assert_int_equal(spmmi_variant_pick(plan, SPMM_OP_N, SPMMI_TARGET_CPU, 5, SPMM_LAYOUTS_ROW_MAJOR, &fits),
                     2);
    assert_false(fits);
    spmm_plan_destroy(plan);
}

static char lines[2048];

static void keep_lines(void *context, spmm_log_level_t level, const char *text)
{
    (void)context, (void)level;
    (void)snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", text);
}

/* Creates an executor of a plan whose variant of op N has this target and these layouts, and keeps the log
 * lines. The variant of op T is for any target. */
static void log_of(uint32_t target, uint32_t layouts, spmm_log_level_t level)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS, SPMM_FAMILY_TILED, SPMM_FAMILY_ROWS};
    spmm_plan_t *plan = plan_of_ops(1);
    plan->variants[0].target = target;
    plan->variants[0].layouts = layouts;
    lines[0] = '\0';
    spmm_log_set(keep_lines, NULL, level);
    fake_gpu_executor_free(fake_gpu_executor(plan, families, 3));
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    spmm_plan_destroy(plan);
}

static void the_log_tells_what_the_plan_lacks_for_the_gpu(void **state)
{
    const uint32_t both = SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR;
    (void)state;
    log_of(90, both, SPMM_LOG_INFO);
    assert_non_null(strstr(lines, "kernels of rows, tiled\n"));
    assert_null(strstr(lines, "no variant"));
    log_of(90, SPMM_LAYOUTS_COL_MAJOR, SPMM_LOG_INFO);
    assert_non_null(strstr(lines, "no variant of op N for row-major operands on GPU 0"));
    log_of(90, SPMM_LAYOUTS_ROW_MAJOR, SPMM_LOG_INFO);
    assert_non_null(strstr(lines, "no variant of op N for column-major operands on GPU 0"));
    log_of(80, both, SPMM_LOG_WARNING);
    assert_non_null(strstr(lines, "no variant of op N for GPU 0: one for another device runs"));
    log_of(80, both, SPMM_LOG_ERROR);
    assert_string_equal(lines, "");
    log_of(90, 0, SPMM_LOG_WARNING);
    assert_string_equal(lines, "");
}

static void kernels_of_both_sides_are_listed(void **state)
{
    spmm_kernel_info_t info = {.struct_size = sizeof info};
    int count = 0;
    (void)state;
    while (spmm_kernel_at(count, &info) == SPMM_OK)
        count++;
    assert_true(count > 1);
    assert_string_equal(info.name, "cuda/rows/row-split");
    assert_string_equal(info.target, "cuda");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_the_gpu_where_it_runs_the_plan_else_the_cpu),
        cmocka_unit_test(the_budgets_hold_on_a_gpu),
        cmocka_unit_test(auto_counts_within_the_budgets),
        cmocka_unit_test(a_device_without_a_name_is_told),
        cmocka_unit_test(a_kernel_of_the_cpu_is_none_of_the_gpu),
        cmocka_unit_test(allocators_go_to_the_gpu),
        cmocka_unit_test(products_and_values_go_to_the_gpu),
        cmocka_unit_test(new_values_wait_for_their_stream_beside_products),
        cmocka_unit_test(new_values_take_memory_first),
        cmocka_unit_test(older_programs_get_new_values),
        cmocka_unit_test(the_gpu_is_told_what_the_first_values_are),
        cmocka_unit_test(a_pattern_needs_no_values_on_a_gpu),
        cmocka_unit_test(nothing_can_be_given_back_to_a_gpu),
        cmocka_unit_test(a_gpu_takes_the_variants_of_the_nearest_capability),
        cmocka_unit_test(n_counts_more_than_the_target),
        cmocka_unit_test(a_gap_runs_the_next_wider_range),
        cmocka_unit_test(the_cpu_takes_its_own_variants),
        cmocka_unit_test(the_log_tells_what_the_plan_lacks_for_the_gpu),
        cmocka_unit_test(kernels_of_both_sides_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
