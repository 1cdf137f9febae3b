// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/tf32.cuh with the behaviour of sm_90.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

inline uint32_t round_tf32(float x)
{
    const uint32_t bits = __float_as_uint(x);
    return isfinite(x) ? (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu : bits;
}

inline void split_tf32(float x, uint32_t &high, uint32_t &low)
{
    high = round_tf32(x);
    low = __float_as_uint(x - __uint_as_float(high));
}

} // namespace spmmi
