/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates on the GPU. Correct products of every family pass, also close to their error bound. For
 * wrong products, the certificate is the same as on a CPU for the same numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/certificates.h"
#include "tests/support/family_cases.h"
#include "tests/support/laws.h"
#include "tests/support/plan_seal.h"

static spmm_certificate_t certify_on_gpu(const spmm_certifier_t *certifier,
                                         const struct test_product *product, const struct test_dense *b,
                                         const struct test_dense *before, const struct test_dense *c)
{
    struct test_cuda_dense views[] = {test_cuda_dense_make(b), test_cuda_dense_make(before),
                                      test_cuda_dense_make(c)};
    const spmm_certificate_t found =
        test_certify_views(certifier, product, &views[0].view, &views[1].view, &views[2].view);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        test_cuda_dense_free(&views[i]);
    return found;
}

static void right_products_of_every_family_pass(void **state)
{
    (void)state;
    const int64_t compared = test_certified_families(0, test_cuda_product_run, certify_on_gpu);
    printf("scorecard: certify %lld rows of right products on a GPU, 0 false alarms\n", (long long)compared);
}

static void products_near_their_bound_pass(void **state)
{
    (void)state;
    assert_true(test_certified_adversaries(0, test_cuda_product_run, certify_on_gpu) > 0.5);
}

/* Executors and certifiers of one plan on both devices. */
struct twins {
    spmm_plan_t *plan;
    spmm_executor_t *gpu, *cpu;
    spmm_certifier_t *of_gpu, *of_cpu;
};

static void twins_make(struct twins *t, spmm_plan_t *plan)
{
    t->plan = plan;
    t->gpu = test_executor_make(plan, 0, 0, NULL);
    t->cpu = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    t->of_gpu = test_certifier_make(plan, t->gpu, 3, 20);
    t->of_cpu = test_certifier_make(plan, t->cpu, 3, 20);
}

static void twins_free(struct twins *t)
{
    spmm_certifier_destroy(t->of_gpu);
    spmm_certifier_destroy(t->of_cpu);
    spmm_executor_destroy(t->gpu);
    spmm_executor_destroy(t->cpu);
    spmm_plan_destroy(t->plan);
}

/* Compares the certificates of a product with large errors in a few rows. The bounds of both devices may
 * differ, but not the rows that they find. */
static void compare_twins(const struct twins *t, const struct test_matrix *a,
                          const struct test_product *product)
{
    struct test_dense b = test_product_b(a, t->plan->dtype, product);
    struct test_dense c = test_product_c(a, t->plan->dtype, product), before = test_dense_copy(&c);
    test_product_run(t->cpu, product, &b, &c);
    for (int64_t i = 1; i < c.view.rows; i += 17)
        test_dense_set(&c, i, i % product->n,
                       i % 3 == 0 ? (double)NAN : 1000 + test_dense_get(&c, i, i % product->n));
    const spmm_certificate_t found = certify_on_gpu(t->of_gpu, product, &b, &before, &c);
    const spmm_certificate_t want = test_certify(t->of_cpu, product, &b, &before, &c);
    assert_int_equal(found.passed, want.passed);
    assert_int_equal(found.first_row, want.first_row);
    assert_int_equal(found.rows_failed, want.rows_failed);
    assert_int_equal(found.rows_by_class, want.rows_by_class);
    assert_int_equal(found.vectors, want.vectors);
    assert_true(isinf(found.error_ratio) == isinf(want.error_ratio));
    test_dense_free(&before);
    test_dense_free(&c);
    test_dense_free(&b);
}

static void wrong_products_are_found_as_on_the_cpu(void **state)
{
    (void)state;
    for (int s = 0; s < TEST_FAMILY_CASES; s++) {
        struct test_matrix *a = test_matrix_named(test_family_cases[s].matrix, TEST_VALUES_REAL);
        struct twins t;
        twins_make(&t, test_family_plan(&test_family_cases[s], a));
        for (int turn = 0; turn < TEST_TURNS; turn++) {
            const struct test_product product =
                test_product_of_turn((spmm_op_t)(turn / 5 % 2), 3 * turn % 70 + 1, turn, TEST_VALUES_REAL);
            compare_twins(&t, a, &product);
        }
        twins_free(&t);
        test_matrix_free(a);
    }
}

/* Both devices add the same sums in the same order if no row is so long that it is cut. The ratios then
 * agree to a few digits. */
static void the_ratio_is_that_of_the_cpu(void **state)
{
    (void)state;
    const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
        const struct test_product product = {.n = 33, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL};
        struct twins t;
        twins_make(
            &t, test_plan_whole(a, (struct test_plan_options){dtypes[d], SPMM_SCHEDULE_WHOLE, 0, 0, 0}, "x"));
        struct test_dense b = test_product_b(a, dtypes[d], &product),
                          c = test_product_c(a, dtypes[d], &product);
        struct test_dense before = test_dense_copy(&c);
        test_product_run(t.cpu, &product, &b, &c);
        test_dense_set(&c, 5, 5, test_dense_get(&c, 5, 5) + 3);
        const double found = certify_on_gpu(t.of_gpu, &product, &b, &before, &c).error_ratio;
        const double want = test_certify(t.of_cpu, &product, &b, &before, &c).error_ratio;
        assert_true(want > 1 && fabs(found - want) <= 1e-6 * want);
        test_dense_free(&before);
        test_dense_free(&c);
        test_dense_free(&b);
        twins_free(&t);
        test_matrix_free(a);
    }
}

/* Certifies a product with permuted output on a stream of its own. */
static void permuted_output_passes_on_a_stream(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, "x");
    const struct test_product product = {.n = 40, .alpha = 1, .values = TEST_VALUES_REAL};
    struct twins t;
    test_plan_reorder(plan, 5, 1);
    twins_make(&t, plan);
    struct test_dense b = test_product_b(a, SPMM_F32, &product), c = test_product_c(a, SPMM_F32, &product);
    test_cuda_product_run(t.gpu, &product, &b, &c);
    assert_true(certify_on_gpu(t.of_gpu, &product, &b, &c, &c).passed);
    test_bit_flip(&c, 123, 0, 30);
    struct test_cuda_dense device_b = test_cuda_dense_make(&b), device_c = test_cuda_dense_make(&c);
    cudaStream_t stream;
    spmm_certificate_t found = {.struct_size = sizeof found};
    TEST_CUDA(cudaDeviceSynchronize());
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_int_equal(spmm_certify(t.of_gpu, SPMM_OP_N, spmm_real(1), &device_b.view, spmm_real(0), NULL,
                                  &device_c.view, stream, &found, NULL),
                     SPMM_ERR_NOT_CERTIFIED);
    assert_int_equal(found.first_row, 123);
    TEST_CUDA(cudaStreamDestroy(stream));
    test_cuda_dense_free(&device_c);
    test_cuda_dense_free(&device_b);
    test_dense_free(&c);
    test_dense_free(&b);
    twins_free(&t);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_of_every_family_pass),
        cmocka_unit_test(products_near_their_bound_pass),
        cmocka_unit_test(wrong_products_are_found_as_on_the_cpu),
        cmocka_unit_test(the_ratio_is_that_of_the_cpu),
        cmocka_unit_test(permuted_output_passes_on_a_stream),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("cuda_certify", tests, NULL, NULL);
}
