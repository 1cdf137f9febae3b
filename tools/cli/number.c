/* SPDX-License-Identifier: Apache-2.0 */
/* See number.h. */
#include "number.h"

#include <float.h>
#include <math.h>

/* One row per type. */
static const struct value_type types[] = {
    {SPMM_F32, SPMM_F32, "<f4", "<f4", 0x1p-24, 0x1p-149, (double)FLT_MAX, 0x1.ffffffp127, 0x1p-113, 0, 0, 0,
     0},
    {SPMM_F64, SPMM_F64, "<f8", "<f8", 0x1p-53, 0x1p-1074, DBL_MAX, (double)INFINITY, 0.0, 0, 0, 0, 0},
    {SPMM_F16, SPMM_F32, "<f2", "<f2", 0x1p-11, 0x1p-24, 65504.0, 65520.0, 0x1p-14, 1, 10, -14, 15},
    {SPMM_BF16, SPMM_F32, "<V2", "|V2", 0x1p-8, 0x1p-133, 0x1.fep127, 0x1.ffp127, 0x1p-126, 1, 7, -126, 127},
};
#define TYPE_COUNT ((int)(sizeof types / sizeof types[0]))

const struct value_type *value_type_at(int index)
{
    return index >= 0 && index < TYPE_COUNT ? &types[index] : NULL;
}

const struct value_type *value_type(spmm_dtype_t dtype)
{
    const struct value_type *type = types;
    while (type->type != dtype)
        type++;
    return type;
}

uint16_t value_infinity_bits(const struct value_type *type)
{
    return (uint16_t)((type->exponent_max * 2 + 1) << type->fraction_bits);
}

double value_round(spmm_dtype_t dtype, double value)
{
    int exponent = 0;
    if (dtype == SPMM_F32)
        return (double)(float)value;
    if (dtype == SPMM_F64 || !isfinite(value))
        return value;
    const struct value_type *type = value_type(dtype);
    (void)frexp(value, &exponent); /* 2^(exponent - 1) <= |value| */
    exponent = exponent - 1 < type->exponent_min ? type->exponent_min : exponent - 1;
    /* Numbers with this exponent are multiples of one step. Scaling by a power of two is exact. */
    const int step = exponent - type->fraction_bits;
    const double rounded = ldexp(nearbyint(ldexp(value, -step)), step);
    return fabs(rounded) > type->largest ? copysign((double)INFINITY, value) : rounded;
}

static double decode(const struct value_type *type, uint16_t bits)
{
    const int field = (bits & 0x7fff) >> type->fraction_bits;
    const int fraction = bits & ((1 << type->fraction_bits) - 1);
    double value;
    if (field == type->exponent_max * 2 + 1)
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (field == 0)
        value = ldexp(fraction, type->exponent_min - type->fraction_bits);
    else
        value =
            ldexp(fraction + (1 << type->fraction_bits), field - type->exponent_max - type->fraction_bits);
    return (bits & 0x8000) != 0 ? -value : value;
}

/* Returns the bits of value, which must be a number of the type. */
static uint16_t encode(const struct value_type *type, double value)
{
    const int sign = signbit(value) ? 0x8000 : 0;
    const int infinity = value_infinity_bits(type);
    const double least_normal = ldexp(1.0, type->exponent_min);
    int exponent = 0;
    if (isnan(value))
        return (uint16_t)(sign | infinity | 1 << (type->fraction_bits - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinity);
    if (fabs(value) < least_normal)
        return (uint16_t)(sign | (int)ldexp(fabs(value), type->fraction_bits - type->exponent_min));
    const double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    const int field = exponent - 1 + type->exponent_max;
    const int magnitude =
        ((field - 1) << type->fraction_bits) + (int)ldexp(fraction, type->fraction_bits + 1);
    return (uint16_t)(sign | magnitude);
}

double value_get(spmm_dtype_t dtype, const void *array, int64_t at)
{
    if (dtype == SPMM_F32)
        return (double)((const float *)array)[at];
    if (dtype == SPMM_F64)
        return ((const double *)array)[at];
    return decode(value_type(dtype), ((const uint16_t *)array)[at]);
}

void value_set(spmm_dtype_t dtype, void *array, int64_t at, double value)
{
    if (dtype == SPMM_F32)
        ((float *)array)[at] = (float)value;
    else if (dtype == SPMM_F64)
        ((double *)array)[at] = value;
    else
        ((uint16_t *)array)[at] = encode(value_type(dtype), value_round(dtype, value));
}
