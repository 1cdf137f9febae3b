// SPDX-License-Identifier: Apache-2.0
// bcsr family: a block of threads owns an item, steps of a strip of WARPS * HEIGHT block rows of 16 rows, and a tile of
// columns of C; each warp has HEIGHT block rows. STAGES steps are on their way at once: the rows of B that a step's block columns name,
// which all warps share, and the step's blocks of A, which lie one behind the other in memory.
#pragma once
#include "bcsr_operands.cuh"
#include "kernels/shared/async.cuh"
#include "kernels/shared/fragment_sums.cuh"

namespace spmmi {

template <typename Block_, int WARPS_, int HEIGHT_, int TILES_, int STAGES_, bool IS_WIDE_> struct BcsrShape {
    using Block = Block_;
    using T = typename Block::T;
    static constexpr int WARPS = WARPS_, HEIGHT = HEIGHT_, TILES = TILES_, STAGES = STAGES_;
    static constexpr bool IS_WIDE = IS_WIDE_;
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int COLUMNS = 8 * TILES; // of the tile of C
    static constexpr int NUMBERS = (int)SPMMI_BCSR_ROWS * Block::COLUMNS;
    static constexpr int BLOCK_BYTES = NUMBERS * (int)sizeof(T);
    static constexpr int ROWS = (int)SPMMI_BCSR_STEP * Block::COLUMNS; // of B, of a step
    static constexpr int PIECE = 16 / (int)sizeof(T);                  // numbers that are copied at once
    static constexpr int PIECES = COLUMNS / PIECE;                     // of a row
    static constexpr int COPIES = (ROWS * PIECES + THREADS - 1) / THREADS;
    // Where rows of B begin in shared memory. ldmatrix reads 16 bytes of 8 rows at once: rows an odd number of 16 bytes
    // apart lie in different banks. Other lanes read rows that differ modulo 4: those 32 bytes apart modulo 128 do.
    static constexpr int ROW_BYTES = COLUMNS * (int)sizeof(T);
    static constexpr int PITCH_BYTES =
        sizeof(T) == 2 ? (ROW_BYTES / 16 | 1) * 16 : ROW_BYTES + (32 - ROW_BYTES % 128 + 128) % 128;
    static constexpr int PITCH = PITCH_BYTES / (int)sizeof(T);
    static constexpr int B_BYTES = ROWS * PITCH_BYTES;
    // Sums of a row that a lane finds side by side.
    static constexpr int VEC = sizeof(T) == 2 ? 1 : BCSR_VEC<TILES, T>;
    static constexpr int GROUPS = TILES * 2 / (VEC == 1 ? 2 : VEC), GROUP = VEC == 1 ? 2 : VEC;
};

// What a thread must know of a step before it can copy; read a step ahead.
struct BcsrLook {
    uint4 columns;
    uint32_t first, end; // blocks
};

template <typename T>
__device__ __forceinline__ void look_at_step(BcsrLook &look, const FragmentArgs<T> &a, uint32_t step,
                                             uint32_t end)
{
    if (step >= end)
        return;
    look.columns = __ldg(reinterpret_cast<const uint4 *>(a.columns) + step);
    look.first = __ldg(a.block_first + step);
    look.end = __ldg(a.block_first + step + 1);
}

// Rows of B; those of a block column that repeats the one before, and is no one's, are left out.
template <typename Shape>
__device__ __forceinline__ void copy_rows(unsigned char *stage, const BcsrLook &look,
                                          const FragmentArgs<typename Shape::T> &a, uint32_t tile)
{
    using T = typename Shape::T;
    constexpr int WIDTH = Shape::Block::COLUMNS;
#pragma unroll
    for (int i = 0; i < Shape::COPIES; i++) {
        const int at = (int)threadIdx.x + i * Shape::THREADS;
        const int row = at / Shape::PIECES, piece = at % Shape::PIECES * Shape::PIECE, q = row / WIDTH;
        const uint32_t c0 = look.columns.x, c1 = look.columns.y, c2 = look.columns.z, c3 = look.columns.w;
        const uint32_t first = q == 0 ? c0 : q == 1 ? c1 : q == 2 ? c2 : c3;
        const uint32_t before = q == 0 ? SPMMI_FRAGMENT_NONE : q == 1 ? c0 : q == 2 ? c1 : c2;
        if (row >= Shape::ROWS || first == before)
            continue;
        const uint32_t k = first + row % WIDTH, column = tile + piece;
        T *to = reinterpret_cast<T *>(stage) + row * Shape::PITCH + piece;
        if constexpr (Shape::IS_WIDE) { // columns beyond n are zero, as rows beyond B
            const bool is_there = k < a.cols && column < a.n;
            copy_async_or_zero(to, row_at(a.b, is_there ? k : 0, a.ldb_bytes) + (is_there ? column : 0),
                               is_there);
        } else {
            const T *from = row_at(a.b, k < a.cols ? k : 0, a.ldb_bytes) + column;
            for (int j = 0; j < Shape::PIECE; j++)
                to[j] = k < a.cols && column + j < a.n ? __ldg(from + j) : T(0);
        }
    }
}

template <typename Shape>
__device__ __forceinline__ void copy_blocks(unsigned char *stage, const BcsrLook &look,
                                            const FragmentArgs<typename Shape::T> &a)
{
    constexpr int MOST =
        Shape::HEIGHT * (int)SPMMI_BCSR_STEP * Shape::BLOCK_BYTES / (16 * 32); // pieces a thread
    const uint32_t pieces = (look.end - look.first) * (Shape::BLOCK_BYTES / 16);
    const unsigned char *from =
        reinterpret_cast<const unsigned char *>(a.values) + uint64_t(look.first) * Shape::BLOCK_BYTES;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        const uint32_t at = threadIdx.x + i * Shape::THREADS;
        if (at < pieces)
            copy_async<16>(stage + Shape::B_BYTES + 16 * at, from + 16 * at);
    }
}

// The sums of row r of block row w, by the numbers of A alone, over an item's steps. Rare, so it may be slow.
template <typename Shape, int N>
__device__ __noinline__ void
sum_blocks_exactly(const FragmentArgs<typename Shape::T> &a, const struct spmmi_fragment_item &item, int w,
                   int r, uint32_t column, typename Number<typename Shape::T>::Sum (&sums)[N])
{
    using T = typename Shape::T;
    constexpr int WIDTH = Shape::Block::COLUMNS, P = Shape::PIECE;
    for (int i = 0; i < N; i++)
        sums[i] = 0;
    for (uint32_t step = item.begin; step < item.end; step++) {
        const uint32_t mask = a.masks[step];
        uint64_t block = a.block_first[step] + __popc(mask & ((1u << 4 * w) - 1));
        for (int q = 0; q < (int)SPMMI_BCSR_STEP; q++) {
            if ((mask >> (4 * w + q) & 1) == 0)
                continue;
            for (int p = 0; p < WIDTH; p++) {
                const int bit = r * WIDTH + p;
                if ((a.bitmaps[block * (WIDTH / 4) + bit / 64] >> bit % 64 & 1) == 0)
                    continue;
                const int lane = 4 * (r % 8) + (WIDTH == 8 ? p % 4 : p % 8 / 2);
                const int i = WIDTH == 8 ? r / 8 + 2 * (p / 4) : 2 * (r / 8 + 2 * (p / 8)) + p % 2;
                const auto value =
                    Number<T>::widen(a.values[block * Shape::NUMBERS + 32 * P * (i / P) + P * lane + i % P]);
                const T *b = row_at(a.b, a.columns[4 * uint64_t(step) + q] + p, a.ldb_bytes);
                for (int j = 0; j < N; j++) {
                    if (column + j < a.n)
                        sums[j] = fma(value, Number<T>::widen(b[column + j]), sums[j]);
                }
            }
            block++;
        }
    }
}

// Rows g and g + 8 of block row w.
template <typename Shape>
__device__ __forceinline__ void
finish_block_row(const FragmentArgs<typename Shape::T> &a, const struct spmmi_fragment_item &item, int w,
                 const uint32_t (&c_rows)[2], uint32_t tile,
                 const typename Number<typename Shape::T>::Sum (&sums)[Shape::TILES][4])
{
    using T = typename Shape::T;
    using Sum = typename Number<T>::Sum;
    constexpr int VEC = Shape::VEC, GROUP = Shape::GROUP, GROUPS = Shape::GROUPS;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        // Columns 8 VEC q + 2 VEC t + VEC i + j are sum i of MMA VEC q + j.
        Sum row[GROUPS][GROUP];
#pragma unroll
        for (int m = 0; m < Shape::TILES; m++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int place = 2 * VEC * (m / VEC) + VEC * i + m % VEC;
                row[place / GROUP][place % GROUP] = sums[m][2 * h + i];
            }
        }
        const int r = g + 8 * h;
        finish_row<T, GROUP, GROUPS>(
            a, item, (uint32_t)((int)SPMMI_BCSR_ROWS * w + r), c_rows[h], tile + 2 * VEC * t, row,
            [](int q) { return VEC == 1 ? uint32_t(8 * q) : uint32_t(8 * VEC * (q / 2) + VEC * (q % 2)); },
            [&](uint32_t column, Sum(&group)[GROUP]) {
                sum_blocks_exactly<Shape, GROUP>(a, item, w, r, column, group);
            });
    }
}

// A step's blocks of a warp: bit 4 i + q of mask says that block row i of the warp has one in block column q; values:
// they follow each other.
template <typename Shape>
__device__ __forceinline__ void
    multiply_step(typename Number<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4],
                  uint32_t mask, const typename Shape::T *rows, const typename Shape::T *values, int lane)
{
    using Block = typename Shape::Block;
    constexpr int HEIGHT = Shape::HEIGHT, PITCH = Shape::PITCH, STEP = (int)SPMMI_BCSR_STEP;
    const typename Shape::T *second = values + __popc(mask & 15) * Shape::NUMBERS;
#pragma unroll 1
    for (uint32_t left = (mask | (HEIGHT > 1 ? mask >> STEP : 0)) & 15; left != 0; left &= left - 1) {
        const int q = __ffs((int)left) - 1;
        const typename Shape::T *b = rows + q * Block::COLUMNS * PITCH;
        const bool has_first = (mask >> q & 1) != 0, has_second = HEIGHT > 1 && (mask >> (STEP + q) & 1) != 0;
        Block blocks[HEIGHT];
        if (has_first) {
            blocks[0].load(values, lane);
            values += Shape::NUMBERS;
        }
        if (has_second) {
            blocks[HEIGHT - 1].load(second, lane);
            second += Shape::NUMBERS;
        }
        if (has_first && (HEIGHT == 1 || has_second))
            Block::template multiply<0, HEIGHT>(sums, blocks, b, PITCH, lane);
        else if (has_first)
            Block::template multiply<0, 1>(sums, blocks, b, PITCH, lane);
        else
            Block::template multiply<HEIGHT - 1, 1>(sums, blocks, b, PITCH, lane);
    }
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS)
    bcsr_kernel(const __grid_constant__ FragmentArgs<typename Shape::T> a, uint32_t tiles)
{
    using T = typename Shape::T;
    using Sum = typename Number<T>::Sum;
    constexpr int STAGES = Shape::STAGES, HEIGHT = Shape::HEIGHT;
    extern __shared__ __align__(128) unsigned char shared[];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32 * HEIGHT; // w: the warp's first block row
    const uint32_t tile = blockIdx.x % tiles * Shape::COLUMNS;
    const uint32_t stage_bytes = Shape::B_BYTES + a.step_blocks_max * Shape::BLOCK_BYTES;
    release_dependents();
    struct spmmi_fragment_item item = a.items[blockIdx.x / tiles];
    if (a.alpha == Sum(0)) // then B is not read
        item.end = item.begin;
    uint32_t c_rows[HEIGHT][2]; // read early, so that nobody waits for them
#pragma unroll
    for (int i = 0; i < HEIGHT; i++) {
        const uint32_t *rows_of_c =
            a.row_of + uint64_t(item.unit) * a.unit_rows + SPMMI_BCSR_ROWS * (w + i) + lane / 4;
        c_rows[i][0] = __ldg(rows_of_c);
        c_rows[i][1] = __ldg(rows_of_c + 8);
    }
    BcsrLook look;
    look_at_step(look, a, item.begin, item.end);
#pragma unroll 1
    for (uint32_t s = 0; s < STAGES - 1; s++) {
        if (item.begin + s < item.end) {
            copy_rows<Shape>(shared + s * stage_bytes, look, a, tile);
            copy_blocks<Shape>(shared + s * stage_bytes, look, a);
        }
        commit_copies();
        look_at_step(look, a, item.begin + s + 1, item.end);
    }
    Sum sums[HEIGHT][Shape::TILES][4] = {};
    uint32_t stage = 0, fill = STAGES - 1; // that is read next, that is filled next
    uint32_t mask = item.begin < item.end ? __ldg(a.masks + item.begin) : 0;
#pragma unroll 1
    for (uint32_t step = item.begin; step < item.end; step++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads(); // all copies of this step are there, and nobody reads the stage that is filled now
        if (step + STAGES - 1 < item.end) {
            copy_rows<Shape>(shared + fill * stage_bytes, look, a, tile);
            copy_blocks<Shape>(shared + fill * stage_bytes, look, a);
        }
        commit_copies();
        look_at_step(look, a, step + STAGES, item.end);
        const uint32_t mine = mask >> 4 * w, skipped = __popc(mask & ((1u << 4 * w) - 1));
        mask = step + 1 < item.end ? __ldg(a.masks + step + 1) : 0;
        const T *rows = reinterpret_cast<const T *>(shared + stage * stage_bytes);
        multiply_step<Shape>(sums, mine, rows, rows + Shape::B_BYTES / sizeof(T) + skipped * Shape::NUMBERS,
                             lane);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        fill = fill + 1 == STAGES ? 0 : fill + 1;
    }
#pragma unroll
    for (int i = 0; i < HEIGHT; i++)
        finish_block_row<Shape>(a, item, w + i, c_rows[i], tile, sums[i]);
    end_after_previous();
}

} // namespace spmmi
