/* SPDX-License-Identifier: Apache-2.0 */
/* Guarantees of the executor on the GPU: bitwise repeats, graph capture, values from host and device
 * memory, memory reports, fallback, statuses. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cuda_bench.h"
#include "kernels/rows/rows_shape.h"
#include "tests/support/plan_seal.h"

#define REPEATS 1000

static const struct test_plan_options split_f32 = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0};

static const struct {
    const char *name;
    int64_t n;
    spmm_layout_t layout;
} repeated[] = {
    {"2 x 6000 short-fat", 32, SPMM_ROW_MAJOR}, {"2 x 6000 short-fat", 128, SPMM_ROW_MAJOR},
    {"power law", 8, SPMM_ROW_MAJOR},           {"1 x 9000 dense", 1, SPMM_ROW_MAJOR},
    {"1 x 9000 dense", 130, SPMM_COL_MAJOR},    {"arrow", 33, SPMM_ROW_MAJOR},
};

static void a_thousand_repeats_give_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++)
        for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++) {
            struct test_plan_options options = split_f32;
            options.dtype = (spmm_dtype_t)dtype;
            const struct test_product product = {.n = repeated[i].n,
                                                 .b_layout = repeated[i].layout,
                                                 .c_layout = repeated[i].layout,
                                                 .alpha = 1.5,
                                                 .values = TEST_VALUES_REAL};
            struct test_cuda_bench t = test_cuda_bench_make(repeated[i].name, options, &product);
            assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
            char *first = test_cuda_bench_read(&t);
            for (int repeat = 0; repeat < REPEATS; repeat++) {
                TEST_CUDA(
                    cudaMemcpyAsync(t.device_c.block, t.c.block, t.c_bytes, cudaMemcpyHostToDevice, NULL));
                assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
                test_cuda_bench_expect(&t, first);
            }
            free(first);
            test_cuda_bench_free(&t);
        }
}

TEST_PATTERN(nine_of_ten, j != i % cols)

/* Uses so many rows that each multiprocessor gets six blocks of f32, and the instances that allow six
 * blocks run. Covers also equal values, which kernels do not read. */
static void row_splits_are_right_with_one_block_more(void **state)
{
    static const int64_t widths[] = {16, 64, 128};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 8, 0, 0};
    int multiprocessors = 0;
    (void)state;
    TEST_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    for (int i = 0; i < 6; i++) {
        const uint32_t blocks = 6 * (uint32_t)multiprocessors;
        const int64_t groups = SPMMI_ROWS_THREADS / spmmi_rows_shape_of(widths[i / 2], 4, 4).lanes;
        const struct test_pattern pattern = {"nine of ten", blocks * groups, 10, nine_of_ten};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
        struct test_product product = test_cuda_plain(widths[i / 2], 0);
        for (int64_t p = 0; i % 2 == 1 && p < a->nnz; p++)
            a->values[p] = 0.5;
        product.beta = i % 2;
        assert_true(spmmi_rows_is_crowded(blocks, (uint32_t)multiprocessors));
        /* Such short rows have another kernel (rows_short.cuh), unless this one is named. */
        struct test_cuda_pair pair =
            test_cuda_pair_make(test_plan_whole(a, options, pattern.name), "cuda/rows/row-split/v4l4");
        test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Checks that the graph has no allocation node. An allocation during capture either fails or becomes a
 * node. */
static void graph_allocates_nothing(cudaGraph_t graph)
{
    cudaGraphNode_t nodes[64];
    size_t count = 0;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    TEST_CUDA(cudaGraphGetNodes(graph, NULL, &count));
    assert_in_range(count, 1, sizeof nodes / sizeof *nodes);
    TEST_CUDA(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        TEST_CUDA(cudaGraphNodeGetType(nodes[i], &type));
        assert_true(type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree);
    }
}

static void a_graph_replays_the_product(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        const struct test_product product = {.n = 40,
                                             .b_layout = (spmm_layout_t)layout,
                                             .c_layout = (spmm_layout_t)layout,
                                             .alpha = 2,
                                             .values = TEST_VALUES_REAL};
        struct test_cuda_bench t = test_cuda_bench_make("2 x 6000 short-fat", split_f32, &product);
        cudaStream_t stream = NULL;
        cudaGraph_t graph = NULL;
        cudaGraphExec_t replay = NULL;
        assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
        char *want = test_cuda_bench_read(&t);
        TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        TEST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        assert_int_equal(test_cuda_bench_run(&t, &product, stream),
                         SPMM_OK); /* a synchronisation or an allocation would break the capture */
        TEST_CUDA(cudaStreamEndCapture(stream, &graph));
        graph_allocates_nothing(graph);
        TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
        for (int i = 0; i < 20; i++) {
            test_cuda_bench_restore(&t);
            TEST_CUDA(cudaGraphLaunch(replay, stream));
            TEST_CUDA(cudaStreamSynchronize(stream));
            test_cuda_bench_expect(&t, want);
        }
        TEST_CUDA(cudaGraphExecDestroy(replay));
        TEST_CUDA(cudaGraphDestroy(graph));
        TEST_CUDA(cudaStreamDestroy(stream));
        free(want);
        test_cuda_bench_free(&t);
    }
}

/* New values reach both ops, from host memory and from device memory. */
static void values_are_replaced(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("lower triangle", TEST_VALUES_INTEGER);
    for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++) {
        struct test_plan_options options = {(spmm_dtype_t)dtype, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 1};
        spmm_plan_t *plan = test_plan_whole(a, options, "lower triangle");
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        spmm_plan_destroy(plan);
        for (int round = 0; round < 4; round++) {
            for (int64_t p = 0; p < a->nnz; p++)
                a->values[p] = test_integer((uint64_t)p, (uint64_t)round + 7);
            void *values = test_values_of(a, options.dtype);
            void *device = NULL;
            const size_t bytes = (size_t)a->nnz * spmm_dtype_size(options.dtype);
            if (round % 2 == 1) {
                TEST_CUDA(cudaMalloc(&device, bytes));
                TEST_CUDA(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
            }
            assert_int_equal(spmm_executor_set_values(executor, device != NULL ? device : values, NULL, NULL),
                             SPMM_OK);
            free(values);
            for (int op = 0; op < 2; op++) {
                const struct test_product product = {
                    .op = (spmm_op_t)op, .n = 12, .alpha = 1, .values = TEST_VALUES_INTEGER};
                test_cuda_product_check(executor, NULL, a, options.dtype, &product);
            }
            TEST_CUDA(cudaFree(device));
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Kernels of one column start early. They must see new values that are put in the order of op T directly
 * before them. */
static void new_values_are_seen_by_the_next_product(void **state)
{
    (void)state;
    for (int schedule = SPMM_SCHEDULE_ROW_SPLIT; schedule <= SPMM_SCHEDULE_NONZERO_SPLIT; schedule++) {
        const struct test_plan_options options = {SPMM_F32, (spmm_schedule_t)schedule, 8, 1, 1};
        const struct test_product product = {
            .op = SPMM_OP_T, .n = 1, .alpha = 1, .values = TEST_VALUES_INTEGER};
        struct test_cuda_bench t = test_cuda_bench_make("one dense row", options, &product);
        const size_t bytes = (size_t)t.a->nnz * sizeof(float);
        void *values[2] = {NULL, NULL};
        char *want[2];
        for (int i = 0; i < 2; i++) {
            for (int64_t p = 0; p < t.a->nnz; p++)
                t.a->values[p] = test_integer((uint64_t)p, (uint64_t)i + 3);
            void *const host = test_values_of(t.a, SPMM_F32);
            TEST_CUDA(cudaMalloc(&values[i], bytes));
            TEST_CUDA(cudaMemcpy(values[i], host, bytes, cudaMemcpyHostToDevice));
            free(host);
            assert_int_equal(spmm_executor_set_values(t.executor, values[i], NULL, NULL), SPMM_OK);
            TEST_CUDA(cudaDeviceSynchronize());
            assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
            want[i] = test_cuda_bench_read(&t);
        }
        assert_memory_not_equal(want[0], want[1], t.c_bytes);
        for (int i = 0; i < 200; i++) {
            assert_int_equal(spmm_executor_set_values(t.executor, values[i % 2], NULL, NULL), SPMM_OK);
            assert_int_equal(test_cuda_bench_run(&t, &product, NULL), SPMM_OK);
            test_cuda_bench_expect(&t, want[i % 2]);
        }
        for (int i = 0; i < 2; i++) {
            TEST_CUDA(cudaFree(values[i]));
            free(want[i]);
        }
        test_cuda_bench_free(&t);
    }
}

/* A stream that waits for a product of another thread. */
struct waiting {
    struct test_cuda_bench *bench;
    const struct test_product *product;
    cudaStream_t other;
    sem_t product_returned;
    int is_too_late, failures;
};

static void wait_for_the_product(void *context)
{
    struct waiting *w = context;
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    w->is_too_late = sem_timedwait(&w->product_returned, &until) != 0;
}

/* Starts a product after 300 ms, when spmm_executor_set_values of the main thread waits for its stream. */
static void *product_of_another_thread(void *context)
{
    struct waiting *w = context;
    const struct timespec later = {.tv_nsec = 300000000};
    (void)nanosleep(&later, NULL);
    w->failures += test_cuda_bench_run(w->bench, w->product, w->other) != SPMM_OK;
    (void)sem_post(&w->product_returned);
    return NULL;
}

static void new_values_on_one_stream_keep_no_product_off_another(void **state)
{
    (void)state;
    const struct test_product product = {.n = 12, .alpha = 1, .values = TEST_VALUES_INTEGER};
    struct test_cuda_bench t = test_cuda_bench_make("lower triangle", split_f32, &product);
    struct waiting w = {.bench = &t, .product = &product};
    void *values = test_values_of(t.a, split_f32.dtype);
    cudaStream_t stream;
    pthread_t thread;
    assert_int_equal(sem_init(&w.product_returned, 0, 0), 0);
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TEST_CUDA(cudaStreamCreateWithFlags(&w.other, cudaStreamNonBlocking));
    assert_int_equal(spmm_executor_set_values(t.executor, values, stream, NULL), SPMM_OK);
    /* First run: CUDA loads the kernels. */
    assert_int_equal(test_cuda_bench_run(&t, &product, w.other), SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    TEST_CUDA(cudaLaunchHostFunc(stream, wait_for_the_product, &w));
    assert_int_equal(pthread_create(&thread, NULL, product_of_another_thread, &w), 0);
    assert_int_equal(spmm_executor_set_values(t.executor, values, stream, NULL), SPMM_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    TEST_CUDA(cudaDeviceSynchronize());
    assert_int_equal(w.is_too_late + w.failures, 0);
    TEST_CUDA(cudaStreamDestroy(w.other));
    TEST_CUDA(cudaStreamDestroy(stream));
    (void)sem_destroy(&w.product_returned);
    free(values);
    test_cuda_bench_free(&t);
}

static void memory_is_reported_before_and_after(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, split_f32, "power law");
    uint64_t host_bytes = 0;
    uint64_t device_bytes = 0;
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, NULL, &host_bytes, &device_bytes, NULL), SPMM_OK);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_true(info.device_bytes > 0);
    assert_int_equal(info.device_bytes, device_bytes);
    assert_int_equal(info.device, 0);
    assert_true(info.device_name[0] != '\0');
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void a_plan_for_another_target_falls_back_and_says_so(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, split_f32, "band");
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        plan->variants[i].target = 75;
        plan->variants[i].n_max = 2;
        plan->variants[i].layouts = SPMM_LAYOUTS_ROW_MAJOR;
    }
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    const struct test_product product = {.n = 24,
                                         .b_layout = SPMM_COL_MAJOR,
                                         .c_layout = SPMM_COL_MAJOR,
                                         .alpha = 1,
                                         .values = TEST_VALUES_REAL};
    test_cuda_product_check(executor, NULL, a, SPMM_F32, &product);
    struct test_dense b = test_product_b(a, SPMM_F32, &product);
    struct test_dense c = test_product_c(a, SPMM_F32, &product);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b.view, &c.view, &info, NULL), SPMM_OK);
    assert_int_equal(info.fallback, 1);
    assert_true(info.note[0] != '\0');
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void missing_workspace_and_devices_are_refused(void **state)
{
    (void)state;
    const struct test_product product = {.n = 40,
                                         .b_layout = SPMM_COL_MAJOR,
                                         .c_layout = SPMM_COL_MAJOR,
                                         .alpha = 1,
                                         .values = TEST_VALUES_REAL};
    struct test_cuda_bench t = test_cuda_bench_make("2 x 6000 short-fat", split_f32, &product);
    assert_true(t.workspace.bytes > 0);
    assert_int_equal(spmm_execute(t.executor, SPMM_OP_N, spmm_real(1), &t.device_b.view, spmm_real(0),
                                  &t.device_c.view, NULL, 0, NULL, NULL),
                     SPMM_ERR_WORKSPACE);
    assert_int_equal(spmm_execute(t.executor, SPMM_OP_N, spmm_real(1), &t.device_b.view, spmm_real(0),
                                  &t.device_c.view, t.workspace.data, t.workspace.bytes - 1, NULL, NULL),
                     SPMM_ERR_WORKSPACE);
    spmm_plan_t *plan = test_plan_whole(t.a, split_f32, "short-fat");
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    assert_int_equal(spmm_executor_create(plan, spmm_device_count(), &options, &executor, NULL),
                     SPMM_ERR_NO_DEVICE);
    assert_null(executor);
    spmm_plan_destroy(plan);
    test_cuda_bench_free(&t);
}

static void a_forced_kernel_needs_its_part(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, split_f32, "band");
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {0};
    options.force_kernel = "cuda/rows/row-split";
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, &diag), SPMM_ERR_ARGUMENT);
    assert_null(executor);
    assert_true(diag.text[0] != '\0');
    options.force_kernel = "cuda/rows/nonzero-split";
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_repeats_give_the_same_bits),
        cmocka_unit_test(row_splits_are_right_with_one_block_more),
        cmocka_unit_test(a_graph_replays_the_product),
        cmocka_unit_test(values_are_replaced),
        cmocka_unit_test(new_values_are_seen_by_the_next_product),
        cmocka_unit_test(new_values_on_one_stream_keep_no_product_off_another),
        cmocka_unit_test(memory_is_reported_before_and_after),
        cmocka_unit_test(a_plan_for_another_target_falls_back_and_says_so),
        cmocka_unit_test(missing_workspace_and_devices_are_refused),
        cmocka_unit_test(a_forced_kernel_needs_its_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
