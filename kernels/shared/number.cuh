// SPDX-License-Identifier: Apache-2.0
// Number types: how they are stored, and in which type their sums are kept.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace spmmi {

template <typename T> struct Number {
    using Sum = T;
    static __device__ __forceinline__ T widen(T x)
    {
        return x;
    }
    static __device__ __forceinline__ T round(T x)
    {
        return x;
    }
};

template <> struct Number<__half> {
    using Sum = float;
    static __device__ __forceinline__ float widen(__half x)
    {
        return __half2float(x);
    }
    static __device__ __forceinline__ __half round(float x)
    {
        return __float2half_rn(x);
    }
};

template <> struct Number<__nv_bfloat16> {
    using Sum = float;
    static __device__ __forceinline__ float widen(__nv_bfloat16 x)
    {
        return __bfloat162float(x);
    }
    static __device__ __forceinline__ __nv_bfloat16 round(float x)
    {
        return __float2bfloat16_rn(x);
    }
};

// alpha * sum + beta * c, rounded once to the stored type; beta = 0 does not look at c.
template <typename T, typename Sum = typename Number<T>::Sum>
__device__ __forceinline__ T scaled_sum(Sum alpha, Sum sum, Sum beta, T c)
{
    const Sum product = alpha * sum;
    return Number<T>::round(beta != Sum(0) ? fma(alpha, sum, beta * Number<T>::widen(c)) : product);
}

} // namespace spmmi
