/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for runs of decimal digits, which process eight digits at a time in a 64-bit word, and for
 * integers without overflow.
 *
 * A word holds eight characters, the first one in its lowest byte. Digits are combined in pairs: eight digits
 * become four numbers below 100, then two below 10^4, then one below 10^8. */
#ifndef SPMMI_DIGITS_H
#define SPMMI_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const uint64_t spmmi_pow10_u64[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static inline bool spmmi_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Loads eight characters at p, the first one into the lowest byte. */
static inline uint64_t spmmi_load8(const char *p)
{
    uint64_t word = 0;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Returns how many of the eight characters are digits before the first character that is not a digit. */
static inline unsigned spmmi_digit_run(uint64_t word)
{
    const uint64_t x = word ^ UINT64_C(0x3030303030303030);
    /* The high bit of a byte of x + 0x76 is set for values 10 .. 127; bytes from 128 have it set in x. Only a
     * byte that is not a digit can carry into the next byte, and the bytes after it do not matter. */
    const uint64_t other = ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
    return other == 0 ? 8u : (unsigned)__builtin_ctzll(other) / 8u;
}

/* Returns the value of eight digits. */
static inline uint64_t spmmi_digits8(uint64_t word)
{
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

/* Returns the value of the first count digits, 0 <= count <= 8. The shift puts zeros in front of them. */
static inline uint64_t spmmi_digits_first(uint64_t word, unsigned count)
{
    return count == 0 ? 0 : spmmi_digits8(word << (64 - 8 * count));
}

/* Reads digits from p: *value = *value * 10^count + digits, modulo 2^64. The caller counts the digits to know
 * whether the value is exact. Returns the first character that is not a digit. */
static inline const char *spmmi_digits_read(const char *p, const char *end, uint64_t *value)
{
    uint64_t w = *value;
    while (end - p >= 8) {
        const uint64_t word = spmmi_load8(p);
        const unsigned run = spmmi_digit_run(word);
        if (run < 8) {
            *value = w * spmmi_pow10_u64[run] + spmmi_digits_first(word, run);
            return p + run;
        }
        w = w * 100000000 + spmmi_digits8(word);
        p += 8;
    }
    for (; p < end && spmmi_is_digit(*p); p++)
        w = w * 10 + (uint64_t)(*p - '0');
    *value = w;
    return p;
}

/* Reads an unsigned integer. Returns its end; NULL if there is no digit or the value is 10^18 or more. */
static inline const char *spmmi_count_read(const char *p, const char *end, uint64_t *value)
{
    const char *start = p;
    *value = 0;
    p = spmmi_digits_read(p, end, value);
    if (__builtin_expect(p - start <= 18, 1))
        return p == start ? NULL : p;
    while (start < p && *start == '0')
        start++;
    return p - start <= 18 ? p : NULL;
}

#endif
