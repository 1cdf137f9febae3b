/* SPDX-License-Identifier: Apache-2.0 */
/* tf32 on the CPU: f32 values with 11 significant bits. There are no branches, so that
 * compilers vectorise loops. */
#ifndef SPMMI_TF32_CPU_H
#define SPMMI_TF32_CPU_H

#include "kernels/shared/half_cpu.h"

/* Rounds to nearest, ties away from zero, as GPUs before compute capability 9.0 do; later ones round ties to
 * even. Values that are too large become infinity, and NaN is unchanged. */
static inline float tf32_round(float value)
{
    const uint32_t bits = half_bits_of(value);
    const uint32_t rounded = (bits + 0x1000) & 0xffffe000;
    return half_value_of((bits & 0x7fffffff) > 0x7f800000 ? bits : rounded);
}

#endif
