// SPDX-License-Identifier: Apache-2.0
// bcsr family: column-major B and C (docs/decisions/0078). In a column of B the rows of a block column, 32 bytes, lie
// one behind the other: as the second operand of an MMA wants them, so that B needs no transposition. Sums of C go
// through shared memory once, where the stages were, so that a warp stores whole columns of a block-row group.
#pragma once
#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

// The operands of a lane in a block column, for TILES MMAs of 8 columns: words t and t + 4 of column g, each a value of
// 4 bytes or two of 2. ldmatrix gives lane 4 g + t word t of row g of each 8 x 16 bytes.
template <typename T, int TILES> struct BcsrColumns {
    uint32_t x[TILES][2];
    // Lane i gives ldmatrix the address of column i % 8, of half i / 8 % 2 of the block column; lanes 16 .. 31 of the
    // next 8 columns.
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
};

// All warps that multiply.
template <typename Shape> __device__ __forceinline__ void join_multipliers()
{
    asm volatile("bar.sync 1, %0;" ::"n"(32 * Shape::WARPS) : "memory");
}

template <typename Shape> constexpr int BCSR_UNIT_ROWS = (int)SPMMI_BCSR_ROWS *Shape::DOWN *Shape::HEIGHT;
template <typename Shape> constexpr int BCSR_SUMS_PITCH = (int)spmmi_bcsr_sums_pitch(BCSR_UNIT_ROWS<Shape>);

// By 16 bytes, where the rows of C follow each other and columns begin at multiples of 16 bytes.
template <typename Shape>
__device__ __forceinline__ void store_pieces(const TcblockArgs<typename Shape::T> &a, const uint32_t *rows,
                                             uint32_t tile, uint32_t end,
                                             const typename Value<typename Shape::T>::Sum *kept)
{
    using T = typename Shape::T;
    constexpr int PIECE = 16 / (int)sizeof(T), PIECES = BCSR_UNIT_ROWS<Shape> / PIECE;
    const uint32_t first = threadIdx.x % PIECES * PIECE;
    const Vector<uint32_t, PIECE> c_rows = load_vector_const<uint32_t, PIECE>(rows + first);
    bool is_run = c_rows.x[0] % PIECE == 0;
#pragma unroll
    for (int i = 0; i < PIECE; i++)
        is_run = is_run && c_rows.x[i] == c_rows.x[0] + i && c_rows.x[i] < a.rows;
    for (uint32_t j = threadIdx.x / PIECES; j < end; j += 32 * Shape::WARPS / PIECES) {
        const auto sums =
            load_vector<typename Value<T>::Sum, PIECE>(kept + j * BCSR_SUMS_PITCH<Shape> + first);
        T *to = a.c + (tile + j) * a.ldc;
        if (is_run) {
            store_sums<T, PIECE>(a, to + c_rows.x[0], PIECE, sums.x);
            continue;
        }
#pragma unroll
        for (int i = 0; i < PIECE; i++) {
            if (c_rows.x[i] < a.rows)
                store_sums<T, 1>(a, to + c_rows.x[i], 1, {sums.x[i]});
        }
    }
}

// Value by value, lanes side by side along a column.
template <typename Shape>
__device__ __forceinline__ void store_values(const TcblockArgs<typename Shape::T> &a, const uint32_t *rows,
                                             uint32_t tile, uint32_t end,
                                             const typename Value<typename Shape::T>::Sum *kept)
{
    using T = typename Shape::T;
    constexpr int ROWS = BCSR_UNIT_ROWS<Shape>;
    const uint32_t row = threadIdx.x % ROWS, c_row = __ldg(rows + row);
    if (c_row >= a.rows)
        return;
#pragma unroll 4
    for (uint32_t j = threadIdx.x / ROWS; j < end; j += 32 * Shape::WARPS / ROWS)
        store_sums<T, 1>(a, a.c + (tile + j) * a.ldc + c_row, 1, {kept[j * BCSR_SUMS_PITCH<Shape> + row]});
}

// The tile's columns of C from `tile` on; kept: their sums.
template <typename Shape>
__device__ __forceinline__ void store_columns(const TcblockArgs<typename Shape::T> &a,
                                              const struct spmmi_tcblock_item &item, uint32_t tile,
                                              const typename Value<typename Shape::T>::Sum *kept)
{
    const uint32_t *rows = a.row_of + uint64_t(item.unit) * a.unit_rows;
    const uint32_t end = min(a.n - tile, (uint32_t)Shape::COLUMNS);
    if (a.c_is_wide)
        store_pieces<Shape>(a, rows, tile, end, kept);
    else
        store_values<Shape>(a, rows, tile, end, kept);
}

} // namespace spmmi
