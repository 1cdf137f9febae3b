/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how an MMA rounds, aligns and groups numbers, from the results of chosen dot products. */
#ifndef TEST_TENSOR_MEASURE_H
#define TEST_TENSOR_MEASURE_H

#include "tensor_model.h"

struct tensor_findings {
    struct tensor_constants constants;
    /* Bits that remain of a product, and of the sum so far, if larger products cancel each other. */
    int kept_of_products, kept_of_sum;
    int group_is_regular;          /* whether all groups have one size and consist of neighbours */
    int products_align_by_factors; /* whether 1.5 * 1.5 is aligned like 1 * 1 */
    int keeps_subnormals;          /* whether subnormal factors, sums and results are kept */
    /* Whether 0 times a finite number leaves the kept bits of other products unchanged. */
    int zero_is_nothing;
    int overflow_is_seen; /* whether an overflow gives infinity or NaN */
    /* Whether NaN and infinity, as factor or sum, give the results of IEEE arithmetic. */
    int special_is_seen;
    /* Number of random dot products whose bits the model reproduces, and number of all. */
    int model_matches, model_tried;
    /* Largest errors of random dot products. bound_share: as a share of the bound of docs/accuracy.md for
     * one MMA. roundings: in roundings of a sum per product, without dot products with subnormal factors. */
    double bound_share, roundings;
    int run_error; /* error of the tensor_run, or 0 */
};

struct tensor_findings tensor_measure(enum tensor_mma mma, tensor_run run, void *context);

/* Returns the bound of docs/accuracy.md for one MMA without rounded factors: the largest difference of d
 * from the exact result. */
long double tensor_bound(enum tensor_mma mma, const struct tensor_dot *dot);

/* Returns the name of the first constant that docs/accuracy.md relies on and that does not hold, or NULL
 * if all hold. */
const char *tensor_broken_promise(enum tensor_mma mma, const struct tensor_findings *findings);

#endif
