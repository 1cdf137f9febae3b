/* SPDX-License-Identifier: Apache-2.0 */
/* See tensor_model.h. */
#include "tensor_model.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

const struct tensor_format tensor_formats[TENSOR_MMA_COUNT] = {
    [TENSOR_TF32_K8] = {"m16n8k8 tf32", 8, 10, -126, 127},
    [TENSOR_F16_K8] = {"m16n8k8 f16", 8, 10, -14, 15},
    [TENSOR_F16_K16] = {"m16n8k16 f16", 16, 10, -14, 15},
    [TENSOR_BF16_K8] = {"m16n8k8 bf16", 8, 7, -126, 127},
    [TENSOR_BF16_K16] = {"m16n8k16 bf16", 16, 7, -126, 127},
    [TENSOR_F64_K8] = {"m16n8k8 f64", 8, 52, -1022, 1023},
};

/* Rounds to an integer. */
static double round_whole(double x, enum tensor_rounding rounding)
{
    switch (rounding) {
    case TENSOR_TO_NEAREST:
        return nearbyint(x);
    case TENSOR_DOWN:
        return floor(x);
    case TENSOR_UP:
        return ceil(x);
    case TENSOR_AWAY:
        return x < 0 ? floor(x) : ceil(x);
    default:
        return trunc(x);
    }
}

/* Rounds x to fraction_bits bits after the leading one. Below the normal numbers, it rounds to a multiple
 * of the smallest positive number. */
static double round_to(double x, int fraction_bits, int exponent_min, enum tensor_rounding rounding)
{
    if (x == 0 || !isfinite(x))
        return x;
    const int exponent = ilogb(x) > exponent_min ? ilogb(x) : exponent_min;
    const int scale = fraction_bits - exponent;
    return ldexp(round_whole(ldexp(x, scale), rounding), -scale);
}

/* Returns the exponent by which a factor is aligned; x is not 0. */
static int exponent_of(double x, const struct tensor_format *format, int is_nominal)
{
    const int exponent = ilogb(x);
    return is_nominal && exponent < format->exponent_min ? format->exponent_min : exponent;
}

/* Adds the products of `count` positions to sum, with one alignment and one rounding. */
static double add_group(const struct tensor_constants *constants, const struct tensor_format *format,
                        const double *a, const double *b, int count, double sum)
{
    int highest = sum == 0 ? INT32_MIN : ilogb(sum);
    for (int k = 0; k < count; k++)
        if (a[k] != 0 && b[k] != 0) {
            const int exponent = exponent_of(a[k], format, constants->is_nominal) +
                                 exponent_of(b[k], format, constants->is_nominal);
            highest = exponent > highest ? exponent : highest;
        }
    if (highest == INT32_MIN)
        return sum;
    const int scale = constants->kept_bits - highest;
    double total = round_whole(ldexp(sum, scale), constants->aligned);
    for (int k = 0; k < count; k++)
        total += round_whole(ldexp(a[k] * b[k], scale), constants->aligned);
    total = round_to(ldexp(total, -scale), 23, -126, constants->result);
    return fabs(total) > (double)FLT_MAX ? copysign((double)INFINITY, total) : total;
}

static double add_in_order(enum tensor_order order, const struct tensor_dot *dot, int count)
{
    double sum = dot->c;
    for (int i = 0; i < count; i++) {
        const int k = order == TENSOR_DESCENDING ? count - 1 - i : i;
        sum = fma(dot->a[k], dot->b[k], sum);
    }
    return sum;
}

double tensor_model(const struct tensor_constants *constants, enum tensor_mma mma,
                    const struct tensor_dot *dot)
{
    const struct tensor_format *format = &tensor_formats[mma];
    double a[TENSOR_K_MAX], b[TENSOR_K_MAX], sum = dot->c;
    int is_finite = isfinite(sum);
    if (mma == TENSOR_F64_K8)
        return add_in_order(constants->order, dot, format->k);
    for (int k = 0; k < format->k; k++) {
        a[k] = round_to(dot->a[k], format->fraction_bits, format->exponent_min, constants->operand);
        b[k] = round_to(dot->b[k], format->fraction_bits, format->exponent_min, constants->operand);
        is_finite = is_finite && isfinite(a[k]) && isfinite(b[k]);
    }
    for (int k = 0; is_finite && k < format->k && isfinite(sum); k += constants->group)
        sum = add_group(constants, format, a + k, b + k, constants->group, sum);
    for (int k = 0; !is_finite && k < format->k; k++)
        sum += a[k] * b[k];
    return sum;
}

int tensor_run_model(void *context, enum tensor_mma mma, struct tensor_dot *dots, int count)
{
    const struct tensor_constants *constants = context;
    for (int i = 0; i < count; i++)
        dots[i].d = tensor_model(&constants[mma], mma, &dots[i]);
    return 0;
}
