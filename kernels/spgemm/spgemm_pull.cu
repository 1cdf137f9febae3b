// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of pulls: each entry of C takes its products from shared memory, to which a warp
// brought them.
//
// block     4 warps, one pull each: up to 256 products of neighbouring entries of C
// loads     by ascending k, because rows of the right factor are contiguous: 32 products at a time, of any
//           runs
// shared    for each run, a and where its products are; for each product, in the order of loads, b, and in
//           f32 a, in f64 and in cut rows its run; a list of products by entry of C, then by k; for each
//           entry, where its products begin in it
// in flight 128 products
// sums      a lane adds an entry: by ascending k from 0, fused, so the bits of items
// one entry if an entry has more products, up to 2^18, one lane adds them, round by round
// cut rows  products know their piece: the sum of a piece begins from 0, and is added to the sums of the
//           pieces before it
#include <type_traits>

#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_launch.h"
#include "spgemm_lists.cuh"
#include "spgemm_operands.cuh"
#include "spgemm_products.cuh"

namespace spmmi {
namespace spgemm {

constexpr int PULL_THREADS = 128, PULL_WARPS = PULL_THREADS / 32, PULL = SPMMI_SPGEMM_PULL;
constexpr int PULL_BLOCKS = 12; // minimum per multiprocessor: as many as fit in 227 KiB in f64
constexpr int IN_PULL = 4;      // chunks whose loads are issued together
constexpr int ENTRY_BITS = 16;  // first lane that holds bits of entries
constexpr int ADDS_AHEAD = 8;   // products of one entry that are read before they are added

// In f32 products have both factors in shared memory. In f64 only b: reading 16 bytes at 32 random positions takes
// longer than a, which neighbours often share.
template <typename Real> constexpr bool HAS_PAIRS = sizeof(Real) == 4;

// Shared memory of a warp, for a pull of several entries.
template <typename Real> struct Pulled {
    Real a[SPMMI_SPGEMM_PULL_RUNS]; // of each run
    std::conditional_t<HAS_PAIRS<Real>, Product<Real>, Real> products[PULL];
    uint32_t starts[SPMMI_SPGEMM_PULL_RUNS]; // where in the right factor the products of a run begin
    uint32_t sources[PULL / 4];              // a byte for each product, in the order of entries: its number
    uint16_t begins[PULL + 33]; // first product of each entry; the number of products; unused elements
    uint8_t runs[PULL];         // run of each product
    // Of a row that is cut: piece of each run, counted from 0 in each pull.
    uint8_t pieces[SPMMI_SPGEMM_PULL_RUNS];
};

// The same for a pull of one entry.
template <typename Real> struct PulledOne {
    Product<Real> products[PULL];
    uint8_t is_next[PULL]; // of a row that is cut: whether the product begins a new piece
};

template <typename Real> union Shared {
    Pulled<Real> several;
    PulledOne<Real> one;
};

// What a warp knows about its pull.
struct Pull {
    spmmi_spgemm_pull_counts counts;
    uint32_t first, out;
    const uint32_t *stream;
};

// Loads run r: a, and where its products are. words: of all runs.
template <typename Real, bool SCALED>
__device__ __forceinline__ Real load_run(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                         const Pull &pull, const uint32_t *words, uint32_t r, uint32_t &start)
{
    const uint32_t word = pull.counts.bits > 0 ? __ldg(words + r) : r;
    const uint32_t p = pull.first + (word >> pull.counts.bits);
    start = start_of(tables, p) + (word & ((1u << pull.counts.bits) - 1));
    return left_value<Real, SCALED>(values, tables.k_of, p);
}

// Loads the bits of a pull: bits of runs in the first lanes, bits of entries from lane ENTRY_BITS on, and 0
// after the end of each.
__device__ __forceinline__ uint32_t load_bits(const Pull &pull, uint32_t lane)
{
    const uint32_t chunks = (pull.counts.products + 31) / 32, chunk = lane % ENTRY_BITS;
    return chunk < chunks ? __ldg(pull.stream + (lane < ENTRY_BITS ? chunk : chunks + chunk)) : 0;
}

// The sum of an entry of a row that is cut: the sums of its pieces, each from 0, are added in order.
template <typename Real> struct PieceSum {
    Real total = -Real(0), sum = Real(0); // -0 + x is x for every x
    uint32_t count = 1;

    __device__ __forceinline__ void add(const Product<Real> &product, bool is_next)
    {
        if (is_next) {
            total += sum;
            sum = Real(0);
            count++;
        }
        sum = fused(product.a, product.b, sum);
    }

    // Returns the sum. If there are pieces without a product of the entry, their sum 0 is added.
    __device__ __forceinline__ Real end(uint32_t pieces) const
    {
        const Real all = total + sum;
        return count < pieces ? all + Real(0) : all;
    }
};

// Prepares the runs and entries in shared memory. Lanes whose product does not begin an entry write to unused
// elements.
template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void open_pull(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                          const Pull &pull, Pulled<Real> &shared, uint32_t bits,
                                          uint32_t lane)
{
    const uint32_t chunks = (pull.counts.products + 31) / 32;
    const uint32_t *const pieces = pull.stream + spmmi_spgemm_pull_pieces_at(pull.counts) + 1;
    uint32_t before = 0;
    static_assert(SPMMI_SPGEMM_PULL_RUNS % 32 == 0, "a lane has a run in each round");
#pragma unroll
    for (uint32_t r = lane; r < SPMMI_SPGEMM_PULL_RUNS; r += 32) {
        if (r < pull.counts.runs)
            shared.a[r] =
                load_run<Real, SCALED>(tables, values, pull, pull.stream + 2 * chunks, r, shared.starts[r]);
        if (IS_CUT && r - lane < pull.counts.runs) {
            const uint32_t next = __ldg(pieces + r / 32);
            shared.pieces[r] = (uint8_t)(before + __popc(next & (((1u << lane) - 1) | 1u << lane)));
            before += __popc(next);
        }
    }
    before = 0;
#pragma unroll
    for (int chunk = 0; chunk < PULL / 32; chunk++) {
        const unsigned begins = __shfl_sync(EVERY_LANE, bits, ENTRY_BITS + chunk);
        const uint32_t e = before + __popc(begins & ((1u << lane) - 1));
        shared.begins[begins >> lane & 1 ? e : PULL + 1 + lane] = (uint16_t)(32 * chunk + lane);
        before += __popc(begins);
    }
    if (lane == 0)
        shared.begins[pull.counts.entries] = (uint16_t)pull.counts.products;
}

// Puts product `at`, in the order of loads, into shared memory.
template <typename Real, bool IS_CUT>
__device__ __forceinline__ void put_product(Pulled<Real> &shared, uint32_t at, uint32_t run, Real b)
{
    if constexpr (HAS_PAIRS<Real>)
        shared.products[at] = {shared.a[run], b};
    else
        shared.products[at] = b;
    if (!HAS_PAIRS<Real> || IS_CUT)
        shared.runs[at] = (uint8_t)run;
}

template <typename Real>
__device__ __forceinline__ Product<Real> product_of(const Pulled<Real> &shared, uint32_t at)
{
    if constexpr (HAS_PAIRS<Real>)
        return shared.products[at];
    else
        return {shared.a[shared.runs[at]], shared.products[at]};
}

// Brings the products to shared memory.
template <typename Real, bool IS_CUT>
__device__ __forceinline__ void bring_products(const Operands<Real> &values, const Pull &pull,
                                               Pulled<Real> &shared, uint32_t bits, uint32_t lane)
{
    const unsigned up_to = ((1u << lane) - 1) | 1u << lane;
    const uint32_t products = pull.counts.products;
    uint32_t runs_before = 0, begin_before = 0; // begin: first product of a run
#pragma unroll
    for (int half = 0; half < PULL / (32 * IN_PULL); half++) {
        uint32_t run[IN_PULL];
        Real b[IN_PULL];
        if (32 * IN_PULL * half >= products)
            break;
#pragma unroll
        for (int i = 0; i < IN_PULL; i++) {
            const int chunk = IN_PULL * half + i;
            const uint32_t at = 32 * chunk + lane;
            const unsigned begins = __shfl_sync(EVERY_LANE, bits, chunk), own = begins & up_to;
            const uint32_t begin = last_begin(own, chunk, begin_before);
            run[i] = runs_before + __popc(own) - 1;
            b[i] = Real(0);
            if (at < products)
                b[i] = values.right[shared.starts[run[i]] + (at - begin)];
            runs_before += __popc(begins);
            begin_before = last_begin(begins, chunk, begin_before);
        }
#pragma unroll
        for (int i = 0; i < IN_PULL; i++)
            put_product<Real, IS_CUT>(shared, 32 * (IN_PULL * half + i) + lane, run[i], b[i]);
    }
}

// Adds the products of entries, one lane per entry. The number of the next product is read ahead.
template <typename Real>
__device__ __forceinline__ void add_entries(const Operands<Real> &values, const Pull &pull,
                                            const Pulled<Real> &shared, uint32_t lane)
{
    const uint8_t *const sources = reinterpret_cast<const uint8_t *>(shared.sources);
    for (uint32_t e = lane; e < pull.counts.entries; e += 32) {
        const uint32_t end = shared.begins[e + 1];
        uint32_t t = shared.begins[e], source = sources[t];
        Real sum = Real(0);
        while (t < end) {
            const Product<Real> product = product_of(shared, source);
            source = sources[min(++t, (uint32_t)PULL - 1)];
            sum = fused(product.a, product.b, sum);
        }
        put(values.c + pull.out + e, values.alpha, sum, values.beta);
    }
}

// The same for a row that is cut.
template <typename Real>
__device__ __forceinline__ void add_pieces(const Operands<Real> &values, const Pull &pull,
                                           const Pulled<Real> &shared, uint32_t lane)
{
    const uint8_t *const sources = reinterpret_cast<const uint8_t *>(shared.sources);
    const uint32_t pieces = __ldg(pull.stream + spmmi_spgemm_pull_pieces_at(pull.counts));
    for (uint32_t e = lane; e < pull.counts.entries; e += 32) {
        const uint32_t begin = shared.begins[e], end = shared.begins[e + 1];
        uint32_t last = shared.pieces[shared.runs[sources[begin]]];
        PieceSum<Real> sum;
#pragma unroll 1
        for (uint32_t t = begin; t < end; t++) {
            const uint32_t source = sources[t], piece = shared.pieces[shared.runs[source]];
            sum.add(product_of(shared, source), piece != last);
            last = piece;
        }
        put(values.c + pull.out + e, values.alpha, sum.end(pieces), values.beta);
    }
}

template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void run_pull(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                         const Pull &pull, Pulled<Real> &shared, uint32_t lane)
{
    const uint32_t *const sources = pull.stream + spmmi_spgemm_pull_words(pull.counts);
    const uint32_t bits = load_bits(pull, lane), words = (pull.counts.products + 3) / 4;
    static_assert(PULL / 4 == 64, "two words per lane");
    shared.sources[lane] = lane < words ? __ldg(sources + lane) : 0;
    shared.sources[lane + 32] = lane + 32 < words ? __ldg(sources + lane + 32) : 0;
    open_pull<Real, SCALED, IS_CUT>(tables, values, pull, shared, bits, lane);
    __syncwarp();
    bring_products<Real, IS_CUT>(values, pull, shared, bits, lane);
    __syncwarp();
    if (IS_CUT)
        add_pieces(values, pull, shared, lane);
    else
        add_entries(values, pull, shared, lane);
}

// Computes one entry of C with at most SPMMI_SPGEMM_PULL_LONGEST products.
template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void run_one(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                        const Pull &pull, PulledOne<Real> &shared, uint32_t lane)
{
    const uint32_t products = pull.counts.products;
    const uint32_t *const pieces = pull.stream + spmmi_spgemm_pull_pieces_at(pull.counts);
    Real sum = Real(0);
    PieceSum<Real> of_pieces;
    for (uint32_t first = 0; first < products; first += PULL) {
        const uint32_t count = min(products - first, (uint32_t)PULL);
#pragma unroll(SCALED ? 2 : 4) // with a diagonal, four steps need more registers than 12 thread blocks have
        for (uint32_t at = lane; at < count; at += 32) {
            uint32_t start;
            const Real a = load_run<Real, SCALED>(tables, values, pull, pull.stream, first + at, start);
            shared.products[at] = {a, values.right[start]};
            if (IS_CUT)
                shared.is_next[at] = __ldg(pieces + 1 + (first + at) / 32) >> lane & 1;
        }
        __syncwarp();
        if (lane == 0)
#pragma unroll ADDS_AHEAD
            for (uint32_t t = 0; t < count; t++) {
                if (IS_CUT)
                    of_pieces.add(shared.products[t], shared.is_next[t] != 0);
                else
                    sum = fused(shared.products[t].a, shared.products[t].b, sum);
            }
        __syncwarp();
    }
    if (lane == 0)
        put(values.c + pull.out, values.alpha, IS_CUT ? of_pieces.end(__ldg(pieces)) : sum, values.beta);
}

template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void run_any(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                        const Pull &pull, Shared<Real> &shared, uint32_t lane)
{
    if (pull.counts.entries == 1)
        run_one<Real, SCALED, IS_CUT>(tables, values, pull, shared.one, lane);
    else
        run_pull<Real, SCALED, IS_CUT>(tables, values, pull, shared.several, lane);
}

template <typename Real, bool SCALED>
__global__ void __launch_bounds__(PULL_THREADS, PULL_BLOCKS)
    pull_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                const __grid_constant__ Operands<Real> values)
{
    __shared__ Shared<Real> shared[PULL_WARPS];
    const uint32_t warp = __shfl_sync(EVERY_LANE, threadIdx.x / 32, 0), lane = threadIdx.x % 32,
                   i = blockIdx.x * PULL_WARPS + warp;
    release_dependents();
    if (i < tables.pull_count) {
        const uint4 word = __ldg(reinterpret_cast<const uint4 *>(tables.pulls) + i);
        const Pull pull = {spmmi_spgemm_pull_unpack(__shfl_sync(EVERY_LANE, word.w, 0)), word.x, word.y,
                           reinterpret_cast<const uint32_t *>(tables.positions) + word.z};
        if (pull.counts.is_cut != 0)
            run_any<Real, SCALED, true>(tables, values, pull, shared[warp], lane);
        else
            run_any<Real, SCALED, false>(tables, values, pull, shared[warp], lane);
    }
    end_after_previous();
}

template <typename Real>
int launch_pull(const spmmi_spgemm_tables *tables, const spmmi_spgemm_operands *o, int is_dependent,
                void *stream)
{
    const Operands<Real> values = operands_of<Real>(o);
    return launch_kernel(o->diagonal != nullptr ? pull_kernel<Real, true> : pull_kernel<Real, false>,
                         dim3((tables->pull_count + PULL_WARPS - 1) / PULL_WARPS), PULL_THREADS, 0, stream,
                         is_dependent != 0, *tables, values);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_pull_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64 ? spmmi::spgemm::launch_pull<double>(tables, operands, is_dependent, stream)
                            : spmmi::spgemm::launch_pull<float>(tables, operands, is_dependent, stream);
}
