/* SPDX-License-Identifier: Apache-2.0 */
/* The value types as the tools see them: the range of each type, and conversions of single numbers. The
 * tools check the libraries, so they round with their own arithmetic instead of sharing the libraries'
 * conversions. */
#ifndef SPMM_TOOLS_NUMBER_H
#define SPMM_TOOLS_NUMBER_H

#include <spmm/common.h>

struct value_type {
    spmm_dtype_t type;
    spmm_dtype_t sums;           /* the type of products and sums */
    const char *npy, *npy_other; /* name in NumPy files: as written, and another one that is read */
    double unit;                 /* unit roundoff of storage, 2^-digits */
    double tiny;                 /* smallest positive number */
    double largest;              /* largest finite number */
    double infinity;             /* smallest magnitude that rounds to infinity; infinite for f64 */
    double small;                /* smaller factors may lose digits on tensor cores, see arithmetic.h */
    int is_narrow;               /* 1 for 16-bit types, whose sums are rounded once when they are stored */
    /* 16-bit types only. The exponents are those of the smallest normal number and of the largest number. */
    int fraction_bits, exponent_min, exponent_max;
};

/* Returns the description of a type that the libraries know. Static storage. */
const struct value_type *value_type(spmm_dtype_t dtype);
/* Returns the types by index 0, 1, ..; NULL past the last one. */
const struct value_type *value_type_at(int index);

/* 16-bit types: returns the bits of infinity. Larger magnitudes are NaNs. */
uint16_t value_infinity_bits(const struct value_type *type);

/* Rounds value to the type: to nearest, ties to even. The result is infinite if value is too large. */
double value_round(spmm_dtype_t dtype, double value);

/* Read or write element `at` of an array. value_set rounds. */
double value_get(spmm_dtype_t dtype, const void *array, int64_t at);
void value_set(spmm_dtype_t dtype, void *array, int64_t at, double value);

#endif
