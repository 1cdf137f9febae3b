/* SPDX-License-Identifier: Apache-2.0 */
/* See adversary.h. */
#include "adversary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIDE 16 /* at least the columns of a block of any family */

/* Entry `at` of a row with `length` entries. */
struct position {
    int64_t at, length;
    const struct test_adversary_target *target;
};

/* The factors of one product: the entry of A and the element of B. */
struct factors {
    double a, b;
};

/* Returns the number of bits after the leading bit of a value of the type. */
static int fraction_bits(spmm_dtype_t dtype)
{
    static const int bits[] = {[SPMM_F32] = 23, [SPMM_F64] = 52, [SPMM_F16] = 10, [SPMM_BF16] = 7};
    return bits[dtype];
}

static double just_below(double x, spmm_dtype_t dtype)
{
    return x * (1 - ldexp(1, -fraction_bits(dtype) - 1));
}

/* Both factors are slightly below 1 plus half a step of tf32. They lose almost as much as rounding can lose,
 * and truncating their low halves loses as much as possible. */
static struct factors below_ties(const struct position *position)
{
    const double x = test_value_round(position->target->dtype, 1 + 0x1p-11 - 0x1p-23);
    return (struct factors){x, x};
}

/* Both factors are slightly above 1 plus half a step of tf32: they are rounded up, and so are their low
 * halves. */
static struct factors above_ties(const struct position *position)
{
    const double x = test_value_round(position->target->dtype, 1 + 0x1p-11 + 0x1p-23);
    return (struct factors){x, x};
}

/* The first product is large. The others are so small that a sum of that size drops them. */
static struct factors lost(const struct position *position)
{
    const int exponent = 15 - position->target->sum_bits; /* exponent of a product that is just not dropped */
    if (position->at == 0)
        return (struct factors){0x1p8, 0x1p7};
    return (struct factors){just_below(ldexp(1, exponent / 2), position->target->dtype),
                            ldexp(1, exponent - exponent / 2)};
}

/* The last product cancels the large one, so that even a narrow result, rounded when it is stored, shows the
 * loss. */
static struct factors lost_and_cancelled(const struct position *position)
{
    if (position->at == position->length - 1)
        return (struct factors){-0x1p8, 0x1p7};
    return lost(position);
}

/* Each of the three products of split factors loses almost one bit of a sum slightly above 1: the products
 * with low halves are dropped entirely, and the product of the high halves loses its bits after the sum's
 * last bit. */
static struct factors lost_thrice(const struct position *position)
{
    const spmm_dtype_t dtype = position->target->dtype;
    const double a = 0x1p-6 * (1 + 511 * 0x1p-10) + 0x1p-17 * (1 - 0x1p-9);
    const double b = 0x1p-6 * (1 + 0x1p-10) + 0x1p-17 * 0.65625;
    if (position->at == 0)
        return (struct factors){1, 1};
    return (struct factors){test_value_round(dtype, a), test_value_round(dtype, b)};
}

/* The products of subnormal factors and the largest number are not large. If subnormal factors are aligned
 * like normal ones, the other products lose their last bits and no longer cancel. */
static struct factors beside_subnormal(const struct position *position)
{
    const int is_f16 = position->target->dtype == SPMM_F16, bits = fraction_bits(position->target->dtype);
    const int lowest = is_f16 ? -14 : position->target->dtype == SPMM_F64 ? -1022 : -126;
    const int highest = is_f16 ? 15 : position->target->dtype == SPMM_F64 ? 1023 : 127;
    const int depth = bits < 10 ? bits : 10, exponent = lowest - depth + highest; /* of the product */
    const int others = depth < 10 ? exponent - 8 : exponent, half = others / 2, steps = depth < 10 ? 15 : 31;
    if (position->at < 2) {
        const double sign = position->at == 0 ? 1 : -1;
        return (struct factors){sign * ldexp(1, lowest - depth), ldexp(1, highest)};
    }
    if (position->at % 2 == 0) /* (1 + s d) (1 + d) = 1 + (s + 1) d + s d^2 */
        return (struct factors){ldexp(1 + ldexp(steps, -depth), half),
                                ldexp(1 + ldexp(1, -depth), others - half)};
    return (struct factors){-ldexp(1 + ldexp(steps + 1, -depth), half), ldexp(1, others - half)};
}

static double any(const struct position *position, uint64_t salt, int exponent_max)
{
    const uint64_t key = (uint64_t)position->at;
    const int exponent = (int)(test_hash(key, salt) % (uint64_t)(2 * exponent_max + 1)) - exponent_max;
    const double fraction = (double)(test_hash(key, salt + 1) % (UINT64_C(1) << 52)) * 0x1p-52;
    const double sign = test_hash(key, salt + 2) % 2 == 0 ? 1 : -1;
    return test_value_round(position->target->dtype, sign * ldexp(1 + fraction, exponent));
}

static struct factors of_wide_exponents(const struct position *position)
{
    const int exponent_max = position->target->dtype == SPMM_F16 ? 6 : 30;
    return (struct factors){any(position, 1, exponent_max), any(position, 4, exponent_max)};
}

/* The second product of each pair cancels the first except for its last bits. */
static struct factors in_pairs(const struct position *position)
{
    const struct position first = {position->at - position->at % 2, position->length, position->target};
    const struct factors f = {any(&first, 1, 3), any(&first, 4, 3)};
    return position->at % 2 == 0 ? f : (struct factors){-f.a, just_below(f.b, position->target->dtype)};
}

/* is_strided: no two entries of a row are in the same block; the other entries of the block belong to other
 * rows. */
static const struct adversary {
    const char *name;
    struct factors (*factors)(const struct position *position);
    int64_t length;
    int is_strided;
} adversaries[] = {
    {"one product below ties", below_ties, 1, 1},
    {"one product above ties", above_ties, 1, 1},
    {"64 products below ties", below_ties, 64, 0},
    {"lost one by one", lost, 512, 1},
    {"lost in blocks", lost, 512, 0},
    {"lost one by one and cancelled", lost_and_cancelled, 512, 1},
    {"lost in blocks and cancelled", lost_and_cancelled, 512, 0},
    {"lost thrice", lost_thrice, 512, 1},
    {"beside subnormal factors", beside_subnormal, 8, 0},
    {"wide exponents", of_wide_exponents, 300, 0},
    {"wide exponents one by one", of_wide_exponents, 300, 1},
    {"cancelling pairs", in_pairs, 300, 0},
    {"cancelling pairs one by one", in_pairs, 300, 1},
};

int test_adversary_count(void)
{
    return (int)(sizeof adversaries / sizeof adversaries[0]);
}

int test_adversary_named(const char *name)
{
    int index = 0;
    while (index < test_adversary_count() && strcmp(adversaries[index].name, name) != 0)
        index++;
    if (index == test_adversary_count())
        abort();
    return index;
}

static int64_t columns_of(const struct adversary *adversary)
{
    return adversary->length * (adversary->is_strided ? STRIDE : 1);
}

struct test_matrix *test_adversary_matrix(int index, const struct test_adversary_target *target)
{
    const struct adversary *adversary = &adversaries[index];
    const int64_t length = adversary->length, nnz = TEST_ADVERSARY_ROWS * length;
    struct test_matrix *a = calloc(1, sizeof *a);
    if (a == NULL)
        abort();
    *a = (struct test_matrix){adversary->name,
                              TEST_ADVERSARY_ROWS,
                              columns_of(adversary),
                              nnz,
                              calloc(TEST_ADVERSARY_ROWS + 1, sizeof *a->row_ptr),
                              calloc((size_t)nnz, sizeof *a->col_ind),
                              calloc((size_t)nnz, sizeof *a->values)};
    if (a->row_ptr == NULL || a->col_ind == NULL || a->values == NULL)
        abort();
    for (int64_t p = 0; p < nnz; p++) {
        const int64_t i = p / length;
        const struct position position = {p % length, length, target};
        a->row_ptr[i + 1] = p + 1;
        a->col_ind[p] = (int32_t)(adversary->is_strided ? position.at * STRIDE + i % STRIDE : position.at);
        a->values[p] = (i % 2 == 0 ? 1 : -1) * adversary->factors(&position).a;
    }
    return a;
}

double test_adversary_share(int index, const struct test_adversary_target *target,
                            const struct test_matrix *a, spmm_executor_t *executor, int64_t n,
                            test_product_runner run)
{
    const struct adversary *adversary = &adversaries[index];
    const struct test_product product = {.n = n, .alpha = 1};
    struct test_dense b = test_product_b(a, target->dtype, &product);
    struct test_dense c = test_product_c(a, target->dtype, &product), before = test_dense_copy(&c);
    for (int64_t i = 0; i < a->cols; i++) {
        const struct position position = {adversary->is_strided ? i / STRIDE : i, adversary->length, target};
        for (int64_t j = 0; j < product.n; j++)
            test_dense_set(&b, i, j, (j % 3 == 2 ? -1 : 1) * adversary->factors(&position).b);
    }
    run(executor, &product, &b, &c);
    const struct test_accuracy accuracy = test_product_accuracy(executor, &product, &b, &c);
    const struct test_judgement judgement =
        test_judge_of(&accuracy, a, SPMM_OP_N, product.alpha, &b, product.beta, &before, &c);
    test_dense_free(&before);
    test_dense_free(&c);
    test_dense_free(&b);
    return judgement.ratio;
}
