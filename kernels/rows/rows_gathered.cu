// SPDX-License-Identifier: Apache-2.0
// rows: launches products of blocks with lists of columns, and copies values of A into their order
// (rows_gathered_shape.h).
//
// copy      a block of threads owns one block of nonzeros; adjacent threads copy adjacent values of a word
// bounds    entries and nonzeros read from tables are clamped to what there is (docs/decisions/0037)
#include "kernels/shared/allowed.cuh"
#include "rows_gathered.cuh"

namespace spmmi {

template <typename Value> int launch_gathered(const struct spmmi_gathered_product *args)
{
    using T = Types<Value>;
    RowsArgs<T> a{};
    a.row_of_rank = args->stream.row_of_rank;
    a.empty_rows = args->stream.empty_rows;
    a.empty_count = args->beta == 1.0 ? 0 : args->stream.empty_count; // C = 1 * C needs no work
    a.values = static_cast<const Value *>(args->stream.values);
    a.ranks = args->stream.ranks;
    a.b = static_cast<const Value *>(args->b);
    a.c = static_cast<Value *>(args->c);
    a.ldb_bytes = args->ldb * (uint32_t)sizeof(Value);
    a.c_row_stride = args->ldc;
    a.c_column_stride = 1;
    a.n = 1;
    a.last_row = args->rows_of_c - 1;
    a.last_column = args->rows_of_b - 1;
    a.work_blocks = args->tables.count;
    a.alpha = static_cast<typename T::Sum>(args->alpha);
    a.beta = static_cast<typename T::Sum>(args->beta);
    a.slots = static_cast<typename T::Sum *>(args->slots);
    a.arrivals = args->arrivals;
    a.arrival_tag = args->arrival_tag;
    constexpr uint32_t EMPTY_ROWS = THREADS * 4; // per block
    const uint32_t blocks = a.work_blocks + (a.empty_count + EMPTY_ROWS - 1) / EMPTY_ROWS;
    const uint32_t shared = args->tables.shared_values_max * (uint32_t)sizeof(typename T::Sum);
    const cudaError_t error =
        allow_shared_once(rows_gathered_kernel<T>, shared, SPMMI_GATHERED_SHARED_MAX, args->allowed);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(rows_gathered_kernel<T>, dim3(blocks), GATHERED_THREADS, shared, args->cuda_stream,
                         args->is_dependent != 0, a, args->tables);
}

template <typename Bits>
__global__ void gathered_fill_kernel(const struct spmmi_gathered_tables t, uint32_t nnz, const Bits *from,
                                     Bits *to)
{
    const GatheredBlock b = gathered_block(t);
    const uint32_t start = min(t.starts[blockIdx.x], nnz);
    const uint32_t end = min(max(t.starts[blockIdx.x + 1], start), nnz);
    const uint32_t count = min(end - start, b.threads * b.words * GATHERED_WORD);
    for (uint32_t p = threadIdx.x; p < count; p += GATHERED_THREADS)
        to[min(b.entry + spmmi_gathered_at(b.threads, b.words, p), t.entries - 1)] = from[start + p];
}

template <typename Bits>
int launch_gathered_fill(const struct spmmi_gathered_tables *t, uint32_t nnz, const void *from, void *to,
                         void *cuda_stream)
{
    return launch_kernel(gathered_fill_kernel<Bits>, dim3(t->count), GATHERED_THREADS, 0, cuda_stream, false,
                         *t, nnz, static_cast<const Bits *>(from), static_cast<Bits *>(to));
}

} // namespace spmmi

int spmmi_gathered_run_cuda(const struct spmmi_gathered_product *args, int type)
{
    switch (type) {
    case SPMM_F32:
        return spmmi::launch_gathered<float>(args);
    case SPMM_F64:
        return spmmi::launch_gathered<double>(args);
    case SPMM_F16:
        return spmmi::launch_gathered<__half>(args);
    case SPMM_BF16:
        return spmmi::launch_gathered<__nv_bfloat16>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

int spmmi_gathered_fill_cuda(const struct spmmi_gathered_tables *tables, uint32_t nnz, const void *from,
                             void *to, uint32_t value_bytes, void *cuda_stream)
{
    switch (value_bytes) {
    case 2:
        return spmmi::launch_gathered_fill<uint16_t>(tables, nnz, from, to, cuda_stream);
    case 4:
        return spmmi::launch_gathered_fill<uint32_t>(tables, nnz, from, to, cuda_stream);
    case 8:
        return spmmi::launch_gathered_fill<uint64_t>(tables, nnz, from, to, cuda_stream);
    default:
        return cudaErrorInvalidValue;
    }
}
