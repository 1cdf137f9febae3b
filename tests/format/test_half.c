/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of the 16-bit types, compared with a search among the values of all 65536 patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "format/base/half.h"
#include "tests/support/matrices.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SIGN 0x8000u

struct half_type {
    const char *name;
    int fraction_bits, exponent_max;
    uint16_t (*from_f64)(double);
    uint16_t (*from_f32)(float);
    float (*to_f32)(uint16_t);
};

static const struct half_type types[] = {
    {"f16", 10, 31, spmmi_f16_from_f64, spmmi_f16_from_f32, spmmi_f32_from_f16},
    {"bf16", 7, 255, spmmi_bf16_from_f64, spmmi_bf16_from_f32, spmmi_f32_from_bf16},
};

static uint32_t infinity_of(const struct half_type *t)
{
    return (uint32_t)t->exponent_max << t->fraction_bits;
}

/* Returns the value of a pattern without sign, by the definition of the format. For infinity it returns the
 * number that would follow the largest one: rounding treats infinity as this number. */
static double value_of(const struct half_type *t, uint32_t pattern)
{
    const int exponent = (int)(pattern >> t->fraction_bits);
    const int fraction = (int)(pattern & ((1u << t->fraction_bits) - 1));
    const int leading = exponent > 0 ? 1 << t->fraction_bits : 0;
    return ldexp(fraction + leading, (exponent > 0 ? exponent : 1) - t->exponent_max / 2 - t->fraction_bits);
}

/* Returns the pattern nearest to a value of either sign, by bisection. Ties go to the even pattern. */
static uint32_t nearest(const struct half_type *t, double value)
{
    const double size = fabs(value);
    uint32_t low = 0, high = infinity_of(t);
    const uint32_t sign = signbit(value) ? SIGN : 0;
    if (size >= value_of(t, high))
        return sign | high;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (value_of(t, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    const double below = size - value_of(t, low), above = value_of(t, high) - size;
    return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

static void check_number(const struct half_type *t, double value)
{
    assert_int_equal(t->from_f64(value), nearest(t, value));
    assert_int_equal(t->from_f64(-value), nearest(t, -value));
    const float single = (float)value;
    if (isfinite(single))
        assert_int_equal(t->from_f32(single), nearest(t, (double)single));
}

static void every_pattern_comes_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(types); k++) {
        const struct half_type *t = &types[k];
        for (uint32_t pattern = 0; pattern < 65536; pattern++) {
            const float value = t->to_f32((uint16_t)pattern);
            const uint32_t size = pattern & ~SIGN;
            assert_int_equal(signbit(value) != 0, pattern >= SIGN);
            if (size > infinity_of(t)) { /* a NaN keeps its payload and is quieted */
                const uint32_t quiet = pattern | 1u << (t->fraction_bits - 1);
                assert_true(isnan(value));
                assert_int_equal(t->from_f32(value), quiet);
                assert_int_equal(t->from_f64((double)value), quiet);
                continue;
            }
            if (size == infinity_of(t))
                assert_true(isinf(value));
            else
                assert_true(fabs((double)value) == value_of(t, size));
            assert_int_equal(t->from_f32(value), pattern);
            assert_int_equal(t->from_f64((double)value), pattern);
        }
    }
}

/* The midpoint of each pair of neighbours, and the nearest f64 values on both sides of it. */
static void halfway_numbers_go_to_the_even_neighbour(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(types); k++) {
        for (uint32_t pattern = 0; pattern < infinity_of(&types[k]); pattern++) {
            const double a = value_of(&types[k], pattern), b = value_of(&types[k], pattern + 1);
            const double half = a + (b - a) / 2;
            check_number(&types[k], half);
            check_number(&types[k], nextafter(half, 0));
            check_number(&types[k], nextafter(half, HUGE_VAL));
            assert_int_equal(types[k].from_f64(half), pattern + pattern % 2);
        }
    }
}

static void random_values_round_to_the_nearest(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        const int exponent = (int)(test_hash(1, i) % 330) - 170;
        const double value = ldexp((double)(test_hash(2, i) >> 11), exponent - 53);
        for (size_t k = 0; k < COUNT(types); k++)
            check_number(&types[k], value);
    }
}

/* Rounded to f32 first, these values would be ties, which they are not in f64. */
static void f64_is_rounded_once(void **state)
{
    (void)state;
    const double f16_above = 1 + 0x1p-11 + 0x1p-40, bf16_above = 1 + 0x1p-8 + 0x1p-40;
    assert_int_equal(spmmi_f16_from_f64(f16_above), 0x3c01);
    assert_int_equal(spmmi_f16_from_f32((float)f16_above), 0x3c00);
    assert_int_equal(spmmi_bf16_from_f64(bf16_above), 0x3f81);
    assert_int_equal(spmmi_bf16_from_f32((float)bf16_above), 0x3f80);
}

static void edges_of_the_ranges(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint16_t f16, bf16;
    } edges[] = {
        {0.0, 0, 0},
        {-0.0, 0x8000, 0x8000},
        {1.0, 0x3c00, 0x3f80},
        {-2.0, 0xc000, 0xc000},
        {65504.0, 0x7bff, 0x4780},
        {65519.999, 0x7bff, 0x4780},
        {65520.0, 0x7c00, 0x4780},
        {0x1p-24, 0x0001, 0x3380},
        {0x1p-25, 0x0000, 0x3300},
        {0x1.8p-25, 0x0001, 0x3340},
        {0x1p-133, 0x0000, 0x0001},
        {0x1p-134, 0x0000, 0x0000},
        {0x1p-1074, 0x0000, 0x0000},
        {0x1.fep127, 0x7c00, 0x7f7f},
        {0x1.ffp127, 0x7c00, 0x7f80},
        {1e308, 0x7c00, 0x7f80},
    };
    for (size_t i = 0; i < COUNT(edges); i++) {
        assert_int_equal(spmmi_f16_from_f64(edges[i].value), edges[i].f16);
        assert_int_equal(spmmi_bf16_from_f64(edges[i].value), edges[i].bf16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_comes_back),
        cmocka_unit_test(halfway_numbers_go_to_the_even_neighbour),
        cmocka_unit_test(random_values_round_to_the_nearest),
        cmocka_unit_test(f64_is_rounded_once),
        cmocka_unit_test(edges_of_the_ranges),
    };
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
