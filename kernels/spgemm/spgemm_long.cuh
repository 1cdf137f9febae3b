// SPDX-License-Identifier: Apache-2.0
// Adds stretches of long entries; a thread block adds four of them at once. See spgemm_long.cu.
#pragma once
#include "kernels/shared/async.cuh"
#include "kernels/shared/launch.cuh"
#include "spgemm_launch.h"
#include "spgemm_operands.cuh"
#include "spgemm_products.cuh"

namespace spmmi {
namespace spgemm {

constexpr uint32_t LONG_STRETCHES = 4, LONG_THREADS = 32 * (LONG_STRETCHES + 1);
constexpr uint32_t OF_LANE = 2, LONG_CHUNK = 32 * OF_LANE; // products that a lane, and a warp, load together
constexpr uint32_t STAGES = 4, AHEAD = STAGES - 1;

// The elements of the diagonal for the products of a ring: their indices k and values d. Empty without a
// diagonal.
template <typename Real, bool SCALED> struct LongScales {
    __device__ __forceinline__ void copy_k(const spmmi_spgemm_long_tables &, uint32_t, uint32_t)
    {
    }
    __device__ __forceinline__ void copy(const Operands<Real> &, uint32_t, uint32_t)
    {
    }
    __device__ __forceinline__ void apply(Product<Real> &, uint32_t) const
    {
    }
};

template <typename Real> struct LongScales<Real, true> {
    int32_t k[STAGES * LONG_CHUNK];
    Real d[STAGES * LONG_CHUNK];

    __device__ __forceinline__ void copy_k(const spmmi_spgemm_long_tables &tables, uint32_t to, uint32_t from)
    {
        copy_async(k + to, tables.k_of + from);
    }
    __device__ __forceinline__ void copy(const Operands<Real> &values, uint32_t to, uint32_t word)
    {
        copy_async(d + to, values.diagonal + k[word]);
    }
    __device__ __forceinline__ void apply(Product<Real> &product, uint32_t at) const
    {
        product.a = times(product.a, d[at]);
    }
};

// A ring of chunks of a stretch. Until they are added, a lane of the loading warp accesses only the products
// and words that it copied itself.
template <typename Real, bool SCALED> struct LongRing {
    Product<Real> products[STAGES * LONG_CHUNK];
    uint2 words[STAGES * LONG_CHUNK]; // entries of the left and of the right factor
    LongScales<Real, SCALED> scales;
    // Moves rings to different banks, because the adding lanes read the same index of each.
    Product<Real> skew;

    static __device__ __forceinline__ uint32_t place(uint32_t t)
    {
        return t % (STAGES * LONG_CHUNK);
    }

    // Copies the word of product t of the stretch. first: index of the first word of the stretch.
    __device__ __forceinline__ void copy_word(const spmmi_spgemm_long_tables &tables, uint32_t first,
                                              uint32_t t)
    {
        copy_async(words + place(t), reinterpret_cast<const uint2 *>(tables.words) + first + t);
        scales.copy_k(tables, place(t), first + t);
    }

    // Copies the factors of product t, whose word has arrived.
    __device__ __forceinline__ void copy_product(const Operands<Real> &values, uint32_t t)
    {
        const uint2 word = words[place(t)];
        copy_async(&products[place(t)].a, values.left + word.x);
        copy_async(&products[place(t)].b, values.right + word.y);
        scales.copy(values, place(t), place(t));
    }

    // Copies this lane's part of a chunk of products and of a chunk of words, up to the end of the stretch,
    // as one group of copies.
    __device__ __forceinline__ void copy_ahead(const spmmi_spgemm_long_tables &tables,
                                               const Operands<Real> &values, uint32_t first,
                                               uint32_t products_at, uint32_t words_at, uint32_t count)
    {
#pragma unroll
        for (uint32_t i = 0; i < OF_LANE; i++) {
            const uint32_t own = 32 * i + threadIdx.x % 32;
            if (products_at + own < count)
                copy_product(values, products_at + own);
            if (words_at + own < count)
                copy_word(tables, first, words_at + own);
        }
        commit_copies();
    }

    __device__ __forceinline__ void scale(uint32_t at, uint32_t count)
    {
#pragma unroll
        for (uint32_t i = 0; i < OF_LANE; i++) {
            const uint32_t t = at + 32 * i + threadIdx.x % 32;
            if (t < count)
                scales.apply(products[place(t)], place(t));
        }
    }
};

constexpr uint32_t READ = 8; // products that the adding lane reads ahead

// Adds a chunk. In f64, each product that is added frees the registers for the product READ after it. A loop
// keeps the compiler from moving the reads: reads in blocks of 8 delay the sums between them (one warp alone,
// H100: 12.4 cycles per product; a fused add takes 8.1).
template <typename Real>
__device__ __forceinline__ Real add_products(const Product<Real> *products, uint32_t count, Real sum)
{
    if (count < LONG_CHUNK)
        return add_in_order(products, count, sum);
    if constexpr (sizeof(Real) == 8) {
        Product<Real> own[READ];
#pragma unroll
        for (uint32_t i = 0; i < READ; i++)
            own[i] = products[i];
#pragma unroll 1
        for (uint32_t t = READ; t < LONG_CHUNK; t += READ) {
#pragma unroll
            for (uint32_t i = 0; i < READ; i++) {
                sum = fused(own[i].a, own[i].b, sum);
                own[i] = products[t + i];
            }
        }
#pragma unroll
        for (uint32_t i = 0; i < READ; i++)
            sum = fused(own[i].a, own[i].b, sum);
        return sum;
    } else {
#pragma unroll
        for (uint32_t t = 0; t < LONG_CHUNK; t++)
            sum = fused(products[t].a, products[t].b, sum);
        return sum;
    }
}

__device__ __forceinline__ uint32_t products_of(const spmmi_spgemm_stretch &stretch)
{
    return stretch.count & ~SPMMI_SPGEMM_BEGINS;
}

// Returns the maximum number of products of a stretch of the block; if stretches are sorted, the first is the
// longest.
__device__ __forceinline__ uint32_t longest_of_block(const spmmi_spgemm_long_tables &tables, uint32_t begin)
{
    if (tables.order != nullptr)
        return products_of(tables.stretches[tables.order[begin]]);
    uint32_t most = 0;
    for (uint32_t s = begin; s < min(tables.stretch_count, begin + LONG_STRETCHES); s++)
        most = max(most, products_of(tables.stretches[s]));
    return most;
}

// State of a warp that loads a stretch.
template <typename Real, bool SCALED> struct LongLoader {
    LongRing<Real, SCALED> &ring;
    uint32_t first, count;
    static constexpr uint32_t AHEAD_PRODUCTS = AHEAD * LONG_CHUNK;

    __device__ __forceinline__ void begin(const spmmi_spgemm_long_tables &tables,
                                          const Operands<Real> &values)
    {
        for (uint32_t at = 0; at < AHEAD_PRODUCTS; at += LONG_CHUNK)
            ring.copy_ahead(tables, values, first, count, at, count);
        for (uint32_t at = 0; at < AHEAD_PRODUCTS; at += LONG_CHUNK) {
            wait_for_copies<(int)AHEAD - 1>();
            ring.copy_ahead(tables, values, first, at, at + AHEAD_PRODUCTS, count);
        }
    }

    // Waits for the part of the chunk that this lane copied, and applies the diagonal to it.
    __device__ __forceinline__ void wait(uint32_t at)
    {
        wait_for_copies<(int)AHEAD - 1>();
        ring.scale(at, count);
    }

    // Copies further products and words to where the previous chunk was, which has been added.
    __device__ __forceinline__ void next(const spmmi_spgemm_long_tables &tables, const Operands<Real> &values,
                                         uint32_t at)
    {
        ring.copy_ahead(tables, values, first, at + AHEAD_PRODUCTS, at + 2 * AHEAD_PRODUCTS, count);
    }
};

constexpr unsigned LONG_BLOCKS = 4; // per multiprocessor; limits the registers

// Adds the stretches from number `begin` on, four or the remaining ones, with all threads of a block.
template <typename Real, bool SCALED>
__device__ __forceinline__ void add_long_stretches(const spmmi_spgemm_long_tables &tables,
                                                   const Operands<Real> &values, uint32_t begin, Real *sums,
                                                   LongRing<Real, SCALED> *rings)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bool is_loader = warp < LONG_STRETCHES;
    const uint32_t i = is_loader ? warp : lane; // the stretch of the block that this thread loads or adds
    const bool is_there = i < min(tables.stretch_count - begin, LONG_STRETCHES);
    const uint32_t number = !is_there ? 0 : tables.order != nullptr ? tables.order[begin + i] : begin + i;
    const spmmi_spgemm_stretch stretch = is_there ? tables.stretches[number] : spmmi_spgemm_stretch{0, 0};
    const uint32_t count = products_of(stretch);
    LongRing<Real, SCALED> &ring = rings[is_there ? i : 0];
    LongLoader<Real, SCALED> loader = {ring, stretch.first, count};
    const uint32_t most = longest_of_block(tables, begin);
    Real sum = Real(0);
    if (is_loader)
        loader.begin(tables, values);
    for (uint32_t at = 0; at < most; at += LONG_CHUNK) {
        if (is_loader)
            loader.wait(at);
        __syncthreads(); // the chunk has arrived, and the previous one has been added
        if (is_loader)
            loader.next(tables, values, at);
        else if (at < count)
            sum = add_products(ring.products + ring.place(at), count - at, sum);
    }
    if (!is_loader && is_there)
        sums[number] = sum;
}

} // namespace spgemm
} // namespace spmmi
