/* SPDX-License-Identifier: Apache-2.0 */
/* A product of sparse matrices on a GPU and on the CPU, for tests that compare them. What fails stops the test. */
#ifndef TEST_SPARSE_TWIN_H
#define TEST_SPARSE_TWIN_H

#include "cuda_product.h"
#include "tests/support/sparse_products.h"

/* A plan on both devices, with C by the CPU. */
struct sparse_twin {
    spmm_plan_t *plan;
    spmm_product_t *gpu, *cpu;
    spmm_product_info_t info; /* of the GPU */
    struct test_sparse_values values;
    size_t value_bytes, operand_bytes[SPMM_PRODUCT_FACTORS], diagonal_bytes;
    void *expected;                      /* of the host, as found */
    void *found;                         /* what the GPU wrote */
    void *operand[SPMM_PRODUCT_FACTORS]; /* of the GPU, as all below */
    void *diagonal;
    struct test_cuda_workspace c, workspace;
};

/* kernel: of the GPU; NULL: by rule. budget: bytes of its memory; 0: no limit. */
struct sparse_twin sparse_twin_make(const struct test_sparse_product *product, const char *kernel,
                                    uint64_t budget);
void sparse_twin_free(struct sparse_twin *twin);

/* alpha * product + beta * C: on the CPU into expected, on the GPU into found. */
void sparse_twin_run_cpu(struct sparse_twin *twin, double alpha, double beta);
void sparse_twin_run(struct sparse_twin *twin, double alpha, double beta);
void sparse_twin_enqueue(const struct sparse_twin *twin, double alpha, double beta, void *stream);
/* NaN in the workspace and in C of the GPU. */
void sparse_twin_poison(const struct sparse_twin *twin);
/* Found has the bits that are expected; which bits a NaN has is the machine's. */
void sparse_twin_expect(const struct sparse_twin *twin, const struct test_sparse_product *product);
/* Both run the product, alpha 1 and beta 0, and have the same bits. */
void sparse_twin_check(struct sparse_twin *twin, const struct test_sparse_product *product);
/* The same with these. */
void sparse_twin_check_with(struct sparse_twin *twin, const struct test_sparse_product *product, double alpha,
                            double beta);
/* A product with long entries by a kernel: with alpha and beta too. */
void sparse_twin_check_long(const struct test_sparse_product *product, const char *kernel);
/* Items by positions alone have positions that say turns: of pieces, if rows are cut, else of whole rows. */
void sparse_twin_expect_turns(const struct sparse_twin *twin);
/* Both run, as above, a product of two such matrices, in both types, by this kernel, with so many rows that are cut.
 * expect: of each twin before it runs, or NULL. */
void sparse_twin_check_pair(const struct test_pattern *left, const struct test_pattern *right,
                            struct test_sparse_product product, const char *kernel, int64_t cut_rows,
                            void (*expect)(const struct sparse_twin *twin));

#endif
