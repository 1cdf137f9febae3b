/* SPDX-License-Identifier: Apache-2.0 */
/* A product of sparse matrices on GPU and CPU, for tests that compare the results. A failure ends the
 * test. */
#ifndef TEST_SPARSE_TWIN_H
#define TEST_SPARSE_TWIN_H

#include "cuda_product.h"
#include "tests/support/sparse_products.h"

/* Executors of a plan on both devices, with the results of both. */
struct sparse_twin {
    spmm_plan_t *plan;
    spmm_product_t *gpu, *cpu;
    spmm_product_info_t info; /* of the product on the GPU */
    struct test_sparse_values values;
    size_t value_bytes, operand_bytes[SPMM_PRODUCT_FACTORS], diagonal_bytes;
    void *expected;                      /* C of the CPU */
    void *found;                         /* C of the GPU, copied to the host */
    void *operand[SPMM_PRODUCT_FACTORS]; /* on the GPU, as all fields below */
    void *diagonal;
    struct test_cuda_workspace c, workspace;
};

/* kernel: kernel that the GPU must run; NULL: the default choice. budget: limit of device memory in bytes;
 * 0: no limit. */
struct sparse_twin sparse_twin_make(const struct test_sparse_product *product, const char *kernel,
                                    uint64_t budget);
void sparse_twin_free(struct sparse_twin *twin);

/* Compute alpha * product + beta * C: on the CPU into `expected`, on the GPU into `found`. */
void sparse_twin_run_cpu(struct sparse_twin *twin, double alpha, double beta);
void sparse_twin_run(struct sparse_twin *twin, double alpha, double beta);
void sparse_twin_enqueue(const struct sparse_twin *twin, double alpha, double beta, void *stream);
/* Fills the workspace and C of the GPU with NaN. */
void sparse_twin_poison(const struct sparse_twin *twin);
/* Checks that `found` has the bits of `expected`. Two NaN are equal, as the bits of a NaN depend on the
 * machine. */
void sparse_twin_expect(const struct sparse_twin *twin, const struct test_sparse_product *product);
/* Runs the product with alpha = 1 and beta = 0 on both devices and checks that the bits are the same. */
void sparse_twin_check(struct sparse_twin *twin, const struct test_sparse_product *product);
/* Checks the same with this alpha and this beta. */
void sparse_twin_check_with(struct sparse_twin *twin, const struct test_sparse_product *product, double alpha,
                            double beta);
/* Checks a product with long entries by a kernel, with alpha and beta too. */
void sparse_twin_check_long(const struct test_sparse_product *product, const char *kernel);
/* Checks that some items with lanes for single products have 2-byte positions, which contain turns: items
 * of pieces if the product cuts rows, else of whole rows. */
void sparse_twin_expect_turns(const struct sparse_twin *twin);
/* Checks the product of two such matrices by this kernel, in f64 and f32. cut_rows: number of rows that
 * the product must cut. expect: a check of each twin before its run, or NULL. */
void sparse_twin_check_pair(const struct test_pattern *left, const struct test_pattern *right,
                            struct test_sparse_product product, const char *kernel, int64_t cut_rows,
                            void (*expect)(const struct sparse_twin *twin));

#endif
