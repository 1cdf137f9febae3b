// SPDX-License-Identifier: Apache-2.0
// 16 bytes that begin at any address, made from words that begin at multiples of 16 bytes.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

// Two adjacent words.
struct TwoWords {
    uint32_t x[8];

    __device__ __forceinline__ void set(int half, const uint4 &v)
    {
        x[4 * half] = v.x;
        x[4 * half + 1] = v.y;
        x[4 * half + 2] = v.z;
        x[4 * half + 3] = v.w;
    }
    // Returns 16 bytes from byte `shift` on, an even number below 16.
    __device__ __forceinline__ uint4 shifted(uint32_t shift) const
    {
        uint32_t by_two[6], by_one[5];
#pragma unroll
        for (int i = 0; i < 6; i++)
            by_two[i] = (shift & 8) != 0 ? x[i + 2] : x[i];
#pragma unroll
        for (int i = 0; i < 5; i++)
            by_one[i] = (shift & 4) != 0 ? by_two[i + 1] : by_two[i];
        const uint32_t bits = 8 * (shift & 2);
        return make_uint4(
            __funnelshift_r(by_one[0], by_one[1], bits), __funnelshift_r(by_one[1], by_one[2], bits),
            __funnelshift_r(by_one[2], by_one[3], bits), __funnelshift_r(by_one[3], by_one[4], bits));
    }
};

} // namespace spmmi
