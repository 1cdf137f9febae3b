/* SPDX-License-Identifier: Apache-2.0 */
/* See tensor_measure.h. The operands are powers of two, some with a few more bits, so that the result of
 * an MMA shows what it drops, keeps or rounds. */
#include "tensor_measure.h"

#include <float.h>
#include <math.h>

#include "tensor_random.h"

/* Exponent of the large numbers that others are aligned to; far from subnormal numbers of f16. */
#define BIG 20
/* Largest number of kept bits that is searched: more cannot be distinguished from an exact sum. */
#define KEPT_MAX 40

struct session {
    tensor_run run;
    void *context;
    enum tensor_mma mma;
    const struct tensor_format *format;
    struct tensor_findings *found;
};

static double ask(const struct session *s, struct tensor_dot dot)
{
    const int error = s->run(s->context, s->mma, &dot, 1);
    if (error != 0)
        s->found->run_error = error;
    return dot.d;
}

/* Sets product k to significand * 2^exponent, with |significand| in [1, 2) and few bits. The exponent is
 * divided equally between the factors, to keep both far from subnormal numbers. */
static void set(struct tensor_dot *dot, int k, double significand, int exponent)
{
    const int half = exponent / 2;
    dot->a[k] = ldexp(significand, half);
    dot->b[k] = ldexp(1, exponent - half);
}

/* Returns what remains of product k if products 0 and 1 cancel each other. */
static double beside_products(const struct session *s, int k, double significand, int exponent)
{
    struct tensor_dot dot = {.c = 0};
    set(&dot, 0, 1, BIG);
    set(&dot, 1, -1, BIG);
    set(&dot, k, significand, exponent);
    return ask(s, dot);
}

static double sum_beside_products(const struct session *s, int exponent)
{
    struct tensor_dot dot = {.c = ldexp(1, exponent)};
    set(&dot, 0, 1, BIG);
    set(&dot, 1, -1, BIG);
    return ask(s, dot);
}

/* Returns what remains of product 1 if product 0 cancels the sum so far. */
static double beside_sum(const struct session *s, double significand, int exponent)
{
    struct tensor_dot dot = {.c = ldexp(1, BIG)};
    set(&dot, 0, -1, BIG);
    set(&dot, 1, significand, exponent);
    return ask(s, dot);
}

static void find_kept_bits(const struct session *s)
{
    struct tensor_findings *f = s->found;
    int beside = 0;
    for (int bits = 1; bits <= KEPT_MAX; bits++) {
        beside = beside_sum(s, 1, BIG - bits) != 0 ? bits : beside;
        f->kept_of_products = beside_products(s, 2, 1, BIG - bits) != 0 ? bits : f->kept_of_products;
        f->kept_of_sum = sum_beside_products(s, BIG - bits) != 0 ? bits : f->kept_of_sum;
    }
    f->kept_of_products = beside < f->kept_of_products ? beside : f->kept_of_products;
    f->constants.kept_bits = f->kept_of_sum < f->kept_of_products ? f->kept_of_sum : f->kept_of_products;
}

/* Returns the rounding mode. low and high are neighbouring multiples of a step. got: results for +x and -x
 * with x three quarters of a step above low, and for +x a quarter of a step above low. */
static enum tensor_rounding rounding_of(const double got[3], double low, double high)
{
    const int up = got[0] == high, down = got[1] == -high, away = got[2] == high;
    if ((got[0] != low && !up) || (got[1] != -low && !down) || (got[2] != low && !away))
        return TENSOR_OTHERWISE;
    if (up && down)
        return away ? TENSOR_AWAY : TENSOR_TO_NEAREST;
    if (up || down)
        return up ? TENSOR_UP : TENSOR_DOWN;
    return away ? TENSOR_OTHERWISE : TENSOR_TO_ZERO;
}

/* Finds the rounding of bits below the last kept bit, and below the last bit of the result. For the
 * latter, carries make the sum two bits longer. */
static void find_roundings(const struct session *s)
{
    const int last = BIG - s->found->constants.kept_bits;
    const double aligned[3] = {beside_sum(s, 1.75, last), beside_sum(s, -1.75, last),
                               beside_sum(s, 1.25, last)};
    double result[3];
    for (int i = 0; i < 3; i++) {
        const double sign = i == 1 ? -1 : 1;
        struct tensor_dot dot = {.c = sign * (1 + (i == 2 ? 0x1p-23 : 0x3p-23))};
        set(&dot, 0, sign * 1.5, 0);
        set(&dot, 1, sign * 1.5, 0);
        result[i] = ask(s, dot);
    }
    s->found->constants.aligned = rounding_of(aligned, ldexp(1, last), ldexp(2, last));
    s->found->constants.result = rounding_of(result, 4, 4 + 0x1p-21);
}

/* Finds the products that are aligned together with product i if product `partner` cancels it. Sets
 * is_lost[k] if a small number in product k is lost, and returns the number of lost products. */
static int lost_beside(const struct session *s, int i, int partner, int is_lost[TENSOR_K_MAX])
{
    int count = 0;
    for (int k = 0; k < s->format->k; k++) {
        struct tensor_dot dot = {.c = 0};
        if (k == i || k == partner)
            continue;
        set(&dot, i, 1, BIG);
        set(&dot, partner, -1, BIG);
        set(&dot, k, 1, BIG - s->found->constants.kept_bits - 5);
        is_lost[k] = ask(s, dot) == 0;
        count += is_lost[k];
    }
    return count;
}

/* Finds the size of the groups in which products are summed. With a partner in the group of i, the fewest
 * products are lost: the rest of the group, and products of the groups that were summed before it. */
static void find_groups(const struct session *s)
{
    const int count = s->format->k;
    int *const size = &s->found->constants.group;
    s->found->group_is_regular = 1;
    for (int i = 0; i < count; i++) {
        int is_lost[TENSOR_K_MAX] = {0}, fewest = count, best = i;
        for (int partner = 0; partner < count; partner++) {
            const int lost = partner == i ? count : lost_beside(s, i, partner, is_lost);
            if (lost < fewest)
                fewest = lost, best = partner;
        }
        lost_beside(s, i, best, is_lost);
        is_lost[i] = is_lost[best] = 1;
        *size = i == 0 ? fewest + 2 : *size;
        for (int k = 0; k < count; k++)
            s->found->group_is_regular &= is_lost[k] == (k / *size <= i / *size);
        s->found->group_is_regular &= count % *size == 0;
    }
}

/* Finds whether 1.5 * 1.5 = 2.25 is aligned like a product with exponent 0, the sum of its factors'
 * exponents. Opposite numbers cancel 2.25, so that only a small product remains. */
static void find_alignment_of_products(const struct session *s)
{
    struct tensor_dot dot = {.c = -2.25 * 0x1p20};
    dot.a[0] = dot.b[0] = 1.5 * 0x1p10;
    struct tensor_dot of_sum = dot;
    set(&dot, 1, 1, BIG - s->found->constants.kept_bits);
    /* Without the sum so far, which would itself be aligned by the exponent of 2.25. */
    of_sum.c = 0;
    of_sum.a[1] = -of_sum.a[0], of_sum.b[1] = of_sum.b[0];
    set(&of_sum, 2, 1, BIG - s->found->constants.kept_bits);
    s->found->products_align_by_factors = ask(s, dot) == 0 && ask(s, of_sum) != 0;
}

/* Finds how the 13 bits that tf32 lacks are rounded. */
static void find_rounding_of_operands(const struct session *s)
{
    static const double bits[3] = {1 + 0x1.8p-11, -(1 + 0x1.8p-11), 1 + 0x1p-12};
    double got[2][3];
    if (s->mma != TENSOR_TF32_K8)
        return;
    for (int i = 0; i < 3; i++) {
        struct tensor_dot dot = {.a = {bits[i]}, .b = {1}}, other = {.a = {1}, .b = {bits[i]}};
        got[0][i] = ask(s, dot);
        got[1][i] = ask(s, other);
    }
    s->found->constants.operand = rounding_of(got[0], 1, 1 + 0x1p-10);
    if (rounding_of(got[1], 1, 1 + 0x1p-10) != s->found->constants.operand)
        s->found->constants.operand = TENSOR_OTHERWISE;
}

static int gives(const struct session *s, struct tensor_dot dot, double wanted)
{
    const double got = ask(s, dot);
    return isnan(wanted) ? isnan(got) : got == wanted;
}

static void find_subnormals(const struct session *s)
{
    const struct tensor_format *format = s->format;
    const int is_f64 = s->mma == TENSOR_F64_K8, eta = is_f64 ? -1074 : -149;
    const double large = ldexp(1, format->exponent_max);
    const double minimum = ldexp(1, format->exponent_min - format->fraction_bits);
    const int kept = s->found->constants.kept_bits;
    int subnormal_kept = 0;
    const struct tensor_dot left = {.a = {minimum}, .b = {large}}, right = {.a = {large}, .b = {minimum}};
    const struct tensor_dot sum = {.c = ldexp(3, eta)};
    struct tensor_dot below = {.c = ldexp(-1, eta + 4)}; /* the result is subnormal */
    if (s->mma != TENSOR_F16_K8 && s->mma != TENSOR_F16_K16)
        set(&below, 0, 1, eta + 1);
    s->found->keeps_subnormals = gives(s, left, minimum * large) && gives(s, right, minimum * large) &&
                                 gives(s, sum, ldexp(3, eta)) &&
                                 gives(s, below, below.a[0] * below.b[0] + below.c);
    if (is_f64)
        return;
    const double eighth = ldexp(1, format->exponent_min - 3), product = eighth * large;
    for (int bits = kept - 5; bits <= kept && ilogb(product) - bits >= 2 * format->exponent_min; bits++) {
        struct tensor_dot dot = {.a = {eighth}, .b = {large}, .c = -product};
        set(&dot, 1, 1, ilogb(product) - bits);
        subnormal_kept = ask(s, dot) != 0 ? bits : subnormal_kept;
    }
    s->found->constants.is_nominal = subnormal_kept != kept;
}

/* Checks that zeros times the largest numbers do not make a small product lose bits. */
static void find_zeros(const struct session *s)
{
    const double large = ldexp(1, s->format->exponent_max);
    const int below = s->format->exponent_min + s->format->exponent_max - s->found->constants.kept_bits - 4;
    const int lowest = 2 * s->format->exponent_min;
    struct tensor_dot dot = {.a = {0, large, -0.0}, .b = {large, 0, -large}};
    set(&dot, 3, 1, s->mma == TENSOR_F64_K8 ? -1000 : below > lowest ? below : lowest);
    s->found->zero_is_nothing = gives(s, dot, dot.a[3] * dot.b[3]);
}

static void find_overflow(const struct session *s)
{
    const int exponent = s->mma == TENSOR_F64_K8 ? 1023 : 127;
    struct tensor_dot product = {.c = 0}, sum = {.c = ldexp(1, exponent)};
    if (s->format->exponent_max < 2 * BIG) { /* products of f16 are far below the largest number of f32 */
        s->found->overflow_is_seen = 1;
        return;
    }
    product.a[0] = product.b[0] = ldexp(1, exponent / 2 + 2);
    set(&sum, 0, 1, exponent);
    s->found->overflow_is_seen = !isfinite(ask(s, product)) && !isfinite(ask(s, sum));
    set(&product, 1, 1, exponent);
    set(&product, 2, 1, exponent);
    product.a[0] = 0;
    s->found->overflow_is_seen &= !isfinite(ask(s, product));
}

static void find_special(const struct session *s)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        struct tensor_dot dot;
        double wanted;
    } cases[] = {
        {{.a = {inf}, .b = {1}}, inf},          {{.a = {1}, .b = {-inf}}, -inf},
        {{.a = {0, 1}, .b = {inf, 1}}, nan},    {{.a = {inf, 1}, .b = {0, 1}}, nan},
        {{.a = {inf, 1}, .b = {1, -inf}}, nan}, {{.a = {1}, .b = {inf}, .c = -inf}, nan},
        {{.a = {nan}, .b = {0}}, nan},          {{.a = {0}, .b = {nan}}, nan},
        {{.a = {1}, .b = {1}, .c = inf}, inf},  {{.a = {1}, .b = {1}, .c = nan}, nan},
    };
    s->found->special_is_seen = 1;
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++)
        s->found->special_is_seen &= gives(s, cases[i].dot, cases[i].wanted);
}

struct tensor_findings tensor_measure(enum tensor_mma mma, tensor_run run, void *context)
{
    struct tensor_findings found = {.constants = {.group = 1}};
    const struct session s = {run, context, mma, &tensor_formats[mma], &found};
    if (mma != TENSOR_F64_K8) {
        find_kept_bits(&s);
        find_roundings(&s);
        find_groups(&s);
        find_alignment_of_products(&s);
        find_rounding_of_operands(&s);
    }
    find_subnormals(&s);
    find_zeros(&s);
    find_overflow(&s);
    find_special(&s);
    tensor_random_check(mma, run, context, &found);
    return found;
}
