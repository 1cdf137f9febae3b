/* SPDX-License-Identifier: Apache-2.0 */
/* How a certifier uses a GPU: it uploads what it reads there, and reports failures of the GPU. tests/gpu
 * tests the results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_gpu.h"
#include "tests/support/certificates.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/plan_seal.h"

static spmm_plan_t *plan_make(int has_transpose)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, has_transpose, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, "x");
    test_matrix_free(a);
    return plan;
}

static spmm_status_t certify(const spmm_certifier_t *certifier, const spmm_plan_t *plan, int64_t n)
{
    static float b_room[1024 * 5], c_room[1024 * 5];
    const spmm_dense_t b = {b_room, plan->cols, n, n, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {c_room, plan->rows, n, n, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_certificate_t found = {.struct_size = sizeof found};
    assert_true(plan->rows <= 1024 && plan->cols <= 1024);
    return spmm_certify(certifier, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), NULL, &c, NULL, &found, NULL);
}

static void certificates_are_made_on_the_gpu(void **state)
{
    static const spmm_family_t families[] = {SPMM_FAMILY_ROWS, SPMM_FAMILY_WINDOW};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int is_tensor = i / 2, has_transpose = i % 2;
        spmm_plan_t *plan = plan_make(has_transpose);
        spmm_executor_t *executor = fake_gpu_executor(plan, &families[is_tensor], 1);
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, 1, 0);
        assert_int_equal(fake_gpu.uploads, 1 + has_transpose);
        assert_int_equal(certify(certifier, plan, 5), SPMM_OK);
        assert_int_equal(fake_gpu.was_tensor, is_tensor);
        fake_gpu.run = SPMM_ERR_DEVICE;
        assert_int_equal(certify(certifier, plan, 5), SPMM_ERR_DEVICE);
        assert_int_equal(certify(certifier, plan, 0), SPMM_OK); /* no elements, so the GPU is not used */
        spmm_certifier_destroy(certifier);
        assert_int_equal(fake_gpu.uploads, 0);
        fake_gpu_executor_free(executor);
        spmm_plan_destroy(plan);
    }
}

static void what_does_not_fit_on_the_gpu_is_told(void **state)
{
    static const spmm_family_t family = SPMM_FAMILY_ROWS;
    spmm_plan_t *plan = plan_make(1);
    spmm_executor_t *executor = fake_gpu_executor(plan, &family, 1);
    spmm_certifier_t *certifier = NULL;
    (void)state;
    fake_gpu.upload = SPMM_ERR_DEVICE_MEMORY;
    assert_int_equal(spmm_certifier_create(plan, executor, NULL, &certifier, NULL), SPMM_ERR_DEVICE_MEMORY);
    assert_null(certifier);
    fake_gpu.upload = SPMM_OK;
    fake_gpu_executor_free(executor);
    spmm_plan_destroy(plan);
}

/* Returns the device bytes of op(A) for each op, and of a check if the product has elements. */
static uint64_t on_gpu(const spmm_plan_t *plan, int has_transpose, int64_t n)
{
    const uint64_t values = 4 * (uint64_t)plan->nnz;
    const uint64_t check = n == 0 ? 0 : FAKE_GPU_CHECK + (n == 1 ? 1 : 16); /* the number of vectors */
    return check + FAKE_GPU_ROW * (uint64_t)plan->rows + values +
           (has_transpose ? FAKE_GPU_ROW * (uint64_t)plan->cols + values : 0);
}

static void the_memory_of_both_sides_is_told(void **state)
{
    static const spmm_family_t family = SPMM_FAMILY_ROWS;
    static const int64_t widths[] = {0, 1, 5};
    (void)state;
    for (int i = 0; i < 2 * 3; i++) {
        const int has_transpose = i / 3;
        const int64_t n = widths[i % 3];
        spmm_plan_t *plan = plan_make(has_transpose);
        spmm_executor_t *executor = fake_gpu_executor(plan, &family, 1);
        const spmm_dense_t b = {NULL, plan->cols, n, n, SPMM_ROW_MAJOR, SPMM_F32};
        const spmm_dense_t c = {NULL, plan->rows, n, n, SPMM_ROW_MAJOR, SPMM_F32};
        uint64_t host = 0, device = 0;
        test_counting_peak_reset();
        assert_int_equal(spmm_certifier_memory_bytes(executor, NULL, SPMM_OP_N, &b, &c, &host, &device, NULL),
                         SPMM_OK);
        assert_int_equal(test_counting_peak(), 0);
        assert_int_equal(device, on_gpu(plan, has_transpose, n));
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, 1, 0);
        assert_int_equal(certify(certifier, plan, n), SPMM_OK);
        assert_int_equal(test_counting_peak(), host);
        spmm_certifier_destroy(certifier);
        fake_gpu_executor_free(executor);
        spmm_plan_destroy(plan);
    }
}

static int set_up(void **state)
{
    (void)state;
    test_counting_allocator_set();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_are_made_on_the_gpu),
                                       cmocka_unit_test(the_memory_of_both_sides_is_told),
                                       cmocka_unit_test(what_does_not_fit_on_the_gpu_is_told)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
