/* SPDX-License-Identifier: Apache-2.0 */
/* The value types as the tools know them: what a type can hold, and single numbers of it. The tools judge the
 * libraries, so they round by arithmetic of their own instead of sharing the libraries' conversions. */
#ifndef SPMM_TOOLS_NUMBER_H
#define SPMM_TOOLS_NUMBER_H

#include <spmm/common.h>

struct value_type {
    spmm_dtype_t type;
    spmm_dtype_t sums;           /* the type of products and sums */
    const char *npy, *npy_other; /* what NumPy's files call it: as it is written, and as it may be read too */
    double unit;                 /* unit roundoff of storage, 2^-digits */
    double tiny;                 /* least positive number */
    double largest;              /* finite */
    double infinity;             /* least magnitude that rounds to infinity; infinite for f64 */
    double small;                /* smaller factors may lose digits on tensor cores: arithmetic.h */
    int is_narrow;               /* 1: of 16 bits; sums are rounded once when they are stored */
    int fraction_bits, exponent_min, exponent_max; /* narrow: of the least normal and of the largest number */
};

/* Static storage; dtype is one that the libraries know. */
const struct value_type *value_type(spmm_dtype_t dtype);
/* The types by index 0, 1, ..; NULL past the last one. */
const struct value_type *value_type_at(int index);

/* Narrow types: the bits of infinity; magnitudes of more bits are NaNs. */
uint16_t value_infinity_bits(const struct value_type *type);

/* value rounded to nearest, ties to even; infinite when it is too large. */
double value_round(spmm_dtype_t dtype, double value);

/* Number at of an array, and the same the other way, rounded. */
double value_get(spmm_dtype_t dtype, const void *array, int64_t at);
void value_set(spmm_dtype_t dtype, void *array, int64_t at, double value);

#endif
