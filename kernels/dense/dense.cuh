// SPDX-License-Identifier: Apache-2.0
// The kernels that follow a dense product.
//
// dense_exact_kernel computes columns of C from the nonzeros alone.
//
// A block owns 32 columns, a warp every 16th row of them, a lane one column. In a dense product an element
// of B that is not finite makes every row of its column of C NaN or infinite, since zeros times infinity
// or NaN are NaN. So row 0 of C shows which columns have to be computed again. A block without such
// columns ends after one load per lane. Values of A with a high half that is not finite spoil only their
// rows: then all of C is computed again. Bytes in flight: one value of B per lane; this path is rare. Sums
// are in the order of the row.
//
// dense_sums_kernel computes alpha * A * B + beta * C with one rounding to 16 bits, from alpha * A * B in
// f32: some kernels of the library round it before they add C. A thread owns elements of one column of C, or
// of one row, depending on its layout. Sums that are not finite are computed from the nonzeros. Bytes in
// flight: 6 per thread; C and the sums are read once.
#pragma once
#include <cuda_runtime.h>

#include "dense_kernel.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/value.cuh"

namespace spmmi {

constexpr unsigned DENSE_COLUMNS = 32, DENSE_WARPS = 16, DENSE_ROW_GROUPS = 64;
constexpr unsigned SUMS_THREADS = SPMMI_DENSE_LINE_THREADS, SUMS_LINES_MAX = 32768;

// Returns an entry of op(A): a whole value, or the sum of its halves. If the high half is not finite, the
// low half is the value itself.
template <typename T>
__device__ __forceinline__ typename Value<T>::Sum dense_entry(const T *low, uint64_t high)
{
    const typename Value<T>::Sum value = Value<T>::widen(*low);
    if (high == 0)
        return value;
    const typename Value<T>::Sum rounded = Value<T>::widen(low[high]);
    return isfinite(rounded) ? value + rounded : value;
}

template <typename T, typename Sum = typename Value<T>::Sum>
__device__ __forceinline__ Sum dense_row_sum(const spmmi_dense_exact &p, uint32_t row, int64_t j)
{
    const T *a = static_cast<const T *>(p.a) + row * p.lda;
    const T *b = static_cast<const T *>(p.b) + j * p.b_column_step;
    const uint32_t end = min(p.row_ptr[row + 1], p.nnz);
    Sum sum = 0;
    for (uint32_t q = p.row_ptr[row]; q < end; q++) {
        const uint32_t column = min(p.columns != nullptr ? p.columns[q] : p.columns_16[q], p.cols - 1);
        sum = fma(dense_entry(a + column, p.high), Value<T>::widen(b[column * p.b_row_step]), sum);
    }
    return sum;
}

template <typename T>
__global__ void __launch_bounds__(DENSE_COLUMNS *DENSE_WARPS) dense_exact_kernel(const spmmi_dense_exact p)
{
    using Sum = typename Value<T>::Sum;
    const int64_t j = (int64_t)blockIdx.x * DENSE_COLUMNS + threadIdx.x % DENSE_COLUMNS;
    T *c = static_cast<T *>(p.c) + j * p.c_column_step;
    const T *old = static_cast<const T *>(p.old) + j * p.old_column_step;
    wait_for_previous();
    const bool is_all = p.is_whole != 0 || (p.has_special != nullptr && *p.has_special != 0);
    const bool is_mine = j < p.n && (is_all || !isfinite(Value<T>::widen(c[0])));
    // This is also a barrier: all warps read row 0 before one of them writes it.
    if (!__syncthreads_or(is_mine) || !is_mine)
        return;
    const Sum alpha = static_cast<Sum>(p.alpha), beta = static_cast<Sum>(p.beta);
    for (uint32_t row = blockIdx.y * DENSE_WARPS + threadIdx.x / DENSE_COLUMNS; row < p.rows;
         row += gridDim.y * DENSE_WARPS) {
        const Sum sum = p.alpha != 0 ? dense_row_sum<T>(p, row, j) : Sum(0);
        const T before = p.beta != 0 ? old[row * p.old_row_step] : T(0.0f);
        c[row * p.c_row_step] = scaled_sum<T>(alpha, sum, beta, before);
    }
}

template <typename T>
__global__ void __launch_bounds__(SUMS_THREADS)
    dense_sums_kernel(const spmmi_dense_exact p, bool by_rows, unsigned width)
{
    const int64_t values = by_rows ? p.n : p.rows, lines = by_rows ? p.rows : p.n;
    const int64_t at = (int64_t)blockIdx.x * width + threadIdx.x % width;
    const float alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
    wait_for_previous();
    if (at >= values)
        return;
    const unsigned height = SUMS_THREADS / width;
    for (int64_t line = (int64_t)blockIdx.y * height + threadIdx.x / width; line < lines;
         line += (int64_t)gridDim.y * height) {
        const int64_t row = by_rows ? line : at, j = by_rows ? at : line;
        const float sum = p.sums[row * p.sums_row_step + j * p.sums_column_step];
        T *c = static_cast<T *>(p.c) + row * p.c_row_step + j * p.c_column_step;
        *c = isfinite(sum)
                 ? Value<T>::round(fmaf(beta, Value<T>::widen(*c), sum))
                 : scaled_sum<T>(alpha, dense_row_sum<T>(p, static_cast<uint32_t>(row), j), beta, *c);
    }
}

template <typename T> int dense_sums_launch(const spmmi_dense_exact &p)
{
    const bool by_rows = p.sums_column_step == 1;
    const int64_t values = by_rows ? p.n : p.rows, lines = by_rows ? p.rows : p.n;
    const unsigned width = 1u << spmmi_dense_line_threads_log2(values), height = SUMS_THREADS / width;
    const int64_t blocks = (lines + height - 1) / height;
    const dim3 grid(static_cast<unsigned>((values + width - 1) / width),
                    static_cast<unsigned>(blocks < SUMS_LINES_MAX ? blocks : SUMS_LINES_MAX));
    return launch_kernel(dense_sums_kernel<T>, grid, SUMS_THREADS, 0, p.cuda_stream, p.is_dependent != 0, p,
                         by_rows, width);
}

template <typename T> int dense_exact_launch(const spmmi_dense_exact &p)
{
    if constexpr (sizeof(T) == 2)
        if (p.sums != nullptr)
            return dense_sums_launch<T>(p);
    const unsigned columns = static_cast<unsigned>((p.n + DENSE_COLUMNS - 1) / DENSE_COLUMNS);
    const unsigned rows = (p.rows + DENSE_WARPS - 1) / DENSE_WARPS;
    const dim3 grid(columns, p.is_whole == 0 ? 1 : min(rows, DENSE_ROW_GROUPS));
    return launch_kernel(dense_exact_kernel<T>, grid, DENSE_COLUMNS * DENSE_WARPS, 0, p.cuda_stream,
                         p.is_dependent != 0, p);
}

} // namespace spmmi
