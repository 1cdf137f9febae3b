/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of products through the public API. */
#ifndef TEST_CERTIFICATES_H
#define TEST_CERTIFICATES_H

#include <spmm/executor.h>

#include "products.h"

/* Makes a certifier, or fails the test with the diagnostics. vectors: as in the options. */
spmm_certifier_t *test_certifier_make(const spmm_plan_t *plan, const spmm_executor_t *executor, uint64_t seed,
                                      int vectors);

/* A function that certifies a product, such as test_certify. */
typedef spmm_certificate_t (*test_certify_fn)(const spmm_certifier_t *certifier,
                                              const struct test_product *product, const struct test_dense *b,
                                              const struct test_dense *before, const struct test_dense *c);

/* Certifies c. before is C before the product. Fails the test if status and certificate contradict each
 * other. */
spmm_certificate_t test_certify(const spmm_certifier_t *certifier, const struct test_product *product,
                                const struct test_dense *b, const struct test_dense *before,
                                const struct test_dense *c);
/* The same with operands on the device of the executor. */
spmm_certificate_t test_certify_views(const spmm_certifier_t *certifier, const struct test_product *product,
                                      const spmm_dense_t *b, const spmm_dense_t *before,
                                      const spmm_dense_t *c);

/* A product on the CPU with all its objects, and the certifier of its executor. */
struct test_certified {
    struct test_matrix *a;
    spmm_plan_t *plan;
    spmm_executor_t *executor;
    spmm_certifier_t *certifier;
    struct test_product product;
    struct test_dense b, before, c; /* C before the product, and C */
};

/* Takes ownership of a and plan, makes the other members and runs the product. */
void test_certified_make(struct test_certified *p, struct test_matrix *a, spmm_plan_t *plan,
                         const struct test_product *product, uint64_t seed, int vectors);
/* Runs the product again, with the current operands and factors. */
void test_certified_run(struct test_certified *p);
spmm_certificate_t test_certified_check(const struct test_certified *p);
void test_certified_free(struct test_certified *p);

/* Runs the product and fails the test if it is not certified. Adds to *compared the number of rows that were
 * compared with the bound. */
void test_certified_product(spmm_executor_t *executor, const spmm_certifier_t *certifier,
                            const struct test_matrix *a, spmm_dtype_t dtype,
                            const struct test_product *product, test_product_runner run,
                            test_certify_fn certify, int64_t *compared);

/* Certifies products of every family, op, layout and factor in test_family_cases. Returns the number of rows
 * that were compared with the bound. */
int64_t test_certified_families(int device, test_product_runner run, test_certify_fn certify);

/* Certifies products of every adversary in every compute type of a tensor-core family. Returns the largest
 * error ratio of the certificates. */
double test_certified_adversaries(int device, test_product_runner run, test_certify_fn certify);

/* Flips one bit of element (i, j). */
void test_bit_flip(struct test_dense *dense, int64_t i, int64_t j, int bit);

#endif
