/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the GPU with guard bands around the operands: the device side of tests/support/products.h. */
#ifndef TEST_CUDA_PRODUCT_H
#define TEST_CUDA_PRODUCT_H

#include <cuda_runtime_api.h>

#include "tests/support/products.h"

/* Fails the test with CUDA's error message if error is not cudaSuccess. */
void test_cuda_ok(cudaError_t error, const char *call);
#define TEST_CUDA(call) test_cuda_ok((call), #call)

/* Starts a program of the GPU tier. Returns 0 if there is no usable GPU; main then returns TEST_SKIPPED.
 * The first argument of the program, if any, is a filter of test names, for compute-sanitizer. */
int test_cuda_begin(int argc, char **argv);
#define TEST_SKIPPED 77

/* A copy of a host matrix on the device, including guard bands and gaps. view.data is a device pointer. */
struct test_cuda_dense {
    spmm_dense_t view;
    char *block;
};
struct test_cuda_dense test_cuda_dense_make(const struct test_dense *host);
void test_cuda_dense_read(const struct test_cuda_dense *device, struct test_dense *host);
void test_cuda_dense_free(struct test_cuda_dense *dense);

/* A workspace with guard bands. All bytes are 0xff at first, so that numbers in it are NaN. */
struct test_cuda_workspace {
    char *block;
    void *data;
    uint64_t bytes;
};
struct test_cuda_workspace test_cuda_workspace_make(uint64_t bytes);
/* Frees the workspace. Fails the test if a guard band has changed. */
void test_cuda_workspace_free(struct test_cuda_workspace *workspace);

/* Pairs of alpha and beta that products use in turn. */
struct test_factors {
    double alpha, beta;
};
#define TEST_CUDA_FACTORS 7
extern const struct test_factors test_cuda_factors[TEST_CUDA_FACTORS];

/* Returns a product with real values, alpha = 1 and beta = 0. Bit 0 of `turn` is the layout of B, bit 1
 * the layout of C. */
struct test_product test_cuda_plain(int64_t n, int turn);
/* Returns a product whose op, gaps, shift and factors depend on `turn`; layouts as `turn` of
 * test_cuda_plain. Operands are aligned for wide loads if gap and shift are 0. */
struct test_product test_cuda_turn(int64_t n, int layouts, int turn, enum test_values values);

/* Executors of one plan on GPU and CPU. kernel: kernel that the GPU must run, or NULL. test_cuda_pair_make
 * destroys the plan. */
struct test_cuda_pair {
    spmm_executor_t *gpu, *cpu;
};
struct test_cuda_pair test_cuda_pair_make(spmm_plan_t *plan, const char *kernel);
void test_cuda_pair_free(struct test_cuda_pair *pair);

/* Runs one product of host matrices on the device. Fails the test if guard bands, gaps or B change. */
void test_cuda_product_run(spmm_executor_t *executor, const struct test_product *product,
                           const struct test_dense *b, struct test_dense *c);

/* Checks one product like test_product_check: against the reference, with guard bands, gaps and B
 * unchanged. cpu: an executor of the same plan on the CPU, or NULL; both results may differ by at most the
 * sum of their error bounds. */
void test_cuda_product_check(spmm_executor_t *executor, spmm_executor_t *cpu, const struct test_matrix *a,
                             spmm_dtype_t dtype, const struct test_product *product);
/* Checks the same for types of B and C that differ from the type of A. */
void test_cuda_product_check_types(spmm_executor_t *executor, spmm_executor_t *cpu,
                                   const struct test_matrix *a, const spmm_types_info_t *types,
                                   const struct test_product *product);

/* Returns the information that the executor gives about this product. */
spmm_executor_info_t test_cuda_product_info(const spmm_executor_t *executor, const struct test_matrix *a,
                                            spmm_dtype_t dtype, const struct test_product *product);

/* Checks that the column-major product `columns` has the same bits as the row-major product. */
void test_cuda_product_layouts(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                               const struct test_product *columns);

/* Checks that NaN or Inf in row `column` of B reaches exactly the rows of C whose row of A stores that
 * column. */
void test_cuda_product_canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int64_t column);
/* Checks that `repeats` runs give the same bits. Each run follows a product with a B of NaN, of which the
 * executor must keep nothing. */
void test_cuda_product_repeat(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                              const struct test_product *product, int repeats);
/* Checks that `replays` replays of a graph have the bits of the direct product. product: with op N. */
void test_cuda_product_graph(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             const struct test_product *product, int replays);
/* Checks the same with new values that are set after the capture: direct products and replays have the
 * same bits. */
void test_cuda_product_graph_of(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                                const struct test_product *product, const void *new_values);

/* Runs the same product with two executors in two threads at once, each on its own stream, `runs` times.
 * Checks that each executor always gives the same bits. */
void test_cuda_product_threads(spmm_executor_t *const executors[2], const struct test_matrix *a,
                               spmm_dtype_t dtype, const struct test_product *product, int runs);

/* Checks that a plan whose part 0 has a row permutation writes C in the permuted order on request. */
void test_cuda_permuted_output_check(spmm_plan_t *plan, const struct test_matrix *a, spmm_dtype_t dtype,
                                     const struct test_product *product);

#endif
