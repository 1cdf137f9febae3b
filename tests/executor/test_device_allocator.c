/* SPDX-License-Identifier: Apache-2.0 */
/* The option with the caller's device allocator, in every call that may allocate device memory. It is checked
 * in the same way for every device, and never called for the CPU. tests/gpu/test_cuda_allocator.c tests it on
 * a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/plan_seal.h"
#include "tests/support/sparse_products.h"

static int calls;

static void *allocate(void *context, size_t bytes, int device, void *stream)
{
    (void)context, (void)bytes, (void)device, (void)stream;
    calls++;
    return NULL;
}

static void release(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)context, (void)block, (void)bytes, (void)device, (void)stream;
    calls++;
}

struct scene {
    spmm_plan_t *plan, *of_product;
    spmm_executor_t *executor;
    spmm_csr_t a;
};

/* A function that makes one call on the CPU whose options have this allocator. */
typedef spmm_status_t (*use)(const struct scene *s, const spmm_device_allocator_t *allocator,
                             spmm_diag_t *diag);

static spmm_status_t create(const struct scene *s, const spmm_device_allocator_t *allocator,
                            spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    options.allocator = allocator;
    const spmm_status_t status = spmm_executor_create(s->plan, SPMM_DEVICE_CPU, &options, &executor, diag);
    spmm_executor_destroy(executor);
    return status;
}

static spmm_status_t count(const struct scene *s, const spmm_device_allocator_t *allocator, spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.allocator = allocator;
    return spmm_executor_memory_bytes(s->plan, SPMM_DEVICE_CPU, &options, NULL, NULL, diag);
}

static spmm_status_t certify(const struct scene *s, const spmm_device_allocator_t *allocator,
                             spmm_diag_t *diag)
{
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certifier_t *certifier = NULL;
    options.allocator = allocator;
    const spmm_status_t status = spmm_certifier_create(s->plan, s->executor, &options, &certifier, diag);
    spmm_certifier_destroy(certifier);
    return status;
}

static spmm_status_t make_product(const struct scene *s, const spmm_device_allocator_t *allocator,
                                  spmm_diag_t *diag)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_t *product = NULL;
    options.allocator = allocator;
    const spmm_status_t status =
        spmm_product_create(s->of_product, SPMM_DEVICE_CPU, &options, &product, diag);
    spmm_product_destroy(product);
    return status;
}

/* Both ways to free C are allowed for a C of the CPU. */
static spmm_status_t multiply_once(const struct scene *s, const spmm_device_allocator_t *allocator,
                                   spmm_diag_t *diag)
{
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    options.allocator = allocator;
    const spmm_status_t status = spmm_product_once(&s->a, &s->a, SPMM_DEVICE_CPU, &options, &c, diag);
    if (status == SPMM_OK && allocator != NULL)
        assert_int_equal(spmm_product_once_give_back(&c, allocator, SPMM_DEVICE_CPU, NULL, NULL), SPMM_OK);
    else
        spmm_product_once_free(&c);
    assert_null(c.row_ptr);
    return status;
}

static const use uses[] = {create, count, certify, make_product, multiply_once};

static int set_up(void **state)
{
    static struct scene s;
    static const int64_t row_ptr[] = {0, 1, 2};
    static const int32_t col_ind[] = {1, 0};
    static const double values[] = {2, 3};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const struct test_sparse_product square = {.count = 2, .factor = {a, a}, .dtype = SPMM_F64};
    s.plan = test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, "x");
    s.of_product = test_sparse_plan(&square);
    s.a = (spmm_csr_t){2, 2, 2, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    test_matrix_free(a);
    assert_int_equal(spmm_executor_create(s.plan, SPMM_DEVICE_CPU, NULL, &s.executor, NULL), SPMM_OK);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;
    spmm_executor_destroy(s->executor);
    spmm_plan_destroy(s->plan);
    spmm_plan_destroy(s->of_product);
    return 0;
}

static void allocators_are_checked_on_the_cpu_too(void **state)
{
    const size_t size = sizeof(spmm_device_allocator_t);
    const struct {
        spmm_device_allocator_t allocator;
        const char *text; /* part of the message; NULL: the allocator is accepted */
    } cases[] = {{{size, allocate, release, NULL}, NULL},
                 {{offsetof(spmm_device_allocator_t, context), allocate, release, NULL}, NULL},
                 {{size, NULL, release, NULL}, "allocate of the device allocator is NULL"},
                 {{size, allocate, NULL, NULL}, "release of the device allocator is NULL"},
                 {{size - 2 * sizeof(void *), allocate, release, NULL}, "release of the device allocator"},
                 {{0, allocate, release, NULL}, "struct_size of the device allocator is 0"}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            spmm_diag_t diag = {.text = ""};
            const spmm_status_t status = uses[i](*state, &cases[c].allocator, &diag);
            assert_int_equal(status, cases[c].text == NULL ? SPMM_OK : SPMM_ERR_ARGUMENT);
            assert_non_null(strstr(diag.text, cases[c].text == NULL ? "" : cases[c].text));
        }
        assert_int_equal(uses[i](*state, NULL, NULL), SPMM_OK);
    }
    assert_int_equal(calls, 0);
}

static void what_cannot_be_given_back_is_refused(void **state)
{
    const spmm_device_allocator_t good = {sizeof good, allocate, release, NULL};
    spmm_csr_t c = ((const struct scene *)*state)->a;
    assert_int_equal(spmm_product_once_give_back(NULL, &good, 0, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_product_once_give_back(&c, NULL, 0, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_product_once_give_back(&c, &good, SPMM_DEVICE_AUTO - 1, NULL, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_product_once_give_back(&c, &good, spmm_device_count(), NULL, NULL),
                     SPMM_ERR_NO_DEVICE);
    assert_int_equal(c.nnz, 2);
    memset(&c, 0, sizeof c);
    assert_int_equal(spmm_product_once_give_back(&c, &good, SPMM_DEVICE_CPU, NULL, NULL), SPMM_OK);
    assert_int_equal(calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocators_are_checked_on_the_cpu_too),
        cmocka_unit_test(what_cannot_be_given_back_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
