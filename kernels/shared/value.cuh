// SPDX-License-Identifier: Apache-2.0
// Value types: how values are stored, and the type of their sums.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace spmmi {

template <typename T, bool IS_HALF = sizeof(T) == 2> struct Value {
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

// __half and __nv_bfloat16 use their own conversions, to nearest even.
template <typename T> struct Value<T, true> {
    using Sum = float;
    static __device__ __forceinline__ float widen(T x)
    {
        return static_cast<float>(x);
    }
    static __device__ __forceinline__ T round(float x)
    {
        return T(x);
    }
};

// Returns alpha * sum + beta * c, rounded once to the stored type; beta = 0 does not read c. A sum of 0 stays
// 0 if alpha is infinite or NaN, because it may belong to an empty row.
template <typename T, typename Sum = typename Value<T>::Sum>
__device__ __forceinline__ T scaled_sum(Sum alpha, Sum sum, Sum beta, T c)
{
    const Sum factor = sum != Sum(0) ? alpha : Sum(0);
    const Sum product = factor * sum;
    return Value<T>::round(beta != Sum(0) ? fma(factor, sum, beta * Value<T>::widen(c)) : product);
}

} // namespace spmmi
