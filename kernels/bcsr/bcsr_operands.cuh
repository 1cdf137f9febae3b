// SPDX-License-Identifier: Apache-2.0
// Operands of the bcsr family. A is the wide operand (the first one of the MMA, 16 rows), B the narrow one
// (the second one, 8 columns). Positions of a lane in a warp: g = lane / 4, t = lane % 4. The lane's sums of
// an MMA are rows g and g + 8, columns 2 t and 2 t + 1.
//
// A type per compute type defines which values of a block a lane holds, how these and B are loaded from
// shared memory, and how they are multiplied: blocks FIRST .. FIRST + COUNT - 1 of a warp's ALL block rows by
// the same rows of B, which are read once. `values` and `rows` are the addresses at which the lane begins to
// read. They are values_of and rows_of values after the block's first value and after row 0 of the columns'
// rows of B. TILES MMAs make a warp's tile of 8 * TILES columns.
//
// Values of 4 or 8 bytes: a lane reads VEC neighbouring columns of a row of B at once and gives one to
// each of VEC MMAs, so MMA j of a group has columns VEC * g + j. Values of 2 bytes: ldmatrix.trans loads
// 8 x 8 pieces of B in the register order of the MMA. multiply_columns does the same with operands of
// column-major B (bcsr_columns.cuh).
#pragma once
#include "bcsr_columns.cuh"
#include "kernels/tcblock/tcblock.cuh"

namespace spmmi {

template <int TILES, typename T>
constexpr int BCSR_VEC = TILES < 16 / (int)sizeof(T) ? TILES : 16 / (int)sizeof(T);

// The two rows of B of a lane, t and t + 4, from column VEC * g of a group of 8 * VEC columns on.
template <typename T, int VEC> struct BlockRows {
    Vector<T, VEC> x0, x1;
    __device__ __forceinline__ BlockRows(const T *rows, int pitch)
    {
        x0 = load_vector<T, VEC>(rows);
        x1 = load_vector<T, VEC>(rows + 4 * pitch);
    }
    static __device__ __forceinline__ int begin(int pitch, int lane)
    {
        return lane % 4 * pitch + VEC * (lane / 4);
    }
};

// The common base of the operands of 4-byte and 8-byte values.
template <typename Self, typename Compute> struct BlockOfValues {
    using T = typename Compute::T;
    using Operand = decltype(Compute::operand(T()));
    static constexpr int COLUMNS = 8; // columns per block
    static __device__ __forceinline__ int values_of(int lane)
    {
        return 16 / (int)sizeof(T) * lane;
    }
    template <int TILES> static __device__ __forceinline__ int rows_of(int pitch, int lane)
    {
        return BlockRows<T, BCSR_VEC<TILES, T>>::begin(pitch, lane);
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void multiply(T (&sums)[ALL][TILES][4], const Self (&blocks)[ALL],
                                                    const T *rows, int pitch)
    {
        constexpr int VEC = BCSR_VEC<TILES, T>;
#pragma unroll
        for (int q = 0; q < TILES / VEC; q++) {
            const BlockRows<T, VEC> b(rows + 8 * VEC * q, pitch);
#pragma unroll
            for (int j = 0; j < VEC; j++) {
                const Operand x[2] = {Compute::operand(b.x0.x[j]), Compute::operand(b.x1.x[j])};
#pragma unroll
                for (int i = FIRST; i < FIRST + COUNT; i++)
                    Compute::mma(sums[i][q * VEC + j], blocks[i].x, x);
            }
        }
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void
    multiply_columns(T (&sums)[ALL][TILES][4], const Self (&blocks)[ALL], const BcsrColumns<T, TILES> &b)
    {
#pragma unroll
        for (int m = 0; m < TILES; m++) {
            const Operand x[2] = {Compute::operand(b.value(m, 0)), Compute::operand(b.value(m, 1))};
#pragma unroll
            for (int i = FIRST; i < FIRST + COUNT; i++)
                Compute::mma(sums[i][m], blocks[i].x, x);
        }
    }
};

struct BlockTf32 : BlockOfValues<BlockTf32, ComputeTf32> {
    uint32_t x[4];
    __device__ __forceinline__ void load(const T *values)
    {
        const Vector<T, 4> a = load_vector<T, 4>(values);
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = round_tf32(a.x[i]);
    }
};

struct Block3xTf32 : BlockOfValues<Block3xTf32, ComputeTf32> {
    uint32_t high[4], low[4];
    __device__ __forceinline__ void load(const T *values)
    {
        const Vector<T, 4> a = load_vector<T, 4>(values);
#pragma unroll
        for (int i = 0; i < 4; i++)
            split_tf32(a.x[i], high[i], low[i]);
    }
    // Multiplies VEC tiles from `tile` on, small products first. Consecutive MMAs add to different sums, so
    // they do not wait for each other.
    template <int FIRST, int COUNT, int VEC, int ALL, int TILES>
    static __device__ __forceinline__ void
    multiply_parts(float (&sums)[ALL][TILES][4], int tile, const Block3xTf32 (&blocks)[ALL],
                   const uint32_t (&b_high)[VEC][2], const uint32_t (&b_low)[VEC][2])
    {
#pragma unroll
        for (int j = 0; j < VEC * COUNT; j++)
            mma_tf32(sums[FIRST + j / VEC][tile + j % VEC], blocks[FIRST + j / VEC].high, b_low[j % VEC]);
#pragma unroll
        for (int j = 0; j < VEC * COUNT; j++)
            mma_tf32(sums[FIRST + j / VEC][tile + j % VEC], blocks[FIRST + j / VEC].low, b_high[j % VEC]);
#pragma unroll
        for (int j = 0; j < VEC * COUNT; j++)
            mma_tf32(sums[FIRST + j / VEC][tile + j % VEC], blocks[FIRST + j / VEC].high, b_high[j % VEC]);
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void multiply_columns(float (&sums)[ALL][TILES][4],
                                                            const Block3xTf32 (&blocks)[ALL],
                                                            const BcsrColumns<T, TILES> &b)
    {
        constexpr int VEC = BCSR_VEC<TILES, T>;
#pragma unroll
        for (int q = 0; q < TILES; q += VEC) {
            uint32_t high[VEC][2], low[VEC][2];
#pragma unroll
            for (int j = 0; j < 2 * VEC; j++)
                split_tf32(b.value(q + j / 2, j % 2), high[j / 2][j % 2], low[j / 2][j % 2]);
            multiply_parts<FIRST, COUNT, VEC>(sums, q, blocks, high, low);
        }
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void
    multiply(float (&sums)[ALL][TILES][4], const Block3xTf32 (&blocks)[ALL], const T *rows, int pitch)
    {
        constexpr int VEC = BCSR_VEC<TILES, T>;
#pragma unroll
        for (int q = 0; q < TILES / VEC; q++) {
            const BlockRows<T, VEC> b(rows + 8 * VEC * q, pitch);
            uint32_t b_high[VEC][2], b_low[VEC][2];
#pragma unroll
            for (int j = 0; j < VEC; j++) {
                split_tf32(b.x0.x[j], b_high[j][0], b_low[j][0]);
                split_tf32(b.x1.x[j], b_high[j][1], b_low[j][1]);
            }
            multiply_parts<FIRST, COUNT, VEC>(sums, q * VEC, blocks, b_high, b_low);
        }
    }
};

struct BlockF64 : BlockOfValues<BlockF64, ComputeF64> {
    double x[4];
    __device__ __forceinline__ void load(const T *values)
    {
        const Vector<T, 2> v0 = load_vector<T, 2>(values);
        const Vector<T, 2> v1 = load_vector<T, 2>(values + 64);
        x[0] = v0.x[0];
        x[1] = v0.x[1];
        x[2] = v1.x[0];
        x[3] = v1.x[1];
    }
};

template <typename Half> struct BlockHalf {
    using T = Half;
    static constexpr int COLUMNS = 16;
    static __device__ __forceinline__ int values_of(int lane)
    {
        return 8 * lane;
    }
    // Lane i gives ldmatrix the address of row i % 16 of B; lanes 16 .. 31 address the next 8 columns.
    template <int TILES> static __device__ __forceinline__ int rows_of(int pitch, int lane)
    {
        return lane % 16 * pitch + (TILES > 1 ? lane / 16 * 8 : 0);
    }
    uint32_t x[4];
    __device__ __forceinline__ void load(const T *values)
    {
        const uint4 v = *reinterpret_cast<const uint4 *>(values);
        x[0] = v.x;
        x[1] = v.y;
        x[2] = v.z;
        x[3] = v.w;
    }
    __device__ __forceinline__ void clear()
    {
        x[0] = x[1] = x[2] = x[3] = 0;
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void multiply_columns(float (&sums)[ALL][TILES][4],
                                                            const BlockHalf (&blocks)[ALL],
                                                            const BcsrColumns<T, TILES> &b)
    {
#pragma unroll
        for (int m = 0; m < TILES; m++) {
#pragma unroll
            for (int i = FIRST; i < FIRST + COUNT; i++)
                mma_halves<Half>(sums[i][m], blocks[i].x, b.x[m][0], b.x[m][1]);
        }
    }
    template <int FIRST, int COUNT, int ALL, int TILES>
    static __device__ __forceinline__ void multiply(float (&sums)[ALL][TILES][4],
                                                    const BlockHalf (&blocks)[ALL], const T *rows, int)
    {
        const uint32_t from = (uint32_t)__cvta_generic_to_shared(rows);
        if constexpr (TILES == 1) {
            uint32_t b0, b1;
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                         : "=r"(b0), "=r"(b1)
                         : "r"(from));
#pragma unroll
            for (int i = FIRST; i < FIRST + COUNT; i++)
                mma_halves<Half>(sums[i][0], blocks[i].x, b0, b1);
        } else {
            uint32_t b[TILES / 2][4]; // all loads are issued before the first use, so their latencies overlap
#pragma unroll
            for (int q = 0; q < TILES / 2; q++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(b[q][0]), "=r"(b[q][1]), "=r"(b[q][2]), "=r"(b[q][3])
                             : "r"(from + 32 * q));
#pragma unroll
            for (int q = 0; q < TILES / 2; q++) {
#pragma unroll
                for (int i = FIRST; i < FIRST + COUNT; i++) {
                    mma_halves<Half>(sums[i][2 * q], blocks[i].x, b[q][0], b[q][1]);
                    mma_halves<Half>(sums[i][2 * q + 1], blocks[i].x, b[q][2], b[q][3]);
                }
            }
        }
    }
};

} // namespace spmmi
