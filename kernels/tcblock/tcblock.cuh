// SPDX-License-Identifier: Apache-2.0
// Operands for tensor-core kernels that use A as the narrow operand, which is the second operand of an MMA
// and has 8 columns. The product is transposed: an MMA multiplies 8 rows of B by an 8 x 8 block of A and adds
// the result to 8 rows of C. The 16 rows of the MMA are columns of B and C, its 8 columns are rows of A
// (docs/kernels.md).
//
// Positions of a lane in a warp: g = lane / 4, t = lane % 4. A lane holds pairs of columns of two rows of B,
// the rows in positions t and t + 4 of the block. The two columns of pair j are rows g and g + 8 of MMA j.
// The MMA leaves the sums of the pair for rows 2 t and 2 t + 1 of the block in the same lane.
#pragma once
#include <type_traits>

#include "kernels/shared/mma.cuh"
#include "kernels/shared/tf32.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

// Defines how values are converted to MMA operands and multiplied. Wide holds the pairs of a lane of B,
// Narrow the two values of A. Self::operand converts a value to the operand type, Self::mma issues the MMA.
template <typename Self, typename T_, typename Operand> struct ComputeValues {
    using T = T_;
    using Pair = Vector<T, 2>;
    template <int PAIRS> struct Wide {
        Operand x[PAIRS][4];
    };
    struct Narrow {
        Operand x[2];
    };
    template <int PAIRS>
    static __device__ __forceinline__ void widen(Wide<PAIRS> &wide, int j, const Pair &b0, const Pair &b1)
    {
        wide.x[j][0] = Self::operand(b0.x[0]);
        wide.x[j][1] = Self::operand(b0.x[1]);
        wide.x[j][2] = Self::operand(b1.x[0]);
        wide.x[j][3] = Self::operand(b1.x[1]);
    }
    static __device__ __forceinline__ Narrow narrow(const Pair &a)
    {
        return {{Self::operand(a.x[0]), Self::operand(a.x[1])}};
    }
    template <int PAIRS>
    static __device__ __forceinline__ void multiply(T (&sums)[PAIRS][4], const Wide<PAIRS> &b,
                                                    const Narrow &a)
    {
#pragma unroll
        for (int j = 0; j < PAIRS; j++)
            Self::mma(sums[j], b.x[j], a.x);
    }
};

struct ComputeTf32 : ComputeValues<ComputeTf32, float, uint32_t> {
    static __device__ __forceinline__ uint32_t operand(float x)
    {
        return round_tf32(x);
    }
    static __device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_tf32(d, a, b);
    }
};

struct Compute3xTf32 {
    using T = float;
    using Pair = Vector<float, 2>;
    template <int PAIRS> struct Wide {
        uint32_t high[PAIRS][4], low[PAIRS][4];
    };
    struct Narrow {
        uint32_t high[2], low[2];
    };
    template <int PAIRS>
    static __device__ __forceinline__ void widen(Wide<PAIRS> &wide, int j, const Pair &b0, const Pair &b1)
    {
        split_tf32(b0.x[0], wide.high[j][0], wide.low[j][0]);
        split_tf32(b0.x[1], wide.high[j][1], wide.low[j][1]);
        split_tf32(b1.x[0], wide.high[j][2], wide.low[j][2]);
        split_tf32(b1.x[1], wide.high[j][3], wide.low[j][3]);
    }
    static __device__ __forceinline__ Narrow narrow(const Pair &a)
    {
        Narrow n;
        split_tf32(a.x[0], n.high[0], n.low[0]);
        split_tf32(a.x[1], n.high[1], n.low[1]);
        return n;
    }
    // Adds the small products first. Consecutive MMAs add to different sums, so they
    // do not wait for each other.
    template <int PAIRS>
    static __device__ __forceinline__ void multiply(float (&sums)[PAIRS][4], const Wide<PAIRS> &b,
                                                    const Narrow &a)
    {
#pragma unroll
        for (int j = 0; j < PAIRS; j++)
            mma_tf32(sums[j], b.low[j], a.high);
#pragma unroll
        for (int j = 0; j < PAIRS; j++)
            mma_tf32(sums[j], b.high[j], a.low);
#pragma unroll
        for (int j = 0; j < PAIRS; j++)
            mma_tf32(sums[j], b.high[j], a.high);
    }
};

struct ComputeF64 : ComputeValues<ComputeF64, double, double> {
    static __device__ __forceinline__ double operand(double x)
    {
        return x;
    }
    static __device__ __forceinline__ void mma(double (&d)[4], const double (&a)[4], const double (&b)[2])
    {
        mma_f64(d, a, b);
    }
};

// 16-bit values: the two rows of B of a lane are k = 2 t and k = 2 t + 1 of the MMA,
// side by side in one register.
template <typename Half> struct ComputeHalf {
    using T = Half;
    using Pair = Vector<Half, 2>;
    template <int PAIRS> struct Wide {
        uint32_t x[PAIRS][2];
    };
    struct Narrow {
        uint32_t x;
    };
    template <int PAIRS>
    static __device__ __forceinline__ void widen(Wide<PAIRS> &wide, int j, const Pair &b0, const Pair &b1)
    {
        wide.x[j][0] = __byte_perm(word(b0), word(b1), 0x5410);
        wide.x[j][1] = __byte_perm(word(b0), word(b1), 0x7632);
    }
    static __device__ __forceinline__ uint32_t word(const Pair &pair)
    {
        return *reinterpret_cast<const uint32_t *>(pair.x);
    }
    static __device__ __forceinline__ Narrow narrow(const Pair &a)
    {
        return {word(a)};
    }
    static __device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[2], uint32_t b)
    {
        mma_halves<Half>(d, a, b);
    }
    template <int PAIRS>
    static __device__ __forceinline__ void multiply(float (&sums)[PAIRS][4], const Wide<PAIRS> &b,
                                                    const Narrow &a)
    {
#pragma unroll
        for (int j = 0; j < PAIRS; j++)
            mma(sums[j], b.x[j], a.x);
    }
};

template <int WIDTH, typename T>
__device__ __forceinline__ Vector<T, 2> pair_of(const Vector<T, WIDTH> &v, int j)
{
    return {{v.x[2 * j], v.x[2 * j + 1]}};
}

// Returns a lane's two values of a packed block, 0 where A stores none. The values of the block
// begin at values[first]. The function reads no element after values[most + 1], even if a damaged
// table makes `first` too large.
template <typename T>
__device__ __forceinline__ Vector<T, 2> unpack_pair(uint64_t bitmap, int lane, const T *values,
                                                    uint32_t first, uint32_t most)
{
    Vector<T, 2> pair = {};
    const uint32_t low = uint32_t(bitmap), half = lane < 16 ? low : uint32_t(bitmap >> 32);
    const uint32_t shift = 2 * lane % 32, mine = half >> shift;
    values += min(first + (lane < 16 ? 0 : __popc(low)) + __popc(half & ((1u << shift) - 1)), most);
    if ((mine & 1) != 0)
        pair.x[0] = values[0];
    if ((mine & 2) != 0)
        pair.x[1] = values[mine & 1];
    return pair;
}

} // namespace spmmi
