/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to double, correctly rounded (to nearest, ties to even) for every input. Integer arithmetic
 * only: neither the locale nor the rounding mode of the caller matters. */
#ifndef SPMMI_DECIMAL_H
#define SPMMI_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Read a number at p: [+-] digits [. digits] [e|E [+-] digits], at least one digit before the exponent, or
 * [+-] inf, infinity or nan in any case. Values beyond the range become infinite or zero. Returns the end of the
 * number, or NULL when there is none. */
const char *spmmi_decimal_read(const char *p, const char *end, double *value);

/* The same for [+-] digits, inf and nan. *inexact says that a double does not hold the integer exactly. */
const char *spmmi_integer_read(const char *p, const char *end, double *value, bool *inexact);

/* A decimal number: all digits at begin (one point may be among them), scaled by a power of ten. */
struct spmmi_decimal {
    const char *begin, *end; /* the first significant digit, and behind the last digit */
    int64_t exponent;        /* power of ten of the last digit */
};

/* Compare a decimal number with m * 2^e, m > 0: negative, zero or positive as it is smaller, equal or greater.
 * Exact for any number of digits. The decimal is not zero, and lies within a factor of 10^20 of the range
 * of doubles. */
int spmmi_decimal_compare(const struct spmmi_decimal *decimal, uint64_t m, int e);

#endif
