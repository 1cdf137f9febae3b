/* SPDX-License-Identifier: Apache-2.0 */
/* One product of an executor on the GPU that a test runs repeatedly, in any stream and in CUDA graphs. */
#ifndef TEST_CUDA_BENCH_H
#define TEST_CUDA_BENCH_H

#include "cuda_product.h"
#include "tests/support/plan_build.h"

/* An executor of a matrix, and the operands of one product on the device. */
struct test_cuda_bench {
    struct test_matrix *a;
    spmm_executor_t *executor;
    struct test_dense b, c;
    struct test_cuda_dense device_b, device_c;
    struct test_cuda_workspace workspace;
    size_t c_bytes;
};

/* Builds a plan with these options for the matrix named `name`, and an executor of it with default
 * options. */
struct test_cuda_bench test_cuda_bench_make(const char *name, struct test_plan_options options,
                                            const struct test_product *product);
void test_cuda_bench_free(struct test_cuda_bench *t);
spmm_status_t test_cuda_bench_run(struct test_cuda_bench *t, const struct test_product *product,
                                  void *stream);
/* Returns the bytes of C that are on the device now, for bitwise comparison. The caller frees them with
 * free(). */
char *test_cuda_bench_read(const struct test_cuda_bench *t);
/* Gives C on the device the content that it had before any product. */
void test_cuda_bench_restore(const struct test_cuda_bench *t);
void test_cuda_bench_expect(const struct test_cuda_bench *t, const char *want);

#endif
