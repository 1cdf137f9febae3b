/* SPDX-License-Identifier: Apache-2.0 */
/* What an MMA does to a dot product, as a few constants describe it. */
#ifndef TEST_TENSOR_MODEL_H
#define TEST_TENSOR_MODEL_H

#include "tensor_dot.h"

enum tensor_rounding {
    TENSOR_OTHERWISE, /* none of those below */
    TENSOR_TO_ZERO,
    TENSOR_TO_NEAREST, /* ties to even */
    TENSOR_DOWN,
    TENSOR_UP,
    TENSOR_AWAY
};

/* The order in which an MMA of f64 takes its products, each by a fused multiply-add. */
enum tensor_order { TENSOR_NO_ORDER, TENSOR_ASCENDING, TENSOR_DESCENDING };

/* Sums of f32: so many products at a time, and the sum so far, are aligned to the largest exponent, where they keep
 * some bits behind the point; what is added up then is rounded to f32. */
struct tensor_constants {
    int kept_bits, group;
    enum tensor_rounding aligned, result, operand; /* operand: of tf32, the 13 bits that it lacks */
    int is_nominal;          /* a subnormal factor counts as 2^exponent_min where numbers are aligned */
    enum tensor_order order; /* f64 */
};

/* A tensor_run whose context is the struct tensor_constants of every instruction, in an array. */
int tensor_run_model(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

double tensor_model(const struct tensor_constants *constants, enum tensor_mma mma,
                    const struct tensor_dot *dot);

#endif
