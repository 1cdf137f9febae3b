// SPDX-License-Identifier: Apache-2.0
// Value types of a rows kernel, and four nonzeros as it loads them.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>

#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

// Replaces the type of A if all values of A are equal. No value is loaded; the arguments contain the value.
struct Uniform {};

// A_: type of A, or Uniform; B_ and C_: types of B and C.
template <typename A_, typename B_ = A_, typename C_ = A_> struct Types {
    using A = A_;
    using B = B_;
    using C = C_;
    using Sum = typename Value<B_>::Sum;
    static constexpr int WIDE = 16 / sizeof(B_); // columns per lane if it loads 16-byte words of B
    static constexpr bool IS_PLAIN = std::is_same<A_, B_>::value && std::is_same<B_, C_>::value;
    // Products of one type, or of uniform A, also have kernels for column-major C. Other products do not.
    static constexpr bool HAS_COLUMN_KERNELS =
        IS_PLAIN || (std::is_same<A_, Uniform>::value && std::is_same<B_, C_>::value);
    // Among 16-bit types, only products with HAS_COLUMN_KERNELS have kernels for pairs of columns. Two columns of
    // f64 are 16 bytes, which is WIDE.
    static constexpr bool HAS_PAIRS = sizeof(B_) == 4 || (sizeof(B_) == 2 && HAS_COLUMN_KERNELS);
};

// Four consecutive nonzeros.
template <typename A> struct Quad {
    uint4 column;
    A stored[4];

    // Uses plain loads: the kernel starts while the kernel that writes the values may still run (launch.cuh).
    __device__ __forceinline__ void load_values(const A *values)
    {
        const Vector<A, 4> four = load_vector<A, 4>(values);
#pragma unroll
        for (int e = 0; e < 4; e++)
            stored[e] = four.x[e];
    }
    __device__ __forceinline__ A value(int e) const
    {
        return stored[e];
    }
};
template <> struct Quad<Uniform> {
    uint4 column;

    __device__ __forceinline__ void load_values(const Uniform *)
    {
    }
    __device__ __forceinline__ Uniform value(int) const
    {
        return Uniform();
    }
};

// Loads a value of A by a plain load, as load_b of rows_few.cuh does.
template <typename A> __device__ __forceinline__ A load_value(const A *values, uint32_t p)
{
    return values[p];
}
__device__ __forceinline__ Uniform load_value(const Uniform *, uint32_t)
{
    return Uniform();
}

template <typename B, int VEC> __device__ __forceinline__ auto widen(const Vector<B, VEC> &b)
{
    Vector<typename Value<B>::Sum, VEC> wide;
#pragma unroll
    for (int i = 0; i < VEC; i++)
        wide.x[i] = Value<B>::widen(b.x[i]);
    return wide;
}

// Widens bf16. Two values are the halves of a word, one instruction each; separate 16-bit values would cost
// registers.
template <int VEC> __device__ __forceinline__ auto widen(const Vector<__nv_bfloat16, VEC> &b)
{
    Vector<float, VEC> wide;
    union {
        Vector<__nv_bfloat16, VEC> vector;
        uint32_t word[(VEC + 1) / 2];
    } bits = {};
    bits.vector = b;
#pragma unroll
    for (int i = 0; i < VEC; i++)
        wide.x[i] = __uint_as_float(i % 2 == 0 ? bits.word[i / 2] << 16 : bits.word[i / 2] & 0xffff0000u);
    return wide;
}

// sum += a * b, in the type of sums.
template <typename B, typename Sum, int VEC>
__device__ __forceinline__ void add_product(Vector<Sum, VEC> &sum, Sum a, const Vector<B, VEC> &b)
{
    const Vector<Sum, VEC> wide = widen(b);
#pragma unroll
    for (int i = 0; i < VEC; i++)
        sum.x[i] = fma(a, wide.x[i], sum.x[i]);
}

} // namespace spmmi
