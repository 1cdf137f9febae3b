// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of entries of many products, long ones among them.
//
// block     32 warps for an entry: each takes a stretch, then one thread adds their sums to those before them
// shared    of each warp a and b of 64 products, which one lane reads and adds: as many wavefronts as lanes read
// in flight the next 64 products of a warp, and where those behind them are
// sums      a stretch is added by ascending k from 0, fused; stretches of a piece one after the other, then pieces:
//           bitwise repeatable, and the bits of the CPU
// bounds    lists are trusted, as those of all sparse products (docs/decisions/0037)
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_flat.cuh"
#include "spgemm_launch.h"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

constexpr int LONG_WARPS = 32, LONG_THREADS = 32 * LONG_WARPS;
constexpr uint32_t OF_LANE = 2, LONG_CHUNK = 32 * OF_LANE; // products that a lane, and a warp, load together

template <typename Real> struct LongMemory {
    Product<Real> products[LONG_WARPS][LONG_CHUNK];
    Real sums[LONG_WARPS];
};

// What a lane loads of a chunk.
struct LongWords {
    uint2 word[OF_LANE]; // entries of the left and of the right factor
    int32_t k[OF_LANE];
};

__device__ __forceinline__ LongWords load_words(const spmmi_spgemm_long_tables &tables, uint32_t first,
                                                uint32_t at, uint32_t count)
{
    LongWords words;
#pragma unroll
    for (uint32_t i = 0; i < OF_LANE; i++) {
        const uint32_t t = at + 32 * i + threadIdx.x % 32;
        words.word[i] = {0, 0};
        words.k[i] = 0;
        if (t < count) {
            words.word[i] = __ldg(reinterpret_cast<const uint2 *>(tables.words) + first + t);
            if (tables.k_of != nullptr)
                words.k[i] = __ldg(tables.k_of + first + t);
        }
    }
    return words;
}

// The products of words that are there: of others entry 0 with itself, which nobody adds.
template <typename Real>
__device__ __forceinline__ void load_products(const Operands<Real> &values, const LongWords &words,
                                              Product<Real> (&products)[OF_LANE])
{
#pragma unroll
    for (uint32_t i = 0; i < OF_LANE; i++) {
        products[i] = {values.left[words.word[i].x], values.right[words.word[i].y]};
        if (values.diagonal != nullptr)
            products[i].a = times(products[i].a, values.diagonal[words.k[i]]);
    }
}

template <typename Real>
__device__ __forceinline__ Real add_stretch(const spmmi_spgemm_long_tables &tables,
                                            const Operands<Real> &values, const spmmi_spgemm_stretch &stretch,
                                            Product<Real> *shared)
{
    const uint32_t lane = threadIdx.x % 32, count = stretch.count & ~SPMMI_SPGEMM_BEGINS;
    Product<Real> products[OF_LANE];
    LongWords words = load_words(tables, stretch.first, 0, count);
    load_products(values, words, products);
    words = load_words(tables, stretch.first, LONG_CHUNK, count);
    Real sum = Real(0);
    for (uint32_t at = 0; at < count; at += LONG_CHUNK) {
#pragma unroll
        for (uint32_t i = 0; i < OF_LANE; i++)
            shared[32 * i + lane] = products[i];
        __syncwarp();
        load_products(values, words, products);
        words = load_words(tables, stretch.first, at + 2 * LONG_CHUNK, count);
        sum = add_in_order(shared, lane == 0 ? min(count - at, LONG_CHUNK) : 0, sum);
        __syncwarp();
    }
    return sum;
}

// Sums of stretches, in order.
template <typename Real> struct LongSum {
    Real total, piece;
    bool has_total, has_piece;

    __device__ __forceinline__ void add(Real sum, bool begins)
    {
        if (begins && has_piece) {
            total = has_total ? total + piece : piece;
            has_total = true;
        }
        piece = begins ? sum : piece + sum;
        has_piece = true;
    }

    // has_gaps: there are pieces without products, whose sums are 0.
    __device__ __forceinline__ Real end(bool has_gaps) const
    {
        const Real sum = has_total ? total + piece : piece;
        return has_gaps ? sum + Real(0) : sum;
    }
};

template <typename Real>
__global__ void __launch_bounds__(LONG_THREADS)
    long_kernel(const __grid_constant__ spmmi_spgemm_long_tables tables,
                const __grid_constant__ Operands<Real> values)
{
    __shared__ LongMemory<Real> memory;
    const uint32_t warp = threadIdx.x / 32;
    release_dependents();
    const spmmi_spgemm_long entry = tables.entries[blockIdx.x];
    LongSum<Real> sum = {Real(0), Real(0), false, false};
    for (uint32_t first = 0; first < entry.count; first += LONG_WARPS) {
        const uint32_t some = min(entry.count - first, (uint32_t)LONG_WARPS);
        const spmmi_spgemm_stretch *const stretches = tables.stretches + entry.first + first;
        if (warp < some) {
            const Real own = add_stretch(tables, values, stretches[warp], memory.products[warp]);
            if (threadIdx.x % 32 == 0)
                memory.sums[warp] = own;
        }
        __syncthreads();
        for (uint32_t w = 0; threadIdx.x == 0 && w < some; w++)
            sum.add(memory.sums[w], (stretches[w].count & SPMMI_SPGEMM_BEGINS) != 0);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        put(values.c + entry.out, values.alpha, sum.end(entry.has_gaps != 0), values.beta);
    end_after_previous();
}

template <typename Real>
int launch_long(const spmmi_spgemm_long_tables *tables, const spmmi_spgemm_operands *o, void *stream)
{
    return launch_kernel(long_kernel<Real>, dim3(tables->count), LONG_THREADS, 0, stream, false, *tables,
                         operands_of<Real>(o));
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_long_cuda(const struct spmmi_spgemm_long_tables *tables,
                           const struct spmmi_spgemm_operands *operands, void *stream)
{
    return operands->is_f64 ? spmmi::spgemm::launch_long<double>(tables, operands, stream)
                            : spmmi::spgemm::launch_long<float>(tables, operands, stream);
}
