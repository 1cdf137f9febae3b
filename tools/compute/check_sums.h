/* SPDX-License-Identifier: Apache-2.0 */
/* What a check expects of a row of C, in a precision that the product does not reach. */
#ifndef SPMM_TOOLS_CHECK_SUMS_H
#define SPMM_TOOLS_CHECK_SUMS_H

#include "check_input.h"
#include "tools/cli/number.h"

/* What is known of an element of C before the product is looked at. */
struct check_verdict {
    long double expected;
    long double product, before; /* sum of |alpha a b|, and |beta C0| */
    long double highest;         /* what the sum can reach on its way */
};

/* What one thread needs to compute a row: n of each. */
struct check_sums {
    long double *sum, *magnitude;
    double *partial, *partial_magnitude; /* of f32 sums, which a double holds with room to spare */
    struct check_verdict *verdicts;
};

#define CHECK_SUMS_COLUMN_BYTES (2 * sizeof(long double) + 2 * sizeof(double) + sizeof(struct check_verdict))

/* Room for rows of n columns. Returns 0 where there is none; free it then too. */
int check_sums_make(struct check_sums *work, int64_t n);
void check_sums_free(struct check_sums *work);

/* verdicts of work: the expected values of row i of C and what their bounds are made of. */
void check_sums_of_row(const struct check_input *in, int64_t i, struct check_sums *work);

/* The type that products and sums are computed in. */
static inline spmm_dtype_t check_sum_type(spmm_dtype_t dtype)
{
    return value_type(dtype)->sums;
}

#endif
