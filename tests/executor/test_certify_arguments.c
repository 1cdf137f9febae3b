/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and factors that certificates refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "tests/support/certificates.h"
#include "tests/support/plan_seal.h"

#define ROOM 5120 /* elements of an operand with 5 columns */

struct call {
    spmm_scalar_t alpha, beta;
    int shift; /* byte offset of C before the product from its right place; -1: C before is not given */
    spmm_status_t expected;
    const char *text;
};

static void factors_and_operands(void **state)
{
    static const struct call calls[] = {
        {{1, 0}, {0, 0}, -1, SPMM_OK, ""},
        {{1, 1}, {0, 0}, -1, SPMM_ERR_ARGUMENT, "the imaginary part of alpha is 1"},
        {{1, 0}, {0, 2}, -1, SPMM_ERR_ARGUMENT, "the imaginary part of beta is 2"},
        {{INFINITY, 0}, {0, 0}, -1, SPMM_ERR_ARGUMENT, "finite in the type of sums, f64"},
        {{1, 0}, {-INFINITY, 0}, -1, SPMM_ERR_ARGUMENT, "finite in the type of sums, f64"},
        {{1, 0}, {1, 0}, 0, SPMM_OK, ""},
        {{1, 0}, {1, 0}, -1, SPMM_ERR_ARGUMENT, "beta is not 0, but C before the product is NULL"},
        {{1, 0}, {1, 0}, 1, SPMM_ERR_ARGUMENT, "the data of C are not aligned"},
    };
    static double b_room[ROOM], c_room[ROOM], before_room[ROOM];
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, "x");
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    spmm_certifier_t *certifier = test_certifier_make(plan, executor, 1, 0);
    (void)state;
    assert_true(a->rows <= ROOM / 5 && a->cols <= ROOM / 5);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *call = &calls[i];
        const spmm_dense_t b = {b_room, a->cols, 5, 5, SPMM_ROW_MAJOR, SPMM_F64};
        const spmm_dense_t c = {c_room, a->rows, 5, 5, SPMM_ROW_MAJOR, SPMM_F64};
        spmm_dense_t before = c;
        spmm_certificate_t found = {.struct_size = sizeof found};
        spmm_diag_t diag = {.text = ""};
        before.data = (char *)before_room + (call->shift > 0 ? call->shift : 0);
        assert_int_equal(spmm_certify(certifier, SPMM_OP_N, call->alpha, &b, call->beta,
                                      call->shift >= 0 ? &before : NULL, &c, NULL, &found, &diag),
                         call->expected);
        assert_non_null(strstr(diag.text, call->text));
    }
    spmm_certifier_destroy(certifier);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void there_must_be_a_certificate(void **state)
{
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(
        spmm_certify(NULL, SPMM_OP_N, spmm_real(1), NULL, spmm_real(0), NULL, NULL, NULL, NULL, &diag),
        SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the pointer for the certificate is NULL"));
}

/* The certifier's plan has the same parts as the executor's, but another type or another column number. */
static void executors_of_other_matrices(void **state)
{
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, options, "x"), *others[2];
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    (void)state;
    others[0] = test_plan_whole(a, options, "x");
    others[0]->dtype = SPMM_F64;
    const int64_t end = a->row_ptr[1] - 1;
    assert_true(a->col_ind[end] + 1 < a->cols);
    a->col_ind[end]++;
    others[1] = test_plan_whole(a, options, "x");
    for (int i = 0; i < 2; i++) {
        spmm_certifier_t *certifier = NULL;
        assert_int_equal(spmm_certifier_create(others[i], executor, NULL, &certifier, NULL),
                         SPMM_ERR_MISMATCH);
        spmm_plan_destroy(others[i]);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* B and C may have other types than A in a product, but not in a certificate. */
static void operands_of_other_types(void **state)
{
    static const struct {
        spmm_dtype_t a, b, c, before;
        double beta;
        const char *text;
    } cases[] = {{SPMM_F16, SPMM_F16, SPMM_F16, SPMM_F16, 1, ""},
                 {SPMM_F16, SPMM_F16, SPMM_F32, SPMM_F32, 0, "of A, f16, found B f16 and C f32"},
                 {SPMM_F16, SPMM_F16, SPMM_F16, SPMM_F32, 1, "of A, f16, found B f16 and C f32"},
                 {SPMM_F32, SPMM_F16, SPMM_F16, SPMM_F16, 0, "of A, f32, found B f16 and C f16"}};
    static double b_room[ROOM], c_room[ROOM], before_room[ROOM];
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    (void)state;
    assert_true(a->rows <= ROOM / 5 && a->cols <= ROOM / 5);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct test_plan_options options = {cases[i].a, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
        spmm_plan_t *plan = test_plan_whole(a, options, "x");
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, 1, 0);
        const spmm_dense_t b = {b_room, a->cols, 5, 5, SPMM_ROW_MAJOR, cases[i].b};
        const spmm_dense_t c = {c_room, a->rows, 5, 5, SPMM_ROW_MAJOR, cases[i].c};
        const spmm_dense_t before = {before_room, a->rows, 5, 5, SPMM_ROW_MAJOR, cases[i].before};
        spmm_certificate_t found = {.struct_size = sizeof found};
        spmm_diag_t diag = {.text = ""};
        assert_int_equal(spmm_certify(certifier, SPMM_OP_N, spmm_real(1), &b, spmm_real(cases[i].beta),
                                      &before, &c, NULL, &found, &diag),
                         i == 0 ? SPMM_OK : SPMM_ERR_UNSUPPORTED);
        assert_non_null(strstr(diag.text, cases[i].text));
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* An executor of a pattern does not read the values of the plan, but its certifier does. */
static void values_that_do_not_fit_the_type(void **state)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_executor_options_t narrow = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_certifier_t *certifier = NULL;
    spmm_diag_t diag = {.text = ""};
    (void)state;
    a->values[1] = 70000;
    spmm_plan_t *plan = test_plan_whole(a, options, "x");
    plan->variants[1] = plan->variants[0];
    plan->variants[1].compute = SPMM_COMPUTE_F16;
    plan->variant_count = 2;
    narrow.a_type = SPMM_F16;
    narrow.unit_values = 1;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &narrow, &executor, NULL), SPMM_OK);
    const int64_t live = spmmi_alloc_live();
    assert_int_equal(spmm_certifier_create(plan, executor, NULL, &certifier, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the value 70000 in row 1, column 2 (counted from 1) is too large"));
    assert_null(certifier);
    assert_int_equal(spmmi_alloc_live(), live);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_and_operands), cmocka_unit_test(there_must_be_a_certificate),
        cmocka_unit_test(executors_of_other_matrices), cmocka_unit_test(operands_of_other_types),
        cmocka_unit_test(values_that_do_not_fit_the_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
