// SPDX-License-Identifier: Apache-2.0
// Stores column-major C of bcsr and panel (docs/decisions/0078, 0083). The sums of a unit of ROWS rows
// and a tile of columns are kept in shared memory, in the space of the stages, so that warps can store
// whole columns of the unit.
#pragma once
#include "tcblock_shape.h"
#include "tcblock_sums.cuh"

namespace spmmi {

// Distance between columns of the kept sums, in elements.
template <int ROWS> constexpr int KEPT_PITCH = (int)spmmi_tcblock_kept_pitch(ROWS);

// Stores 16 bytes at a time if the rows of C of a piece are consecutive and aligned. Columns of C must begin
// at multiples of 16 bytes.
template <typename T, int ROWS, int WARPS>
__device__ __forceinline__ void store_pieces(const TcblockArgs<T> &a, const uint32_t *rows, uint32_t tile,
                                             uint32_t end, const typename Value<T>::Sum *kept)
{
    constexpr int PIECE = 16 / (int)sizeof(T), PIECES = ROWS / PIECE;
    const uint32_t first = threadIdx.x % PIECES * PIECE;
    const Vector<uint32_t, PIECE> c_rows = load_vector_const<uint32_t, PIECE>(rows + first);
    bool is_run = c_rows.x[0] % PIECE == 0;
#pragma unroll
    for (int i = 0; i < PIECE; i++)
        is_run = is_run && c_rows.x[i] == c_rows.x[0] + i && c_rows.x[i] < a.rows;
    for (uint32_t j = threadIdx.x / PIECES; j < end; j += 32 * WARPS / PIECES) {
        const auto sums = load_vector<typename Value<T>::Sum, PIECE>(kept + j * KEPT_PITCH<ROWS> + first);
        T *to = a.c + (tile + j) * a.ldc;
        if (is_run) {
            store_whole<T, PIECE>(a, to + c_rows.x[0], sums.x);
            continue;
        }
#pragma unroll
        for (int i = 0; i < PIECE; i++) {
            if (c_rows.x[i] < a.rows)
                store_whole<T, 1>(a, to + c_rows.x[i], {sums.x[i]});
        }
    }
}

// Stores value by value; consecutive lanes store consecutive rows of a column.
template <typename T, int ROWS, int WARPS>
__device__ __forceinline__ void store_values(const TcblockArgs<T> &a, const uint32_t *rows, uint32_t tile,
                                             uint32_t end, const typename Value<T>::Sum *kept)
{
    const uint32_t row = threadIdx.x % ROWS, c_row = __ldg(rows + row);
    if (c_row >= a.rows)
        return;
#pragma unroll 4
    for (uint32_t j = threadIdx.x / ROWS; j < end; j += 32 * WARPS / ROWS)
        store_whole<T, 1>(a, a.c + (tile + j) * a.ldc + c_row, {kept[j * KEPT_PITCH<ROWS> + row]});
}

// Stores COLUMNS columns of C from column `tile` on with WARPS warps. kept: the sums of the tile.
template <typename T, int ROWS, int COLUMNS, int WARPS>
__device__ __forceinline__ void store_columns(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item,
                                              uint32_t tile, const typename Value<T>::Sum *kept)
{
    const uint32_t *rows = a.row_of + uint64_t(item.unit) * ROWS;
    const uint32_t end = min(a.n - tile, (uint32_t)COLUMNS);
    if (a.c_is_wide)
        store_pieces<T, ROWS, WARPS>(a, rows, tile, end, kept);
    else
        store_values<T, ROWS, WARPS>(a, rows, tile, end, kept);
}

} // namespace spmmi
