/* SPDX-License-Identifier: Apache-2.0 */
/* See decimal.h.
 *
 * Let w be the first 19 significant digits, and let the number be w * 10^q (w is exact unless digits were
 * left out). With 5^q = T * 2^(k - 127) from the table and w' = w * 2^l, both normalized, X = floor(w' * T /
 * 2^64) is a lower bound of the significand. Its error is less than
 *     1 (floor) + 1 (T is rounded down) + 2^(l + 64) + 1 (digits left out),
 * so the double follows from X unless a halfway point is inside that narrow interval. Only then,
 * decimal_compare.c compares the digits with the halfway point exactly. Exact ties take that path too. */
#include "decimal.h"

#include <string.h>

#include "digits.h"

#define DIGITS_MAX 19 /* 10^19 - 1 < 2^64 */
#define Q_MIN (-342)  /* (10^19 - 1) * 10^-343 is less than half of the smallest double */
#define Q_MAX 308     /* 10^309 is infinite */
/* Exceeds any exponent that the digits of a text in memory could compensate. */
#define EXPONENT_CLAMP INT64_C(1000000000000000)
#define BITS_INFINITE UINT64_C(0x7ff0000000000000)

__extension__ typedef unsigned __int128 uint128;

static const struct {
    uint64_t high, low;
} powers_of_five[] = {
#include "powers_of_five.inc"
};

/* The scanned digits: the number is w * 10^q, or slightly more if digits were left out. */
struct scan {
    struct spmmi_decimal all; /* all digits, for the exact comparison */
    uint64_t w;
    int64_t q;
    bool left_out;
};

static double from_bits(uint64_t bits, bool negative)
{
    double value = 0;
    bits |= (uint64_t)negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Computes the same as round_to_bits for the common case: a normal number whose digits after the 53rd bit are
 * far from one half. Returns 0 in other cases. */
static inline uint64_t round_normal(uint128 x, uint64_t error, int e)
{
    /* 64 of the 75 dropped bits decide, unless the other bits and the error could cross one half. */
    const uint64_t high = (uint64_t)(x >> 64);
    const uint64_t rest = high << 53 | (uint64_t)x >> 11;
    const bool up = rest > INT64_MAX;
    const bool near_half = rest - (UINT64_C(1) << 63) + error <= error;
    if (e < -1022 || e > 1022 || near_half)
        return 0;
    return ((uint64_t)(e + 1022) << 52) + (high >> 11) + up;
}

/* Rounds x * 2^(e - 127). x is a 128-bit lower bound with its top bit set; its error is less than `error`. */
static __attribute__((noinline)) uint64_t round_to_bits(uint128 x, uint128 error, int e,
                                                        const struct spmmi_decimal *all)
{
    const int biased = e + 1023;
    if (biased > 2046)
        return BITS_INFINITE;
    const int drop = biased >= 1 ? 75 : 76 - biased; /* subnormals have fewer than 53 bits */
    if (drop > 129)
        return 0; /* less than half of the smallest double */
    const uint64_t m = drop < 128 ? (uint64_t)(x >> drop) : 0;
    bool up = false;
    bool ambiguous = drop == 129;
    if (!ambiguous) {
        const uint128 half = (uint128)1 << (drop - 1);
        const uint128 rest = drop < 128 ? x & ((half << 1) - 1) : x;
        up = rest > half;
        ambiguous = !up && error > half - rest;
    }
    if (ambiguous) {
        const int side = spmmi_decimal_compare(all, 2 * m + 1, e - 127 + drop - 1);
        up = side > 0 || (side == 0 && (m & 1) != 0);
    }
    /* The hidden bit of m, and a carry out of m, increment the exponent field. */
    return (biased >= 1 ? (uint64_t)(biased - 1) << 52 : 0) + m + up;
}

static inline __attribute__((always_inline)) uint64_t decimal_to_bits(const struct scan *scan)
{
    if (scan->w == 0 || scan->q < Q_MIN)
        return 0;
    if (scan->q > Q_MAX)
        return BITS_INFINITE;
    const int q = (int)scan->q;
    const int l = __builtin_clzll(scan->w);
    const uint64_t w = scan->w << l;
    const uint128 low = (uint128)w * powers_of_five[q - Q_MIN].low;
    uint128 x = (uint128)w * powers_of_five[q - Q_MIN].high + (uint64_t)(low >> 64);
    uint128 error = (uint128)4 + (scan->left_out ? (uint128)1 << (l + 64) : 0);
    /* floor(q * log2(10)); exact in this range of q. */
    int e = (int)(((int64_t)217706 * q) >> 16) + 64 - l;
    if ((x >> 127) == 0) {
        x <<= 1;
        error <<= 1;
        e--;
    }
    /* The error in units of the 64 bits that round_normal examines, plus one for the bits below them. */
    const uint64_t bits = round_normal(x, (uint64_t)(error >> 11) + 2, e);
    return bits != 0 ? bits : round_to_bits(x, error, e, &scan->all);
}

/* Reads more than 19 digits: keeps the first 19 significant ones. p is the first digit or the point. */
static void scan_long(const char *p, struct scan *scan)
{
    const char *end = scan->all.end;
    int kept = 0;
    while (p < end && (*p == '0' || *p == '.'))
        p++;
    scan->all.begin = p;
    scan->w = 0;
    int64_t dropped = 0;
    for (; p < end; p++) {
        if (*p == '.')
            continue;
        if (kept < DIGITS_MAX) {
            scan->w = scan->w * 10 + (uint64_t)(*p - '0');
            kept++;
        } else {
            scan->left_out = scan->left_out || *p != '0';
            dropped++;
        }
    }
    scan->q = scan->all.exponent + dropped;
}

static inline const char *sign_skip(const char *p, const char *end)
{
    return p < end && (*p == '-' || *p == '+') ? p + 1 : p;
}

/* Reads the exponent after e or E. Returns its end; NULL if it has no digits. */
static const char *exponent_read(const char *p, const char *end, int64_t *exponent)
{
    const bool negative = p < end && *p == '-';
    p = sign_skip(p, end);
    if (p == end || !spmmi_is_digit(*p))
        return NULL;
    int64_t sum = 0;
    for (; p < end && spmmi_is_digit(*p); p++)
        sum = sum < EXPONENT_CLAMP ? sum * 10 + (*p - '0') : sum;
    *exponent = negative ? -sum : sum;
    return p;
}

/* Returns the end of `word` at p, ignoring case; NULL if it is not there. `word` is in lower case. */
static const char *word_read(const char *p, const char *end, const char *word)
{
    for (; *word != '\0'; p++, word++)
        if (p == end || (*p | 0x20) != *word)
            return NULL;
    return p;
}

static const char *not_finite_read(const char *p, const char *end, bool negative, double *value)
{
    const char *after = word_read(p, end, "inf");
    if (after != NULL) {
        const char *rest = word_read(after, end, "inity");
        *value = from_bits(BITS_INFINITE, negative);
        return rest != NULL ? rest : after;
    }
    after = word_read(p, end, "nan");
    if (after != NULL)
        *value = from_bits(UINT64_C(0x7ff8000000000000), negative);
    return after;
}

const char *spmmi_decimal_read(const char *p, const char *end, double *value)
{
    struct scan scan = {{NULL, NULL, 0}, 0, 0, false};
    const bool negative = p < end && *p == '-';
    p = sign_skip(p, end);
    const char *digits = p;
    p = spmmi_digits_read(p, end, &scan.w);
    /* A single leading 0, as in 0.123, is not a significant digit. */
    int64_t count = scan.w == 0 && p - digits <= 1 ? 0 : p - digits;
    int64_t fraction = 0;
    bool any = p != digits;
    if (p < end && *p == '.') {
        const char *point = ++p;
        p = spmmi_digits_read(p, end, &scan.w);
        fraction = p - point;
        count += fraction;
        any = any || fraction > 0;
    }
    if (!any)
        return not_finite_read(digits, end, negative, value);
    scan.all.begin = digits;
    scan.all.end = p;
    int64_t exponent = 0;
    if (p < end && (*p | 0x20) == 'e') {
        p = exponent_read(p + 1, end, &exponent);
        if (p == NULL)
            return NULL;
    }
    scan.all.exponent = exponent - fraction;
    scan.q = scan.all.exponent;
    if (__builtin_expect(count > DIGITS_MAX, 0))
        scan_long(digits, &scan);
    if (scan.q == 0 && scan.w <= UINT64_C(1) << 53) { /* then no digit was left out */
        const double magnitude = (double)scan.w;
        *value = negative ? -magnitude : magnitude;
        return p;
    }
    *value = from_bits(decimal_to_bits(&scan), negative);
    return p;
}

const char *spmmi_integer_read(const char *p, const char *end, double *value, bool *inexact)
{
    struct scan scan = {{NULL, NULL, 0}, 0, 0, false};
    *inexact = false;
    const bool negative = p < end && *p == '-';
    p = sign_skip(p, end);
    const char *digits = p;
    p = spmmi_digits_read(p, end, &scan.w);
    if (p == digits)
        return not_finite_read(digits, end, negative, value);
    if (p - digits <= DIGITS_MAX && scan.w <= UINT64_C(1) << 53) {
        const double magnitude = (double)scan.w;
        *value = negative ? -magnitude : magnitude;
        return p;
    }
    scan.all.begin = digits;
    scan.all.end = p;
    if (p - digits > DIGITS_MAX)
        scan_long(digits, &scan);
    const uint64_t bits = decimal_to_bits(&scan);
    *value = from_bits(bits, negative);
    if (bits == BITS_INFINITE) {
        *inexact = true;
    } else if (scan.w != 0) {
        /* Here every integer is normal. */
        const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
        *inexact = spmmi_decimal_compare(&scan.all, m, (int)(bits >> 52) - 1075) != 0;
    }
    return p;
}
