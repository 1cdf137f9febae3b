// SPDX-License-Identifier: Apache-2.0
// Launches kernel instances with the C arguments, and finds the instance of types T (rows_types.cuh) for a
// shape.
#pragma once
#include "kernels/shared/launch.cuh"
#include "rows.cuh"
#include "rows_lanes.cuh"
#include "rows_short.cuh"
#include "rows_sliced.cuh"
#include "rows_staged.cuh"
#include "rows_teams.cuh"

namespace spmmi {

// Returns log2 of a power of two.
inline uint32_t log2_of(uint32_t x)
{
    uint32_t log2 = 0;
    while (1u << log2 < x)
        log2++;
    return log2;
}

// Launches a kernel whose groups have LANES lanes and whose column tiles are WIDTH columns wide.
template <typename T, int LANES, int WIDTH>
int launch(void (*kernel)(RowsArgs<T>), const struct spmmi_rows_cuda *args)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    RowsArgs<T> a;
    a.columns = args->stream.columns;
    a.narrow = args->stream.narrow;
    a.row_ends = args->stream.row_ends;
    a.values = static_cast<const typename T::A *>(args->stream.values);
    a.rank_start = args->stream.rank_start;
    a.row_of_rank = args->stream.row_of_rank;
    a.empty_rows = args->stream.empty_rows;
    a.item_rank = args->items.item_rank;
    a.item_start = args->items.item_start;
    a.b = static_cast<const typename T::B *>(args->b);
    a.c = static_cast<typename T::C *>(args->c);
    a.slots = static_cast<typename T::Sum *>(args->slots);
    a.pieces = static_cast<typename T::Sum *>(args->pieces);
    a.piece_count = args->piece_count;
    a.piece_pitch = args->piece_pitch;
    a.arrivals = args->arrivals;
    a.arrival_tag = args->arrival_tag;
    // C = 1 * C needs no work.
    a.empty_count = args->beta == 1.0 ? 0 : args->stream.empty_count;
    a.item_count = args->items.item_count;
    a.items_per_group = args->items_per_group;
    a.share_log2 = log2_of(args->share);
    a.blocks = args->slices != nullptr ? reinterpret_cast<const uint2 *>(args->slices)
                                       : reinterpret_cast<const uint2 *>(args->blocks);
    a.item_size_log2 = log2_of(args->items.item_size);
    a.block_nonzeros = args->block_nonzeros;
    a.nnz = args->stream.nnz;
    a.ranks = args->stream.ranks;
    a.last_row = args->rows_of_c - 1;
    a.last_column = args->rows_of_b - 1;
    a.work_blocks = args->block_count;
    a.ldb_bytes = args->ldb * (uint32_t)sizeof(typename T::B);
    a.ldc = args->ldc;
    a.c_row_stride = args->c_is_col_major ? 1 : args->ldc;
    a.c_column_stride = args->c_is_col_major ? args->ldc : 1;
    a.b_has_whole_words = args->b_has_whole_words != 0;
    a.n = args->n;
    a.alpha = static_cast<typename T::Sum>(args->alpha);
    a.beta = static_cast<typename T::Sum>(args->beta);
    a.a_value = static_cast<typename T::Sum>(args->a_value);
    a.prefetches = args->prefetches != 0;
    if (args->keeps_c && a.work_blocks > 0)
        a.empty_count = 0; // blocks that keep C also store empty rows

    constexpr uint32_t EMPTY_ROWS_A_GROUP = 4;
    const uint32_t empty_block = GROUPS * EMPTY_ROWS_A_GROUP;
    const uint32_t empty_blocks = (a.empty_count + empty_block - 1) / empty_block;
    const dim3 grid(a.work_blocks + empty_blocks, (args->n + WIDTH - 1) / WIDTH);
    if (grid.x == 0)
        return cudaSuccess;
    return launch_kernel(kernel, grid, THREADS, 0, args->cuda_stream, args->is_dependent != 0, a);
}

template <typename T, int VEC, int LANES, int QUADS, bool SPLIT>
int launch_rows(const struct spmmi_rows_cuda *args)
{
    if constexpr (!SPLIT && VEC == T::WIDE && sizeof(typename T::B) == 4)
        if (args->is_crowded && !args->c_is_col_major)
            return launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, C_ROWS, 1>, args);
    if (!args->c_is_col_major)
        return launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, C_ROWS>, args);
    if constexpr (T::HAS_COLUMN_KERNELS && VEC != (int)SPMMI_ROWS_APART) {
        if (!args->keeps_c)
            return launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, C_DIRECT>, args);
        if constexpr (sizeof(typename T::C) > 2 && VEC == T::WIDE &&
                      LANES * VEC == (int)SPMMI_ROWS_KEPT_COLUMNS)
            return launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, C_KEPT>, args);
    }
    return cudaErrorInvalidValue;
}

template <typename T, int VEC, int LANES> int launch_staged(const struct spmmi_rows_cuda *args)
{
    return launch<T, LANES, LANES * VEC>(rows_staged_kernel<T, VEC, LANES>, args);
}

template <typename T, int LANES> int launch_lanes(const struct spmmi_rows_cuda *args)
{
    return launch<T, LANES, 1>(rows_lanes_kernel<T, LANES>, args);
}

template <typename T> spmmi_rows_cuda_fn find_lanes_of_one(struct spmmi_rows_shape shape)
{
    static const spmmi_rows_cuda_fn of_lanes[] = {
        launch_lanes<T, 1>,  launch_lanes<T, 2>,  launch_lanes<T, 4>,  launch_lanes<T, 8>,
        launch_lanes<T, 16>, launch_lanes<T, 32>, launch_lanes<T, 256>};
    return of_lanes[shape.lanes > 32 ? 6 : spmmi_rows_grid(shape)];
}

template <typename T, int WARPS, spmmi_slice_index INDEX>
int launch_indices(const struct spmmi_rows_cuda *args)
{
    return launch<T, 1, 1>(rows_sliced_kernel<T, WARPS, INDEX>, args);
}

template <typename T, int WARPS> int launch_sliced(const struct spmmi_rows_cuda *args)
{
    if constexpr (sizeof(typename T::Sum) == 4) {
        if (args->slice_index == SPMMI_INDEX_RUNS_16)
            return launch_indices<T, WARPS, SPMMI_INDEX_RUNS_16>(args);
        if (args->slice_index == SPMMI_INDEX_RUNS_20)
            return launch_indices<T, WARPS, SPMMI_INDEX_RUNS_20>(args);
    }
    switch (args->slice_index) {
    case SPMMI_INDEX_16:
        return launch_indices<T, WARPS, SPMMI_INDEX_16>(args);
    case SPMMI_INDEX_20:
        return launch_indices<T, WARPS, SPMMI_INDEX_20>(args);
    case SPMMI_INDEX_32:
        return launch_indices<T, WARPS, SPMMI_INDEX_32>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

template <typename T> spmmi_rows_cuda_fn find_sliced(struct spmmi_rows_shape shape)
{
    static const spmmi_rows_cuda_fn of_lanes[] = {launch_sliced<T, 1>, launch_sliced<T, 2>,
                                                  launch_sliced<T, 4>, launch_sliced<T, 8>};
    return of_lanes[spmmi_rows_grid(shape)];
}

template <typename T, int VEC, int LANES> int launch_teams(const struct spmmi_rows_cuda *args)
{
    if (!args->c_is_col_major)
        return launch<T, LANES, LANES * VEC>(rows_teams_kernel<T, VEC, LANES, false>, args);
    if constexpr (T::HAS_COLUMN_KERNELS && VEC != (int)SPMMI_ROWS_APART)
        return launch<T, LANES, LANES * VEC>(rows_teams_kernel<T, VEC, LANES, true>, args);
    return cudaErrorInvalidValue;
}

template <typename T, int VEC, int LANES> int launch_short(const struct spmmi_rows_cuda *args)
{
    return launch<T, LANES, LANES * VEC>(rows_short_kernel<T, VEC, LANES>, args);
}

template <typename T> spmmi_rows_cuda_fn find_staged(struct spmmi_rows_shape shape)
{
    static const spmmi_rows_cuda_fn of_grid[SPMMI_STAGED_GRIDS] = {
        launch_staged<T, 1, 1>, launch_staged<T, 2, 1>, launch_staged<T, 2, 2>, launch_staged<T, 2, 4>};
    return of_grid[spmmi_staged_grid(shape)];
}

// Returns QUADS: a group has 4 * QUADS rows of B in flight, limited by the registers that they need.
template <typename T, int VEC> constexpr int quads()
{
    return VEC == T::WIDE || VEC == (int)SPMMI_ROWS_APART ? 1 : 2;
}

// Returns the launcher of an instance. One column has kernels of its own, and only row splits have teams and
// short rows.
template <typename T, bool SPLIT, int VEC, int LANES> spmmi_rows_cuda_fn instance_of(spmmi_rows_way way)
{
    if constexpr (VEC * LANES == 1) {
        return nullptr;
    } else {
        if constexpr (!SPLIT)
            if (way == SPMMI_ROWS_TEAMS)
                return launch_teams<T, VEC, LANES>;
        if constexpr (!SPLIT && LANES <= (int)SPMMI_ROWS_SHORT_LANES(VEC))
            if (way == SPMMI_ROWS_SHORT)
                return launch_short<T, VEC, LANES>;
        return launch_rows<T, VEC, LANES, quads<T, VEC>(), SPLIT>;
    }
}

template <typename T, bool SPLIT, int VEC> spmmi_rows_cuda_fn find_lanes(struct spmmi_rows_shape shape)
{
    switch (shape.lanes) {
    case 1:
        return instance_of<T, SPLIT, VEC, 1>(shape.way);
    case 2:
        return instance_of<T, SPLIT, VEC, 2>(shape.way);
    case 4:
        return instance_of<T, SPLIT, VEC, 4>(shape.way);
    case 8:
        return instance_of<T, SPLIT, VEC, 8>(shape.way);
    case 16:
        return instance_of<T, SPLIT, VEC, 16>(shape.way);
    case 32:
        return instance_of<T, SPLIT, VEC, 32>(shape.way);
    default:
        return nullptr;
    }
}

template <typename T, bool SPLIT> spmmi_rows_cuda_fn find_instance(struct spmmi_rows_shape shape)
{
    if constexpr (SPLIT) {
        if (shape.way == SPMMI_ROWS_STAGED)
            return find_staged<T>(shape);
    } else {
        if (shape.way == SPMMI_ROWS_LANES)
            return find_lanes_of_one<T>(shape);
        if (shape.way == SPMMI_ROWS_SLICED)
            return find_sliced<T>(shape);
    }
    if (shape.vec == T::WIDE)
        return find_lanes<T, SPLIT, T::WIDE>(shape);
    if constexpr (T::HAS_PAIRS) {
        if (shape.vec == SPMMI_ROWS_PAIR)
            return find_lanes<T, SPLIT, SPMMI_ROWS_PAIR>(shape);
    }
    if constexpr (sizeof(typename T::B) == 4) {
        if (shape.vec == SPMMI_ROWS_APART)
            return shape.lanes == 32 ? instance_of<T, SPLIT, SPMMI_ROWS_APART, 32>(shape.way)
                                     : instance_of<T, SPLIT, SPMMI_ROWS_APART, 16>(shape.way);
    }
    if (shape.vec == 1)
        return find_lanes<T, SPLIT, 1>(shape);
    return nullptr;
}

} // namespace spmmi
