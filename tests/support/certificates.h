/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of products through the public API. */
#ifndef TEST_CERTIFICATES_H
#define TEST_CERTIFICATES_H

#include <spmm/executor.h>

#include "products.h"

/* Fails the test with what the certifier says. vectors: as in its options. */
spmm_certifier_t *test_certifier_make(const spmm_plan_t *plan, const spmm_executor_t *executor, uint64_t seed,
                                      int vectors);

/* How a product is certified: by test_certify, or one like it. */
typedef spmm_certificate_t (*test_certify_fn)(const spmm_certifier_t *certifier,
                                              const struct test_product *product, const struct test_dense *b,
                                              const struct test_dense *before, const struct test_dense *c);

/* The certificate of c, which was `before` before the product. Status and certificate have to agree. */
spmm_certificate_t test_certify(const spmm_certifier_t *certifier, const struct test_product *product,
                                const struct test_dense *b, const struct test_dense *before,
                                const struct test_dense *c);
/* The same of operands where the executor runs. */
spmm_certificate_t test_certify_views(const spmm_certifier_t *certifier, const struct test_product *product,
                                      const spmm_dense_t *b, const spmm_dense_t *before,
                                      const spmm_dense_t *c);

/* A product on the CPU, all that belongs to it, and the certifier of its executor. */
struct test_certified {
    struct test_matrix *a;
    spmm_plan_t *plan;
    spmm_executor_t *executor;
    spmm_certifier_t *certifier;
    struct test_product product;
    struct test_dense b, before, c; /* C before the product, and C */
};

/* Takes a and its plan, runs the product. */
void test_certified_make(struct test_certified *p, struct test_matrix *a, spmm_plan_t *plan,
                         const struct test_product *product, uint64_t seed, int vectors);
/* Anew, from what the operands and factors are now. */
void test_certified_run(struct test_certified *p);
spmm_certificate_t test_certified_check(const struct test_certified *p);
void test_certified_free(struct test_certified *p);

/* Run the product and fail the test if it is not certified. Counts into *compared the rows that were compared by the
 * bound. */
void test_certified_product(spmm_executor_t *executor, const spmm_certifier_t *certifier,
                            const struct test_matrix *a, spmm_dtype_t dtype,
                            const struct test_product *product, test_product_runner run,
                            test_certify_fn certify, int64_t *compared);

/* Certified products of every family, op, layout and factor in test_family_cases; how many rows were compared by the
 * bound. */
int64_t test_certified_families(int device, test_product_runner run, test_certify_fn certify);

/* Certified products of every adversary in every compute type of a family of tensor cores; the largest error ratio of
 * their certificates. */
double test_certified_adversaries(int device, test_product_runner run, test_certify_fn certify);

/* A number of the type with one bit changed. */
void test_bit_flip(struct test_dense *dense, int64_t i, int64_t j, int bit);

#endif
