// SPDX-License-Identifier: Apache-2.0
// The certificate of a product on a GPU; certify_rule.h has the method.
//
// project  a block has 32 rows. Tiles of 32 columns go through shared memory; they are read along the lines
//          of the matrix. Thread (row, group) adds 8 vectors, columns ascending
// judge    thread (vector, row) multiplies a row of op(A) by the projections of B, entries ascending:
//          neighbouring threads read neighbouring lanes. Rows of more than LONG entries are processed by a
//          second launch, in which a block has one row, and slices of it are added in order
#include <cuda_runtime.h>

#include "certify_launch.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/value.cuh"

namespace {

constexpr int TILE = 32;
constexpr int JUDGE_THREADS = 128;
constexpr int BLOCKS_MAX = 4096;
constexpr int64_t LONG = 4096;

using Sum = spmmi_certify_sum;

template <bool EXACT> __device__ __forceinline__ void add(Sum &into, double x)
{
    if (EXACT)
        spmmi_certify_add(&into, x);
    else
        into.sum += x;
}

// Loads the values of the tile as doubles; 0 past the edge.
template <typename T>
__device__ __forceinline__ void load_tile(const spmmi_certify_dense &d, int64_t row, int64_t column,
                                          int thread, int threads, double (*tile)[TILE + 1])
{
    for (int e = thread; e < TILE * TILE; e += threads) {
        const bool is_rows = d.column_step == 1;
        const int i = is_rows ? e / TILE : e % TILE, l = is_rows ? e % TILE : e / TILE;
        const bool is_there = row + i < d.rows && column + l < d.cols;
        const int64_t at = (row + i) * d.row_step + (column + l) * d.column_step;
        tile[i][l] = is_there ? (double)spmmi::Value<T>::widen(static_cast<const T *>(d.data)[at]) : 0;
    }
}

__device__ __forceinline__ void measure(double x, double &magnitude, double &largest)
{
    const double size = fabs(x);
    magnitude += size;
    if (!spmmi_certify_is_finite(size))
        largest = (double)INFINITY;
    else
        largest = fmax(largest, size);
}

template <typename T>
__global__ void project(spmmi_certify_dense d, uint64_t seed, spmmi_certify_projection to)
{
    constexpr bool EXACT = sizeof(T) == sizeof(double);
    __shared__ double tile[TILE][TILE + 1];
    __shared__ uint64_t signs[TILE];
    const int thread = (int)(threadIdx.y * TILE + threadIdx.x),
              first = (int)threadIdx.y * SPMMI_CERTIFY_LANES;
    const int64_t row = (int64_t)blockIdx.x * TILE, i = row + threadIdx.x;
    Sum sums[SPMMI_CERTIFY_LANES] = {};
    double magnitude = 0, largest = 0;
    for (int64_t column = 0; column < d.cols; column += TILE) {
        __syncthreads();
        load_tile<T>(d, row, column, thread, (int)(blockDim.x * blockDim.y), tile);
        if (thread < TILE)
            signs[thread] = spmmi_certify_signs(seed, column + thread);
        __syncthreads();
        const int64_t left = d.cols - column;
        for (int l = 0; l < (left < TILE ? (int)left : TILE); l++) {
            const double x = tile[threadIdx.x][l];
            const uint32_t bits = (uint32_t)(signs[l] >> first);
#pragma unroll
            for (int v = 0; v < SPMMI_CERTIFY_LANES; v++)
                add<EXACT>(sums[v], (bits >> v & 1) != 0 ? -x : x);
            if (first == 0)
                measure(x, magnitude, largest);
        }
    }
    if (i >= d.rows)
        return;
    double *const record = spmmi_certify_record(&to, i) + first, *const sizes = spmmi_certify_sizes(&to, i);
#pragma unroll
    for (int v = 0; v < SPMMI_CERTIFY_LANES; v++) {
        record[v] = sums[v].sum;
        if (EXACT)
            record[to.lanes + v] = sums[v].rest;
    }
    if (first == 0) {
        sizes[0] = magnitude;
        sizes[1] = largest;
    }
}

// The product of a row of op(A), or of a slice of it, and one vector's projections of B.
struct Partial {
    Sum sum;
    spmmi_certify_row row;
};

template <typename T>
__device__ __forceinline__ Partial multiply(const spmmi_certify_rows &a, int64_t begin, int64_t end, int step,
                                            int vector)
{
    constexpr bool EXACT = sizeof(T) == sizeof(double);
    Partial p = {};
    p.row.is_finite = 1;
    for (int64_t q = begin; q < end; q += step) {
        const int64_t j = a.col_ind[q];
        const double x = (double)spmmi::Value<T>::widen(static_cast<const T *>(a.values)[q]), size = fabs(x);
        const double *const sizes = spmmi_certify_sizes(&a.b, j);
        const double magnitude = sizes[0], largest = sizes[1];
        if (EXACT) {
            spmmi_certify_add_product(&p.sum, x, spmmi_certify_lane(&a.b, j, vector));
        } else {
            p.sum.sum += x * spmmi_certify_record(&a.b, j)[vector];
        }
        p.row.entries += 1;
        p.row.product += size * magnitude;
        p.row.factors += (double)a.rule.n * size + magnitude;
        p.row.highest += size * largest;
        p.row.met = fmax(p.row.met, magnitude);
        p.row.is_finite &= spmmi_certify_is_finite(size) & spmmi_certify_is_finite(largest);
    }
    return p;
}

__device__ __forceinline__ void merge(Partial &into, const Partial &from)
{
    spmmi_certify_add(&into.sum, from.sum.sum);
    into.sum.rest += from.sum.rest;
    into.row.entries += from.row.entries;
    into.row.product += from.row.product;
    into.row.factors += from.row.factors;
    into.row.highest += from.row.highest;
    into.row.met = fmax(into.row.met, from.row.met);
    into.row.is_finite &= from.row.is_finite;
}

// Returns the ratio of one vector for row i of C, or -1 if the row is judged by class and passes.
__device__ __forceinline__ double judge_vector(const spmmi_certify_rows &a, Partial &p, int64_t i, int vector)
{
    const bool has_before = a.rule.beta != 0;
    const Sum none = {0, 0};
    p.row.result = spmmi_certify_sizes(&a.c, i)[0];
    p.row.result_largest = spmmi_certify_sizes(&a.c, i)[1];
    p.row.before = has_before ? spmmi_certify_sizes(&a.before, i)[0] : 0;
    p.row.before_largest = has_before ? spmmi_certify_sizes(&a.before, i)[1] : 0;
    const double bound = spmmi_certify_bound(&a.rule, &p.row);
    const spmmi_certify_class found = spmmi_certify_classify(&a.rule, &p.row, bound);
    if (found != SPMMI_CERTIFY_COMPARED)
        return found == SPMMI_CERTIFY_WRONG ? (double)INFINITY : -1;
    const double ratio = spmmi_certify_ratio(&a.rule, bound, p.sum,
                                             has_before ? spmmi_certify_lane(&a.before, i, vector) : none,
                                             spmmi_certify_lane(&a.c, i, vector));
    return ratio >= 0 ? ratio : (double)INFINITY; // a NaN does not occur; it would count as wrong
}

// The findings of the threads of vector 0.
struct Found {
    unsigned long long failed, by_class, last;
    double ratio;
};

__device__ __forceinline__ void found_add(Found &found, double ratio, int64_t rows, int64_t i)
{
    found.by_class += ratio < 0;
    found.ratio = fmax(found.ratio, ratio);
    if (ratio <= 1)
        return;
    const unsigned long long from_end = (unsigned long long)(rows - 1 - i);
    found.failed++;
    found.last = from_end > found.last ? from_end : found.last;
}

template <typename T, bool IS_LONG> __global__ void judge(spmmi_certify_rows a)
{
    __shared__ Partial partials[IS_LONG ? JUDGE_THREADS : 1];
    __shared__ double ratios[JUDGE_THREADS];
    const int vector = (int)threadIdx.x, y = (int)threadIdx.y, slices = (int)blockDim.y;
    const int thread = y * (int)blockDim.x + vector;
    const int64_t step = IS_LONG ? 1 : slices;
    Found found = {};
    for (int64_t base = blockIdx.x * step; base < a.rows; base += gridDim.x * step) {
        const int64_t i = IS_LONG ? base : base + y;
        const int64_t row = i >= a.rows ? 0 : a.permutation != nullptr ? (int64_t)a.permutation[i] : i;
        const int64_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
        const bool is_mine = i < a.rows && (end - begin > LONG) == IS_LONG;
        if (IS_LONG && !is_mine) // the same for the whole block
            continue;
        const bool reads_a = is_mine && a.rule.alpha != 0;
        Partial p =
            multiply<T>(a, IS_LONG ? begin + y : begin, reads_a ? end : begin, IS_LONG ? slices : 1, vector);
        if (IS_LONG) {
            partials[thread] = p;
            __syncthreads();
            for (int s = 1; y == 0 && s < slices; s++)
                merge(p, partials[s * (int)blockDim.x + vector]);
        }
        const bool judges = is_mine && (!IS_LONG || y == 0);
        ratios[thread] = judges ? judge_vector(a, p, i, vector) : 0;
        __syncthreads();
        if (judges && vector == 0) {
            double worst = ratios[thread];
            for (int v = 1; v < a.vectors; v++)
                worst = fmax(worst, ratios[thread + v]);
            found_add(found, worst, a.rows, i);
        }
        __syncthreads();
    }
    if (found.failed + found.by_class != 0 || found.ratio > 0) {
        atomicAdd(&a.counts->failed, found.failed);
        atomicAdd(&a.counts->by_class, found.by_class);
        atomicMax(&a.counts->last, found.last);
        atomicMax(&a.counts->ratio, (unsigned long long)__double_as_longlong(found.ratio));
    }
}

template <typename T>
cudaError_t launch_project(const spmmi_certify_dense &d, uint64_t seed, const spmmi_certify_projection &to,
                           cudaStream_t stream)
{
    const dim3 blocks((unsigned)((d.rows + TILE - 1) / TILE)),
        threads(TILE, (unsigned)(to.lanes / SPMMI_CERTIFY_LANES));
    return spmmi::launch_kernel(project<T>, blocks, threads, 0, stream, false, d, seed, to);
}

template <typename T> cudaError_t launch_judge(const spmmi_certify_rows &a, cudaStream_t stream)
{
    const dim3 threads((unsigned)a.lanes, (unsigned)(JUDGE_THREADS / a.lanes));
    const int64_t blocks = (a.rows + threads.y - 1) / threads.y;
    const dim3 short_rows((unsigned)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX)),
        long_rows((unsigned)(a.rows < BLOCKS_MAX ? a.rows : BLOCKS_MAX));
    const cudaError_t error = spmmi::launch_kernel(judge<T, false>, short_rows, threads, 0, stream, false, a);
    return error != cudaSuccess
               ? error
               : spmmi::launch_kernel(judge<T, true>, long_rows, threads, 0, stream, false, a);
}

} // namespace

extern "C" int spmmi_certify_project_cuda(int dtype, const spmmi_certify_dense *d, uint64_t seed,
                                          const spmmi_certify_projection *to, void *stream)
{
    cudaStream_t s = static_cast<cudaStream_t>(stream);
    if (d->rows == 0)
        return cudaSuccess;
    return dtype == 1   ? launch_project<float>(*d, seed, *to, s)
           : dtype == 2 ? launch_project<double>(*d, seed, *to, s)
           : dtype == 3 ? launch_project<__half>(*d, seed, *to, s)
                        : launch_project<__nv_bfloat16>(*d, seed, *to, s);
}

extern "C" int spmmi_certify_judge_cuda(int dtype, const spmmi_certify_rows *rows, void *stream)
{
    cudaStream_t s = static_cast<cudaStream_t>(stream);
    return dtype == 1   ? launch_judge<float>(*rows, s)
           : dtype == 2 ? launch_judge<double>(*rows, s)
           : dtype == 3 ? launch_judge<__half>(*rows, s)
                        : launch_judge<__nv_bfloat16>(*rows, s);
}
