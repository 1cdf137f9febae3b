/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are stored as decimals: the same bits are read back, and other values are never stored as
 * decimals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/bytes.h"
#include "format/file/plan_records.h"
#include "format/file/transform_decimal.h"
#include "tests/support/decimal_values.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool comes_back(double value, uint64_t *code)
{
    uint64_t back = 0;
    if (!spmmi_decimals_pack(1, &value, code))
        return false;
    back = *code;
    assert_true(spmmi_decimals_unpack(1, &back));
    assert_int_equal(back, bits_of(value));
    return true;
}

static void decimals_have_the_least_power(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t sign, digits, mantissa;
    } cases[] = {{0.0, 0, 0, 0},
                 {-0.0, 1, 0, 0},
                 {1.0, 0, 0, 1},
                 {-0.5, 1, 1, 5},
                 {0.0225547, 0, 7, 225547},
                 {-17000, 1, 0, 17000},
                 {1e-22, 0, 22, 1},
                 {9007199254740991.0, 0, 0, 9007199254740991},
                 {900719925474099.1, 0, 1, 9007199254740991},
                 {1.234567890123456e-7, 0, 22, 1234567890123456}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t code = 0;
        assert_true(comes_back(cases[i].value, &code));
        assert_int_equal(code, cases[i].sign << 63 | cases[i].digits << 56 | cases[i].mantissa);
    }
}

static void other_values_are_no_decimals(void **state)
{
    (void)state;
    const double values[] = {NAN,  INFINITY, -INFINITY, 0.1 + 0.2, 9007199254740992.0,
                             1e22, 1e-23,    4.9e-324,  1e308};
    for (size_t i = 0; i < COUNT(values); i++) {
        uint64_t code = 0;
        assert_false(comes_back(values[i], &code));
    }
}

/* Text that strtod reads: six digits with up to 15 after the point, which must be accepted, and arbitrary
 * digits. */
static void text_comes_back(void **state)
{
    (void)state;
    uint64_t code = 0;
    for (uint64_t i = 0; i < scaled(100000); i++) {
        char text[64];
        const uint64_t bits = test_hash(i, 2);
        (void)snprintf(text, sizeof text, "%llue-%d", (unsigned long long)(bits % 1000000),
                       (int)(bits >> 40) % 16);
        assert_true(comes_back(strtod(text, NULL), &code));
        (void)snprintf(text, sizeof text, "%llue-%d", (unsigned long long)bits, (int)(test_hash(i, 3) % 40));
        (void)comes_back(strtod(text, NULL), &code);
    }
}

/* The number of digits changes from value to value, up and down. */
static void runs_of_values_come_back(void **state)
{
    (void)state;
    static const double values[] = {1, 0.25, 0.1, 3, 1e-22, 12.5, 0.001, 1e15, 7e-5, 0, 2};
    uint64_t codes[COUNT(values)], alone = 0;
    assert_true(spmmi_decimals_pack(COUNT(values), values, codes));
    for (size_t i = 0; i < COUNT(values); i++) {
        assert_true(comes_back(values[i], &alone));
        assert_int_equal(codes[i], alone);
    }
}

static void wrong_codes_are_refused(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        uint64_t code = UINT64_C(1) << bit;
        assert_int_equal(spmmi_decimals_unpack(1, &code), bit < 53 || (bit > 55 && bit < 61) || bit == 63);
    }
    for (uint64_t digits = 0; digits < 32; digits++) {
        uint64_t codes[] = {1, digits << 56 | 1, 1};
        assert_int_equal(spmmi_decimals_unpack(COUNT(codes), codes), digits <= 22);
    }
}

static spmm_plan_t *plan_of(const char *matrix)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0};
    struct test_matrix *a = test_matrix_named(matrix, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    test_matrix_free(a);
    return plan;
}

/* Returns 1 if the file needs the feature. Checks that the plan is read back bit by bit. */
static int needs_feature(const spmm_plan_t *plan)
{
    void *bytes = NULL;
    size_t size = 0;
    spmm_plan_t *read = NULL;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &read, NULL), SPMM_OK);
    assert_true(test_plans_equal(plan, read));
    assert_memory_equal(plan->values, read->values, (size_t)plan->nnz * sizeof(double));
    const uint64_t features = spmmi_get_u64((const uint8_t *)bytes + SPMMI_AT_features_incompat);
    spmm_plan_destroy(read);
    spmm_plan_bytes_free(bytes);
    return (features & SPMMI_FEATURE_DECIMAL) != 0;
}

/* Older readers refuse the feature, so it is used only if it saves much. */
static void plans_use_decimals_where_they_pay(void **state)
{
    (void)state;
    spmm_plan_t *large = plan_of("band"), *small = plan_of("arrow");
    assert_int_equal(needs_feature(large), 0);
    test_decimal_values(large);
    test_decimal_values(small);
    assert_int_equal(needs_feature(large), 1);
    assert_int_equal(needs_feature(small), 0);
    ((double *)large->values)[17] = 0.1 + 0.2;
    test_plan_seal(large);
    assert_int_equal(needs_feature(large), 0);
    spmm_plan_destroy(large);
    spmm_plan_destroy(small);
}

#define FRAME_VALUES (SPMMI_FRAME_RAW / sizeof(double))

/* One long row of decimals with one other value. */
static void frames_choose_for_themselves(void **state)
{
    (void)state;
    const int64_t nnz = 2 * (int64_t)FRAME_VALUES + 1000;
    struct test_matrix a = {"three frames", 1, nnz, nnz, NULL, NULL, NULL};
    a.row_ptr = calloc(2, sizeof *a.row_ptr);
    a.col_ind = calloc((size_t)nnz, sizeof *a.col_ind);
    a.values = calloc((size_t)nnz, sizeof *a.values);
    assert_true(a.row_ptr != NULL && a.col_ind != NULL && a.values != NULL);
    a.row_ptr[1] = nnz;
    for (int64_t q = 0; q < nnz; q++)
        a.col_ind[q] = (int32_t)q;
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0};
    spmm_plan_t *plan = test_plan_whole(&a, options, "source");
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        test_decimal_values(plan);
        ((double *)plan->values)[wrong * (int64_t)FRAME_VALUES + 5] = 0.1 + 0.2;
        test_plan_seal(plan);
        assert_int_equal(needs_feature(plan), 1);
    }
    spmm_plan_destroy(plan);
    free(a.values);
    free(a.col_ind);
    free(a.row_ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_have_the_least_power),
        cmocka_unit_test(other_values_are_no_decimals),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(runs_of_values_come_back),
        cmocka_unit_test(wrong_codes_are_refused),
        cmocka_unit_test(plans_use_decimals_where_they_pay),
        cmocka_unit_test(frames_choose_for_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
