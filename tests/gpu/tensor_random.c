/* SPDX-License-Identifier: Apache-2.0 */
/* See tensor_random.h. */
#include "tensor_random.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 2048
#define BATCHES 12

/* Returns the next number of splitmix64, the same on every machine. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns a random integer from low to high, both included. */
static int draw_int(uint64_t *state, int low, int high)
{
    return low + (int)(draw(state) % (uint64_t)(high - low + 1));
}

/* Returns a number in [1, 2) or (-2, -1] with random fraction bits, or with all fraction bits set if
 * is_full. */
static double draw_significand(uint64_t *state, int fraction_bits, int is_full)
{
    const uint64_t steps = UINT64_C(1) << fraction_bits, bits = draw(state);
    const double fraction = (double)(is_full ? steps - 1 : (bits >> 1) % steps) / (double)steps;
    return (bits & 1) != 0 && !is_full ? -1 - fraction : 1 + fraction;
}

enum kind { NEAR, WIDE, CANCELLING, LADDER, SUBNORMAL, FEW, KIND_COUNT };

static void draw_product(uint64_t *state, const struct tensor_format *format, enum kind kind, double *a,
                         double *b)
{
    const int bits = format->fraction_bits;
    const int exponent_max = kind == WIDE ? 12 : 3;
    int of_a = draw_int(state, -exponent_max, exponent_max),
        of_b = draw_int(state, -exponent_max, exponent_max);
    if (kind == FEW && draw_int(state, 0, 3) != 0) {
        *a = 0;
        *b = draw_significand(state, bits, 0);
        return;
    }
    if (kind == LADDER) { /* far below a sum of about 2^8 */
        of_a = draw_int(state, -12, -6);
        of_b = draw_int(state, -10, -6);
    }
    *a = ldexp(draw_significand(state, bits, kind == LADDER), of_a);
    *b = ldexp(draw_significand(state, bits, kind == LADDER), of_b);
    /* One factor is subnormal, but the product has a moderate size. */
    if (kind == SUBNORMAL && draw_int(state, 0, 1) != 0) {
        const double minimum = ldexp(1, format->exponent_min - bits);
        const int depth = draw_int(state, 1, bits < 12 ? bits : 12);
        *a = minimum * (double)(draw(state) % (UINT64_C(1) << (bits - depth)) + 1);
        *b = ldexp(draw_significand(state, bits, 0), format->exponent_max - draw_int(state, 0, 8));
    }
}

static struct tensor_dot draw_dot(uint64_t *state, enum tensor_mma mma, enum kind kind)
{
    const struct tensor_format *format = &tensor_formats[mma];
    struct tensor_dot dot = {.c = ldexp(draw_significand(state, 23, 0), draw_int(state, -6, 6))};
    double sum = 0;
    for (int k = 0; k < format->k; k++) {
        draw_product(state, format, kind, &dot.a[k], &dot.b[k]);
        sum += dot.a[k] * dot.b[k];
    }
    if (kind == LADDER)
        dot.c = ldexp(draw_significand(state, 23, 0), 8);
    if (kind == CANCELLING)
        dot.c = mma == TENSOR_F64_K8 ? -sum : -(double)(float)sum;
    return dot;
}

/* The exact result and the terms of the bound. count: number of nonzero products, plus 1 for a nonzero sum
 * so far. factors: term for products with a subnormal factor. */
struct parts {
    int count;
    long double exact, magnitude, factors;
};

static struct parts parts_of(const struct tensor_dot *dot, const struct tensor_format *format)
{
    const long double minimum = ldexpl(1, format->exponent_min);
    struct parts parts = {0, (long double)dot->c, fabsl((long double)dot->c), 0};
    for (int k = 0; k < format->k; k++) {
        const long double a = (long double)dot->a[k], b = (long double)dot->b[k];
        parts.count += a != 0 && b != 0;
        parts.exact += a * b;
        parts.magnitude += fabsl(a * b);
        if (a != 0 && b != 0 && (fabsl(a) < minimum || fabsl(b) < minimum))
            parts.factors += fabsl(a) + fabsl(b);
    }
    return parts;
}

static long double unit_of(enum tensor_mma mma)
{
    return mma == TENSOR_F64_K8 ? 0x1p-53L : 0x1p-23L;
}

/* Computes the bound with the constants K, e and eta of docs/accuracy.md for each value type. */
long double tensor_bound(enum tensor_mma mma, const struct tensor_dot *dot)
{
    const struct parts parts = parts_of(dot, &tensor_formats[mma]);
    const int is_f16 = mma == TENSOR_F16_K8 || mma == TENSOR_F16_K16;
    const int is_f64 = mma == TENSOR_F64_K8;
    const long double tiny = is_f64 ? 0 : is_f16 ? 0x1p-32L : 0x1p-144L;
    const long double eta = is_f64 ? 0x1p-1074L : is_f16 ? 0x1p-51L : 0x1p-149L;
    const long double roundings = (long double)parts.count;
    const long double ku = roundings * unit_of(mma);
    return ku / (1 - ku) * parts.magnitude + tiny * parts.factors + roundings * eta;
}

static void judge(enum tensor_mma mma, enum kind kind, const struct tensor_dot *dot,
                  struct tensor_findings *found)
{
    const struct parts parts = parts_of(dot, &tensor_formats[mma]);
    const long double error = fabsl((long double)dot->d - parts.exact);
    const long double bound = tensor_bound(mma, dot);
    /* The reference itself is rounded to 64 bits. */
    const long double slack = 0x1p-60L * parts.magnitude;
    double share = (double)((error - slack) / bound), roundings = 0;
    if (error <= slack)
        share = 0;
    if (!(share <= found->bound_share))
        found->bound_share = share;
    if (kind != SUBNORMAL && parts.count > 0)
        roundings = (double)(error / (unit_of(mma) * parts.magnitude * (long double)parts.count));
    if (!(roundings <= found->roundings))
        found->roundings = roundings;
}

static int matches(const struct tensor_constants *constants, enum tensor_mma mma,
                   const struct tensor_dot *dots, int count)
{
    int same = 0;
    for (int i = 0; i < count; i++)
        same += dots[i].d == tensor_model(constants, mma, &dots[i]);
    return same;
}

void tensor_random_check(enum tensor_mma mma, tensor_run run, void *context, struct tensor_findings *found)
{
    struct tensor_constants tried[] = {found->constants, found->constants};
    const int permutation_count = mma == TENSOR_F64_K8 ? 2 : 1;
    int same[2] = {0, 0};
    uint64_t state = (uint64_t)mma;
    struct tensor_dot *dots = calloc(BATCH, sizeof *dots);
    tried[0].order = TENSOR_ASCENDING, tried[1].order = TENSOR_DESCENDING;
    for (int batch = 0; dots != NULL && batch < BATCHES && found->run_error == 0; batch++) {
        const enum kind kind = (enum kind)(batch % KIND_COUNT);
        for (int i = 0; i < BATCH; i++)
            dots[i] = draw_dot(&state, mma, kind);
        found->run_error = run(context, mma, dots, BATCH);
        for (int order = 0; order < permutation_count; order++)
            same[order] += matches(&tried[order], mma, dots, BATCH);
        for (int i = 0; i < BATCH; i++)
            judge(mma, kind, &dots[i], found);
        found->model_tried += BATCH;
    }
    const int best = same[1] > same[0];
    found->model_matches = same[best];
    if (permutation_count > 1 && same[best] == found->model_tried)
        found->constants.order = tried[best].order;
    free(dots);
}

const char *tensor_broken_promise(enum tensor_mma mma, const struct tensor_findings *found)
{
    if (found->run_error != 0 || found->model_tried == 0)
        return "it runs";
    if (mma != TENSOR_F64_K8 && found->constants.kept_bits < 24)
        return "what is aligned keeps 24 bits";
    if (mma == TENSOR_TF32_K8 && found->constants.operand == TENSOR_OTHERWISE)
        return "the bits that tf32 lacks are rounded or cut off";
    if (!found->keeps_subnormals)
        return "subnormal numbers count";
    if (!found->zero_is_nothing)
        return "0 times a finite number is nothing";
    if (!found->overflow_is_seen)
        return "overflow gives infinity or NaN";
    if (!found->special_is_seen)
        return "NaN and infinity are passed on";
    if (!(found->bound_share <= 1))
        return "errors are within the bound";
    return NULL;
}
