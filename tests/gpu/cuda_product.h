/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the GPU between guard bands: the device side of tests/support/products.h. */
#ifndef TEST_CUDA_PRODUCT_H
#define TEST_CUDA_PRODUCT_H

#include <cuda_runtime_api.h>

#include "tests/support/products.h"

/* Fail the test with CUDA's sentence. */
void test_cuda_ok(cudaError_t error, const char *call);
#define TEST_CUDA(call) test_cuda_ok((call), #call)

/* How every main of the GPU tier begins: 0 when no GPU answers, and main returns TEST_SKIPPED. A first argument
 * is a filter of tests, for compute-sanitizer. */
int test_cuda_begin(int argc, char **argv);
#define TEST_SKIPPED 77

/* A copy of a host matrix, guards and gaps included, on the device. view.data is a device pointer. */
struct test_cuda_dense {
    spmm_dense_t view;
    char *block;
};
struct test_cuda_dense test_cuda_dense_make(const struct test_dense *host);
void test_cuda_dense_read(const struct test_cuda_dense *device, struct test_dense *host);
void test_cuda_dense_free(struct test_cuda_dense *dense);

/* Workspace with guard bands, all bytes NaN. */
struct test_cuda_workspace {
    char *block;
    void *data;
    uint64_t bytes;
};
struct test_cuda_workspace test_cuda_workspace_make(uint64_t bytes);
/* Fails the test if a guard changed. */
void test_cuda_workspace_free(struct test_cuda_workspace *workspace);

/* Factors that products take turns in. */
struct test_factors {
    double alpha, beta;
};
#define TEST_CUDA_FACTORS 7
extern const struct test_factors test_cuda_factors[TEST_CUDA_FACTORS];

/* Real values, alpha = 1, beta = 0; orders by the two bits of turn. */
struct test_product test_cuda_plain(int64_t n, int turn);
/* Ops, gaps, shifts and factors take turns, orders as above; wide words are met where gap and shift are 0. */
struct test_product test_cuda_turn(int64_t n, int layouts, int turn, enum test_values values);

/* Executors of a plan on both devices. kernel: forced on the GPU, or NULL. The plan is destroyed. */
struct test_cuda_pair {
    spmm_executor_t *gpu, *cpu;
};
struct test_cuda_pair test_cuda_pair_make(spmm_plan_t *plan, const char *kernel);
void test_cuda_pair_free(struct test_cuda_pair *pair);

/* One product of host matrices on the device; guards, gaps and B are untouched. */
void test_cuda_product_run(spmm_executor_t *executor, const struct test_product *product,
                           const struct test_dense *b, struct test_dense *c);

/* One product, as test_product_check: reference, guards, gaps, B untouched. With a CPU executor of the same
 * plan, the two results may differ by both bounds together at most. */
void test_cuda_product_check(spmm_executor_t *executor, spmm_executor_t *cpu, const struct test_matrix *a,
                             spmm_dtype_t dtype, const struct test_product *product);
/* The same with other types of B and C than A's. */
void test_cuda_product_check_types(spmm_executor_t *executor, spmm_executor_t *cpu,
                                   const struct test_matrix *a, const spmm_types_info_t *types,
                                   const struct test_product *product);

/* What the executor says of such a product. */
spmm_executor_info_t test_cuda_product_info(const spmm_executor_t *executor, const struct test_matrix *a,
                                            spmm_dtype_t dtype, const struct test_product *product);

/* A column-major product has the bits of the row-major one. */
void test_cuda_product_layouts(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                               const struct test_product *columns);

/* NaN or Inf in row `column` of B reaches just the rows of C that store that column. */
void test_cuda_product_canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int64_t column);
/* So many repeats give the same bits, each after a product with a B of NaN, which nothing may keep. */
void test_cuda_product_repeat(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int repeats);
/* So do so many replays of a graph; product: of op N. */
void test_cuda_product_graph(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             const struct test_product *product, int replays);
/* The same where these values were set behind the capture: products that follow have the bits of the replays. */
void test_cuda_product_graph_of(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                                const struct test_product *product, const void *new_values);

/* The same product by two executors in two threads at once, on streams of their own, so many times: each keeps its
 * bits. */
void test_cuda_product_threads(spmm_executor_t *const executors[2], const struct test_matrix *a,
                               spmm_dtype_t dtype, const struct test_product *product, int runs);

/* A plan whose part 0 takes its rows in an order of its own writes C in that order on request. */
void test_cuda_permuted_output_check(spmm_plan_t *plan, const struct test_matrix *a, spmm_dtype_t dtype,
                                     const struct test_product *product);

#endif
