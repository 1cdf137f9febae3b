// SPDX-License-Identifier: Apache-2.0
// Tensor cores with A as the narrow operand, the second one of the MMA, with 8 columns. The product is transposed: an
// MMA multiplies 8 rows of B by an 8 x 8 block of A and adds to 8 rows of C. Its 16 rows are columns of B and C, its 8
// columns are rows of A (docs/kernels.md).
//
// A lane's position in a warp: g = lane / 4, t = lane % 4. It holds pairs of columns of the rows of B in positions t
// and t + 4 of the block: pair j is rows g and g + 8 of MMA j. The sums of that pair in rows 2 t and 2 t + 1 of the
// block come out in the same lane.
#pragma once
#include <type_traits>

#include "kernels/shared/tf32.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

__device__ __forceinline__ void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Half: __half or __nv_bfloat16, two of them in each register of A and B.
template <typename Half>
__device__ __forceinline__ void mma_halves(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if constexpr (std::is_same<Half, __nv_bfloat16>::value)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// How values are multiplied. Wide: the pairs of a lane as MMA operands, Narrow: the lane's two values of A.
// Self has the operand type of a value, and the MMA.
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
    // Small products first. Neighbouring MMAs add to different sums, so that they need not wait for each other.
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
#if __CUDA_ARCH__ >= 900
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
        // The same in quarters: rows g, then g + 8; positions t, then t + 4.
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                : "+d"(d[2 * (i & 1)]), "+d"(d[2 * (i & 1) + 1])
                : "d"(a[i]), "d"(b[i / 2]));
#endif
    }
};

// 16-bit values: the two rows of B of a lane are k = 2 t and 2 t + 1 of the MMA, side by side in a register.
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
        if constexpr (std::is_same<Half, __nv_bfloat16>::value)
            asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(b));
        else
            asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(b));
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

// A lane's two values of a packed block whose values begin at values[first]; 0 where A has none. values[most + 1] may
// be read, and nothing behind it, whatever first says.
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
