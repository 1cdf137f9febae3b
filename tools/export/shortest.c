/* SPDX-License-Identifier: Apache-2.0 */
/* See shortest.h. The number of digits is increased until the decimal reads back. If digits and power of ten
 * are exact doubles, which is the usual case, one division or product gives the same double as a reader.
 * Otherwise printf and strtod are used, which both round correctly. */
#include "shortest.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG10_2 0.30102999566398120
#define POWER_MAX 22                 /* 10^22 is the largest power of ten that a double represents exactly */
#define WHOLE_MAX 9007199254740992.0 /* 2^53: doubles represent every whole number up to here */
#define DIGITS_MAX 17                /* enough for any double */
#define TRIAL_BYTES 40

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

enum answer { NO, YES, UNKNOWN };

static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct shortest shortest_of(spmm_dtype_t type)
{
    const struct value_type *t = value_type(type);
    const int bits = -ilogb(t->unit);
    return (struct shortest){.type = t,
                             .digits_first = (int)floor((bits - 1) * LOG10_2),
                             .digits_last = (int)ceil(1 + bits * LOG10_2),
                             .least_normal = ldexp(t->tiny, bits - 1)};
}

/* Returns the whole number nearest to x * 10^shift. near is the product rounded to a double, and error is its
 * rounding error. */
static double scaled(double x, int shift)
{
    const double power = powers[abs(shift)];
    const double near = shift >= 0 ? x * power : x / power;
    const double error = shift >= 0 ? fma(x, power, -near) : fma(-near, power, x) / power;
    const double whole = nearbyint(near), rest = near - whole + error;
    return rest > 0.5 ? whole + 1 : rest < -0.5 ? whole - 1 : whole;
}

/* Returns the power of ten of the first digit of x. Beyond POWER_MAX the result may be off by one near a
 * power of ten. */
static int magnitude_of(double x)
{
    const int m = (int)floor(log10(x));
    if (abs(m) >= POWER_MAX)
        return m;
    const bool is_below = m >= 0 ? x < powers[m] : fma(x, powers[-m], -1) < 0;
    const bool is_above = m >= -1 ? x >= powers[m + 1] : fma(x, powers[-m - 1], -1) >= 0;
    return m - is_below + is_above;
}

/* Rounds x to this number of digits. Returns YES if *d reads back as x, NO if not, UNKNOWN if doubles are not
 * exact here. */
static enum answer try_exact(const struct shortest *s, double x, int magnitude, int digits, struct decimal *d)
{
    const int shift = digits - 1 - magnitude;
    if (abs(shift) > POWER_MAX || abs(magnitude) >= POWER_MAX)
        return UNKNOWN;
    const double whole = scaled(x, shift);
    if (whole > WHOLE_MAX)
        return UNKNOWN;
    const double back = shift >= 0 ? whole / powers[shift] : whole * powers[-shift];
    *d = (struct decimal){(uint64_t)whole, -shift};
    return value_round(s->type->type, back) == x ? YES : NO;
}

/* The same for any x: prints it as "d.ddde-dd" and reads it back. */
static enum answer try_text(const struct shortest *s, double x, int digits, struct decimal *d)
{
    char text[TRIAL_BYTES];
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, x);
    const char *exponent = strchr(text, 'e');
    d->digits = 0;
    for (const char *c = text; c < exponent; c++)
        if (*c != '.')
            d->digits = d->digits * 10 + (uint64_t)(*c - '0');
    d->exponent = atoi(exponent + 1) - (digits - 1);
    return value_round(s->type->type, strtod(text, NULL)) == x ? YES : NO;
}

static struct decimal decimal_of(const struct shortest *s, double x)
{
    struct decimal d;
    const int magnitude = magnitude_of(x);
    for (int digits = x < s->least_normal ? 1 : s->digits_first; digits <= s->digits_last; digits++) {
        enum answer answer = try_exact(s, x, magnitude, digits, &d);
        if (answer == UNKNOWN)
            answer = try_text(s, x, digits, &d);
        if (answer == YES)
            return d;
    }
    (void)try_text(s, x, DIGITS_MAX, &d); /* x is not a number of the type: 17 digits fit any double */
    return d;
}

/* Writes the shorter form, plain or with an exponent: "0.01", "1e-3", "1500", "1.5e20". */
static size_t write_decimal(struct decimal d, char *text)
{
    char digits[DIGITS_MAX + 4];
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)d.digits);
    const int magnitude = count - 1 + d.exponent;
    char power[16] = "";
    const int power_bytes = snprintf(power, sizeof power, "e%d", magnitude);
    const int scientific = count + (count > 1) + power_bytes;
    const int zeros = magnitude < 0 ? -magnitude - 1 : d.exponent; /* in front of the digits or after them */
    if (magnitude < 0 && 2 + zeros + count <= scientific)
        return (size_t)sprintf(text, "0.%.*s%s", zeros, "00000000", digits);
    if (d.exponent >= 0 && count + zeros <= scientific)
        return (size_t)sprintf(text, "%s%.*s", digits, zeros, "00000000");
    const int whole = magnitude >= 0 && d.exponent < 0 && magnitude < count ? magnitude + 1 : 1;
    return (size_t)sprintf(text, "%.*s%s%s%s", whole, digits, count > whole ? "." : "", digits + whole,
                           whole == magnitude + 1 ? "" : power);
}

size_t shortest_write(const struct shortest *s, double value, char text[SHORTEST_BYTES])
{
    size_t at = 0;
    if (signbit(value))
        text[at++] = '-';
    const double x = fabs(value);
    const char *word = isnan(x) ? "nan" : isinf(x) ? "inf" : x == 0 ? "0" : NULL;
    if (word == NULL)
        return at + write_decimal(decimal_of(s, x), text + at);
    memcpy(text + at, word, strlen(word));
    return at + strlen(word);
}
