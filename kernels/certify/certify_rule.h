/* SPDX-License-Identifier: Apache-2.0 */
/* How a certificate judges a row of C = alpha * op(A) * B + beta * C0; for host and device.
 *
 * Freivalds (1977): for vectors x of random signs, C x is compared with alpha * op(A) * (B x) + beta * C0 x.
 * The errors that a correct product may have in row i, each with a sign, add up to at most the sum of their
 * bounds. With L, K, s, gamma, d, e, eta, x, b1 and b2 of docs/accuracy.md, and sums over the n columns l
 *
 *     M = sum (|A||B|)_il,   F = sum over the entries a of the row of n |a| + sum |b|,   N0 = sum |C0_il|
 *
 * the sum of the bounds is
 *     E = |alpha| (d M + e F) + gamma(K L + x(alpha) + b1) s |alpha| M + gamma(x(beta) + b2) |beta| N0
 *         + n (K L max(1, |alpha|) + x(alpha) + x(beta)) eta.
 *
 * A 16-bit element c is a rounded sum, whose error is therefore at most (v |c| + h) / (1 - v). In a correct
 * row the |c| add up to at most |alpha| M + |beta| N0 + E and what storing adds. The smaller of this and the
 * actual sum of the |c| is used.
 *
 * The sums of this file are doubles. Sums for f64 have a second double that collects the rounding errors of
 * the first (Ogita, Rump, Oishi 2005, Sum2 and Dot2). Their error is g^2 times the magnitudes, not g times,
 * with g = (n + 4 L + 16) 2^-53, plus 2^-84 of the magnitudes if columns are added 64 at a time. This error
 * is added to the bound. */
#ifndef SPMMI_CERTIFY_RULE_H
#define SPMMI_CERTIFY_RULE_H

#include <math.h>
#include <stdint.h>

#include "kernels/shared/kernel_base.h"

#define SPMMI_CERTIFY_LANES 8 /* vectors are processed in groups of 8; surplus lanes are ignored */

#define SPMMI_CERTIFY_MOST 0x1p960 /* nothing in this file overflows with smaller magnitudes */

/* A sum and, if it is compensated, what its roundings lost. */
struct spmmi_certify_sum {
    double sum, rest;
};

/* B x, C x or C0 x of every vector. Each row has a record: sums of all lanes, their rests (f64 only), the sum
 * of the row's magnitudes and the largest of them, which is infinite if the row holds infinity or NaN. */
struct spmmi_certify_projection {
    double *records;
    int lanes, has_rest;
};

SPMMI_HOST_DEVICE static inline int64_t spmmi_certify_stride(const struct spmmi_certify_projection *p)
{
    return (int64_t)p->lanes * (1 + p->has_rest) + 8; /* whole cache lines */
}

/* Returns the record of a row; lane v is at [v], its rest at [lanes + v]. */
SPMMI_HOST_DEVICE static inline double *spmmi_certify_record(const struct spmmi_certify_projection *p,
                                                             int64_t row)
{
    return p->records + row * spmmi_certify_stride(p);
}

/* Returns the address of the record's sum of magnitudes, which the largest magnitude follows. */
SPMMI_HOST_DEVICE static inline double *spmmi_certify_sizes(const struct spmmi_certify_projection *p,
                                                            int64_t row)
{
    return spmmi_certify_record(p, row) + (int64_t)p->lanes * (1 + p->has_rest);
}

SPMMI_HOST_DEVICE static inline struct spmmi_certify_sum
spmmi_certify_lane(const struct spmmi_certify_projection *p, int64_t row, int lane)
{
    const double *record = spmmi_certify_record(p, row);
    const struct spmmi_certify_sum sum = {record[lane], p->has_rest ? record[p->lanes + lane] : 0};
    return sum;
}

/* The product, and the values of docs/accuracy.md for the kernel that computed it. */
struct spmmi_certify_rule {
    int64_t n;
    double alpha, beta;
    double alpha_roundings, beta_roundings;           /* x */
    double unit, roundings, input, growth, tiny, eta; /* u, K, d, s, e, eta */
    double largest;                                   /* finite value of the sum type */
    double stored_unit, stored_least;                 /* v and h; 0 for f32 and f64 */
    double infinity;                                  /* least magnitude that is stored as infinity */
    int is_compensated;
};

/* What is known of a row in addition to its products with the vectors. */
struct spmmi_certify_row {
    double entries;                 /* L */
    double product, before, result; /* M, N0 and the sum of |C_il| */
    double factors;                 /* F */
    double highest;                 /* upper bound of all (|A||B|)_il */
    double before_largest, result_largest;
    double met;    /* the largest sum of magnitudes of a row of B that an entry of A multiplies */
    int is_finite; /* the entries of A, and the rows of B that they multiply */
};

enum spmmi_certify_class {
    SPMMI_CERTIFY_COMPARED, /* by the bound */
    SPMMI_CERTIFY_BY_CLASS, /* infinity or NaN is allowed and present; or the magnitudes are too large */
    SPMMI_CERTIFY_WRONG     /* present but not allowed, or required but absent; or C exceeds the magnitudes */
};

/* Returns the signs of element `column`; bit v is for vector v. SplitMix64. */
SPMMI_HOST_DEVICE static inline uint64_t spmmi_certify_signs(uint64_t seed, int64_t column)
{
    uint64_t z = seed + ((uint64_t)column + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

SPMMI_HOST_DEVICE static inline int spmmi_certify_is_finite(double x)
{
    return x - x == 0;
}

/* into += x, exact except for the rounding of rest. */
SPMMI_HOST_DEVICE static inline void spmmi_certify_add(struct spmmi_certify_sum *into, double x)
{
    const double sum = into->sum + x, part = sum - into->sum;
    into->rest += (into->sum - (sum - part)) + (x - part);
    into->sum = sum;
}

/* into += a * (x.sum + x.rest) */
SPMMI_HOST_DEVICE static inline void spmmi_certify_add_product(struct spmmi_certify_sum *into, double a,
                                                               struct spmmi_certify_sum x)
{
    const double product = a * x.sum;
    into->rest += fma(a, x.sum, -product) + a * x.rest;
    spmmi_certify_add(into, product);
}

/* Returns gamma of docs/accuracy.md. */
SPMMI_HOST_DEVICE static inline double spmmi_certify_gamma(double count, double unit)
{
    return count * unit >= 0.5 ? 1 : count * unit / (1 - count * unit);
}

/* Returns the largest error that the sum of a correct row, with signs, may have. */
SPMMI_HOST_DEVICE static inline double spmmi_certify_bound(const struct spmmi_certify_rule *rule,
                                                           const struct spmmi_certify_row *row)
{
    const double n = (double)rule->n, count = row->entries, alpha = fabs(rule->alpha),
                 beta = fabs(rule->beta);
    const double of_alpha = count > 0 ? rule->alpha_roundings : 0;
    const double additions = rule->beta != 0 ? fmin(count, 2.0) : 0;
    const double sums =
        spmmi_certify_gamma(rule->roundings * count + of_alpha + fmin(additions, 1.0), rule->unit);
    const double underflows = rule->roundings * count * fmax(1.0, alpha) + of_alpha + rule->beta_roundings;
    /* For f64, row->factors may be infinite; tiny is 0. */
    const double factors = rule->tiny > 0 ? rule->tiny * row->factors : 0;
    const double own = (n + 4 * count + 16) * 0x1p-53;
    const double expected = alpha * row->product + beta * row->before;
    double bound = alpha * ((rule->input + rule->growth * sums) * row->product + factors) +
                   spmmi_certify_gamma(rule->beta_roundings + additions, rule->unit) * beta * row->before +
                   n * underflows * rule->eta;
    /* A wrong and large result must not enlarge its own bound. */
    const double stored = fmin(row->result, expected + bound);
    bound += (rule->stored_unit * stored + n * rule->stored_least) / (1 - rule->stored_unit);
    bound += (rule->is_compensated ? 4 * own * own + 0x1p-84 : 2 * own) * (expected + stored);
    bound += (count + 4) * fmax(1.0, alpha) * 0x1p-1072; /* products in this file that underflow */
    return bound * (1 + 4 * own);                        /* the magnitudes are rounded sums too */
}

/* Returns true if a sum of a correct row may leave the range of its type, or be stored as infinity. */
SPMMI_HOST_DEVICE static inline int spmmi_certify_may_overflow(const struct spmmi_certify_rule *rule,
                                                               const struct spmmi_certify_row *row)
{
    const double after =
        fabs(rule->alpha) * row->highest + (rule->beta != 0 ? fabs(rule->beta) * row->before_largest : 0);
    const double slack = 1.001 + rule->input +
                         rule->growth * spmmi_certify_gamma(rule->roundings * row->entries + 4, rule->unit);
    return !(fmax(after, row->highest) * slack <= rule->largest) || after * slack >= rule->infinity;
}

/* Returns the class of a row. bound: the bound of the row. */
SPMMI_HOST_DEVICE static inline enum spmmi_certify_class
spmmi_certify_classify(const struct spmmi_certify_rule *rule, const struct spmmi_certify_row *row,
                       double bound)
{
    const int found_finite = spmmi_certify_is_finite(row->result_largest);
    const double expected = fabs(rule->alpha) * row->product + fabs(rule->beta) * row->before;
    if (!row->is_finite || (rule->beta != 0 && !spmmi_certify_is_finite(row->before_largest)))
        return found_finite ? SPMMI_CERTIFY_WRONG : SPMMI_CERTIFY_BY_CLASS;
    if (!found_finite)
        return spmmi_certify_may_overflow(rule, row) ? SPMMI_CERTIFY_BY_CLASS : SPMMI_CERTIFY_WRONG;
    if (!(row->product < SPMMI_CERTIFY_MOST && row->met < SPMMI_CERTIFY_MOST &&
          row->before < SPMMI_CERTIFY_MOST && expected < SPMMI_CERTIFY_MOST &&
          spmmi_certify_is_finite(bound)))
        return SPMMI_CERTIFY_BY_CLASS;
    return row->result <= 2 * SPMMI_CERTIFY_MOST ? SPMMI_CERTIFY_COMPARED : SPMMI_CERTIFY_WRONG;
}

/* Returns |alpha * product + beta * before - result| / bound, for a row that is compared: bound is finite and
 * not 0. */
SPMMI_HOST_DEVICE static inline double spmmi_certify_ratio(const struct spmmi_certify_rule *rule,
                                                           double bound, struct spmmi_certify_sum product,
                                                           struct spmmi_certify_sum before,
                                                           struct spmmi_certify_sum result)
{
    struct spmmi_certify_sum error = {-result.sum, -result.rest};
    if (rule->alpha != 0)
        spmmi_certify_add_product(&error, rule->alpha, product);
    if (rule->beta != 0)
        spmmi_certify_add_product(&error, rule->beta, before);
    return fabs(error.sum + error.rest) / bound;
}

#endif
