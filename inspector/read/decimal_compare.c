/* SPDX-License-Identifier: Apache-2.0 */
/* The exact comparison for decimal.h, with natural numbers of fixed size.
 *
 * D * 10^E is compared with m * 2^e by scaling both to integers: the side with a negative power is left
 * unchanged and the other side is multiplied. Halfway points between doubles have at most 767 significant
 * digits, so digits after the 768th matter only if one of them is not zero. They are replaced by a single
 * digit 1.
 * Bits needed: D has 769 digits (2,555 bits). E is in [-1,131, 328] and e in [-1,075, 971] for every number
 * that decimal.c passes, so neither side exceeds 2,555 + 1,075 + 64 bits or 64 + 2.33 * 1,131 + 1,131
 * bits. */
#include <assert.h>

#include "decimal.h"
#include "digits.h"

#define LIMBS 160 /* 32-bit limbs: 5,120 bits */
#define DIGITS_KEPT 768

struct natural {
    uint32_t limb[LIMBS]; /* least significant limb first */
    int count;            /* limbs in use; the last one is not zero */
};

/* Computes n = n * factor + addend. */
static void multiply_add(struct natural *n, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < n->count; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        assert(n->count < LIMBS);
        n->limb[n->count++] = (uint32_t)carry;
    }
}

static void multiply_power_of_five(struct natural *n, int64_t power)
{
    for (; power >= 13; power -= 13)
        multiply_add(n, 1220703125, 0); /* 5^13 */
    for (; power > 0; power--)
        multiply_add(n, 5, 0);
}

static void shift_left(struct natural *n, int64_t bits)
{
    const int limbs = (int)(bits / 32);
    assert(n->count > 0 && n->count + limbs < LIMBS);
    for (int i = n->count - 1; i >= 0; i--)
        n->limb[i + limbs] = n->limb[i];
    for (int i = 0; i < limbs; i++)
        n->limb[i] = 0;
    n->count += limbs;
    multiply_add(n, UINT32_C(1) << (bits % 32), 0);
}

static int compare(const struct natural *a, const struct natural *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* Converts the digits to an integer. Returns the power of ten of its last digit. */
static int64_t collect(const struct spmmi_decimal *decimal, struct natural *n)
{
    int kept = 0;
    int64_t dropped = 0;
    bool sticky = false;
    n->count = 0;
    for (const char *p = decimal->begin; p < decimal->end; p++) {
        if (*p == '.' || (kept == 0 && *p == '0'))
            continue;
        if (kept < DIGITS_KEPT) {
            multiply_add(n, 10, (uint32_t)(*p - '0'));
            kept++;
        } else {
            sticky = sticky || *p != '0';
            dropped++;
        }
    }
    if (sticky) {
        multiply_add(n, 10, 1);
        dropped--;
    }
    return decimal->exponent + dropped;
}

int spmmi_decimal_compare(const struct spmmi_decimal *decimal, uint64_t m, int e)
{
    struct natural left;
    struct natural right = {{(uint32_t)m, (uint32_t)(m >> 32)}, m >> 32 != 0 ? 2 : 1};
    const int64_t ten = collect(decimal, &left);
    assert(ten > -1300 && ten < 400 && e > -1300 && e < 1100);
    if (ten >= 0)
        multiply_power_of_five(&left, ten);
    else
        multiply_power_of_five(&right, -ten);
    /* Only powers of two remain: 2^ten on the left, 2^e on the right. */
    if (ten >= e)
        shift_left(&left, ten - e);
    else
        shift_left(&right, e - ten);
    return compare(&left, &right);
}
