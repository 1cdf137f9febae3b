// SPDX-License-Identifier: Apache-2.0
// From the C arguments of a launch to a kernel instance, and the table of instances of one value type.
#pragma once
#include "kernels/shared/launch.cuh"
#include "rows_single.cuh"

namespace spmmi {

// Launch a kernel whose groups have LANES lanes and whose column tiles are WIDTH columns wide.
template <typename T, int LANES, int WIDTH>
int launch(void (*kernel)(RowsArgs<T>), const struct spmmi_rows_cuda *args)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    RowsArgs<T> a;
    a.columns = args->stream.columns;
    a.values = static_cast<const T *>(args->stream.values);
    a.rank_start = args->stream.rank_start;
    a.row_of_rank = args->stream.row_of_rank;
    a.empty_rows = args->stream.empty_rows;
    a.item_rank = args->items.item_rank;
    a.item_start = args->items.item_start;
    a.b = static_cast<const T *>(args->b);
    a.c = static_cast<T *>(args->c);
    a.slots = static_cast<T *>(args->slots);
    a.arrivals = args->arrivals;
    a.arrival_tag = args->arrival_tag;
    // C = 1 * C needs no work.
    a.empty_count = args->beta == 1.0 ? 0 : args->stream.empty_count;
    a.item_count = args->items.item_count;
    a.items_per_group = args->items_per_group;
    a.blocks = reinterpret_cast<const uint2 *>(args->blocks);
    a.item_size_log2 = 0;
    while (1u << a.item_size_log2 < args->items.item_size)
        a.item_size_log2++;
    a.block_nonzeros = args->block_nonzeros;
    a.nnz = args->stream.nnz;
    a.ranks = args->stream.ranks;
    a.last_row = args->rows_of_c - 1;
    a.last_column = args->rows_of_b - 1;
    a.work_blocks = args->block_count;
    a.ldb_bytes = args->ldb * (uint32_t)sizeof(T);
    a.ldc = args->ldc;
    a.n = args->n;
    a.alpha = static_cast<T>(args->alpha);
    a.beta = static_cast<T>(args->beta);

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
    return args->c_is_col_major
               ? launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, true>, args)
               : launch<T, LANES, LANES * VEC>(rows_kernel<T, VEC, LANES, QUADS, SPLIT, false>, args);
}

template <typename T> int launch_single(const struct spmmi_rows_cuda *args)
{
    return launch<T, 32, 32>(rows_single_kernel<T>, args);
}

// QUADS bounds the rows of B in flight, 4 * QUADS a group, by the registers they take.
template <typename T, int VEC> constexpr int quads()
{
    return sizeof(T) * VEC == 16 ? 1 : 2;
}

template <typename T, bool SPLIT, int VEC> spmmi_rows_cuda_fn find_lanes(uint32_t lanes)
{
    switch (lanes) {
    case 1:
        if constexpr (SPLIT && VEC == 1)
            return nullptr; // one column is the single kernel's
        else
            return launch_rows<T, VEC, 1, quads<T, VEC>(), SPLIT>;
    case 2:
        return launch_rows<T, VEC, 2, quads<T, VEC>(), SPLIT>;
    case 4:
        return launch_rows<T, VEC, 4, quads<T, VEC>(), SPLIT>;
    case 8:
        return launch_rows<T, VEC, 8, quads<T, VEC>(), SPLIT>;
    case 16:
        return launch_rows<T, VEC, 16, quads<T, VEC>(), SPLIT>;
    case 32:
        return launch_rows<T, VEC, 32, quads<T, VEC>(), SPLIT>;
    default:
        return nullptr;
    }
}

template <typename T, bool SPLIT> spmmi_rows_cuda_fn find_instance(struct spmmi_rows_shape shape)
{
    constexpr uint32_t WIDE = 16 / sizeof(T);
    if constexpr (SPLIT) {
        if (shape.is_single)
            return launch_single<T>;
    }
    if (shape.vec == WIDE)
        return find_lanes<T, SPLIT, WIDE>(shape.lanes);
    if (shape.vec == 1)
        return find_lanes<T, SPLIT, 1>(shape.lanes);
    return nullptr;
}

} // namespace spmmi
