/* SPDX-License-Identifier: Apache-2.0 */
/* Value types of the tools: conversions agree with those of the libraries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/half.h"
#include "tools/cli/number.h"

static const spmm_dtype_t dtypes[] = {SPMM_F16, SPMM_BF16};

static uint16_t bits_by_library(spmm_dtype_t dtype, double value)
{
    return dtype == SPMM_F16 ? spmmi_f16_from_f64(value) : spmmi_bf16_from_f64(value);
}

static double value_by_library(spmm_dtype_t dtype, uint16_t bits)
{
    return (double)(dtype == SPMM_F16 ? spmmi_f32_from_f16(bits) : spmmi_f32_from_bf16(bits));
}

static int is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void every_value_of_16_bits_is_what_the_libraries_read(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        for (uint32_t bits = 0; bits <= 0xffff; bits++) {
            const uint16_t stored = (uint16_t)bits;
            uint16_t back = 0;
            const double value = value_get(dtypes[t], &stored, 0);
            assert_true(is_same(value, value_by_library(dtypes[t], stored)));
            value_set(dtypes[t], &back, 0, value);
            if (!isnan(value))
                assert_int_equal(back, stored);
            assert_true(is_same(value_get(dtypes[t], &back, 0), value));
        }
    }
}

/* Between each two neighbours: the middle, which rounds to the even one, and the next doubles below and
 * above it. */
static void every_boundary_of_rounding_is_where_the_libraries_have_it(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        const struct value_type *type = value_type(dtypes[t]);
        for (uint32_t bits = 0; bits <= 0x7fff; bits++) {
            const uint16_t lower = (uint16_t)bits, upper = (uint16_t)(bits + 1);
            const double low = value_get(dtypes[t], &lower, 0);
            double high = value_get(dtypes[t], &upper, 0);
            if (!isfinite(low))
                break;
            if (isinf(high))
                high = 2 * type->infinity - type->largest;
            const double middle = low + (high - low) / 2;
            const double nearby[] = {nextafter(middle, 0.0), middle, nextafter(middle, (double)INFINITY)};
            for (int k = 0; k < 6; k++) {
                const double value = k < 3 ? nearby[k] : -nearby[k - 3];
                const uint16_t expected = bits_by_library(dtypes[t], value);
                uint16_t found = 0;
                value_set(dtypes[t], &found, 0, value);
                assert_int_equal(found, expected);
                assert_true(is_same(value_round(dtypes[t], value), value_get(dtypes[t], &found, 0)));
            }
            assert_true(fabs(value_round(dtypes[t], nearby[0])) <= low);
            assert_true(fabs(value_round(dtypes[t], nearby[2])) > low);
        }
    }
}

static void the_limits_of_each_type_are_its_own(void **state)
{
    static const spmm_dtype_t all[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    (void)state;
    for (int t = 0; t < 4; t++) {
        const struct value_type *type = value_type(all[t]);
        assert_true(is_same(value_round(all[t], type->largest), type->largest));
        assert_true(is_same(value_round(all[t], type->tiny), type->tiny));
        assert_true(is_same(value_round(all[t], type->infinity), (double)INFINITY));
        assert_true(value_round(all[t], 1.0 + 2 * type->unit) > 1.0);
        if (all[t] == SPMM_F64)
            continue;
        assert_true(is_same(value_round(all[t], type->tiny / 2), 0.0));
        assert_true(is_same(value_round(all[t], 1.0 + type->unit), 1.0));
        assert_true(is_same(value_round(all[t], -nextafter(type->infinity, 0.0)), -type->largest));
    }
}

/* The tools have their own table of types, with one row per type of the libraries and the same properties. */
static void every_type_of_the_libraries_is_known(void **state)
{
    spmm_dtype_info_t info = {.struct_size = sizeof info};
    int count = 0;
    (void)state;
    for (; spmm_dtype_at(count, &info) == SPMM_OK; count++) {
        const struct value_type *const type = value_type_at(count);
        assert_non_null(type);
        assert_int_equal(type->type, info.dtype);
        assert_int_equal(type->sums, info.sum_type);
        assert_int_equal(type->is_narrow, info.bytes == sizeof(uint16_t));
        assert_ptr_equal(value_type(info.dtype), type);
        assert_string_equal(spmm_dtype_name(info.dtype), info.name);
        assert_int_equal(spmm_dtype_size(info.dtype), info.bytes);
    }
    assert_null(value_type_at(count));
    assert_string_equal(spmm_dtype_name((spmm_dtype_t)(count + 1)), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_the_libraries_is_known),
        cmocka_unit_test(every_value_of_16_bits_is_what_the_libraries_read),
        cmocka_unit_test(every_boundary_of_rounding_is_where_the_libraries_have_it),
        cmocka_unit_test(the_limits_of_each_type_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
