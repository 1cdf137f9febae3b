// SPDX-License-Identifier: Apache-2.0
// panel: row windows share staged rows of B, on tensor cores.  C(m x n) = alpha * P * B(k x n) + beta * C. B
// is row-major, C is row-major or column-major.
//
// layout      tcblock_kernel.h: the columns of a row block, 128 per step; blocks of 8 x 8 of A per window
// block       WINDOWS warps process an item (blockIdx.x), which is steps of a row block of 8 * WINDOWS rows,
//             and a tile of 16 * PAIRS columns (blockIdx.y)
// warp        a row window of 8 rows, and the tile
// lane        two rows of the window, 2 * PAIRS columns (tcblock.cuh has the positions)
// stage       the rows of B that a step needs, copied once for all windows, and the step's blocks of A. There
//             is one stage: while a thread block waits for its copies, others of the multiprocessor multiply.
//             If these are too few, there are two stages (panel_ring.cuh)
// in flight   all of a step (up to 128 rows of B and its blocks of A), and the row numbers of the next step
// sums        in registers, by ascending steps. Items of a split row block leave their sums in slots, which
//             another kernel adds in order (tcblock_sums.cuh)
// zeros       zeros in a block are multiplied by B too, so a sum that is not finite is computed again from
//             the nonzeros alone
// bounds      indices from tables are limited to the size of the arrays, B and C (docs/decisions/0037)
// bound       latency of copies (docs/kernels.md)
#pragma once
#include "panel_shape.h"
#include "kernels/shared/barrier.cuh"
#include "kernels/tcblock/tcblock.cuh"
#include "kernels/tcblock/tcblock_columns.cuh"

namespace spmmi {

template <typename Compute_, int WINDOWS_, int PAIRS_, bool IS_PACKED_, bool IS_WIDE_,
          bool IS_COLUMNS_ = false>
struct PanelShape {
    using Compute = Compute_;
    using T = typename Compute::T;
    static constexpr int WINDOWS = WINDOWS_, PAIRS = PAIRS_;
    static constexpr bool IS_PACKED = IS_PACKED_, IS_WIDE = IS_WIDE_;
    static constexpr bool IS_COLUMNS = IS_COLUMNS_; // C is column-major
    static constexpr int THREADS = 32 * WINDOWS;
    static constexpr int COLUMNS = 16 * PAIRS; // columns of the tile
    // A lane loads GROUP neighbouring columns at once: two pairs of 16-bit values, else one pair. It has
    // GROUPS such groups, 8 * GROUP columns apart.
    static constexpr int GROUP = sizeof(T) == 2 ? 4 : 2;
    static constexpr int GROUPS = 2 * PAIRS / GROUP;
    static constexpr int PIECE = 16 / (int)sizeof(T); // values that are copied at once
    static constexpr int PIECES = COLUMNS / PIECE;    // pieces per row
    // Rows of B begin 32 bytes apart modulo 128. Neighbouring lanes read rows that differ modulo 4, so that
    // simultaneous reads use different banks.
    static constexpr int PITCH = (int)(spmmi_panel_pitch(COLUMNS, sizeof(T)) / sizeof(T));
    static constexpr int B_BYTES = (int)SPMMI_TCBLOCK_PANEL_STEP * PITCH * (int)sizeof(T);
    static constexpr int COPIES =
        (int)SPMMI_TCBLOCK_PANEL_STEP * PIECES / THREADS; // rows of which a thread copies a piece
    // Bytes of the sums of column-major C, which overwrite the stage.
    static constexpr uint32_t KEPT_BYTES =
        IS_COLUMNS ? spmmi_tcblock_kept_bytes(COLUMNS, 8 * WINDOWS, sizeof(T)) : 0;
    static constexpr int RESIDENT = (int)spmmi_panel_resident(COLUMNS, sizeof(T), WINDOWS);
    static_assert(THREADS % PIECES == 0 && COPIES > 0, "copies divide evenly");
    static_assert(KEPT_BYTES % 8 == 0, "the barrier is aligned");
};

// Returns the offset of the barrier of a stage. It is after the sums too, because it is
// alive when they are stored.
template <typename Shape>
__host__ __device__ __forceinline__ uint32_t panel_barrier(const struct spmmi_panel_stage &stage)
{
    return stage.barrier > Shape::KEPT_BYTES ? stage.barrier : Shape::KEPT_BYTES;
}

// Returns the stage for steps of at most this number of blocks and values.
template <typename Shape>
__host__ __device__ __forceinline__ struct spmmi_panel_stage panel_stage(uint32_t blocks, uint32_t values)
{
    return spmmi_panel_stage(Shape::B_BYTES, sizeof(typename Shape::T), Shape::IS_PACKED, blocks, values);
}

// The data that a thread must load before it can copy a step. It is read while the previous step is
// multiplied. The compiler must not be able to prove that any of it is the same for all lanes: it would keep
// such data in uniform registers, and wait for the loads.
template <typename Shape> struct PanelLook {
    uint32_t before; // row of B in front of the thread's first row
    Vector<uint32_t, Shape::COPIES> rows;
    uint32_t first; // first block of window threadIdx.x % 32; after the last window: the end
};

template <typename Shape>
__device__ __forceinline__ void look_at_step(PanelLook<Shape> &look, const TcblockArgs<typename Shape::T> &a,
                                             uint32_t step, uint32_t end)
{
    if (step >= end)
        return;
    const uint32_t first = threadIdx.x / Shape::PIECES * Shape::COPIES;
    const uint32_t *columns = a.columns + uint64_t(step) * SPMMI_TCBLOCK_PANEL_STEP + first;
    look.first = __ldg(a.block_first + uint64_t(step) * Shape::WINDOWS +
                       min(threadIdx.x % 32, (uint32_t)Shape::WINDOWS));
    look.before = first > 0 ? __ldg(columns - 1) : SPMMI_TCBLOCK_NONE;
    look.rows = load_vector<uint32_t, Shape::COPIES>(columns); // a plain load, as in the measurements
}

// Blocks of a step, and the range of blocks of the warp's window.
struct PanelBlocks {
    uint32_t first, count, mine, mine_end;
};

// Returns the blocks of a step, limited to at least one, to the existing blocks, and to the size of a stage.
// Called only when the blocks are needed, because their loads may still be in flight until then.
template <typename Shape>
__device__ __forceinline__ PanelBlocks cut_blocks(const PanelLook<Shape> &look,
                                                  const TcblockArgs<typename Shape::T> &a)
{
    constexpr unsigned ALL = 0xffffffffu;
    const int window = threadIdx.x / 32;
    PanelBlocks blocks;
    blocks.first = min(__shfl_sync(ALL, look.first, 0), a.block_count - 1);
    const uint32_t end = min(min(__shfl_sync(ALL, look.first, Shape::WINDOWS), a.block_count),
                             blocks.first + a.step_blocks_max);
    blocks.count = max(end, blocks.first + 1) - blocks.first;
    blocks.mine = __shfl_sync(ALL, look.first, window) - blocks.first;
    blocks.mine_end = min(__shfl_sync(ALL, look.first, window + 1) - blocks.first, blocks.count);
    return blocks;
}

// Copies the rows of B of a step. Padding repeats a row and is not copied.
template <typename Shape>
__device__ __forceinline__ void copy_rows(unsigned char *stage, const PanelLook<Shape> &look,
                                          const TcblockArgs<typename Shape::T> &a, uint32_t tile)
{
    using T = typename Shape::T;
    const uint32_t piece = threadIdx.x % Shape::PIECES * Shape::PIECE, column = tile + piece;
    const uint32_t first = threadIdx.x / Shape::PIECES * Shape::COPIES;
    T *to = reinterpret_cast<T *>(stage) + first * Shape::PITCH + piece;
    // Columns beyond n are copied but not used.
    const T *b = a.b + (Shape::IS_WIDE && column >= a.n ? 0 : column);
#pragma unroll
    for (int i = 0; i < Shape::COPIES; i++) {
        const bool is_new = look.rows.x[i] != (i > 0 ? look.rows.x[i - 1] : look.before);
        const T *from = row_at(b, min(look.rows.x[i], a.cols - 1), a.ldb_bytes);
        if constexpr (Shape::IS_WIDE) {
            copy_async_if(to + i * Shape::PITCH, from, is_new);
        } else {
            for (int j = 0; j < Shape::PIECE && is_new; j++)
                to[i * Shape::PITCH + j] = column + j < a.n ? __ldg(from + j) : T(0);
        }
    }
}

// Copies the blocks of A of a step. Their values are one bulk copy, which ends at the barrier.
template <typename Shape>
__device__ __forceinline__ void copy_blocks(unsigned char *shared, const struct spmmi_panel_stage &stage,
                                            const PanelBlocks &blocks,
                                            const TcblockArgs<typename Shape::T> &a, Barrier *full)
{
    using T = typename Shape::T;
    uint64_t first = uint64_t(blocks.first) * SPMMI_TCBLOCK_VALUES;
    uint32_t count = blocks.count * SPMMI_TCBLOCK_VALUES;
    if constexpr (Shape::IS_PACKED) {
        const uint32_t last = min(__ldg(a.value_first + blocks.first + blocks.count), a.value_count);
        first = min(__ldg(a.value_first + blocks.first), last) / Shape::PIECE * Shape::PIECE;
        count = min(last - (uint32_t)first, a.step_values_max);
        count = (max(count, 1u) + Shape::PIECE - 1) / Shape::PIECE * Shape::PIECE;
    }
    copy_span(shared + Shape::B_BYTES, a.values + first, count * (uint32_t)sizeof(T), full, threadIdx.x,
              Shape::THREADS);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < blocks.count; i += Shape::THREADS) {
        copy_async<8>(shared + stage.locals + 8 * i, a.locals + uint64_t(blocks.first + i) * 8);
        if constexpr (Shape::IS_PACKED) {
            copy_async<8>(shared + stage.bitmaps + 8 * i, a.bitmaps + blocks.first + i);
            copy_async<4>(shared + stage.offsets + 4 * i, a.value_first + blocks.first + i);
        }
    }
}

// Returns the lane's two values of a block of the stage, which holds `most` values. Locals and
// bitmaps follow the values.
template <typename Shape>
__device__ __forceinline__ Vector<typename Shape::T, 2> staged_pair(const unsigned char *shared,
                                                                    const struct spmmi_panel_stage &stage,
                                                                    uint32_t block, int lane, uint32_t most)
{
    using T = typename Shape::T;
    const T *values = reinterpret_cast<const T *>(shared + Shape::B_BYTES);
    if constexpr (!Shape::IS_PACKED) {
        return load_vector<T, 2>(values + block * SPMMI_TCBLOCK_VALUES + 2 * lane);
    } else {
        const uint32_t *offsets = reinterpret_cast<const uint32_t *>(shared + stage.offsets);
        return unpack_pair(reinterpret_cast<const uint64_t *>(shared + stage.bitmaps)[block], lane, values,
                           offsets[block] - offsets[0], most);
    }
}

// Stores a tile of column-major C. kept: shared memory for its sums.
template <typename Shape>
__device__ __forceinline__ void
store_panel_columns(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item,
                    uint32_t tile,
                    const typename Value<typename Shape::T>::Sum (&row)[2][Shape::GROUPS][Shape::GROUP],
                    typename Value<typename Shape::T>::Sum *kept)
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int GROUP = Shape::GROUP, UNIT_ROWS = 8 * Shape::WINDOWS;
    const int lane = threadIdx.x % 32, first = lane / 4 * GROUP; // first column in the tile
    Sum *to = kept + first * KEPT_PITCH<UNIT_ROWS> + threadIdx.x / 32 * 8 + lane % 4 * 2;
#pragma unroll
    for (int q = 0; q < Shape::GROUPS; q++) {
#pragma unroll
        for (int e = 0; e < GROUP; e++)
            store_vector<Sum, 2>(to + (8 * GROUP * q + e) * KEPT_PITCH<UNIT_ROWS>,
                                 {row[0][q][e], row[1][q][e]});
    }
    __syncthreads();
    store_columns<T, UNIT_ROWS, Shape::COLUMNS, Shape::WINDOWS>(a, item, tile, kept);
}

// Multiplies the blocks of the warp's window in a step by the staged rows of B.
template <typename Shape>
__device__ __forceinline__ void
multiply_step(const unsigned char *shared, const struct spmmi_panel_stage &stage, const PanelBlocks &blocks,
              const TcblockArgs<typename Shape::T> &a,
              typename Value<typename Shape::T>::Sum (&sums)[Shape::PAIRS][4])
{
    using Compute = typename Shape::Compute;
    using T = typename Shape::T;
    constexpr int PAIRS = Shape::PAIRS, GROUP = Shape::GROUP;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const T *rows = reinterpret_cast<const T *>(shared) + GROUP * g;
    const uint16_t *locals = reinterpret_cast<const uint16_t *>(shared + stage.locals) + t;
#pragma unroll 2
    for (uint32_t k = blocks.mine; k < blocks.mine_end; k++) {
        const uint32_t local = locals[4 * k];
        const T *b0 = rows + local % SPMMI_TCBLOCK_PANEL_STEP * Shape::PITCH;
        const T *b1 = rows + (local >> 8) % SPMMI_TCBLOCK_PANEL_STEP * Shape::PITCH;
        typename Compute::template Wide<PAIRS> wide;
#pragma unroll
        for (int q = 0; q < Shape::GROUPS; q++) {
            const Vector<T, GROUP> x0 = load_vector<T, GROUP>(b0 + 8 * GROUP * q);
            const Vector<T, GROUP> x1 = load_vector<T, GROUP>(b1 + 8 * GROUP * q);
#pragma unroll
            for (int j = 0; j < GROUP / 2; j++)
                Compute::template widen<PAIRS>(wide, q * GROUP / 2 + j, pair_of<GROUP>(x0, j),
                                               pair_of<GROUP>(x1, j));
        }
        Compute::template multiply<PAIRS>(
            sums, wide, Compute::narrow(staged_pair<Shape>(shared, stage, k, lane, a.step_values_max)));
    }
}

// Checks and stores the sums of an item.
template <typename Shape>
__device__ __forceinline__ void
finish_panel(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item, uint32_t tile,
             const uint2 &c_rows, unsigned char *shared,
             const typename Value<typename Shape::T>::Sum (&sums)[Shape::PAIRS][4])
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int PAIRS = Shape::PAIRS, GROUP = Shape::GROUP;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    Sum rows_of_sums[Shape::IS_COLUMNS ? 2 : 1][Shape::GROUPS][GROUP];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        Sum(&row)[Shape::GROUPS][GROUP] = rows_of_sums[Shape::IS_COLUMNS ? i : 0];
#pragma unroll
        for (int j = 0; j < PAIRS; j++) {
            row[j / (GROUP / 2)][j % (GROUP / 2) * 2] = sums[j][i];
            row[j / (GROUP / 2)][j % (GROUP / 2) * 2 + 1] = sums[j][2 + i];
        }
        check_window_row<true, Shape::WINDOWS, 8 * GROUP, T, GROUP, Shape::GROUPS>(
            a, item, threadIdx.x / 32, 2 * t + i, tile + GROUP * g, row);
        if constexpr (!Shape::IS_COLUMNS)
            store_window_row<8 * GROUP, T, GROUP, Shape::GROUPS>(
                a, item, threadIdx.x / 32, 2 * t + i, i == 0 ? c_rows.x : c_rows.y, tile + GROUP * g, row);
    }
    if constexpr (Shape::IS_COLUMNS)
        store_panel_columns<Shape>(a, item, tile, rows_of_sums, reinterpret_cast<Sum *>(shared));
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::RESIDENT)
    panel_kernel(const __grid_constant__ TcblockArgs<typename Shape::T> a)
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    extern __shared__ __align__(128) unsigned char shared[];
    const uint32_t tile = blockIdx.y * Shape::COLUMNS;
    const struct spmmi_panel_stage stage = panel_stage<Shape>(a.step_blocks_max, a.step_values_max);
    Barrier *const full = reinterpret_cast<Barrier *>(shared + panel_barrier<Shape>(stage));
    release_dependents();
    if (threadIdx.x == 0)
        init_barrier(full, 1);
    publish_barriers();
    const struct spmmi_tcblock_item item = read_item(a, blockIdx.x);
    const uint2 c_rows = rows_of_lane(a, item, threadIdx.x / 32);
    PanelLook<Shape> look;
    look_at_step(look, a, item.begin, item.end);
    Sum sums[Shape::PAIRS][4] = {};
    if constexpr (Shape::IS_COLUMNS)
        wait_for_previous(); // the previous kernel may convert B
    for (uint32_t step = item.begin; step < item.end; step++) {
        const PanelBlocks blocks = cut_blocks(look, a);
        copy_rows(shared, look, a, tile);
        copy_blocks<Shape>(shared, stage, blocks, a, full);
        commit_copies();
        look_at_step(look, a, step + 1, item.end);
        wait_for_copies<0>();
        wait_for_span(full, (step - item.begin) & 1);
        __syncthreads();
        multiply_step<Shape>(shared, stage, blocks, a, sums);
        __syncthreads();
    }
    finish_panel<Shape>(a, item, tile, c_rows, shared, sums);
    end_after_previous();
}

} // namespace spmmi
