/* SPDX-License-Identifier: Apache-2.0 */
/* What an MMA does to numbers, found by dot products whose results tell. */
#ifndef TEST_TENSOR_MEASURE_H
#define TEST_TENSOR_MEASURE_H

#include "tensor_model.h"

struct tensor_findings {
    struct tensor_constants constants;
    int kept_of_products, kept_of_sum; /* bits kept of a product, of the sum so far, beside products */
    int group_is_regular;              /* groups of one size, of neighbours */
    int products_align_by_factors;     /* 1.5 * 1.5 has the exponent of 1 * 1 */
    int keeps_subnormals;              /* factors, the sum so far and the result */
    int zero_is_nothing;               /* 0 times anything finite does not change what is kept of others */
    int overflow_is_seen;              /* it comes out as infinity or NaN */
    int special_is_seen;            /* NaN and infinity as factor or sum come out as IEEE arithmetic has it */
    int model_matches, model_tried; /* random dot products that the constants give bit by bit */
    /* The largest error of random dot products, as a share of the bound that docs/accuracy.md has for one MMA, and, of
     * those without subnormal factors, in units of the rounding of a sum for each product. */
    double bound_share, roundings;
    int run_error; /* of the tensor_run; 0 */
};

struct tensor_findings tensor_measure(enum tensor_mma mma, tensor_run run, void *context);

/* The bound of docs/accuracy.md for one MMA without rounded factors: how far d may be from the exact result. */
long double tensor_bound(enum tensor_mma mma, const struct tensor_dot *dot);

/* The first constant of those that docs/accuracy.md relies on that does not hold; NULL: all hold. */
const char *tensor_broken_promise(enum tensor_mma mma, const struct tensor_findings *findings);

#endif
