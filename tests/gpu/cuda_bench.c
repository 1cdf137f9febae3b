/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_bench.h. */
#include "cuda_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/plan_seal.h"

struct test_cuda_bench test_cuda_bench_make(const char *name, struct test_plan_options options,
                                            const struct test_product *product)
{
    struct test_cuda_bench t = {.a = test_matrix_named(name, product->values)};
    spmm_plan_t *plan = test_plan_whole(t.a, options, name);
    t.executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    t.b = test_product_b(t.a, options.dtype, product);
    t.c = test_product_c(t.a, options.dtype, product);
    t.device_b = test_cuda_dense_make(&t.b);
    t.device_c = test_cuda_dense_make(&t.c);
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(t.executor, product->op, &t.device_b.view,
                                                   &t.device_c.view, &bytes, NULL),
                     SPMM_OK);
    t.workspace = test_cuda_workspace_make(bytes);
    t.c_bytes = t.c.block_bytes;
    return t;
}

void test_cuda_bench_free(struct test_cuda_bench *t)
{
    test_cuda_workspace_free(&t->workspace);
    test_cuda_dense_free(&t->device_b);
    test_cuda_dense_free(&t->device_c);
    test_dense_free(&t->b);
    test_dense_free(&t->c);
    spmm_executor_destroy(t->executor);
    test_matrix_free(t->a);
}

spmm_status_t test_cuda_bench_run(struct test_cuda_bench *t, const struct test_product *product, void *stream)
{
    return spmm_execute(t->executor, product->op, spmm_real(product->alpha), &t->device_b.view,
                        spmm_real(product->beta), &t->device_c.view, t->workspace.data, t->workspace.bytes,
                        stream, NULL);
}

char *test_cuda_bench_read(const struct test_cuda_bench *t)
{
    char *bytes = malloc(t->c_bytes);
    assert_non_null(bytes);
    TEST_CUDA(cudaMemcpy(bytes, t->device_c.block, t->c_bytes, cudaMemcpyDeviceToHost));
    return bytes;
}

void test_cuda_bench_restore(const struct test_cuda_bench *t)
{
    TEST_CUDA(cudaMemset(t->device_c.block, 0x5a, t->c_bytes));
    TEST_CUDA(cudaMemcpy(t->device_c.block, t->c.block, t->c_bytes, cudaMemcpyHostToDevice));
    /* The copy may still be in progress, and non-blocking streams do not wait for it. */
    TEST_CUDA(cudaDeviceSynchronize());
}

void test_cuda_bench_expect(const struct test_cuda_bench *t, const char *want)
{
    char *got = test_cuda_bench_read(t);
    assert_memory_equal(got, want, t->c_bytes);
    free(got);
}
