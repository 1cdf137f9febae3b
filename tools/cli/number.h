/* SPDX-License-Identifier: Apache-2.0 */
/* The number types of spmm in the eyes of the tools: what a type can hold, and single numbers of it. The tools judge
 * the libraries, so they round by arithmetic of their own instead of sharing the libraries' conversions. */
#ifndef SPMM_TOOLS_NUMBER_H
#define SPMM_TOOLS_NUMBER_H

#include <spmm/common.h>

struct number_type {
    double unit;     /* unit roundoff of storage, 2^-digits */
    double tiny;     /* least positive number */
    double largest;  /* finite */
    double infinity; /* least magnitude that rounds to infinity; infinite for f64 */
    int is_narrow;   /* 1: sums are f32 and rounded once when they are stored */
};

/* Static storage; dtype is one of the four. */
const struct number_type *number_type(spmm_dtype_t dtype);

/* value rounded to nearest, ties to even; infinite when it is too large. */
double number_round(spmm_dtype_t dtype, double value);

/* Number at of an array, and the same the other way, rounded. */
double number_get(spmm_dtype_t dtype, const void *array, int64_t at);
void number_set(spmm_dtype_t dtype, void *array, int64_t at, double value);

#endif
