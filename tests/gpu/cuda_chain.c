/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_chain.h. */
#include "cuda_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/plan_build.h"

#define LONG_ROWS 3
#define REPEATS 10

struct test_matrix *test_chain_matrix(int64_t rows, int has_long_rows)
{
    struct test_matrix *a = calloc(1, sizeof *a);
    /* If rows is not a multiple of LONG_ROWS, there may be one more long row. */
    const size_t room = (size_t)(rows * (3 + LONG_ROWS + 1));
    if (a == NULL)
        abort();
    *a = (struct test_matrix){"band and dense rows", rows, rows, 0, NULL, NULL, NULL};
    a->row_ptr = calloc((size_t)rows + 1, sizeof *a->row_ptr);
    a->col_ind = calloc(room, sizeof *a->col_ind);
    a->values = calloc(room, sizeof *a->values);
    if (a->row_ptr == NULL || a->col_ind == NULL || a->values == NULL)
        abort();
    for (int64_t i = 0; i < rows; i++) {
        const int is_long = has_long_rows && i % (rows / LONG_ROWS) == 7;
        const int64_t first = is_long || i == 0 ? 0 : i - 1, last = is_long ? rows - 1 : i + 1;
        for (int64_t j = first; j <= last && j < rows; j++, a->nnz++) {
            a->col_ind[a->nnz] = (int32_t)j;
            a->values[a->nnz] = test_real((uint64_t)i, (uint64_t)j) / (is_long ? (double)rows : 3);
        }
        a->row_ptr[i + 1] = a->nnz;
    }
    return a;
}

enum way { WAITED, IN_A_STREAM, IN_A_GRAPH };

/* The objects that a chain uses. operands[0] is B of the first product. */
struct chain {
    const spmm_executor_t *executor;
    struct test_cuda_dense operands[2];
    struct test_cuda_workspace workspace;
    cudaStream_t stream;
};

static struct chain chain_make(const spmm_executor_t *executor, const struct test_dense *b,
                               const struct test_dense *c)
{
    struct chain chain = {.executor = executor,
                          .operands = {test_cuda_dense_make(b), test_cuda_dense_make(c)}};
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &chain.operands[0].view,
                                                   &chain.operands[1].view, &bytes, NULL),
                     SPMM_OK);
    chain.workspace = test_cuda_workspace_make(bytes);
    TEST_CUDA(cudaStreamCreateWithFlags(&chain.stream, cudaStreamNonBlocking));
    TEST_CUDA(cudaDeviceSynchronize()); /* The copies above are not ordered with the stream. */
    return chain;
}

static void chain_free(struct chain *chain)
{
    TEST_CUDA(cudaStreamDestroy(chain->stream));
    test_cuda_workspace_free(&chain->workspace);
    test_cuda_dense_free(&chain->operands[0]);
    test_cuda_dense_free(&chain->operands[1]);
}

static void product_enqueue(const struct chain *chain, int from)
{
    assert_int_equal(spmm_execute(chain->executor, SPMM_OP_N, spmm_real(1), &chain->operands[from].view,
                                  spmm_real(0), &chain->operands[1 - from].view, chain->workspace.data,
                                  chain->workspace.bytes, chain->stream, NULL),
                     SPMM_OK);
}

static void products_enqueue(const struct chain *chain, int length, int waits)
{
    for (int i = 0; i < length; i++) {
        product_enqueue(chain, i % 2);
        if (waits)
            TEST_CUDA(cudaStreamSynchronize(chain->stream));
    }
}

static void graph_run(const struct chain *chain, int length)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    TEST_CUDA(cudaStreamBeginCapture(chain->stream, cudaStreamCaptureModeGlobal));
    products_enqueue(chain, length, 0);
    TEST_CUDA(cudaStreamEndCapture(chain->stream, &graph));
    TEST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    TEST_CUDA(cudaGraphLaunch(replay, chain->stream));
    TEST_CUDA(cudaStreamSynchronize(chain->stream));
    TEST_CUDA(cudaGraphExecDestroy(replay));
    TEST_CUDA(cudaGraphDestroy(graph));
}

/* Replaces B by A B `length` times and copies the last product to c. */
static void chain_run(const spmm_executor_t *executor, const struct test_dense *b, int length, enum way way,
                      struct test_dense *c)
{
    struct chain chain = chain_make(executor, b, c);
    if (way == IN_A_GRAPH)
        graph_run(&chain, length);
    else
        products_enqueue(&chain, length, way == WAITED);
    TEST_CUDA(cudaStreamSynchronize(chain.stream));
    test_cuda_dense_read(&chain.operands[length % 2], c);
    chain_free(&chain);
}

void test_chain_check(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                      int64_t n, int layouts)
{
    const struct test_product product = test_cuda_plain(n, layouts);
    struct test_dense b = test_product_b(a, dtype, &product);
    struct test_dense waited = test_product_c(a, dtype, &product), at_once = test_dense_copy(&waited);
    for (int length = 19; length < 21; length++) {
        chain_run(executor, &b, length, WAITED, &waited);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            chain_run(executor, &b, length, repeat % 2 == 0 ? IN_A_STREAM : IN_A_GRAPH, &at_once);
            assert_memory_equal(at_once.block, waited.block, waited.block_bytes);
        }
    }
    test_dense_free(&at_once);
    test_dense_free(&waited);
    test_dense_free(&b);
}

/* Returns the number of bytes from the first to the last element of B, which each run writes anew. */
static size_t payload_bytes(const spmm_dense_t *view)
{
    const int64_t lines = view->layout == SPMM_ROW_MAJOR ? view->rows : view->cols;
    const int64_t length = view->layout == SPMM_ROW_MAJOR ? view->cols : view->rows;
    return (size_t)((lines - 1) * view->ld + length) * spmm_dtype_size(view->type);
}

/* Enqueues a product directly after the work in the stream. If `waits`, the host waits for the stream
 * before and after. */
static void product_behind(struct chain *chain, int waits)
{
    if (waits)
        TEST_CUDA(cudaStreamSynchronize(chain->stream));
    product_enqueue(chain, 0);
    if (waits)
        TEST_CUDA(cudaStreamSynchronize(chain->stream));
}

/* Writes B, multiplies it and clears it, several times. Copies the last product to c. */
static void written_run(const spmm_executor_t *executor, const struct test_dense *b, int waits,
                        struct test_dense *c)
{
    struct chain chain = chain_make(executor, b, c);
    struct test_cuda_dense source = test_cuda_dense_make(b);
    const size_t bytes = payload_bytes(&b->view);
    void *const target = chain.operands[0].view.data;
    TEST_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < REPEATS; i++) {
        /* A product that starts too early reads these zeros. */
        TEST_CUDA(cudaMemsetAsync(target, 0, bytes, chain.stream));
        product_enqueue(&chain, 0);
        TEST_CUDA(cudaMemcpyAsync(target, source.view.data, bytes, cudaMemcpyDeviceToDevice, chain.stream));
        product_behind(&chain, waits);
    }
    TEST_CUDA(cudaStreamSynchronize(chain.stream));
    test_cuda_dense_read(&chain.operands[1], c);
    test_cuda_dense_free(&source);
    chain_free(&chain);
}

void test_chain_check_copies(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts)
{
    const struct test_product product = test_cuda_plain(n, layouts);
    struct test_dense b = test_product_b(a, dtype, &product);
    struct test_dense waited = test_product_c(a, dtype, &product), at_once = test_dense_copy(&waited);
    written_run(executor, &b, 1, &waited);
    written_run(executor, &b, 0, &at_once);
    assert_memory_equal(at_once.block, waited.block, waited.block_bytes);
    test_dense_free(&at_once);
    test_dense_free(&waited);
    test_dense_free(&b);
}

/* Sets all values of A to zero and multiplies, then sets the values of A and multiplies, several times.
 * Copies the last product to c. */
static void values_run(spmm_executor_t *executor, const void *values[2], const struct test_dense *b,
                       int waits, struct test_dense *c)
{
    struct chain chain = chain_make(executor, b, c);
    for (int i = 0; i < 2 * REPEATS; i++) {
        assert_int_equal(spmm_executor_set_values(executor, values[i % 2], chain.stream, NULL), SPMM_OK);
        product_behind(&chain, waits);
    }
    TEST_CUDA(cudaStreamSynchronize(chain.stream));
    test_cuda_dense_read(&chain.operands[1], c);
    chain_free(&chain);
}

void test_chain_check_values(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts)
{
    const struct test_product product = test_cuda_plain(n, layouts);
    struct test_dense b = test_product_b(a, dtype, &product);
    struct test_dense waited = test_product_c(a, dtype, &product), at_once = test_dense_copy(&waited);
    void *const zeros = calloc((size_t)a->nnz, spmm_dtype_size(dtype)), *const own = test_values_of(a, dtype);
    const void *values[2] = {zeros, own};
    assert_non_null(zeros);
    values_run(executor, values, &b, 1, &waited);
    values_run(executor, values, &b, 0, &at_once);
    assert_memory_equal(at_once.block, waited.block, waited.block_bytes);
    free(own);
    free(zeros);
    test_dense_free(&at_once);
    test_dense_free(&waited);
    test_dense_free(&b);
}
