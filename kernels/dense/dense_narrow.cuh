// SPDX-License-Identifier: Apache-2.0
// Dense products of few columns: all of A is read once and hardly reused, so that latency decides.
//
// work     a thread block owns 16 * HEIGHT rows, a tile of COLUMNS columns and every `shares`-th step of k, a
//          warp every 8th of these steps. A step is 64 bytes of each row of A: 16 bytes per lane, which are
//          used as MMA operands directly, since k may have any order as long as A and B have the same
// B        is loaded to operands without shared memory: of row-major B a lane loads VEC adjacent columns,
//          which belong to VEC different MMAs; of column-major B 16 bytes of a column
// sums     of the warps are added through shared memory, then those of the thread blocks of a cluster, in the
//          order of their steps
// zeros    of A multiply NaN and infinity in B: a sum that is not finite is computed again from the nonzeros
// bound    latency: the launch, one round of loads from DRAM in flight for all steps of a warp, the sums
#pragma once
#include "dense.cuh"
#include "dense_narrow_shape.h"
#include "kernels/shared/cluster.cuh"
#include "kernels/tcblock/tcblock.cuh"

namespace spmmi {

constexpr int NARROW_WARPS = SPMMI_DENSE_NARROW_WARPS, NARROW_THREADS = 32 * NARROW_WARPS;

// Operands from a lane's 16 bytes of rows g and g + 8 of A, and from the
// corresponding values of a column of B.
template <typename T> struct NarrowHalf {
    static constexpr int DEPTH = 8;
    uint32_t x[2][4];
    __device__ __forceinline__ NarrowHalf(const Vector<T, DEPTH> (&rows)[2])
    {
#pragma unroll
        for (int j = 0; j < 2; j++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[j][i] = pair(rows[i % 2].x[4 * j + 2 * (i / 2)], rows[i % 2].x[4 * j + 2 * (i / 2) + 1]);
    }
    static __device__ __forceinline__ uint32_t pair(T low, T high)
    {
        Bits<T, 2> bits;
        bits.vector = {{low, high}};
        return bits.word[0];
    }
    __device__ __forceinline__ void multiply(float (&sums)[4], const T (&b)[DEPTH]) const
    {
#pragma unroll
        for (int j = 0; j < 2; j++)
            mma_halves<T>(sums, x[j], pair(b[4 * j], b[4 * j + 1]), pair(b[4 * j + 2], b[4 * j + 3]));
    }
};

struct NarrowF64 {
    static constexpr int DEPTH = 2;
    double x[4];
    __device__ __forceinline__ NarrowF64(const Vector<double, DEPTH> (&rows)[2])
        : x{rows[0].x[0], rows[1].x[0], rows[0].x[1], rows[1].x[1]}
    {
    }
    __device__ __forceinline__ void multiply(double (&sums)[4], const double (&b)[DEPTH]) const
    {
        ComputeF64::mma(sums, x, b);
    }
};

struct Narrow3xTf32 {
    static constexpr int DEPTH = 4;
    uint32_t high[2][4], low[2][4];
    __device__ __forceinline__ Narrow3xTf32(const Vector<float, DEPTH> (&rows)[2])
    {
#pragma unroll
        for (int j = 0; j < 2; j++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                split_tf32(rows[i % 2].x[2 * j + i / 2], high[j][i], low[j][i]);
    }
    __device__ __forceinline__ void multiply(float (&sums)[4], const float (&b)[DEPTH]) const
    {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            uint32_t b_high[2], b_low[2];
            split_tf32(b[2 * j], b_high[0], b_low[0]);
            split_tf32(b[2 * j + 1], b_high[1], b_low[1]);
            mma_tf32(sums, high[j], b_low);
            mma_tf32(sums, low[j], b_high);
            mma_tf32(sums, high[j], b_high);
        }
    }
};

template <typename T> struct NarrowOperand {
    using type = NarrowHalf<T>;
};
template <> struct NarrowOperand<float> {
    using type = Narrow3xTf32;
};
template <> struct NarrowOperand<double> {
    using type = NarrowF64;
};

// GROUPS groups of 8 * VEC columns. Column c of MMA v of group q is column 8 VEC q + VEC c + v of the tile.
template <typename T_, int HEIGHT_, int GROUPS_, int VEC_, bool IS_COLUMNS_> struct NarrowShape {
    using T = T_;
    using Sum = typename Value<T>::Sum;
    using Operand = typename NarrowOperand<T>::type;
    static constexpr int HEIGHT = HEIGHT_, GROUPS = GROUPS_, VEC = VEC_, DEPTH = Operand::DEPTH;
    static constexpr bool IS_COLUMNS = IS_COLUMNS_;
    static constexpr int ROWS = 16 * HEIGHT, COLUMNS = 8 * GROUPS * VEC, STEP = 4 * DEPTH; // of k
    static constexpr int AHEAD = COLUMNS * HEIGHT > 32 ? 2 : 4; // steps loaded before they are multiplied
    static constexpr int PITCH = COLUMNS + 4; // rows that are written at once are in different banks
};

// Where a lane reads: its rows of A, clamped to the last row, and entry k of its first column of B.
template <typename Shape> struct NarrowSource {
    using T = typename Shape::T;
    const T *a[Shape::HEIGHT][2], *b;
    int64_t column, step; // step: elements of b from one k of the lane to the next
    uint32_t k, stride;

    __device__ __forceinline__ NarrowSource(const spmmi_dense_exact &p, uint32_t row, int64_t first_column,
                                            uint32_t first_k, uint32_t k_stride)
        : b(static_cast<const T *>(p.b) + first_column * p.b_column_step + first_k * p.b_row_step),
          column(first_column), step(k_stride * p.b_row_step), k(first_k), stride(k_stride)
    {
#pragma unroll
        for (int h = 0; h < 2 * Shape::HEIGHT; h++)
            a[h / 2][h % 2] = static_cast<const T *>(p.a) + min(row + 8 * h, p.rows - 1) * p.lda;
    }
};

// The values of a step that a lane holds.
template <typename Shape> struct NarrowStep {
    using T = typename Shape::T;
    Vector<T, Shape::DEPTH> a[Shape::HEIGHT][2];
    T b[Shape::GROUPS][Shape::VEC][Shape::DEPTH];

    // Loads the next step of the lane. Elements that A or B do not have are zero.
    __device__ __forceinline__ void load(const spmmi_dense_exact &p, NarrowSource<Shape> &from)
    {
        const uint32_t k = from.k;
#pragma unroll
        for (int h = 0; h < 2 * Shape::HEIGHT; h++) {
            a[h / 2][h % 2] = {};
            if (k < p.lda)
                a[h / 2][h % 2] = load_vector<T, Shape::DEPTH>(from.a[h / 2][h % 2] + k);
        }
        const T *first = from.b;
#pragma unroll
        for (int q = 0; q < Shape::GROUPS; q++, first += 8 * Shape::VEC * p.b_column_step) {
            const uint32_t rows = from.column + 8 * Shape::VEC * q < p.n && k < p.cols ? p.cols - k : 0;
            if constexpr (Shape::IS_COLUMNS)
                load_column(first, rows, b[q][0]);
            else
                load_rows(first, p.b_row_step, rows, b[q]);
        }
        from.k += from.stride;
        from.b += from.step;
    }
    // Loads a vector from each row of B; `rows` rows exist from the first one on. For rows past the last one
    // the last is loaded again: its values are multiplied by zeros of A.
    static __device__ __forceinline__ void load_rows(const T *from, int64_t step, uint32_t rows,
                                                     T (&b)[Shape::VEC][Shape::DEPTH])
    {
#pragma unroll
        for (int i = 0; i < Shape::DEPTH; i++) {
            Vector<T, Shape::VEC> x{};
            if (rows > 0)
                x = load_vector<T, Shape::VEC>(from);
            from += i + 1 < rows ? step : 0;
#pragma unroll
            for (int v = 0; v < Shape::VEC; v++)
                b[v][i] = x.x[v];
        }
    }
    // Loads from column-major B, where a lane's values are adjacent and consist of whole words.
    static __device__ __forceinline__ void load_column(const T *from, uint32_t rows, T (&b)[Shape::DEPTH])
    {
        Vector<T, Shape::DEPTH> x{};
        if (rows > 0)
            x = load_vector<T, Shape::DEPTH>(from);
#pragma unroll
        for (int i = 0; i < Shape::DEPTH; i++)
            b[i] = x.x[i];
    }
};

template <typename Shape> using NarrowSums = typename Shape::Sum[Shape::HEIGHT][Shape::GROUPS][Shape::VEC][4];

template <typename Shape>
__device__ __forceinline__ void multiply_narrow(NarrowSums<Shape> &sums, const NarrowStep<Shape> &step)
{
#pragma unroll
    for (int h = 0; h < Shape::HEIGHT; h++) {
        const typename Shape::Operand a(step.a[h]);
#pragma unroll
        for (int q = 0; q < Shape::GROUPS; q++)
#pragma unroll
            for (int v = 0; v < Shape::VEC; v++)
                a.multiply(sums[h][q][v], step.b[q][v]);
    }
}

// Stores the sums of a warp to its slot.
template <typename Shape>
__device__ __forceinline__ void keep_narrow(typename Shape::Sum *slot, const NarrowSums<Shape> &sums)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int h = 0; h < Shape::HEIGHT; h++)
#pragma unroll
        for (int q = 0; q < Shape::GROUPS; q++)
#pragma unroll
            for (int v = 0; v < Shape::VEC; v++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    slot[(16 * h + 8 * (i / 2) + g) * Shape::PITCH + Shape::VEC * (8 * q + 2 * t + i % 2) +
                         v] = sums[h][q][v][i];
}

// Not inlined since it is rare: a kernel that is not in a cache yet starts faster if its code is shorter.
template <typename T>
__device__ __noinline__ typename Value<T>::Sum narrow_row_sum(const spmmi_dense_exact &p, uint32_t row,
                                                              int64_t j)
{
    return dense_row_sum<T>(p, row, j);
}

template <typename Shape>
__device__ __forceinline__ void store_narrow(const spmmi_dense_exact &p, uint32_t row, int64_t j,
                                             typename Shape::Sum sum)
{
    using T = typename Shape::T;
    using Sum = typename Shape::Sum;
    if (row >= p.rows || j >= p.n)
        return;
    T *c = static_cast<T *>(p.c) + row * p.c_row_step + j * p.c_column_step;
    if (!isfinite(sum))
        sum = narrow_row_sum<T>(p, row, j);
    *c = scaled_sum<T>(static_cast<Sum>(p.alpha), sum, static_cast<Sum>(p.beta), p.beta != 0 ? *c : T(0.0f));
}

__device__ __forceinline__ float sum_of_block(const float *sum, uint32_t rank)
{
    return __uint_as_float(load_of_block(reinterpret_cast<const uint32_t *>(sum), rank));
}

__device__ __forceinline__ double sum_of_block(const double *sum, uint32_t rank)
{
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(sum);
    return __hiloint2double((int)load_of_block(words + 1, rank), (int)load_of_block(words, rank));
}

template <typename Shape>
__global__ void __launch_bounds__(NARROW_THREADS)
    dense_narrow_kernel(const __grid_constant__ spmmi_dense_exact p, uint32_t tiles)
{
    using Sum = typename Shape::Sum;
    constexpr uint32_t SLOT = Shape::ROWS * Shape::PITCH, COUNT = Shape::ROWS * Shape::COLUMNS;
    extern __shared__ __align__(16) unsigned char memory[];
    Sum *const kept = reinterpret_cast<Sum *>(memory);
    const uint32_t shares = cluster_blocks(), rank = cluster_rank(), block = blockIdx.x / shares;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t first_row = block / tiles * Shape::ROWS;
    const int64_t first_column = (int64_t)(block % tiles) * Shape::COLUMNS;
    NarrowSource<Shape> from(p, first_row + lane / 4, first_column + lane / 4 * Shape::VEC,
                             (rank * NARROW_WARPS + warp) * Shape::STEP + lane % 4 * Shape::DEPTH,
                             shares * NARROW_WARPS * Shape::STEP);
    NarrowSums<Shape> sums = {};
#pragma unroll 1
    while (__any_sync(0xffffffffu, from.k < p.lda)) {
        NarrowStep<Shape> steps[Shape::AHEAD];
#pragma unroll
        for (int i = 0; i < Shape::AHEAD; i++)
            steps[i].load(p, from);
#pragma unroll
        for (int i = 0; i < Shape::AHEAD; i++)
            multiply_narrow<Shape>(sums, steps[i]);
    }
    keep_narrow<Shape>(kept + warp * SLOT, sums);
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < COUNT; i += NARROW_THREADS) {
        Sum *const first = kept + i / Shape::COLUMNS * Shape::PITCH + i % Shape::COLUMNS;
        Sum sum = *first;
        for (uint32_t part = 1; part < NARROW_WARPS; part++)
            sum += first[part * SLOT];
        *first = sum;
    }
    cluster_sync();
#pragma unroll 1
    for (uint32_t i = rank * NARROW_THREADS + threadIdx.x; i < COUNT; i += shares * NARROW_THREADS) {
        const uint32_t r = Shape::IS_COLUMNS ? i % Shape::ROWS : i / Shape::COLUMNS;
        const uint32_t c = Shape::IS_COLUMNS ? i / Shape::ROWS : i % Shape::COLUMNS;
        const Sum *const word = kept + r * Shape::PITCH + c;
        Sum sum = 0;
#pragma unroll 1
        for (uint32_t share = 0; share < shares; share++)
            sum += sum_of_block(word, share);
        store_narrow<Shape>(p, first_row + r, first_column + c, sum);
    }
    cluster_sync(); // the other blocks may still read the sums of this block
}

template <typename Shape>
int launch_narrow_shape(const spmmi_dense_exact &p, const struct spmmi_dense_narrow_shape &s)
{
    constexpr uint32_t SHARED = NARROW_WARPS * Shape::ROWS * Shape::PITCH * sizeof(typename Shape::Sum);
    const unsigned blocks = s.groups * s.tiles * s.shares;
    static_assert(SHARED <= SHARED_FREE, "no attribute is needed");
    if (s.columns != Shape::COLUMNS || s.height != Shape::HEIGHT)
        return cudaErrorInvalidConfiguration;
    if (s.shares > 1)
        return launch_clusters(dense_narrow_kernel<Shape>, blocks, s.shares, NARROW_THREADS, SHARED,
                               p.cuda_stream, p, s.tiles);
    return launch_kernel(dense_narrow_kernel<Shape>, dim3(blocks), NARROW_THREADS, SHARED, p.cuda_stream,
                         false, p, s.tiles);
}

// Launches tiles of COLUMNS columns; vectors of row-major B are as wide as possible.
template <typename T, int COLUMNS, int HEIGHT = 1>
int launch_narrow_rows(const spmmi_dense_exact &p, const struct spmmi_dense_narrow_shape &s)
{
    constexpr int MOST = 16 / (int)sizeof(T), VEC = COLUMNS / 8 < MOST ? COLUMNS / 8 : MOST;
    return launch_narrow_shape<NarrowShape<T, HEIGHT, COLUMNS / 8 / VEC, VEC, false>>(p, s);
}

template <int COLUMNS, int HEIGHT = 1>
int launch_narrow_columns(const spmmi_dense_exact &p, const struct spmmi_dense_narrow_shape &s)
{
    return launch_narrow_shape<NarrowShape<float, HEIGHT, COLUMNS / 8, 1, true>>(p, s);
}

// Launches one of the f32 shapes that spmmi_dense_narrow returns.
inline int launch_narrow_f32(const spmmi_dense_exact &p, const struct spmmi_dense_narrow_shape &s)
{
    const bool is_columns = p.b_column_step != 1;
    if (s.columns == 8)
        return is_columns ? launch_narrow_columns<8>(p, s) : launch_narrow_rows<float, 8>(p, s);
    if (s.columns == 16)
        return is_columns ? launch_narrow_columns<16>(p, s) : launch_narrow_rows<float, 16>(p, s);
    if (is_columns)
        return launch_narrow_columns<32, 2>(p, s);
    return s.height > 1 ? launch_narrow_rows<float, 32, 2>(p, s) : launch_narrow_rows<float, 32>(p, s);
}

inline int launch_narrow_f64(const spmmi_dense_exact &p, const struct spmmi_dense_narrow_shape &s)
{
    return s.columns == 8 ? launch_narrow_rows<double, 8>(p, s) : launch_narrow_rows<double, 16>(p, s);
}

} // namespace spmmi
