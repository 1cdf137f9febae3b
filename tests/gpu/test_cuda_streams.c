/* SPDX-License-Identifier: Apache-2.0 */
/* One executor on several streams at once, each with a workspace of its own. Every product has the bits of
 * a serial product, whatever the workspace contained before. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/family_cases.h"

#define LANES 4
#define RUNS 1000  /* of a lane, on each executor */
#define REFILL 10  /* runs between two fillings of the workspace */
#define ROUNDS 250 /* in each, the graph of all products of an executor is replayed */
#define REPLAYS 4  /* launches of the graph per round */
/* Up to this number of rows of C, one n is so large that the product needs several launches. */
#define SMALL_ROWS 10
#define TALL_ROWS 1000 /* taller matrices would need too much memory for a thousand results */
#define PRODUCTS 5
#define ALIGNMENT 256

/* Content of a workspace before a product: random bytes, 0xff, zeros, values of f16; or the remains of
 * earlier products, of which a part of each 8-byte word is overwritten, or nothing. */
enum {
    CONTENT_RANDOM,
    CONTENT_ONES,
    CONTENT_ZEROS,
    CONTENT_VALUES,
    CONTENT_WHOLE, /* number of contents that fill the whole workspace */
    CONTENT_LOWEST_QUARTERS = CONTENT_WHOLE,
    CONTENT_LOWER_HALVES,
    CONTENT_UPPER_HALVES,
    CONTENT_OLD,
    CONTENTS
};

/* A product of one executor, and its serial result. */
struct job {
    spmm_executor_t *executor;
    struct test_product product;
    struct test_dense c, want;
    struct test_cuda_dense b;
};

/* Data that all lanes read. */
struct setting {
    struct job jobs[TEST_FAMILY_CASES * PRODUCTS];
    size_t job_count;
    size_t stride;            /* bytes between two results: size of the largest C */
    uint64_t workspace_bytes; /* maximum of all products */
    char *contents[CONTENT_WHOLE];
};

/* A stream with a workspace, and memory for the results of all its runs. */
struct lane {
    const struct setting *setting;
    size_t number;
    cudaStream_t stream;
    struct test_cuda_workspace workspace;
    char *results;
    pthread_t thread;
    int failures;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct test_product product_at(size_t index, int64_t rows)
{
    const struct test_product products[PRODUCTS] = {
        {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL},
        {.n = 8, .alpha = 1.5, .beta = 1, .values = TEST_VALUES_REAL},
        {.n = 130,
         .b_layout = SPMM_COL_MAJOR,
         .c_layout = SPMM_COL_MAJOR,
         .alpha = 1,
         .values = TEST_VALUES_REAL},
        {.op = SPMM_OP_T, .n = 33, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL},
        {.n = rows <= SMALL_ROWS ? 600 : 72, .b_gap = 1, .c_gap = 1, .alpha = 1, .values = TEST_VALUES_REAL},
    };
    return products[index];
}

static void job_make(struct job *job, spmm_executor_t *executor, const struct test_matrix *a,
                     spmm_dtype_t dtype, size_t index)
{
    *job = (struct job){.executor = executor, .product = product_at(index, a->rows)};
    if (a->cols > TALL_ROWS)
        job->product.op = SPMM_OP_N;
    struct test_dense b = test_product_b(a, dtype, &job->product);
    job->c = test_product_c(a, dtype, &job->product);
    job->want = test_dense_copy(&job->c);
    test_cuda_product_run(executor, &job->product, &b, &job->want);
    job->b = test_cuda_dense_make(&b);
    test_dense_free(&b);
}

/* Makes the executor of a case and appends its products to the setting. */
static spmm_executor_t *executor_add(struct setting *s, const struct test_family_case *of)
{
    struct test_matrix *a = test_matrix_named(of->matrix, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_family_plan(of, a);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    for (size_t i = 0; i < PRODUCTS; i++) {
        struct job *job = &s->jobs[s->job_count++];
        uint64_t bytes = 0;
        job_make(job, executor, a, of->options.dtype, i);
        assert_int_equal(spmm_executor_workspace_bytes(executor, job->product.op, &job->b.view, &job->c.view,
                                                       &bytes, NULL),
                         SPMM_OK);
        s->workspace_bytes = larger(s->workspace_bytes, bytes);
        s->stride = larger(s->stride, (job->c.block_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return executor;
}

static void contents_make(struct setting *s)
{
    const size_t bytes = (size_t)larger(s->workspace_bytes, 8);
    uint64_t *random = malloc(bytes + 8);
    assert_non_null(random);
    for (size_t i = 0; i <= bytes / 8; i++)
        random[i] = test_hash(i, 23);
    for (int k = 0; k < CONTENT_WHOLE; k++) {
        TEST_CUDA(cudaMalloc((void **)&s->contents[k], bytes));
        TEST_CUDA(cudaMemset(s->contents[k],
                             k == CONTENT_ONES     ? 0xff
                             : k == CONTENT_VALUES ? 0x3c
                                                   : 0,
                             bytes));
    }
    TEST_CUDA(cudaMemcpy(s->contents[CONTENT_RANDOM], random, bytes, cudaMemcpyHostToDevice));
    free(random);
}

static void setting_free(struct setting *s)
{
    for (size_t i = 0; i < s->job_count; i++) {
        test_cuda_dense_free(&s->jobs[i].b);
        test_dense_free(&s->jobs[i].c);
        test_dense_free(&s->jobs[i].want);
    }
    for (int k = 0; k < CONTENT_WHOLE; k++)
        TEST_CUDA(cudaFree(s->contents[k]));
    free(s);
}

static struct setting *setting_make(void)
{
    struct setting *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

/* Returns the job of a run. Lanes begin with different jobs, so that each workspace sees one shape after
 * another. */
static const struct job *job_at(const struct lane *lane, size_t run)
{
    return &lane->setting->jobs[(lane->number + run) % lane->setting->job_count];
}

/* Returns the view of a job's C whose block, including guards, begins at `block`. */
static spmm_dense_t c_at(const struct job *job, char *block)
{
    spmm_dense_t c = job->c.view;
    c.data = block + ((char *)job->c.view.data - job->c.block);
    return c;
}

/* Returns the content of C before each run, or the expected content after it. The caller frees it with
 * free(). */
static char *images_make(const struct lane *lane, size_t runs, int is_after)
{
    char *images = calloc(runs, lane->setting->stride);
    assert_non_null(images);
    for (size_t run = 0; run < runs; run++) {
        const struct job *job = job_at(lane, run);
        memcpy(images + run * lane->setting->stride, is_after ? job->want.block : job->c.block,
               job->c.block_bytes);
    }
    return images;
}

static void lane_make(struct lane *lane, const struct setting *s, size_t number, size_t runs)
{
    *lane = (struct lane){.setting = s, .number = number};
    char *images = images_make(lane, runs, 0);
    TEST_CUDA(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    lane->workspace = test_cuda_workspace_make(s->workspace_bytes);
    TEST_CUDA(cudaMalloc((void **)&lane->results, runs * s->stride));
    TEST_CUDA(cudaMemcpy(lane->results, images, runs * s->stride, cudaMemcpyHostToDevice));
    free(images);
}

static void lane_check(const struct lane *lane, size_t runs)
{
    const size_t stride = lane->setting->stride;
    char *want = images_make(lane, runs, 1), *got = malloc(runs * stride);
    assert_non_null(got);
    TEST_CUDA(cudaMemcpy(got, lane->results, runs * stride, cudaMemcpyDeviceToHost));
    for (size_t run = 0; run < runs; run++)
        if (memcmp(got + run * stride, want + run * stride, stride) != 0)
            fail_msg("stream %zu, run %zu, n %lld: not the bits of a serial product", lane->number, run,
                     (long long)job_at(lane, run)->product.n);
    assert_int_equal(lane->failures, 0);
    free(got);
    free(want);
}

static void lane_free(struct lane *lane)
{
    TEST_CUDA(cudaStreamDestroy(lane->stream));
    TEST_CUDA(cudaFree(lane->results));
    test_cuda_workspace_free(&lane->workspace);
}

/* Overwrites `width` bytes of each 8-byte word, from byte `from` of the word on, with values of f16. */
static int words_overwrite(const struct lane *lane, size_t from, size_t width)
{
    const size_t words = (size_t)lane->workspace.bytes / 8;
    return words == 0 ||
           cudaMemcpy2DAsync((char *)lane->workspace.data + from, 8, lane->setting->contents[CONTENT_VALUES],
                             8, width, words, cudaMemcpyDeviceToDevice, lane->stream) == cudaSuccess;
}

/* Enqueues the filling of the workspace. Returns true on success. */
static int workspace_fill(const struct lane *lane, size_t content)
{
    if (content == CONTENT_LOWEST_QUARTERS)
        return words_overwrite(lane, 0, 2);
    if (content == CONTENT_LOWER_HALVES || content == CONTENT_UPPER_HALVES)
        return words_overwrite(lane, content == CONTENT_UPPER_HALVES ? 4 : 0, 4);
    return content == CONTENT_OLD ||
           cudaMemcpyAsync(lane->workspace.data, lane->setting->contents[content], lane->workspace.bytes,
                           cudaMemcpyDeviceToDevice, lane->stream) == cudaSuccess;
}

static int job_enqueue(const struct lane *lane, const struct job *job, char *block)
{
    const struct test_product *p = &job->product;
    const spmm_dense_t c = c_at(job, block);
    return spmm_execute(job->executor, p->op, spmm_real(p->alpha), &job->b.view, spmm_real(p->beta), &c,
                        lane->workspace.data, lane->workspace.bytes, lane->stream, NULL) == SPMM_OK;
}

static void run_enqueue(struct lane *lane, size_t run)
{
    if (run % REFILL == 0)
        lane->failures += !workspace_fill(lane, (run / REFILL + lane->number) % CONTENTS);
    lane->failures += !job_enqueue(lane, job_at(lane, run), lane->results + run * lane->setting->stride);
}

static void *lane_run(void *context)
{
    for (size_t run = 0; run < RUNS; run++)
        run_enqueue(context, run);
    return NULL;
}

static void run_from_threads(struct lane lanes[LANES])
{
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(pthread_create(&lanes[i].thread, NULL, lane_run, &lanes[i]), 0);
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
}

static void run_from_here(struct lane lanes[LANES])
{
    for (size_t run = 0; run < RUNS; run++)
        for (size_t i = 0; i < LANES; i++)
            run_enqueue(&lanes[i], run);
}

static void run_lanes(const struct setting *s, void (*run_all)(struct lane lanes[LANES]))
{
    struct lane lanes[LANES];
    for (size_t i = 0; i < LANES; i++)
        lane_make(&lanes[i], s, i, RUNS);
    /* The copies may still be in progress, and non-blocking streams do not wait for them. */
    TEST_CUDA(cudaDeviceSynchronize());
    run_all(lanes);
    TEST_CUDA(cudaDeviceSynchronize());
    for (size_t i = 0; i < LANES; i++) {
        lane_check(&lanes[i], RUNS);
        lane_free(&lanes[i]);
    }
}

/* Runs check for every executor alone, with all streams on it. */
static void each_executor(void (*check)(const struct setting *s))
{
    for (size_t i = 0; i < TEST_FAMILY_CASES; i++) {
        struct setting *s = setting_make();
        spmm_executor_t *executor = executor_add(s, &test_family_cases[i]);
        contents_make(s);
        check(s);
        spmm_executor_destroy(executor);
        setting_free(s);
    }
}

static void lanes_from_here(const struct setting *s)
{
    run_lanes(s, run_from_here);
}

static void lanes_from_threads(const struct setting *s)
{
    run_lanes(s, run_from_threads);
}

static void four_streams_of_one_thread(void **state)
{
    (void)state;
    each_executor(lanes_from_here);
}

static void four_streams_of_four_threads(void **state)
{
    (void)state;
    each_executor(lanes_from_threads);
}

/* The workspaces contain the remains of other executors, families and types. */
static void four_streams_on_all_executors(void **state)
{
    (void)state;
    struct setting *s = setting_make();
    spmm_executor_t *executors[TEST_FAMILY_CASES];
    for (size_t i = 0; i < TEST_FAMILY_CASES; i++)
        executors[i] = executor_add(s, &test_family_cases[i]);
    contents_make(s);
    run_lanes(s, run_from_threads);
    for (size_t i = 0; i < TEST_FAMILY_CASES; i++)
        spmm_executor_destroy(executors[i]);
    setting_free(s);
}

/* Captures all products of the setting; the graph first restores each C. pristine: the results before any
 * run. */
static cudaGraphExec_t capture(const struct lane *lane, const char *pristine)
{
    const struct setting *s = lane->setting;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    TEST_CUDA(cudaStreamBeginCapture(lane->stream, cudaStreamCaptureModeGlobal));
    TEST_CUDA(cudaMemcpyAsync(lane->results, pristine, s->job_count * s->stride, cudaMemcpyDeviceToDevice,
                              lane->stream));
    for (size_t run = 0; run < s->job_count; run++)
        assert_true(job_enqueue(lane, job_at(lane, run), lane->results + run * s->stride));
    TEST_CUDA(cudaStreamEndCapture(lane->stream, &graph));
    TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    TEST_CUDA(cudaGraphDestroy(graph));
    return replay;
}

/* Launches both graphs, which may run concurrently, then checks the results of both. */
static void replay_both(struct lane lanes[2], cudaGraphExec_t const replays[2], size_t round)
{
    for (size_t i = 0; i < 2; i++) {
        assert_true(workspace_fill(&lanes[i], (round + i) % CONTENTS));
        for (int again = 0; again < REPLAYS; again++)
            TEST_CUDA(cudaGraphLaunch(replays[i], lanes[i].stream));
    }
    TEST_CUDA(cudaDeviceSynchronize());
    for (size_t i = 0; i < 2; i++)
        lane_check(&lanes[i], lanes[i].setting->job_count);
}

static void two_graphs(const struct setting *s)
{
    struct lane lanes[2];
    cudaGraphExec_t replays[2];
    char *pristine[2];
    for (size_t i = 0; i < 2; i++) {
        lane_make(&lanes[i], s, i, s->job_count);
        TEST_CUDA(cudaMalloc((void **)&pristine[i], s->job_count * s->stride));
        TEST_CUDA(
            cudaMemcpy(pristine[i], lanes[i].results, s->job_count * s->stride, cudaMemcpyDeviceToDevice));
        TEST_CUDA(cudaDeviceSynchronize());
        replays[i] = capture(&lanes[i], pristine[i]);
    }
    for (size_t round = 0; round < ROUNDS; round++)
        replay_both(lanes, replays, round);
    for (size_t i = 0; i < 2; i++) {
        TEST_CUDA(cudaGraphExecDestroy(replays[i]));
        TEST_CUDA(cudaFree(pristine[i]));
        lane_free(&lanes[i]);
    }
}

static void graphs_on_two_streams(void **state)
{
    (void)state;
    each_executor(two_graphs);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_streams_of_one_thread),
        cmocka_unit_test(four_streams_of_four_threads),
        cmocka_unit_test(four_streams_on_all_executors),
        cmocka_unit_test(graphs_on_two_streams),
    };
    return cmocka_run_group_tests_name("cuda_streams", tests, NULL, NULL);
}
