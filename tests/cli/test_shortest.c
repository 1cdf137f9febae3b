/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals of spmm-export: the reader of the library restores the same bits, and no decimal with fewer
 * digits does. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/stored_value.h"
#include "inspector/read/decimal.h"
#include "tests/support/scale.h"
#include "tools/export/shortest.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Converts between the bits and the value of a number of any type. */
static uint64_t bits_of(spmm_dtype_t type, double value)
{
    _Alignas(8) unsigned char room[8] = {0};
    uint64_t bits = 0;
    spmmi_value_store(room, type, 0, value);
    memcpy(&bits, room, sizeof bits);
    return bits;
}

static double value_of(spmm_dtype_t type, uint64_t bits)
{
    _Alignas(8) unsigned char room[8];
    memcpy(room, &bits, sizeof room);
    return spmmi_value_load(room, type, 0);
}

/* Reads a number like the inspector: as a double, which is then rounded to the type. */
static uint64_t bits_read(spmm_dtype_t type, const char *text, size_t length)
{
    double value = 0;
    assert_ptr_equal(spmmi_decimal_read(text, text + length, &value), text + length);
    return bits_of(type, value);
}

static int digits_in(const char *text, size_t length)
{
    char digits[SHORTEST_BYTES];
    int count = 0;
    for (size_t i = 0; i < length && text[i] != 'e'; i++)
        if (text[i] >= '0' && text[i] <= '9')
            digits[count++] = text[i];
    int first = 0;
    while (first < count && digits[first] == '0')
        first++;
    while (count > first && digits[count - 1] == '0')
        count--;
    return count - first;
}

/* Finds the smallest number of digits by trial, from one digit on. */
static int fewest_digits(spmm_dtype_t type, double value)
{
    char text[64];
    for (int digits = 1; digits < DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (value_round(type, strtod(text, NULL)) == value)
            return digits_in(text, strlen(text));
    }
    return DBL_DECIMAL_DIG;
}

static void check(spmm_dtype_t type, uint64_t bits, int counts_digits)
{
    char text[SHORTEST_BYTES];
    const struct shortest shortest = shortest_of(type);
    const double value = value_of(type, bits);
    const size_t length = shortest_write(&shortest, value, text);
    assert_in_range(length, 1, SHORTEST_BYTES);
    if (!isnan(value) && bits_read(type, text, length) != bits)
        fail_msg("%s is written as %.*s", spmm_dtype_name(type), (int)length, text);
    if (counts_digits && isfinite(value) && value != 0)
        assert_int_equal(digits_in(text, length), fewest_digits(type, value));
}

static void every_value_of_16_bits_reads_back(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= 0xffff; bits++) {
        check(SPMM_F16, bits, 1);
        check(SPMM_BF16, bits, bits % 16 == 0);
    }
}

static void random_bits_read_back(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < scaled(100000); i++) {
        check(SPMM_F32, next_random(&random) >> 32, i % 16 == 0);
        check(SPMM_F64, next_random(&random), i % 16 == 0);
    }
}

/* Typical numbers in files: numbers of few digits, sums of them, and numbers near a power of ten. */
static void usual_numbers_read_back(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (size_t i = 0; i < scaled(20000); i++) {
        const double scale = pow(10, (double)(next_random(&random) % 40) - 20);
        const double few = (double)(next_random(&random) % 100000) / scale;
        const double values[] = {few, few + 0.1, few * 3, nextafter(scale, 0), nextafter(scale, INFINITY)};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            check(SPMM_F64, bits_of(SPMM_F64, values[v]), 1);
            check(SPMM_F32, bits_of(SPMM_F32, values[v]), 1);
        }
    }
}

static void the_ends_of_the_range_read_back(void **state)
{
    const double ends[] = {DBL_MAX,  DBL_MIN,    0x1p-1074, 0x1p-1073, 0x0.fffffffffffffp-1022,
                           0x1p53,   0x1p53 + 2, 0x1p63,    1e22,      1e23,
                           8.5e22,   1e-22,      1e-23,     1e15,      1e16 + 2,
                           1e17 + 16};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        check(SPMM_F64, bits_of(SPMM_F64, ends[i]), 1);
    for (uint64_t bits = 1; bits < 3000; bits++) {
        check(SPMM_F32, bits, 1); /* subnormal */
        check(SPMM_F64, bits, 1);
        check(SPMM_F32, 0x7f800000 - bits, 1);
        check(SPMM_F64, UINT64_C(0x7ff0000000000000) - bits, 1);
    }
}

static void texts_are_plain_where_that_is_short(void **state)
{
    static const struct {
        spmm_dtype_t type;
        double value;
        const char *text;
    } table[] = {
        {SPMM_F64, 0.0, "0"},
        {SPMM_F64, -0.0, "-0"},
        {SPMM_F64, 1, "1"},
        {SPMM_F64, 10, "10"},
        {SPMM_F64, -1500, "-1500"},
        {SPMM_F64, 0.01, "0.01"},
        {SPMM_F64, 0.001, "1e-3"},
        {SPMM_F64, 0.00125, "0.00125"},
        {SPMM_F64, 1.25e-7, "1.25e-7"},
        {SPMM_F64, 123.5, "123.5"},
        {SPMM_F64, 1e20, "1e20"},
        {SPMM_F64, 1.5e20, "1.5e20"},
        {SPMM_F64, 0x1p-1074, "5e-324"},
        {SPMM_F64, DBL_MAX, "1.7976931348623157e308"},
        {SPMM_F64, 0.1, "0.1"},
        {SPMM_F32, 0x1.99999ap-4, "0.1"},
        {SPMM_F32, 16777216, "16777216"},
        {SPMM_F16, 65504, "65500"},
        {SPMM_BF16, 0x1.01p0 - 0x1p-8, "1"},
        {SPMM_F64, (double)INFINITY, "inf"},
        {SPMM_F32, -(double)INFINITY, "-inf"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[SHORTEST_BYTES + 1] = "";
        const struct shortest shortest = shortest_of(table[i].type);
        text[shortest_write(&shortest, table[i].value, text)] = '\0';
        assert_string_equal(text, table[i].text);
    }
}

static void the_sign_of_a_nan_reads_back(void **state)
{
    static const uint64_t nans[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000)};
    static const char *const texts[] = {"nan", "-nan"};
    const struct shortest shortest = shortest_of(SPMM_F64);
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[SHORTEST_BYTES];
        const size_t length = shortest_write(&shortest, value_of(SPMM_F64, nans[i]), text);
        assert_int_equal(length, strlen(texts[i]));
        assert_memory_equal(text, texts[i], length);
        assert_true(bits_read(SPMM_F64, text, length) == nans[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_16_bits_reads_back),
        cmocka_unit_test(random_bits_read_back),
        cmocka_unit_test(usual_numbers_read_back),
        cmocka_unit_test(the_ends_of_the_range_read_back),
        cmocka_unit_test(texts_are_plain_where_that_is_short),
        cmocka_unit_test(the_sign_of_a_nan_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
