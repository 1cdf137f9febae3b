/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of the 16-bit value types on the CPU, without branches, so that compilers vectorise loops over
 * them. They round to nearest, ties to even. Values that are too large become infinity; a NaN stays a NaN and
 * becomes quiet. */
#ifndef SPMMI_HALF_CPU_H
#define SPMMI_HALF_CPU_H

#include <stdint.h>
#include <string.h>

static inline uint32_t half_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float half_value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float half_from_bf16(uint16_t stored)
{
    return half_value_of((uint32_t)stored << 16);
}

static inline uint16_t half_to_bf16(float value)
{
    const uint32_t bits = half_bits_of(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const uint32_t quiet = bits >> 16 | 0x40;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

/* Returns a if the condition holds, else b. With a conditional expression, compilers might branch around a
 * product or sum that only one side needs, and then they do not vectorise. */
static inline uint32_t half_select(int condition, uint32_t a, uint32_t b)
{
    const uint32_t mask = 0 - (uint32_t)condition;
    return (a & mask) | (b & ~mask);
}

/* Shifted into place, exponent and fraction give a value 2^112 too small, subnormal or not; one exact product
 * corrects it. */
static inline float half_from_f16(uint16_t stored)
{
    const uint32_t magnitude = (uint32_t)(stored & 0x7fff) << 13;
    const uint32_t finite = half_bits_of(half_value_of(magnitude) * 0x1p112f);
    const uint32_t special = magnitude | 0x7f800000;
    const uint32_t sign = (uint32_t)(stored & 0x8000) << 16;
    return half_value_of(sign | half_select(magnitude >= 0x0f800000, special, finite));
}

/* A value below 2^-14 becomes a multiple of 2^-24 in binary16. In its sum with 0.5 this multiple, rounded, is
 * in the low bits. */
static inline uint16_t half_to_f16(float value)
{
    const uint32_t bits = half_bits_of(value);
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t small = half_bits_of(half_value_of(magnitude) + 0.5f) - half_bits_of(0.5f);
    uint32_t half = half_select(magnitude < 0x38800000, small, normal);
    half = half_select(magnitude >= 0x477ff000, 0x7c00,
                       half); /* 65520, the first value that rounds to infinity */
    half = half_select(magnitude > 0x7f800000, 0x7e00, half);
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)half;
}

#endif
