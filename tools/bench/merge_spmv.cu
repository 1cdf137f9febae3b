// SPDX-License-Identifier: Apache-2.0
// See merge_spmv.h. There are two launches: one for the tiles of the path, and one for the sums of rows that
// several tiles share. Without atomics, the result has the same bits each time.
#include "merge_spmv.h"

#include <cuda_runtime.h>

namespace {

constexpr int THREADS = 128, ITEMS = 8, TILE = THREADS * ITEMS, WARP = 32;

// A point on the path: `row` rows have ended and `nonzero` nonzeros have been multiplied.
struct Place {
    int row, nonzero;
};

// Returns where the path crosses diagonal d. Row i ends at nonzero ends[i] - first; nonzeros are counted from
// 0. The end of a row follows its nonzeros on the path.
__device__ Place cross(int d, const int *ends, int first, int rows, int nonzeros)
{
    int low = max(0, d - nonzeros), high = min(d, rows);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (ends[middle] - first <= d - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return {low, d - low};
}

// The same for ends in global memory: a warp probes 32 rows at a time. All lanes get the result.
__device__ Place cross_by_warp(int d, const int *ends, int rows, int nonzeros)
{
    const int lane = threadIdx.x % WARP;
    int low = max(0, d - nonzeros), high = min(d, rows);
    while (low < high) {
        const int step = (high - low + WARP - 1) / WARP, probe = low + lane * step;
        const bool is_behind = probe >= high || ends[probe] > d - probe - 1;
        const unsigned behind = __ballot_sync(0xffffffffu, is_behind);
        const int ended = behind == 0 ? WARP : __ffs(behind) - 1; // number of probed rows that end before d
        high = min(high, low + ended * step);
        low = ended == 0 ? high : low + (ended - 1) * step + 1;
    }
    return {low, d - low};
}

// The partial sum of a row that continues after the last item of a thread or tile.
template <typename T> struct Rest {
    int row;
    T sum;
};

// Inclusive scan over the threads: adds the partial sums of the same row. The rows of the threads ascend.
template <typename T> __device__ void scan(Rest<T> *rests)
{
    for (int step = 1; step < THREADS; step *= 2) {
        const int t = threadIdx.x;
        const bool adds = t >= step && rests[t - step].row == rests[t].row;
        const T before = adds ? rests[t - step].sum : T(0);
        __syncthreads();
        rests[t].sum += before;
        __syncthreads();
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    run_tiles(const int *ends, const int *col_ind, const T *values, const T *x, int all_rows,
              int all_nonzeros, T *y, Rest<T> *tile_rests)
{
    __shared__ Place limits[2];
    __shared__ int tile_ends[TILE];
    __shared__ T products[TILE], sums[TILE];
    __shared__ Rest<T> rests[THREADS];
    const int t = threadIdx.x;
    if (t < 2 * WARP) {
        const int d = min((int)(blockIdx.x + t / WARP) * TILE, all_rows + all_nonzeros);
        limits[t / WARP] = cross_by_warp(d, ends, all_rows, all_nonzeros);
    }
    __syncthreads();
    const Place from = limits[0], to = limits[1];
    const int rows = to.row - from.row, nonzeros = to.nonzero - from.nonzero;

    for (int i = t; i < rows; i += THREADS)
        tile_ends[i] = ends[from.row + i];
    for (int i = t; i < nonzeros; i += THREADS)
        products[i] = values[from.nonzero + i] * x[col_ind[from.nonzero + i]];
    __syncthreads();

    const int end = min((t + 1) * ITEMS, rows + nonzeros);
    Place at = cross(min(t * ITEMS, rows + nonzeros), tile_ends, from.nonzero, rows, nonzeros);
    T sum = 0;
    while (at.row + at.nonzero < end) {
        if (at.row < rows && tile_ends[at.row] - from.nonzero <= at.nonzero) {
            sums[at.row++] = sum;
            sum = 0;
        } else {
            sum += products[at.nonzero++];
        }
    }
    rests[t] = {at.row, sum};
    __syncthreads();
    scan(rests);
    const bool is_last = t == THREADS - 1 || rests[t + 1].row != rests[t].row;
    if (is_last && rests[t].row < rows)
        sums[rests[t].row] += rests[t].sum; // the row ends in a later thread
    if (t == THREADS - 1)
        tile_rests[blockIdx.x] = {from.row + rests[t].row, rests[t].sum};
    __syncthreads();
    for (int i = t; i < rows; i += THREADS)
        y[from.row + i] = sums[i];
}

// Adds the partial sums of one row per warp. They belong to consecutive tiles.
template <typename T> __global__ void add_rests(const Rest<T> *rests, int tiles, int rows, T *y)
{
    const int tile = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (tile >= tiles)
        return;
    const int row = rests[tile].row;
    if (row >= rows || (tile > 0 && rests[tile - 1].row == row))
        return;
    T sum = 0;
    for (int i = tile + lane; i < tiles && rests[i].row == row; i += WARP)
        sum += rests[i].sum;
    for (int step = WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
        y[row] += sum;
}

int tiles_of(const merge_product *p)
{
    return (int)(((int64_t)p->rows + p->nnz + TILE - 1) / TILE);
}

int blocks_for(int64_t threads)
{
    return (int)((threads + THREADS - 1) / THREADS);
}

template <typename T> void launch(const merge_product *p)
{
    const int tiles = tiles_of(p);
    const int *ends = p->row_ptr + 1;
    Rest<T> *rests = (Rest<T> *)p->workspace;
    run_tiles<T><<<tiles, THREADS>>>(ends, p->col_ind, (const T *)p->values, (const T *)p->x, p->rows, p->nnz,
                                     (T *)p->y, rests);
    add_rests<T><<<blocks_for((int64_t)tiles * WARP), THREADS>>>(rests, tiles, p->rows, (T *)p->y);
}

} // namespace

uint64_t merge_spmv_workspace_bytes(const merge_product *product)
{
    return (uint64_t)tiles_of(product) * sizeof(Rest<double>);
}

const char *merge_spmv(const struct merge_product *product)
{
    if (product->is_f64)
        launch<double>(product);
    else
        launch<float>(product);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
