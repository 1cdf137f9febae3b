// SPDX-License-Identifier: Apache-2.0
// bcsr family: column-major B and C (docs/decisions/0078). In a column of B, the rows of a block column are
// contiguous, as the second operand of an MMA needs them, so B is not transposed. Sums of C pass through
// shared memory once, in the space of the stages, so that a warp stores whole columns of a block-row group.
#pragma once
#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_columns.cuh"

namespace spmmi {

// Operands of a lane in a block column for TILES MMAs of 8 columns: words t and t + 4 of
// column g. A word is one value of 4 bytes or two values of 2 bytes. ldmatrix gives lane 4 g + t
// word t of row g of each 8 x 16 bytes.
template <typename T, int TILES> struct BcsrColumns {
    uint32_t x[TILES][2];
    // Returns the offset of the address that a lane gives ldmatrix. Lane i addresses column i % 8, half
    // i / 8 % 2 of the block column; lanes 16 .. 31 address the next 8 columns.
    static __device__ __forceinline__ int begin(int pitch, int lane)
    {
        return (lane % 8 + (TILES > 1 ? lane / 16 * 8 : 0)) * pitch + lane / 8 % 2 * (16 / (int)sizeof(T));
    }
    __device__ __forceinline__ BcsrColumns(const T *columns, int pitch)
    {
        const uint32_t from = (uint32_t)__cvta_generic_to_shared(columns);
        if constexpr (TILES == 1) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                         : "=r"(x[0][0]), "=r"(x[0][1])
                         : "r"(from));
        } else {
#pragma unroll
            for (int q = 0; q < TILES; q += 2)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(x[q][0]), "=r"(x[q][1]), "=r"(x[q + 1][0]), "=r"(x[q + 1][1])
                             : "r"(from + 8 * q * pitch * (int)sizeof(T)));
        }
    }
    // Returns a value of 4 bytes.
    __device__ __forceinline__ float value(int m, int i) const
    {
        return __uint_as_float(x[m][i]);
    }
};

// Operands of 8-byte values, which ldmatrix cannot load in this order.
template <int TILES> struct BcsrColumns<double, TILES> {
    double x[TILES][2];
    static __device__ __forceinline__ int begin(int pitch, int lane)
    {
        return lane / 4 * pitch + lane % 4;
    }
    __device__ __forceinline__ BcsrColumns(const double *columns, int pitch)
    {
#pragma unroll
        for (int q = 0; q < TILES; q++) {
            x[q][0] = columns[8 * q * pitch];
            x[q][1] = columns[8 * q * pitch + 4];
        }
    }
    __device__ __forceinline__ double value(int m, int i) const
    {
        return x[m][i];
    }
};

// Synchronises all warps that multiply.
template <typename Shape> __device__ __forceinline__ void join_multipliers()
{
    asm volatile("bar.sync 1, %0;" ::"n"(32 * Shape::WARPS) : "memory");
}

template <typename Shape> constexpr int BCSR_UNIT_ROWS = (int)SPMMI_BCSR_ROWS *Shape::DOWN *Shape::HEIGHT;

} // namespace spmmi
