/* SPDX-License-Identifier: Apache-2.0 */
/* Converts decimal text to double, correctly rounded (to nearest, ties to even) for every input. It uses only
 * integer arithmetic, so neither the locale nor the rounding mode of the caller matters. */
#ifndef SPMMI_DECIMAL_H
#define SPMMI_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number at p: [+-] digits [. digits] [e|E [+-] digits] with at least one digit before the exponent,
 * or [+-] inf, infinity or nan in any case. Values out of range become infinite or zero. Returns the end of
 * the number; NULL if there is none. */
const char *spmmi_decimal_read(const char *p, const char *end, double *value);

/* Reads [+-] digits, inf or nan. Sets *inexact to whether a double cannot hold the integer exactly. Returns
 * as above. */
const char *spmmi_integer_read(const char *p, const char *end, double *value, bool *inexact);

/* A decimal number: the digits in [begin, end), with at most one point among them, times a power of ten. */
struct spmmi_decimal {
    const char *begin, *end; /* first digit, and the position after the last digit */
    int64_t exponent;        /* power of ten of the last digit */
};

/* Compares a decimal number with m * 2^e, m > 0. Returns a negative value, zero or a positive value if it is
 * smaller, equal or greater. Exact for any number of digits. The decimal must not be zero, and must be within
 * a factor of 10^20 of the range of doubles. */
int spmmi_decimal_compare(const struct spmmi_decimal *decimal, uint64_t m, int e);

#endif
