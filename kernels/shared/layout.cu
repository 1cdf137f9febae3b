// SPDX-License-Identifier: Apache-2.0
// Layout conversion between column-major and row-major, for n columns at a time.
//
// block    2 threads per row convert a tile of ROWS rows and COLUMNS columns through shared memory. From
//          column-major, a tile has 64 rows, because smaller blocks read faster. From row-major, it has 128
//          rows, so that the parts of columns are longer (docs/decisions/0049)
// access   16 bytes per thread on both sides, WIDE = 16 / sizeof(T) values; edges, and rows that are not
//          aligned to 16 bytes, are accessed value by value
// values   of 4 or 8 bytes are stored one by one in more than 16 columns that are not aligned: neighbouring
//          lanes store adjacent values, in tiles of 64 rows (docs/decisions/0087)
// columns  that are not aligned are read as two words of 16 bytes, which are shifted, if values have 16 bits.
//          If they are written, each column has its own tile of rows, which begins at a sector, so that no
//          two blocks write to the same sector (docs/decisions/0083)
// banks    the words of a column are permuted by the number of the column group (an XOR), so that accesses
//          along a row touch as many banks as accesses along a column
#include <cuda_runtime.h>
#include <stdint.h>

#include "kernel_base.h"
#include "convert.h"
#include "kernels/shared/vector.cuh"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/shifted.cuh"

namespace {

using spmmi::load_vector;
using spmmi::store_vector;
using spmmi::Vector;

constexpr int ROWS_FROM_COLUMNS = 64, ROWS_FROM_ROWS = 128;
template <typename T> constexpr int SECTOR_VALUES = 32 / sizeof(T);

// MORE: rows in front of the first row.
template <typename T, int ROWS_, int COLUMNS_, int MORE_ = 0> struct Tile {
    static constexpr int ROWS = ROWS_, COLUMNS = COLUMNS_, MORE = MORE_, THREADS = 2 * ROWS;
    static constexpr int WIDE = 16 / sizeof(T), SLOTS = 8; // SLOTS: words in 128 bytes, for the XOR
    static constexpr int WORDS = (ROWS + MORE) * COLUMNS / WIDE;
    static constexpr int STEPS = (WORDS + THREADS - 1) / THREADS;
    static constexpr int PITCH = ((ROWS + MORE) / WIDE + SLOTS - 1) / SLOTS * SLOTS * WIDE;
    static_assert(MORE == 0 || PITCH > ROWS + MORE, "values_at may read a word behind the last");
    alignas(16) T x[COLUMNS][PITCH];

    __device__ __forceinline__ T *at(int i, int j)
    {
        return &x[j][(i / WIDE ^ j / WIDE % SLOTS) * WIDE + i % WIDE];
    }
    // Returns WIDE values of column j from row i on.
    template <bool IS_ALIGNED> __device__ __forceinline__ Vector<T, WIDE> values_at(int i, int j)
    {
        if constexpr (IS_ALIGNED)
            return load_vector<T, WIDE>(at(i, j));
        const int past = i % WIDE;
        spmmi::TwoWords words;
        words.set(0, *reinterpret_cast<const uint4 *>(at(i - past, j)));
        words.set(1, *reinterpret_cast<const uint4 *>(at(i - past + WIDE, j)));
        spmmi::Bits<T, WIDE> bits;
        bits.word[0] = words.shifted(past * sizeof(T));
        return bits.vector;
    }
};

// Loads WIDE values from p. Only those at positions begin .. end - 1 exist; the others become 0.
template <typename T, int WIDE>
__device__ __forceinline__ Vector<T, WIDE> load_part(const T *p, int64_t begin, int64_t end, bool is_aligned)
{
    if (is_aligned && begin <= 0 && end >= WIDE)
        return load_vector<T, WIDE>(p);
    Vector<T, WIDE> v;
#pragma unroll
    for (int e = 0; e < WIDE; e++)
        v.x[e] = e >= begin && e < end ? p[e] : T(0);
    return v;
}

// WIDE values of a column from p on, of which `count` exist. If all exist, and the two words of 16 bytes that
// contain them are between `begin` and `end`, load loads these words and get shifts them.
template <typename T> struct ColumnPart {
    static constexpr int WIDE = 16 / sizeof(T);
    spmmi::TwoWords words;
    const T *p;
    int64_t count;
    bool is_whole;

    __device__ __forceinline__ uint32_t shift() const
    {
        return (uint32_t)(reinterpret_cast<uintptr_t>(p) % 16);
    }
    __device__ __forceinline__ void load(const T *p_, int64_t count_, const T *begin, const T *end)
    {
        p = p_;
        count = count_;
        const T *first = p - shift() / sizeof(T);
        is_whole = count >= WIDE && first >= begin && first + 2 * WIDE <= end;
        if (is_whole) {
            words.set(0, __ldg(reinterpret_cast<const uint4 *>(first)));
            words.set(1, __ldg(reinterpret_cast<const uint4 *>(first) + 1));
        }
    }
    __device__ __forceinline__ Vector<T, WIDE> get() const
    {
        if (!is_whole)
            return load_part<T, WIDE>(p, 0, count, false);
        spmmi::Bits<T, WIDE> bits;
        bits.word[0] = words.shifted(shift());
        return bits.vector;
    }
};

// Stores those of WIDE values at p whose positions are begin .. end - 1.
template <typename T, int WIDE>
__device__ __forceinline__ void store_part(T *p, int64_t begin, int64_t end, bool is_aligned,
                                           const Vector<T, WIDE> &v)
{
    if (is_aligned && begin <= 0 && end >= WIDE) {
        store_vector<T, WIDE>(p, v);
        return;
    }
#pragma unroll
    for (int e = 0; e < WIDE; e++) {
        if (e >= begin && e < end)
            p[e] = v.x[e];
    }
}

// The first value of a thread's word in a step, down the columns of a tile or along its rows.
struct Word {
    int i, j;
};

template <typename TileT> __device__ __forceinline__ Word down(int step)
{
    constexpr int WIDE = TileT::WIDE, WORDS = TileT::ROWS / WIDE;
    const int word = step * TileT::THREADS + (int)threadIdx.x;
    return {word % WORDS * WIDE, word / WORDS};
}

template <typename TileT> __device__ __forceinline__ Word along(int step)
{
    constexpr int WIDE = TileT::WIDE, WORDS = TileT::COLUMNS / WIDE;
    const int word = step * TileT::THREADS + (int)threadIdx.x;
    return {word / WORDS, word % WORDS * WIDE};
}

template <typename T> __host__ __device__ __forceinline__ bool aligned(const T *p, int64_t ld)
{
    return reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld * (int64_t)sizeof(T) % 16 == 0;
}

// Returns how many values of a column's first sector are in front of the column.
template <typename T> __device__ __forceinline__ int before_column(const T *column)
{
    return (int)(reinterpret_cast<uintptr_t>(column) / sizeof(T) % SECTOR_VALUES<T>);
}

// SHIFTS: columns may begin at any address, and are still read 16 bytes at a time.
template <typename T, int COLUMNS, bool SHIFTS>
__global__ void __launch_bounds__(2 * ROWS_FROM_COLUMNS)
    rows_from_columns(int64_t rows, int64_t n, const T *__restrict__ src, int64_t lds, T *__restrict__ dst,
                      int64_t ldd)
{
    using TileT = Tile<T, ROWS_FROM_COLUMNS, COLUMNS>;
    constexpr int ROWS = TileT::ROWS, WIDE = TileT::WIDE;
    __shared__ TileT tile;
    const int64_t row0 = (int64_t)blockIdx.x * ROWS, column0 = (int64_t)blockIdx.y * COLUMNS;
    const bool src_aligned = aligned(src, lds), dst_aligned = aligned(dst, ldd);
    spmmi::release_dependents();
    Vector<T, WIDE> v[TileT::STEPS]; // all loads are issued before the first result is used
    ColumnPart<T> part[TileT::STEPS];
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = down<TileT>(step);
        const int64_t count = at.j < COLUMNS && column0 + at.j < n ? rows - row0 - at.i : 0;
        const T *from = src + row0 + at.i + (column0 + at.j) * lds;
        if constexpr (SHIFTS)
            part[step].load(from, count, src, src + (n - 1) * lds + rows);
        else
            v[step] = load_part<T, WIDE>(from, 0, count, src_aligned);
    }
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = down<TileT>(step);
        if constexpr (SHIFTS)
            v[step] = part[step].get();
        if (at.j < COLUMNS)
            store_vector<T, WIDE>(tile.at(at.i, at.j), v[step]);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = along<TileT>(step);
        if (at.i >= ROWS || row0 + at.i >= rows)
            break;
#pragma unroll
        for (int e = 0; e < WIDE; e++)
            v[step].x[e] = *tile.at(at.i, at.j + e);
        store_part<T, WIDE>(dst + (row0 + at.i) * ldd + column0 + at.j, 0, ldd - column0 - at.j, dst_aligned,
                            v[step]);
    }
}

// Starts while the kernel that writes src ends: no __restrict__, which would make read-only loads
// (launch.cuh).
template <typename T, int COLUMNS, bool IS_ALIGNED>
__global__ void __launch_bounds__(2 * ROWS_FROM_ROWS)
    columns_from_rows(int64_t rows, int64_t n, const T *src, int64_t lds, T *dst, int64_t ldd, T beta)
{
    using TileT = Tile<T, ROWS_FROM_ROWS, COLUMNS, IS_ALIGNED ? 0 : SECTOR_VALUES<T>>;
    constexpr int ROWS = TileT::ROWS, MORE = TileT::MORE, WIDE = TileT::WIDE;
    __shared__ TileT tile;
    const int64_t row0 = (int64_t)blockIdx.x * ROWS - MORE, column0 = (int64_t)blockIdx.y * COLUMNS;
    const bool src_aligned = aligned(src, lds);
    spmmi::wait_for_previous();
    Vector<T, WIDE> v[TileT::STEPS];
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = along<TileT>(step);
        const int64_t row = row0 + at.i;
        const int64_t count = at.i < ROWS + MORE && row >= 0 && row < rows ? n - column0 - at.j : 0;
        v[step] = load_part<T, WIDE>(src + row * lds + column0 + at.j, 0, count, src_aligned);
    }
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = along<TileT>(step);
        if (at.i < ROWS + MORE) {
#pragma unroll
            for (int e = 0; e < WIDE; e++)
                *tile.at(at.i, at.j + e) = v[step].x[e];
        }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < TileT::STEPS; step++) {
        const Word at = down<TileT>(step);
        if (at.j >= COLUMNS)
            break;
        T *const column = dst + (column0 + at.j) * ldd;
        const int first = at.i + MORE - (IS_ALIGNED ? 0 : before_column(column)); // row of the tile
        const int64_t row = row0 + first, count = column0 + at.j < n ? rows - row : 0;
        Vector<T, WIDE> x = tile.template values_at<IS_ALIGNED>(first, at.j);
        if constexpr (sizeof(T) > 2) {
            if (beta != T(0))
                x.fma(beta, load_part<T, WIDE>(column + row, -row, count, true));
        }
        store_part<T, WIDE>(column + row, -row, count, true, x);
    }
}

// The tile of columns_by_values. Each column has its own range of rows, which begins at a sector.
template <typename T, int COLUMNS_> struct ValueTile {
    static constexpr int ROWS = 64, COLUMNS = COLUMNS_, MORE = SECTOR_VALUES<T>, WIDE = 16 / sizeof(T);
    static constexpr int STEPS = 8, THREADS = ROWS * COLUMNS / STEPS;
    static constexpr int ROW_WORDS = COLUMNS / WIDE, WORDS = (ROWS + MORE) * ROW_WORDS;
    T x[COLUMNS][ROWS + MORE + 1]; // odd pitch: a row's neighbours are in other banks (f32; f64: two-way)
};

// Does the same as columns_from_rows, for columns that are not aligned and values of 4 or 8 bytes.
template <typename T, int COLUMNS>
__global__ void __launch_bounds__(ValueTile<T, COLUMNS>::THREADS)
    columns_by_values(int64_t rows, int64_t n, const T *src, int64_t lds, T *dst, int64_t ldd, T beta)
{
    using TileT = ValueTile<T, COLUMNS>;
    constexpr int ROWS = TileT::ROWS, MORE = TileT::MORE, WIDE = TileT::WIDE, STEPS = TileT::STEPS;
    constexpr int WORD_STEPS = (TileT::WORDS + TileT::THREADS - 1) / TileT::THREADS;
    __shared__ TileT tile;
    const int64_t row0 = (int64_t)blockIdx.x * ROWS - MORE, column0 = (int64_t)blockIdx.y * COLUMNS;
    const bool src_aligned = aligned(src, lds);
    spmmi::wait_for_previous();
    Vector<T, WIDE> word[WORD_STEPS];
#pragma unroll
    for (int step = 0; step < WORD_STEPS; step++) {
        const int w = step * TileT::THREADS + (int)threadIdx.x, j = w % TileT::ROW_WORDS * WIDE;
        const int64_t row = row0 + w / TileT::ROW_WORDS;
        const int64_t count = w < TileT::WORDS && row >= 0 && row < rows ? n - column0 - j : 0;
        word[step] = load_part<T, WIDE>(src + row * lds + column0 + j, 0, count, src_aligned);
    }
#pragma unroll
    for (int step = 0; step < WORD_STEPS; step++) {
        const int w = step * TileT::THREADS + (int)threadIdx.x;
        if (w < TileT::WORDS) {
#pragma unroll
            for (int e = 0; e < WIDE; e++)
                tile.x[w % TileT::ROW_WORDS * WIDE + e][w / TileT::ROW_WORDS] = word[step].x[e];
        }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        const int j = (int)threadIdx.x / ROWS + step * (TileT::THREADS / ROWS);
        T *const column = dst + (column0 + j) * ldd;
        const int at = (int)threadIdx.x % ROWS + MORE - before_column(column); // row of the tile
        const int64_t row = row0 + at;
        if (column0 + j < n && row >= 0 && row < rows)
            column[row] = beta != T(0) ? fma(beta, column[row], tile.x[j][at]) : tile.x[j][at];
    }
}

template <int ROWS, int COLUMNS> dim3 tiles(int64_t rows, int64_t width)
{
    return dim3((unsigned)((rows + ROWS - 1) / ROWS), (unsigned)((width + COLUMNS - 1) / COLUMNS));
}

template <typename T, int COLUMNS>
int to_rows(int64_t rows, int64_t n, const void *src_, int64_t lds, void *dst, int64_t ldd,
            unsigned shared_bytes, void *stream)
{
    const T *src = static_cast<const T *>(src_);
    const bool shifts = sizeof(T) == 2 && !aligned(src, lds);
    return spmmi::launch_kernel(shifts ? rows_from_columns<T, COLUMNS, sizeof(T) == 2>
                                       : rows_from_columns<T, COLUMNS, false>,
                                tiles<ROWS_FROM_COLUMNS, COLUMNS>(rows, ldd), 2 * ROWS_FROM_COLUMNS,
                                shared_bytes, stream, false, rows, n, src, lds, static_cast<T *>(dst), ldd);
}

template <typename T, int COLUMNS>
int to_columns(int64_t rows, int64_t n, const void *src_, int64_t lds, void *dst_, int64_t ldd, double beta,
               void *stream, bool is_dependent)
{
    const T *src = static_cast<const T *>(src_);
    T *dst = static_cast<T *>(dst_);
    if (aligned(dst, ldd))
        return spmmi::launch_kernel(columns_from_rows<T, COLUMNS, true>,
                                    tiles<ROWS_FROM_ROWS, COLUMNS>(rows, n), 2 * ROWS_FROM_ROWS, 0, stream,
                                    is_dependent, rows, n, src, lds, dst, ldd, static_cast<T>(beta));
    const int64_t from_sector = rows + SECTOR_VALUES<T> - 1; // tiles of a column begin up to a sector earlier
    if constexpr (sizeof(T) > 2 && COLUMNS > 16) {
        using TileT = ValueTile<T, COLUMNS>;
        return spmmi::launch_kernel(columns_by_values<T, COLUMNS>,
                                    tiles<TileT::ROWS, COLUMNS>(from_sector, n), TileT::THREADS, 0, stream,
                                    is_dependent, rows, n, src, lds, dst, ldd, static_cast<T>(beta));
    } else {
        return spmmi::launch_kernel(columns_from_rows<T, COLUMNS, false>,
                                    tiles<ROWS_FROM_ROWS, COLUMNS>(from_sector, n), 2 * ROWS_FROM_ROWS, 0,
                                    stream, is_dependent, rows, n, src, lds, dst, ldd, static_cast<T>(beta));
    }
}

} // namespace

// Narrow matrices use narrow tiles, so that no thread is idle for columns that do not exist. A tile is at
// least as wide as what a thread moves at once.
template <typename T> constexpr int NARROWEST = sizeof(T) > 2 ? 4 : 8;
#define FOR_WIDTH(width, call)                       \
    ((width) <= NARROWEST<T> ? call<T, NARROWEST<T>> \
     : (width) <= 8          ? call<T, 8>            \
     : (width) <= 16         ? call<T, 16>           \
                             : call<T, 32>)

extern "C" int spmmi_rows_from_columns_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds,
                                            void *dst, int64_t ldd, uint32_t shared_bytes, void *cuda_stream)
{
    if (rows == 0 || ldd == 0)
        return cudaSuccess;
    if (dtype == 1) {
        using T = float;
        return FOR_WIDTH(ldd, to_rows)(rows, n, src, lds, dst, ldd, shared_bytes, cuda_stream);
    }
    if (dtype != 2) {
        using T = uint16_t; // bits are moved, not interpreted
        return FOR_WIDTH(ldd, to_rows)(rows, n, src, lds, dst, ldd, shared_bytes, cuda_stream);
    }
    using T = double;
    return FOR_WIDTH(ldd, to_rows)(rows, n, src, lds, dst, ldd, shared_bytes, cuda_stream);
}

extern "C" int spmmi_columns_from_rows_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds,
                                            void *dst, int64_t ldd, double beta, void *cuda_stream,
                                            int is_dependent)
{
    if (rows == 0 || n == 0)
        return cudaSuccess;
    if (dtype == 1) {
        using T = float;
        return FOR_WIDTH(n, to_columns)(rows, n, src, lds, dst, ldd, beta, cuda_stream, is_dependent != 0);
    }
    if (dtype != 2) {
        using T = uint16_t;
        return beta != 0
                   ? (int)cudaErrorInvalidValue
                   : FOR_WIDTH(n, to_columns)(rows, n, src, lds, dst, ldd, 0, cuda_stream, is_dependent != 0);
    }
    using T = double;
    return FOR_WIDTH(n, to_columns)(rows, n, src, lds, dst, ldd, beta, cuda_stream, is_dependent != 0);
}
