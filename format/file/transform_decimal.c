/* SPDX-License-Identifier: Apache-2.0 */
/* Codes for f64 values that are short decimals, as most values read from text are (docs/plan-format.md
 * section 5.3). A decimal is the quotient of two numbers that f64 represents exactly. The division rounds
 * once, so its result is the f64 nearest to the decimal, which is the value that was read from the text. */
#include "transform_decimal.h"

#include <math.h>
#include <string.h>

#define EXPONENT_MAX 22 /* 10^22 is the largest power of ten that f64 represents exactly */
#define MANTISSA_BITS 53
#define WHOLE_FROM 4503599627370496.0 /* 2^52: from here on every f64 is a whole number */
#define EXPONENT_SHIFT 56
#define SIGN_SHIFT 63
#define RESERVED ((UINT64_C(7) << MANTISSA_BITS) | (UINT64_C(3) << 61))

static const double powers[EXPONENT_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Returns true if value, which is not negative, is the f64 nearest to *mantissa / 10^exponent, and sets
 * *mantissa. Compares bits, because in a mode that flushes subnormal numbers to 0, a comparison of values
 * finds them equal to 0. */
static bool is_decimal(double value, int exponent, uint64_t *mantissa)
{
    const double mantissa_end = (double)(UINT64_C(1) << MANTISSA_BITS);
    if (!isless(value, mantissa_end)) /* also excludes infinity and NaN */
        return false;
    const double scaled = value * powers[exponent];
    if (scaled >= mantissa_end)
        return false;
    *mantissa = (uint64_t)(scaled < WHOLE_FROM ? scaled + 0.5 : scaled);
    const double back = (double)*mantissa / powers[exponent];
    return memcmp(&back, &value, sizeof back) == 0;
}

/* Finds the smallest exponent for which value is a decimal. Returns false if there is none. Starts with
 * *exponent, the exponent of the previous value, because neighbouring values often have the same exponent. */
static bool exponent_find(double value, int *exponent, uint64_t *mantissa)
{
    uint64_t fewer = 0;
    if (!is_decimal(value, *exponent, mantissa)) {
        for (*exponent = 0; !is_decimal(value, *exponent, mantissa); ++*exponent)
            if (*exponent == EXPONENT_MAX)
                return false;
    }
    for (; *exponent > 0 && is_decimal(value, *exponent - 1, &fewer); --*exponent)
        *mantissa = fewer;
    return true;
}

bool spmmi_decimals_pack(uint64_t count, const void *elements, uint64_t *codes)
{
    int exponent = 0;
    for (uint64_t i = 0; i < count; i++) {
        double value = 0;
        uint64_t mantissa = 0;
        memcpy(&value, (const char *)elements + i * sizeof value, sizeof value);
        if (!exponent_find(fabs(value), &exponent, &mantissa))
            return false;
        codes[i] =
            (uint64_t)(signbit(value) != 0) << SIGN_SHIFT | (uint64_t)exponent << EXPONENT_SHIFT | mantissa;
    }
    return true;
}

bool spmmi_decimals_unpack(uint64_t count, void *elements)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t code = 0;
        memcpy(&code, (char *)elements + i * sizeof code, sizeof code);
        const uint64_t mantissa = code & ((UINT64_C(1) << MANTISSA_BITS) - 1),
                       exponent = code >> EXPONENT_SHIFT & 31;
        const double value = (double)mantissa / powers[exponent <= EXPONENT_MAX ? exponent : 0];
        const double signed_value = code >> SIGN_SHIFT != 0 ? -value : value;
        wrong |= (code & RESERVED) | (exponent > EXPONENT_MAX);
        memcpy((char *)elements + i * sizeof code, &signed_value, sizeof code);
    }
    return wrong == 0;
}
