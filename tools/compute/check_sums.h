/* SPDX-License-Identifier: Apache-2.0 */
/* The expected values of a row of C, in a precision higher than that of the product. */
#ifndef SPMM_TOOLS_CHECK_SUMS_H
#define SPMM_TOOLS_CHECK_SUMS_H

#include "check_input.h"
#include "tools/cli/number.h"

/* The expected value of an element of C and the terms of its bound. */
struct check_verdict {
    long double expected;
    long double product, before; /* sum of |alpha a b|, and |beta C0| */
    long double highest;         /* largest magnitude that a partial sum can reach */
};

/* Work arrays of one thread for a row, n elements each. */
struct check_sums {
    long double *sum, *magnitude;
    double *partial, *partial_magnitude; /* f32 sums: double is precise enough for them */
    struct check_verdict *verdicts;
};

#define CHECK_SUMS_COLUMN_BYTES (2 * sizeof(long double) + 2 * sizeof(double) + sizeof(struct check_verdict))

/* Allocates work for rows of n columns. Returns 0 if memory is short; call check_sums_free in this case
 * too. */
int check_sums_make(struct check_sums *work, int64_t n);
void check_sums_free(struct check_sums *work);

/* Computes work->verdicts: the expected values of row i of C and the terms of their bounds. */
void check_sums_of_row(const struct check_input *in, int64_t i, struct check_sums *work);

/* Returns the type in which products and sums are computed. */
static inline spmm_dtype_t check_sum_type(spmm_dtype_t dtype)
{
    return value_type(dtype)->sums;
}

#endif
