/* SPDX-License-Identifier: Apache-2.0 */
/* The 16-bit value types binary16 (IEEE 754) and bfloat16, each in a uint16_t. They are stored but never
 * computed with.
 *
 * Conversions to 16 bits round once, to nearest with ties to even, also from f64. Overflow gives infinity,
 * and a NaN becomes a quiet NaN. Conversions from 16 bits are exact. */
#ifndef SPMMI_HALF_H
#define SPMMI_HALF_H

#include <stdint.h>
#include <string.h>

#define SPMMI_F16_FRACTION_BITS 10
#define SPMMI_F16_EXPONENT_MAX 31 /* exponent field of infinity; the bias is half of it, rounded down */
#define SPMMI_BF16_FRACTION_BITS 7
#define SPMMI_BF16_EXPONENT_MAX 255

/* Rounds value to a format with fraction_bits of fraction and the largest exponent field exponent_max, both
 * smaller than those of binary64. */
static inline uint16_t spmmi_half_from_f64(double value, int fraction_bits, int exponent_max)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << 15;
    const uint32_t infinity = (uint32_t)exponent_max << fraction_bits;
    const int wide = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int exponent = wide - 1023 + exponent_max / 2;
    int shift = 52 - fraction_bits;
    if (wide == 0x7ff && fraction != 0)
        return (uint16_t)(sign | infinity | (uint32_t)(fraction >> shift) | 1u << (fraction_bits - 1));
    if (exponent >= exponent_max)
        return (uint16_t)(sign | infinity);
    if (exponent < 1) /* subnormal: the implicit leading bit moves into the fraction */
        shift += 1 - exponent;
    if (shift > 53) /* below half of the smallest subnormal number */
        return (uint16_t)sign;
    const uint64_t significand = fraction | UINT64_C(1) << 52;
    const uint64_t half = UINT64_C(1) << (shift - 1), rest = significand & (2 * half - 1);
    uint32_t rounded = (uint32_t)(significand >> shift);
    rounded += rest > half || (rest == half && (rounded & 1) != 0);
    /* The leading bit of the significand, or a carry from rounding, adds 1 to the exponent field. */
    if (exponent > 1)
        rounded += (uint32_t)(exponent - 1) << fraction_bits;
    return (uint16_t)(sign | rounded);
}

static inline uint16_t spmmi_f16_from_f64(double value)
{
    return spmmi_half_from_f64(value, SPMMI_F16_FRACTION_BITS, SPMMI_F16_EXPONENT_MAX);
}

static inline uint16_t spmmi_bf16_from_f64(double value)
{
    return spmmi_half_from_f64(value, SPMMI_BF16_FRACTION_BITS, SPMMI_BF16_EXPONENT_MAX);
}

/* The conversion from f32 to f64 is exact, so the value is rounded once. */
static inline uint16_t spmmi_f16_from_f32(float value)
{
    return spmmi_f16_from_f64((double)value);
}

static inline uint16_t spmmi_bf16_from_f32(float value)
{
    return spmmi_bf16_from_f64((double)value);
}

static inline float spmmi_f32_from_f16(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half >> 15) << 31;
    const uint32_t exponent = half >> SPMMI_F16_FRACTION_BITS & SPMMI_F16_EXPONENT_MAX;
    const uint32_t fraction = half & ((1u << SPMMI_F16_FRACTION_BITS) - 1);
    uint32_t bits = exponent == SPMMI_F16_EXPONENT_MAX ? 0x7f800000u : (exponent + 127 - 15) << 23;
    float value = 0;
    if (exponent == 0) { /* zero or subnormal: a multiple of 2^-24, which is a normal number in f32 */
        value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    } else {
        bits |= fraction << (23 - SPMMI_F16_FRACTION_BITS);
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float spmmi_f32_from_bf16(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
