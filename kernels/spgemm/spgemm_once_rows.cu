// SPDX-License-Identifier: Apache-2.0
// Products without a plan: rules of CSR, products of rows, classes, the scan of row pointers.
//
// check     a warp takes a row; the others: a thread takes a row
// lists     a block gathers the rows of a class in shared memory and takes room for them at once; their order does not
//           count
// scan      blocks of 1024 rows, then their sums by one block, then both together
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned ROW_THREADS = 256, SCAN_THREADS = 1024, SCAN_WARPS = SCAN_THREADS / 32;

__device__ __forceinline__ int64_t column_at(const spmmi_once_matrix &m, int64_t p)
{
    return m.has_wide_columns ? static_cast<const int64_t *>(m.given)[p]
                              : static_cast<const int32_t *>(m.given)[p];
}

__global__ void __launch_bounds__(ROW_THREADS)
    check_kernel(const __grid_constant__ spmmi_once_matrix m, unsigned long long *bad_row)
{
    const int64_t i = ((int64_t)blockIdx.x * ROW_THREADS + threadIdx.x) / 32;
    if (i >= m.rows)
        return;
    const int64_t begin = row_begin(m, i), end = row_begin(m, i + 1);
    bool is_bad = begin < 0 || end < begin || end > m.nnz || (i == 0 && begin != 0) ||
                  (i + 1 == m.rows && end != m.nnz);
    for (int64_t p = begin + threadIdx.x % 32; !is_bad && p < end; p += 32) {
        const int64_t column = column_at(m, p), before = p > begin ? column_at(m, p - 1) : -1;
        is_bad = column <= before || column >= m.cols;
        if (m.narrow != nullptr)
            m.narrow[p] = (int32_t)column;
    }
    if (is_bad)
        atomicMin(bad_row, (unsigned long long)i);
}

// A row into the list of its class; count: room that it takes.
struct Binning {
    unsigned int *taken; // of each class, in shared memory
    unsigned int *base;

    __device__ __forceinline__ unsigned int take(int row_class, unsigned int count)
    {
        return count > 0 ? atomicAdd(taken + row_class, count) : 0;
    }

    __device__ __forceinline__ void commit(spmmi_once_counts *counts)
    {
        __syncthreads();
        if (threadIdx.x < SPMMI_ONCE_CLASSES)
            base[threadIdx.x] = atomicAdd(counts->rows + threadIdx.x, taken[threadIdx.x]);
        __syncthreads();
    }
};

__device__ __forceinline__ int class_of(uint32_t entries)
{
    return entries <= 32 ? 0 : entries <= 128 ? 1 : entries <= 512 ? 2 : SPMMI_ONCE_WIDE;
}

// BY_PRODUCTS: rows that might be wide are tried by the last class of tables, unless all are to be wide.
template <bool BY_PRODUCTS>
__global__ void __launch_bounds__(ROW_THREADS) bin_kernel(const __grid_constant__ spmmi_once_work w)
{
    __shared__ unsigned int taken[SPMMI_ONCE_CLASSES], base[SPMMI_ONCE_CLASSES];
    const int64_t i = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    if (threadIdx.x < SPMMI_ONCE_CLASSES)
        taken[threadIdx.x] = 0;
    __syncthreads();
    Binning binning = {taken, base};
    uint32_t size = 0;
    if (BY_PRODUCTS && i < w.a.rows) {
        unsigned long long products = 0;
        const int64_t end = row_begin(w.a, i + 1);
        for (int64_t p = row_begin(w.a, i); p < end; p++) {
            const int64_t k = w.a.columns[p];
            products += (unsigned long long)(row_begin(w.b, k + 1) - row_begin(w.b, k));
        }
        size = products < 0xffffffffu ? (uint32_t)products : 0xffffffffu;
        w.bound[i] = size;
    } else if (i < w.a.rows) {
        size = w.bound[i];
    }
    int row_class = w.all_wide ? SPMMI_ONCE_WIDE : class_of(size);
    if (BY_PRODUCTS && !w.all_wide && row_class == SPMMI_ONCE_WIDE)
        row_class = SPMMI_ONCE_WIDE - 1;
    const uint32_t count = BY_PRODUCTS || row_class != SPMMI_ONCE_WIDE
                               ? (size > 0 ? 1 : 0)
                               : (size + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE;
    const unsigned int at = binning.take(row_class, count);
    binning.commit(w.counts);
    for (uint32_t e = 0; e < count; e++) {
        const unsigned int to = base[row_class] + at + e;
        w.list[row_class][to] = (uint32_t)i;
        if (!BY_PRODUCTS && row_class == SPMMI_ONCE_WIDE)
            w.range[to] = e;
    }
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_rows(const __grid_constant__ spmmi_once_work w)
{
    __shared__ int64_t shared[SCAN_WARPS];
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    int64_t total;
    const int64_t before = sum_before<SCAN_WARPS, int64_t>(i < w.a.rows ? w.bound[i] : 0, shared, &total);
    if (i <= w.a.rows)
        w.c_row_ptr[i] = before;
    if (threadIdx.x == 0)
        w.sums[blockIdx.x] = total;
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_sums(int64_t *sums, int64_t count)
{
    __shared__ int64_t shared[SCAN_WARPS];
    int64_t so_far = 0;
    for (int64_t first = 0; first < count; first += SCAN_THREADS) {
        const int64_t i = first + threadIdx.x;
        int64_t total;
        const int64_t before = sum_before<SCAN_WARPS, int64_t>(i < count ? sums[i] : 0, shared, &total);
        if (i < count)
            sums[i] = so_far + before;
        so_far += total;
    }
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_join(const __grid_constant__ spmmi_once_work w)
{
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    if (i <= w.a.rows)
        w.c_row_ptr[i] += w.sums[blockIdx.x];
}

inline dim3 blocks_of(int64_t count, unsigned threads)
{
    return dim3((unsigned)((count + threads - 1) / threads));
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_check_cuda(const struct spmmi_once_matrix *m, unsigned long long *bad_row, void *stream)
{
    using namespace spmmi;
    if (m->rows == 0)
        return cudaSuccess;
    return launch_kernel(spgemm::check_kernel, spgemm::blocks_of(m->rows, spgemm::ROW_THREADS / 32),
                         spgemm::ROW_THREADS, 0, stream, false, *m, bad_row);
}

int spmmi_once_products_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::bin_kernel<true>, spgemm::blocks_of(w->a.rows, spgemm::ROW_THREADS),
                         spgemm::ROW_THREADS, 0, stream, false, *w);
}

int spmmi_once_bin_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::bin_kernel<false>, spgemm::blocks_of(w->a.rows, spgemm::ROW_THREADS),
                         spgemm::ROW_THREADS, 0, stream, false, *w);
}

uint64_t spmmi_once_scan_blocks(int64_t rows)
{
    return (uint64_t)rows / spmmi::spgemm::SCAN_THREADS + 1;
}

int spmmi_once_scan_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const dim3 blocks((unsigned)spmmi_once_scan_blocks(w->a.rows));
    int error = launch_kernel(spgemm::scan_rows, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
    if (error == cudaSuccess)
        error = launch_kernel(spgemm::scan_sums, dim3(1), spgemm::SCAN_THREADS, 0, stream, false, w->sums,
                              (int64_t)blocks.x);
    if (error == cudaSuccess)
        error = launch_kernel(spgemm::scan_join, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
    return error;
}
