/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_product.h. */
#include "cuda_product.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/plan.h"
#include "tests/support/close.h"

#define GUARD_BYTES 4096
#define LARGE 50000 /* number of elements from which the comparison uses several threads */

void test_cuda_ok(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        fail_msg("%s: %s", call, cudaGetErrorString(error));
}

int test_cuda_begin(int argc, char **argv)
{
    if (spmm_device_count() == 0) {
        puts("no GPU answers: skipped");
        return 0;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return 1;
}

static size_t offset_in_block(const struct test_dense *host)
{
    return (size_t)((char *)host->view.data - host->block);
}

struct test_cuda_dense test_cuda_dense_make(const struct test_dense *host)
{
    struct test_cuda_dense device = {.view = host->view};
    TEST_CUDA(cudaMalloc((void **)&device.block, host->block_bytes));
    TEST_CUDA(cudaMemcpy(device.block, host->block, host->block_bytes, cudaMemcpyHostToDevice));
    device.view.data = device.block + offset_in_block(host);
    return device;
}

void test_cuda_dense_read(const struct test_cuda_dense *device, struct test_dense *host)
{
    TEST_CUDA(cudaMemcpy(host->block, device->block, host->block_bytes, cudaMemcpyDeviceToHost));
}

void test_cuda_dense_free(struct test_cuda_dense *dense)
{
    TEST_CUDA(cudaFree(dense->block));
    dense->block = NULL;
}

struct test_cuda_workspace test_cuda_workspace_make(uint64_t bytes)
{
    struct test_cuda_workspace workspace = {.bytes = bytes};
    TEST_CUDA(cudaMalloc((void **)&workspace.block, (size_t)bytes + 2 * GUARD_BYTES));
    TEST_CUDA(cudaMemset(workspace.block, 0xff, (size_t)bytes + 2 * GUARD_BYTES));
    /* Non-blocking streams may use the workspace, and do not wait for the memset. */
    TEST_CUDA(cudaDeviceSynchronize());
    workspace.data = workspace.block + GUARD_BYTES;
    return workspace;
}

void test_cuda_workspace_free(struct test_cuda_workspace *workspace)
{
    unsigned char guard[GUARD_BYTES];
    for (int side = 0; side < 2; side++) {
        const char *from = side == 0 ? workspace->block : (const char *)workspace->data + workspace->bytes;
        TEST_CUDA(cudaMemcpy(guard, from, GUARD_BYTES, cudaMemcpyDeviceToHost));
        for (int i = 0; i < GUARD_BYTES; i++)
            assert_int_equal(guard[i], 0xff);
    }
    TEST_CUDA(cudaFree(workspace->block));
    workspace->block = NULL;
}

const struct test_factors test_cuda_factors[TEST_CUDA_FACTORS] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5},
                                                                  {0, 0}, {0, 1}, {0, 2}};

struct test_product test_cuda_plain(int64_t n, int turn)
{
    return (struct test_product){.n = n,
                                 .b_layout = (spmm_layout_t)(turn & 1),
                                 .c_layout = (spmm_layout_t)(turn >> 1 & 1),
                                 .alpha = 1,
                                 .values = TEST_VALUES_REAL};
}

struct test_product test_cuda_turn(int64_t n, int layouts, int turn, enum test_values values)
{
    const int64_t gap = turn % 3 == 0 ? 0 : turn % 9;
    struct test_product product = test_cuda_plain(n, layouts);
    product.op = (spmm_op_t)(turn / 2 % 2);
    product.b_gap = gap;
    product.c_gap = turn % 2 == 0 ? gap : 4;
    product.shift = turn % 7 == 1 ? turn % 4 : 0;
    product.alpha = test_cuda_factors[turn / 3 % TEST_CUDA_FACTORS].alpha;
    product.beta = test_cuda_factors[turn / 3 % TEST_CUDA_FACTORS].beta;
    product.values = values;
    return product;
}

struct test_cuda_pair test_cuda_pair_make(spmm_plan_t *plan, const char *kernel)
{
    const struct test_cuda_pair pair = {test_executor_make(plan, 0, 0, kernel),
                                        test_executor_make(plan, SPMM_DEVICE_CPU, 0, NULL)};
    spmm_plan_destroy(plan);
    return pair;
}

void test_cuda_pair_free(struct test_cuda_pair *pair)
{
    spmm_executor_destroy(pair->gpu);
    spmm_executor_destroy(pair->cpu);
}

void test_cuda_product_run(spmm_executor_t *executor, const struct test_product *product,
                           const struct test_dense *b, struct test_dense *c)
{
    struct test_cuda_dense device_b = test_cuda_dense_make(b);
    struct test_cuda_dense device_c = test_cuda_dense_make(c);
    struct test_dense b_after = test_dense_copy(b);
    struct test_dense c_before = test_dense_copy(c);
    uint64_t bytes = 0;
    assert_int_equal(
        spmm_executor_workspace_bytes(executor, product->op, &device_b.view, &device_c.view, &bytes, NULL),
        SPMM_OK);
    struct test_cuda_workspace workspace = test_cuda_workspace_make(bytes);
    assert_int_equal(spmm_execute(executor, product->op, spmm_real(product->alpha), &device_b.view,
                                  spmm_real(product->beta), &device_c.view, workspace.data, bytes, NULL,
                                  NULL),
                     SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    test_cuda_dense_read(&device_c, c);
    test_cuda_dense_read(&device_b, &b_after);
    assert_memory_equal(b_after.block, b->block, b->block_bytes);
    assert_true(test_dense_same_gaps(&c_before, c));
    test_cuda_workspace_free(&workspace);
    test_cuda_dense_free(&device_b);
    test_cuda_dense_free(&device_c);
    test_dense_free(&b_after);
    test_dense_free(&c_before);
}

/* Fails the test if the results of GPU and CPU differ by more than both error bounds together. The bound
 * allows for two roundings, as both results are stored in the type of C. */
static void compare_twin(spmm_executor_t *cpu, const struct test_accuracy *accuracy,
                         const struct test_matrix *a, const struct test_product *product,
                         const struct test_dense *b, const struct test_sums *sums, const struct test_dense *c)
{
    struct test_dense twin = test_dense_copy(sums->c_before);
    test_product_run(cpu, product, b, &twin);
    const struct test_accuracy of_twin = test_product_accuracy(cpu, product, b, &twin);
    const int64_t n = twin.view.cols, count = twin.view.rows * n;
    int64_t bad = -1;
#pragma omp parallel for reduction(max : bad) if (count > LARGE)
    for (int64_t at = 0; at < count; at++) {
        long double want;
        const struct test_terms terms = test_sums_terms(sums, at / n, at % n, &want);
        const long double wanted = (long double)test_dense_get(&twin, at / n, at % n);
        long double bound = test_terms_bound_of(accuracy, &terms) + test_terms_bound_of(&of_twin, &terms);
        bound = test_stored_bound(c->view.type, wanted, bound);
        bound = test_stored_bound(c->view.type, wanted, bound);
        if (!(test_ratio(test_dense_get(c, at / n, at % n), wanted, bound) <= 1))
            bad = at;
    }
    if (bad >= 0)
        fail_msg("%s: GPU and CPU differ at (%lld, %lld): %.17g and %.17g", a->name, (long long)(bad / n),
                 (long long)(bad % n), test_dense_get(c, bad / n, bad % n),
                 test_dense_get(&twin, bad / n, bad % n));
    test_dense_free(&twin);
}

void test_cuda_product_check(spmm_executor_t *executor, spmm_executor_t *cpu, const struct test_matrix *a,
                             spmm_dtype_t dtype, const struct test_product *product)
{
    const spmm_types_info_t types = {.a_type = dtype, .b_type = dtype, .c_type = dtype};
    test_cuda_product_check_types(executor, cpu, a, &types, product);
}

void test_cuda_product_check_types(spmm_executor_t *executor, spmm_executor_t *cpu,
                                   const struct test_matrix *a, const spmm_types_info_t *types,
                                   const struct test_product *product)
{
    struct test_dense b = test_product_b(a, types->b_type, product);
    struct test_dense c = test_product_c(a, types->c_type, product);
    struct test_dense c_before = test_dense_copy(&c);
    test_cuda_product_run(executor, product, &b, &c);
    const struct test_accuracy accuracy = test_product_accuracy(executor, product, &b, &c);
    struct test_sums sums =
        test_sums_of_type(a, types->a_type, product->op, product->alpha, &b, product->beta, &c_before);
    const struct test_judgement j = test_judge_sums(&accuracy, &sums, &c);
    const int exact_fails = product->values == TEST_VALUES_INTEGER && !j.is_exact;
    if (!(j.ratio <= 1) || exact_fails)
        fail_msg(
            "%s A %s, B %s, C %s op %s n %lld B %s +%lld C %s +%lld shift %lld alpha %g beta %g: element "
            "(%lld, %lld) "
            "is %.17g, "
            "expected %.17g, ratio %g",
            a->name, spmm_dtype_name(types->a_type), spmm_dtype_name(types->b_type),
            spmm_dtype_name(types->c_type), spmm_op_name(product->op), (long long)product->n,
            spmm_layout_name(product->b_layout), (long long)product->b_gap,
            spmm_layout_name(product->c_layout), (long long)product->c_gap, (long long)product->shift,
            product->alpha, product->beta, (long long)j.row, (long long)j.col, j.got, j.want, j.ratio);
    if (cpu != NULL)
        compare_twin(cpu, &accuracy, a, product, &b, &sums, &c);
    test_sums_free(&sums);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&c_before);
}

spmm_executor_info_t test_cuda_product_info(const spmm_executor_t *executor, const struct test_matrix *a,
                                            spmm_dtype_t dtype, const struct test_product *product)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, product->op, &b.view, &c.view, &info, NULL), SPMM_OK);
    test_dense_free(&b);
    test_dense_free(&c);
    return info;
}

void test_cuda_product_layouts(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                               const struct test_product *columns)
{
    struct test_product rows = *columns;
    rows.b_layout = rows.c_layout = SPMM_ROW_MAJOR;
    rows.b_gap = rows.c_gap = rows.shift = 0;
    struct test_dense b = test_product_b(a, dtype, columns), c = test_product_c(a, dtype, columns);
    struct test_dense e = test_product_b(a, dtype, &rows), d = test_product_c(a, dtype, &rows);
    test_cuda_product_run(executor, columns, &b, &c);
    test_cuda_product_run(executor, &rows, &e, &d);
    for (int64_t i = 0; i < c.view.rows; i++)
        for (int64_t j = 0; j < c.view.cols; j++) {
            const double got = test_dense_get(&c, i, j), want = test_dense_get(&d, i, j);
            assert_memory_equal(&got, &want, sizeof got);
        }
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&e);
    test_dense_free(&d);
}

void test_cuda_product_canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int64_t column)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    for (int64_t j = 0; j < product->n; j++)
        test_dense_set(&b, column, j, column / 4 % 2 == 0 ? (double)INFINITY : (double)NAN);
    test_cuda_product_run(executor, product, &b, &c);
    test_product_check_canary(a, column, &c);
    test_dense_free(&b);
    test_dense_free(&c);
}

void test_cuda_product_repeat(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int repeats)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense first = test_dense_copy(&c), poison = test_dense_copy(&b);
    for (int64_t i = 0; i < b.view.rows; i++)
        for (int64_t j = 0; j < b.view.cols; j++)
            test_dense_set(&poison, i, j, (double)NAN);
    test_cuda_product_run(executor, product, &b, &first);
    for (int repeat = 0; repeat < repeats; repeat++) {
        struct test_dense again = test_dense_copy(&c), spoilt = test_dense_copy(&c);
        test_cuda_product_run(executor, product, &poison, &spoilt);
        test_cuda_product_run(executor, product, &b, &again);
        assert_memory_equal(again.block, first.block, first.block_bytes);
        test_dense_free(&spoilt);
        test_dense_free(&again);
    }
    test_dense_free(&poison);
    test_dense_free(&first);
    test_dense_free(&b);
    test_dense_free(&c);
}

/* An executor with the operands of a product on the device, and the thread that runs the product. */
struct worker {
    pthread_t thread;
    spmm_executor_t *executor;
    const struct test_product *product;
    struct test_cuda_dense b, c;
    struct test_cuda_workspace workspace;
    cudaStream_t stream;
    int runs, failures;
};

static void *work(void *context)
{
    struct worker *w = context;
    for (int i = 0; i < w->runs; i++)
        w->failures += spmm_execute(w->executor, w->product->op, spmm_real(w->product->alpha), &w->b.view,
                                    spmm_real(w->product->beta), &w->c.view, w->workspace.data,
                                    w->workspace.bytes, w->stream, NULL) != SPMM_OK;
    return NULL;
}

static void worker_make(struct worker *w, const struct test_dense *b, const struct test_dense *c)
{
    uint64_t bytes = 0;
    w->b = test_cuda_dense_make(b);
    w->c = test_cuda_dense_make(c);
    assert_int_equal(
        spmm_executor_workspace_bytes(w->executor, w->product->op, &w->b.view, &w->c.view, &bytes, NULL),
        SPMM_OK);
    w->workspace = test_cuda_workspace_make(bytes);
    TEST_CUDA(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
}

static void worker_free(struct worker *w)
{
    TEST_CUDA(cudaStreamDestroy(w->stream));
    test_cuda_workspace_free(&w->workspace);
    test_cuda_dense_free(&w->b);
    test_cuda_dense_free(&w->c);
}

void test_cuda_product_threads(spmm_executor_t *const executors[2], const struct test_matrix *a,
                               spmm_dtype_t dtype, const struct test_product *product, int runs)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct worker workers[2];
    assert_true(product->beta == 0); /* otherwise each run would read another C */
    for (int t = 0; t < 2; t++) {
        workers[t] = (struct worker){.executor = executors[t], .product = product, .runs = runs};
        worker_make(&workers[t], &b, &c);
    }
    /* The copies may still be in progress, and non-blocking streams do not wait for them. */
    TEST_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    TEST_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 2; t++) {
        struct test_dense want = test_dense_copy(&c), got = test_dense_copy(&c);
        test_cuda_product_run(executors[t], product, &b, &want);
        test_cuda_dense_read(&workers[t].c, &got);
        assert_int_equal(workers[t].failures, 0);
        assert_memory_equal(got.block, want.block, want.block_bytes);
        test_dense_free(&want);
        test_dense_free(&got);
        worker_free(&workers[t]);
    }
    test_dense_free(&b);
    test_dense_free(&c);
}

/* Captures one product in a graph and returns the executable graph. */
static cudaGraphExec_t capture(spmm_executor_t *executor, const struct test_product *product,
                               const struct test_cuda_dense *b, const struct test_cuda_dense *c,
                               const struct test_cuda_workspace *workspace, cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    TEST_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_int_equal(spmm_execute(executor, product->op, spmm_real(product->alpha), &b->view,
                                  spmm_real(product->beta), &c->view, workspace->data, workspace->bytes,
                                  stream, NULL),
                     SPMM_OK);
    TEST_CUDA(cudaStreamEndCapture(stream, &graph));
    TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    TEST_CUDA(cudaGraphDestroy(graph));
    return replay;
}

/* Compares replays of a captured product with the direct product. new_values: values that are set between
 * the capture and the replays, or NULL. */
static void check_replays(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                          const struct test_product *product, const void *new_values, int replays)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense want = test_dense_copy(&c), got = test_dense_copy(&c);
    struct test_cuda_dense device_b = test_cuda_dense_make(&b), device_c = test_cuda_dense_make(&c);
    uint64_t bytes = 0;
    cudaStream_t stream = NULL;
    assert_int_equal(
        spmm_executor_workspace_bytes(executor, product->op, &device_b.view, &device_c.view, &bytes, NULL),
        SPMM_OK);
    struct test_cuda_workspace workspace = test_cuda_workspace_make(bytes);
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    test_cuda_product_run(executor, product, &b, &got); /* first run: CUDA loads the kernels */
    cudaGraphExec_t replay = capture(executor, product, &device_b, &device_c, &workspace, stream);
    if (new_values != NULL)
        assert_int_equal(spmm_executor_set_values(executor, new_values, stream, NULL), SPMM_OK);
    test_cuda_product_run(executor, product, &b, &want);
    for (int i = 0; i < replays; i++) {
        TEST_CUDA(cudaMemcpy(device_c.block, c.block, c.block_bytes, cudaMemcpyHostToDevice));
        /* The copy may still be in progress, and non-blocking streams do not wait for it. */
        TEST_CUDA(cudaDeviceSynchronize());
        TEST_CUDA(cudaGraphLaunch(replay, stream));
        TEST_CUDA(cudaStreamSynchronize(stream));
        test_cuda_dense_read(&device_c, &got);
        assert_memory_equal(got.block, want.block, want.block_bytes);
    }
    TEST_CUDA(cudaGraphExecDestroy(replay));
    TEST_CUDA(cudaStreamDestroy(stream));
    test_cuda_workspace_free(&workspace);
    test_cuda_dense_free(&device_b);
    test_cuda_dense_free(&device_c);
    test_dense_free(&got);
    test_dense_free(&want);
    test_dense_free(&b);
    test_dense_free(&c);
}

void test_cuda_product_graph(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             const struct test_product *product, int replays)
{
    check_replays(executor, a, dtype, product, NULL, replays);
}

void test_cuda_product_graph_of(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                                const struct test_product *product, const void *new_values)
{
    check_replays(executor, a, dtype, product, new_values, 2);
}

void test_cuda_permuted_output_check(spmm_plan_t *plan, const struct test_matrix *a, spmm_dtype_t dtype,
                                     const struct test_product *product)
{
    spmm_executor_t *in_rows = test_executor_make(plan, 0, 0, NULL);
    plan->parts[0].flags |= SPMMI_PART_PERMUTES_OUTPUT;
    spmm_executor_t *in_order = test_executor_make(plan, 0, 0, NULL);
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense d = test_dense_copy(&c);
    test_cuda_product_run(in_rows, product, &b, &c);
    test_cuda_product_run(in_order, product, &b, &d);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < product->n; j++)
            assert_true(test_dense_get(&d, i, j) == test_dense_get(&c, plan->parts[0].items[i], j));
    test_dense_free(&d);
    test_dense_free(&c);
    test_dense_free(&b);
    spmm_executor_destroy(in_order);
    spmm_executor_destroy(in_rows);
}
