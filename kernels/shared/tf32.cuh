// SPDX-License-Identifier: Apache-2.0
// Values of f32 as tensor cores multiply them: rounded to tf32, or split into two such values.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

// Rounds to the nearest value of 11 significant bits: ties to even on sm_90, which has an instruction for
// this, else away from zero. NaN and Inf stay what they are.
__device__ __forceinline__ uint32_t round_tf32(float x)
{
    uint32_t rounded;
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
#else
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
#endif
    return rounded;
}

// Splits x = high + low: high is rounded as above, low is exact. If x is NaN or Inf, or if high overflows,
// low makes a sum over it NaN; the sum is then computed again without splitting.
__device__ __forceinline__ void split_tf32(float x, uint32_t &high, uint32_t &low)
{
    high = round_tf32(x);
    low = __float_as_uint(x - __uint_as_float(high));
}

} // namespace spmmi
