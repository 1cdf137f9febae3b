/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that new values need, and equal values, which products do not read until there are new values. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_bench.h"
#include "device_allocator.h"
#include "executor/cuda/cuda_backend.h"
#include "executor/cuda/cuda_state.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/family_cases.h"
#include "tests/support/plan_seal.h"

static const struct test_plan_options split_f32 = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0};

/* Makes an executor of the matrix `name` whose values are all 1. */
static spmm_executor_t *executor_of_ones(const char *name, const spmm_executor_options_t *options)
{
    spmm_executor_t *executor = NULL;
    struct test_matrix *a = test_matrix_named(name, TEST_VALUES_REAL);
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = 1;
    spmm_plan_t *plan = test_plan_whole(a, split_f32, name);
    assert_int_equal(spmm_executor_create(plan, 0, options, &executor, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return executor;
}

static cudaGraphExec_t capture(struct test_cuda_bench *t, const struct test_product *product,
                               cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    TEST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_int_equal(test_cuda_bench_run(t, product, stream), SPMM_OK);
    TEST_CUDA(cudaStreamEndCapture(stream, &graph));
    TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    TEST_CUDA(cudaGraphDestroy(graph));
    return replay;
}

/* Ordinary products do not read ones until other values are set. A captured product reads them, as it may
 * be replayed after new values. */
static void values_that_were_ones_are_replaced(void **state)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    options.new_values = 1;
    static const int64_t widths[] = {1, 5, 40};
    for (int i = 0; i < 3; i++) {
        const struct test_product product = {.n = widths[i], .alpha = 2, .values = TEST_VALUES_REAL};
        struct test_cuda_bench t = test_cuda_bench_make("power law", split_f32, &product);
        cudaStream_t stream = NULL;
        void *const values = test_values_of(t.a, SPMM_F32);
        assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
        char *const want = test_cuda_bench_read(&t);
        spmm_executor_destroy(t.executor);
        t.executor = executor_of_ones("power law", &options);
        TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const cudaGraphExec_t replay = capture(&t, &product, stream);
        assert_int_equal(test_cuda_bench_run(&t, &product, stream), SPMM_OK);
        TEST_CUDA(cudaStreamSynchronize(stream));
        char *const of_ones = test_cuda_bench_read(&t);
        assert_memory_not_equal(of_ones, want, t.c_bytes);
        test_cuda_bench_restore(&t);
        TEST_CUDA(cudaGraphLaunch(replay, stream));
        TEST_CUDA(cudaStreamSynchronize(stream));
        test_cuda_bench_expect(&t, of_ones);
        assert_int_equal(spmm_executor_set_values(t.executor, values, stream, NULL), SPMM_OK);
        TEST_CUDA(cudaGraphLaunch(replay, stream));
        TEST_CUDA(cudaStreamSynchronize(stream));
        test_cuda_bench_expect(&t, want);
        test_cuda_bench_restore(&t);
        assert_int_equal(test_cuda_bench_run(&t, &product, stream), SPMM_OK);
        TEST_CUDA(cudaStreamSynchronize(stream));
        test_cuda_bench_expect(&t, want);
        TEST_CUDA(cudaGraphExecDestroy(replay));
        TEST_CUDA(cudaStreamDestroy(stream));
        free(of_ones);
        free(want);
        free(values);
        test_cuda_bench_free(&t);
    }
}

static uint64_t bytes_held(const spmm_executor_t *executor)
{
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    return info.device_bytes;
}

/* The executor holds no array of ones, so that a captured product could not see new values. New values are
 * refused then. */
static void new_values_are_refused_where_a_graph_would_not_see_them(void **state)
{
    const struct test_product product = {.n = 12, .alpha = 2, .values = TEST_VALUES_REAL};
    const spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    struct test_cuda_bench t = test_cuda_bench_make("power law", split_f32, &product);
    void *const values = test_values_of(t.a, SPMM_F32);
    cudaStream_t stream = NULL;
    spmm_diag_t diag;
    (void)state;
    spmm_executor_destroy(t.executor);
    t.executor = executor_of_ones("power law", &options);
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_int_equal(test_cuda_bench_run(&t, &product, stream), SPMM_OK);
    TEST_CUDA(cudaStreamSynchronize(stream));
    char *const of_ones = test_cuda_bench_read(&t);
    const cudaGraphExec_t replay = capture(&t, &product, stream);
    const uint64_t bytes = bytes_held(t.executor);
    assert_int_equal(spmm_executor_set_values(t.executor, values, stream, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "it would not see new ones"));
    assert_int_equal(bytes_held(t.executor), bytes);
    test_cuda_bench_restore(&t);
    TEST_CUDA(cudaGraphLaunch(replay, stream));
    TEST_CUDA(cudaStreamSynchronize(stream));
    test_cuda_bench_expect(&t, of_ones);
    TEST_CUDA(cudaGraphExecDestroy(replay));
    TEST_CUDA(cudaStreamDestroy(stream));
    free(of_ones);
    free(values);
    test_cuda_bench_free(&t);
}

/* A failed product is in no graph. It fails here because the legacy stream cannot follow a stream in
 * capture. */
static void new_values_are_taken_after_a_product_that_failed(void **state)
{
    const struct test_product product = {.n = 12, .alpha = 2, .values = TEST_VALUES_REAL};
    const spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    struct test_cuda_bench t = test_cuda_bench_make("power law", split_f32, &product);
    void *const values = test_values_of(t.a, SPMM_F32);
    cudaStream_t blocking = NULL;
    cudaGraph_t graph = NULL;
    (void)state;
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    char *const want = test_cuda_bench_read(&t);
    spmm_executor_destroy(t.executor);
    t.executor = executor_of_ones("power law", &options);
    TEST_CUDA(cudaStreamCreate(&blocking));
    TEST_CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_ERR_DEVICE);
    if (cudaStreamEndCapture(blocking, &graph) == cudaSuccess) /* else the capture was invalidated */
        TEST_CUDA(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
    assert_int_equal(spmm_executor_set_values(t.executor, values, NULL, NULL), SPMM_OK);
    test_cuda_bench_restore(&t);
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    test_cuda_bench_expect(&t, want);
    TEST_CUDA(cudaStreamDestroy(blocking));
    free(want);
    free(values);
    test_cuda_bench_free(&t);
}

/* A thread that sets values at the same time as other threads. */
struct setter {
    spmm_executor_t *executor;
    const void *values;
    pthread_barrier_t *start;
    pthread_t thread;
    spmm_status_t status;
};

static void *set_values_with_others(void *context)
{
    struct setter *s = context;
    (void)pthread_barrier_wait(s->start);
    s->status = spmm_executor_set_values(s->executor, s->values, NULL, NULL);
    return NULL;
}

/* All calls use the legacy stream, so each product uses either the old values or the new ones. */
static void threads_set_the_first_new_values_beside_products(void **state)
{
    const struct test_product product = {.n = 12, .alpha = 2, .values = TEST_VALUES_REAL};
    const spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    struct test_cuda_bench t = test_cuda_bench_make("power law", split_f32, &product);
    void *const values = test_values_of(t.a, SPMM_F32);
    (void)state;
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    char *const want = test_cuda_bench_read(&t);
    for (int round = 0; round < 20; round++) {
        pthread_barrier_t start;
        struct setter setters[2];
        spmm_executor_destroy(t.executor);
        t.executor = executor_of_ones("power law", &options);
        test_cuda_bench_restore(&t);
        assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
        char *const of_ones = test_cuda_bench_read(&t);
        (void)pthread_barrier_init(&start, NULL, 3);
        for (int i = 0; i < 2; i++) {
            setters[i] = (struct setter){.executor = t.executor, .values = values, .start = &start};
            assert_int_equal(pthread_create(&setters[i].thread, NULL, set_values_with_others, &setters[i]),
                             0);
        }
        (void)pthread_barrier_wait(&start);
        for (int i = 0; i < 20; i++) {
            test_cuda_bench_restore(&t);
            assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
            char *const got = test_cuda_bench_read(&t);
            assert_true(memcmp(got, want, t.c_bytes) == 0 || memcmp(got, of_ones, t.c_bytes) == 0);
            free(got);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(setters[i].thread, NULL), 0);
            assert_int_equal(setters[i].status, SPMM_OK);
        }
        test_cuda_bench_restore(&t);
        assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
        test_cuda_bench_expect(&t, want);
        (void)pthread_barrier_destroy(&start);
        free(of_ones);
    }
    free(want);
    free(values);
    test_cuda_bench_free(&t);
}

/* The first new values need memory. They are refused on a stream in capture, and if the budget is too
 * small. */
static void new_values_take_memory_where_that_can_be_had(void **state)
{
    const struct test_product product = {.n = 12, .alpha = 2, .values = TEST_VALUES_REAL};
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    struct test_cuda_bench t = test_cuda_bench_make("power law", split_f32, &product);
    void *const values = test_values_of(t.a, SPMM_F32);
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    char *const want = test_cuda_bench_read(&t);
    spmm_executor_destroy(t.executor);
    t.executor = executor_of_ones("power law", &options);
    options.device_budget_bytes = bytes_held(t.executor);
    spmm_executor_destroy(t.executor);
    t.executor = executor_of_ones("power law", &options);
    assert_int_equal(spmm_executor_set_values(t.executor, values, NULL, &diag), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(bytes_held(t.executor), options.device_budget_bytes);
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    spmm_executor_destroy(t.executor);
    options.device_budget_bytes = 0;
    t.executor = executor_of_ones("power law", &options);
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TEST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    assert_int_equal(spmm_executor_set_values(t.executor, values, stream, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "take device memory"));
    TEST_CUDA(cudaStreamEndCapture(stream, &graph));
    TEST_CUDA(cudaGraphDestroy(graph));
    assert_int_equal(spmm_executor_set_values(t.executor, values, NULL, &diag), SPMM_OK);
    test_cuda_bench_restore(&t);
    assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    test_cuda_bench_expect(&t, want);
    TEST_CUDA(cudaStreamDestroy(stream));
    free(want);
    free(values);
    test_cuda_bench_free(&t);
}

/* ---- Memory ---- */

/* Gives each nonzero another value and returns the new values in type dtype. The caller frees them with
 * free(). */
static void *new_values_of(struct test_matrix *a, spmm_dtype_t dtype)
{
    for (int64_t q = 0; q < a->nnz; q++)
        a->values[q] = test_real((uint64_t)q, 77);
    return test_values_of(a, dtype);
}

static void check_products(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype)
{
    static const int64_t widths[] = {1, 8, 33};
    for (int turn = 0; turn < 12; turn++) {
        const struct test_product product =
            test_cuda_turn(widths[turn % 3], turn / 3, turn, TEST_VALUES_REAL);
        test_cuda_product_check(executor, NULL, a, dtype, &product);
    }
}

/* Refuses each block that the first new values need, in turn, then none. Returns the number of blocks. */
static long refuse_new_values(const struct test_family_case *of)
{
    struct test_matrix *a = test_matrix_named(of->matrix, TEST_VALUES_REAL),
                       *later = test_matrix_named(of->matrix, TEST_VALUES_REAL);
    void *const values = new_values_of(later, of->options.dtype);
    spmm_plan_t *plan = test_family_plan(of, a);
    struct test_device_user user = {.fail_at = 0};
    const spmm_device_allocator_t allocator = test_device_allocator(&user);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_status_t status = SPMM_ERR_DEVICE_MEMORY;
    long blocks = -1;
    options.allocator = &allocator;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    const size_t held = user.held_bytes;
    while (status != SPMM_OK) {
        const long refused = user.takes + ++blocks + 1;
        user.fail_at = refused;
        status = spmm_executor_set_values(executor, values, NULL, NULL);
        assert_int_equal(status, user.takes < refused ? SPMM_OK : SPMM_ERR_DEVICE_MEMORY);
        if (status != SPMM_OK)
            assert_int_equal(user.held_bytes, held);
        check_products(executor, status == SPMM_OK ? later : a, of->options.dtype);
    }
    free(values);
    spmm_executor_destroy(executor);
    test_device_user_close(&user);
    spmm_plan_destroy(plan);
    test_matrix_free(later);
    test_matrix_free(a);
    return blocks;
}

static void memory_of_new_values_is_taken_whole_or_not_at_all(void **state)
{
    long most = 0;
    (void)state;
    for (int i = 0; i < TEST_FAMILY_CASES; i++) {
        const long blocks = refuse_new_values(&test_family_cases[i]);
        most = blocks > most ? blocks : most;
    }
    assert_true(most >= 2); /* for some case, one block was already allocated when the next was refused */
}

/* Covers also parts that lack values. */
static void values_stay_where_a_family_reads_them(void **state)
{
    struct spmmi_parts parts = {.count = 0};
    struct spmmi_cuda cuda = {.parts = &parts, .maps = SPMMI_MAPS_ON_HOST, .nnz = SPMMI_CUDA_VALUES_KEPT + 1};
    (void)state;
    for (int lacks = 0; lacks < 2; lacks++) {
        cuda.device.lacks_values = lacks;
        parts.reads_values = 1;
        assert_true(spmmi_cuda_keeps_values(&cuda));
        parts.reads_values = 0;
        assert_false(spmmi_cuda_keeps_values(&cuda));
    }
}

TEST_PATTERN(quarter, test_chance(i, j, 4))
#define HOST_REST 16384 /* maximum of host memory in bytes that an executor holds besides maps */

static uint64_t host_bytes(const spmm_plan_t *plan, const spmm_executor_options_t *options)
{
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_executor_t *executor = NULL;
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, options, &bytes, NULL, NULL), SPMM_OK);
    test_counting_peak_reset();
    assert_int_equal(spmm_executor_create(plan, 0, options, &executor, NULL), SPMM_OK);
    if (test_counting_peak() > bytes)
        fail_msg("%llu bytes of the host were taken, %llu were counted",
                 (unsigned long long)test_counting_peak(), (unsigned long long)bytes);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    const uint64_t maps = options->new_values || options->unit_values
                              ? 0
                              : 2 * (uint64_t)plan->nnz * sizeof(uint32_t); /* for both ops */
    assert_in_range(info.host_bytes, maps, maps + HOST_REST);
    if (maps > 0)
        assert_int_equal(spmm_executor_set_values(executor, plan->values, NULL, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_in_range(info.host_bytes, 1, HOST_REST);
    spmm_executor_destroy(executor);
    return bytes;
}

/* All maps exist during the creation of an executor, whether or not it keeps them. */
static void host_memory_is_counted_with_all_maps(void **state)
{
    static const struct test_pattern pattern = {"quarter", 1500, 1500, quarter};
    static const struct test_plan_options of_plan = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, of_plan);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    const uint64_t bytes = host_bytes(plan, &options);
    options.new_values = 1;
    assert_in_range(host_bytes(plan, &options), bytes, bytes + HOST_REST);
    options.new_values = 0;
    options.unit_values = 1;
    assert_in_range(host_bytes(plan, &options), bytes, bytes + HOST_REST);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_were_ones_are_replaced),
        cmocka_unit_test(new_values_are_refused_where_a_graph_would_not_see_them),
        cmocka_unit_test(new_values_are_taken_after_a_product_that_failed),
        cmocka_unit_test(threads_set_the_first_new_values_beside_products),
        cmocka_unit_test(new_values_take_memory_where_that_can_be_had),
        cmocka_unit_test(memory_of_new_values_is_taken_whole_or_not_at_all),
        cmocka_unit_test(values_stay_where_a_family_reads_them),
        cmocka_unit_test(host_memory_is_counted_with_all_maps),
    };
    test_counting_allocator_set();
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
