/* SPDX-License-Identifier: Apache-2.0 */
/* A model of the arithmetic of an MMA, described by a few constants. */
#ifndef TEST_TENSOR_MODEL_H
#define TEST_TENSOR_MODEL_H

#include "tensor_dot.h"

enum tensor_rounding {
    TENSOR_OTHERWISE, /* none of the modes below */
    TENSOR_TO_ZERO,
    TENSOR_TO_NEAREST, /* ties to even */
    TENSOR_DOWN,
    TENSOR_UP,
    TENSOR_AWAY
};

/* The order in which an MMA of f64 adds its products, each with a fused multiply-add. */
enum tensor_order { TENSOR_NO_ORDER, TENSOR_ASCENDING, TENSOR_DESCENDING };

/* Sums of f32: the MMA aligns `group` products and the sum so far to their largest exponent and keeps
 * kept_bits bits after the point. It then rounds the sum of the aligned numbers to f32. */
struct tensor_constants {
    int kept_bits, group;
    enum tensor_rounding aligned, result, operand; /* operand: rounding of the 13 bits that tf32 lacks */
    int is_nominal;          /* whether the alignment uses 2^exponent_min for a subnormal factor */
    enum tensor_order order; /* used for f64 only */
};

/* A tensor_run that computes with the model. context: an array with the struct tensor_constants of every
 * instruction. */
int tensor_run_model(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count);

double tensor_model(const struct tensor_constants *constants, enum tensor_mma mma,
                    const struct tensor_dot *dot);

#endif
