/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of certify_level.h in C with vectors of 4 doubles, compiled for one level. The including file
 * includes certify_lanes.h and defines TARGET, LEVEL, ADD_EXACT(a, x, sum), which is a x + sum if a x is
 * exact, and PRODUCT_ERROR(a, x, p), the rounding error of the product p = a x. In ADD_EXACT a is a vector
 * and x a double, in PRODUCT_ERROR the reverse. Every level gives the same bits. */
#include "certify_level.h"

#define AT(p) (*(lanes4 *)(p))
#define AT_CONST(p) (*(const lanes4 *)(p))
/* Does what spmmi_certify_add does, for 4 lanes. */
#define ADD(sum, rest, x)                                  \
    do {                                                   \
        const lanes4 x_ = (x), sum_ = (sum) + x_;          \
        const lanes4 part_ = sum_ - (sum);                 \
        (rest) += ((sum) - (sum_ - part_)) + (x_ - part_); \
        (sum) = sum_;                                      \
    } while (0)

/* Uses two sums per lane, so that an addition need not wait for the one before it. */
static TARGET void project(const double *values, int64_t count, const double *signs, int64_t lanes,
                           double *sum)
{
    for (int64_t v = 0; v < lanes; v += 8) {
        lanes4 even = AT(sum + v), odd = {0}, even_high = AT(sum + v + 4), odd_high = {0};
        const double *sign = signs + v;
        int64_t l = 0;
        for (; l + 1 < count; l += 2, sign += 2 * lanes) {
            even = ADD_EXACT(AT_CONST(sign), values[l], even);
            even_high = ADD_EXACT(AT_CONST(sign + 4), values[l], even_high);
            odd = ADD_EXACT(AT_CONST(sign + lanes), values[l + 1], odd);
            odd_high = ADD_EXACT(AT_CONST(sign + lanes + 4), values[l + 1], odd_high);
        }
        if (l < count) {
            even = ADD_EXACT(AT_CONST(sign), values[l], even);
            even_high = ADD_EXACT(AT_CONST(sign + 4), values[l], even_high);
        }
        AT(sum + v) = even + odd;
        AT(sum + v + 4) = even_high + odd_high;
    }
}

static TARGET void multiply_plain(const double *values, const int32_t *columns, int64_t count,
                                  const struct spmmi_certify_projection *from, double *sum)
{
    const int64_t stride = spmmi_certify_stride(from);
    for (int64_t v = 0; v < from->lanes; v += 8) {
        lanes4 s = AT(sum + v), s_high = AT(sum + v + 4);
        for (int64_t q = 0; q < count; q++) {
            const double *x = from->records + columns[q] * stride + v;
            s += AT_CONST(x) * values[q];
            s_high += AT_CONST(x + 4) * values[q];
        }
        AT(sum + v) = s;
        AT(sum + v + 4) = s_high;
    }
}

static TARGET void multiply(const double *values, const int32_t *columns, int64_t count,
                            const struct spmmi_certify_projection *from, double *sum, double *rest)
{
    const int64_t stride = spmmi_certify_stride(from);
    if (!from->has_rest) {
        multiply_plain(values, columns, count, from, sum);
        return;
    }
    for (int64_t v = 0; v < from->lanes; v += 4) {
        lanes4 s = AT(sum + v), r = AT(rest + v);
        for (int64_t q = 0; q < count; q++) {
            const double *x = from->records + columns[q] * stride + v;
            const lanes4 product = AT_CONST(x) * values[q];
            r += PRODUCT_ERROR(values[q], AT_CONST(x), product) + AT_CONST(x + from->lanes) * values[q];
            ADD(s, r, product);
        }
        AT(sum + v) = s;
        AT(rest + v) = r;
    }
}

const struct spmmi_certify_level LEVEL = {project, multiply};
