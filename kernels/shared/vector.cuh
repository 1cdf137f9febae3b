// SPDX-License-Identifier: Apache-2.0
// VEC values that a lane loads, sums and stores together.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

template <typename T, int VEC> struct Vector {
    T x[VEC];

    __device__ __forceinline__ void fma(T a, const Vector &b)
    {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            x[i] = ::fma(a, b.x[i], x[i]);
    }
    __device__ __forceinline__ void add(const Vector &b)
    {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            x[i] += b.x[i];
    }
};

// The machine type of one load: 2, 4, 8 or 16 bytes.
template <int BYTES> struct Word;
template <> struct Word<2> {
    using type = uint16_t;
};
template <> struct Word<4> {
    using type = uint32_t;
};
template <> struct Word<8> {
    using type = uint2;
};
template <> struct Word<16> {
    using type = uint4;
};

// A vector as the words by which it is loaded and stored: one word, or several of 16 bytes. Three values are
// three words.
template <typename T, int VEC> union Bits {
    static constexpr int BYTES = VEC == 3 ? (int)sizeof(T) : sizeof(T) * VEC < 16 ? (int)sizeof(T) * VEC : 16;
    static constexpr int WORDS = sizeof(T) * VEC / BYTES;
    using WordT = typename Word<BYTES>::type;
    Vector<T, VEC> vector;
    WordT word[WORDS];
    __device__ __forceinline__ Bits()
    {
    }
};

template <typename T, int VEC> __device__ __forceinline__ Vector<T, VEC> load_vector(const T *p)
{
    using BitsT = Bits<T, VEC>;
    BitsT bits;
#pragma unroll
    for (int i = 0; i < BitsT::WORDS; i++)
        bits.word[i] = reinterpret_cast<const typename BitsT::WordT *>(p)[i];
    return bits.vector;
}

// Loads past the L1 cache, for data that other blocks of the same launch wrote.
template <typename T, int VEC> __device__ __forceinline__ Vector<T, VEC> load_vector_l2(const T *p)
{
    using BitsT = Bits<T, VEC>;
    BitsT bits;
#pragma unroll
    for (int i = 0; i < BitsT::WORDS; i++)
        bits.word[i] = __ldcg(reinterpret_cast<const typename BitsT::WordT *>(p) + i);
    return bits.vector;
}

// Loads by the read-only path, for data that nobody writes while the kernel runs or starts early
// (launch.cuh).
template <typename T, int VEC> __device__ __forceinline__ Vector<T, VEC> load_vector_const(const T *p)
{
    using BitsT = Bits<T, VEC>;
    BitsT bits;
#pragma unroll
    for (int i = 0; i < BitsT::WORDS; i++)
        bits.word[i] = __ldg(reinterpret_cast<const typename BitsT::WordT *>(p) + i);
    return bits.vector;
}

template <typename T, int VEC> __device__ __forceinline__ void store_vector(T *p, const Vector<T, VEC> &v)
{
    using BitsT = Bits<T, VEC>;
    BitsT bits;
    bits.vector = v;
#pragma unroll
    for (int i = 0; i < BitsT::WORDS; i++)
        reinterpret_cast<typename BitsT::WordT *>(p)[i] = bits.word[i];
}

} // namespace spmmi
