// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of pulls: each entry of C takes its products from shared memory, to which a warp
// brought them.
//
// block     4 warps, one pull each: up to 256 products of neighbouring entries of C
// loads     by ascending k, because rows of the right factor are contiguous: 32 products at a time, of any
//           runs
// shared    for each run, a and where its products are; for each product, a and b, ordered by entry of C,
//           then by k; for each entry, where its products begin
// in flight 128 products
// sums      a lane adds an entry: by ascending k from 0, fused, so the bits of items
// one entry if an entry has more products, up to 2^18, one lane adds them, round by round
// cut rows  products know their piece: the sum of a piece begins from 0, and is added to the sums of the
//           pieces before it
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_flat.cuh"
#include "spgemm_launch.h"
#include "spgemm_lists.cuh"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

constexpr int PULL_THREADS = 128, PULL_WARPS = PULL_THREADS / 32, PULL = SPMMI_SPGEMM_PULL;
constexpr int PULL_BLOCKS = 8; // minimum per multiprocessor: as many as fit in shared memory
constexpr int IN_PULL = 4;     // chunks whose loads are issued together; a word has a destination for each
constexpr int ENTRY_BITS = 16; // first lane that holds bits of entries
constexpr int ADDS_AHEAD = 8;  // products of one entry that are read before they are added

// A run: its products multiply elements of the right factor from `start` on.
template <typename Real> struct alignas(16) PulledRun {
    Real a;
    uint32_t start, piece; // piece: of a row that is cut, counted from 0 in each pull
};

// Shared memory of a warp.
template <typename Real> struct Pulled {
    Product<Real> products[PULL];
    PulledRun<Real> runs[SPMMI_SPGEMM_PULL_RUNS];
    uint16_t begins[PULL + 33]; // first product of each entry; the number of products; unused elements
    uint8_t pieces[PULL];       // of a row that is cut: piece of each product; in a pull of one entry:
                                // whether it is a new piece
};

// What a warp knows about its pull.
struct Pull {
    spmmi_spgemm_pull_counts counts;
    uint32_t first, out;
    const uint32_t *stream;
};

// Returns run r: a, and where its products are. words: of all runs.
template <typename Real, bool SCALED>
__device__ __forceinline__ PulledRun<Real> load_run(const spmmi_spgemm_tables &tables,
                                                    const Operands<Real> &values, const Pull &pull,
                                                    const uint32_t *words, uint32_t r)
{
    const uint32_t word = pull.counts.bits > 0 ? __ldg(words + r) : r;
    const uint32_t p = pull.first + (word >> pull.counts.bits);
    return {left_value<Real, SCALED>(values, tables.k_of, p),
            start_of(tables, p) + (word & ((1u << pull.counts.bits) - 1)), 0};
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
#pragma unroll 1
    for (uint32_t r = lane; r < pull.counts.runs; r += 32) {
        PulledRun<Real> run = load_run<Real, SCALED>(tables, values, pull, pull.stream + 2 * chunks, r);
        if (IS_CUT) {
            const uint32_t next = __ldg(pieces + r / 32);
            run.piece = before + __popc(next & (((1u << lane) - 1) | 1u << lane));
            before += __popc(next);
        }
        shared.runs[r] = run;
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

// Brings the products to shared memory, in the order of entries. Lanes after the last product use its run.
template <typename Real, bool IS_CUT>
__device__ __forceinline__ void bring_products(const Operands<Real> &values, const Pull &pull,
                                               Pulled<Real> &shared, uint32_t bits,
                                               const uint32_t *destinations, uint32_t lane)
{
    const unsigned up_to = ((1u << lane) - 1) | 1u << lane;
    const uint32_t products = pull.counts.products;
    uint32_t runs_before = 0, begin_before = 0; // begin: first product of a run
#pragma unroll
    for (int half = 0; half < PULL / (32 * IN_PULL); half++) {
        PulledRun<Real> run[IN_PULL];
        Real b[IN_PULL];
        if (32 * IN_PULL * half >= products)
            break;
#pragma unroll
        for (int i = 0; i < IN_PULL; i++) {
            const int chunk = IN_PULL * half + i;
            const uint32_t at = 32 * chunk + lane;
            const unsigned begins = __shfl_sync(EVERY_LANE, bits, chunk), own = begins & up_to;
            const uint32_t begin = last_begin(own, chunk, begin_before);
            run[i] = shared.runs[runs_before + __popc(own) - 1];
            b[i] = Real(0);
            if (at < products)
                b[i] = values.right[run[i].start + (at - begin)];
            runs_before += __popc(begins);
            begin_before = last_begin(begins, chunk, begin_before);
        }
#pragma unroll
        for (int i = 0; i < IN_PULL; i++)
            if (32 * (IN_PULL * half + i) + lane < products) {
                const uint32_t to = destinations[half] >> 8 * i & 255;
                shared.products[to] = {run[i].a, b[i]};
                if (IS_CUT)
                    shared.pieces[to] = (uint8_t)run[i].piece;
            }
    }
}

// Adds the products of entries, one lane per entry. Many entries have one product, so a loop of few
// instructions is faster than one that reads ahead.
template <typename Real>
__device__ __forceinline__ void add_entries(const Operands<Real> &values, const Pull &pull,
                                            const Pulled<Real> &shared, uint32_t lane)
{
    for (uint32_t e = lane; e < pull.counts.entries; e += 32) {
        const uint32_t end = shared.begins[e + 1];
        Real sum = Real(0);
#pragma unroll 1
        for (uint32_t t = shared.begins[e]; t < end; t++)
            sum = fused(shared.products[t].a, shared.products[t].b, sum);
        put(values.c + pull.out + e, values.alpha, sum, values.beta);
    }
}

// The same for a row that is cut.
template <typename Real>
__device__ __forceinline__ void add_pieces(const Operands<Real> &values, const Pull &pull,
                                           const Pulled<Real> &shared, uint32_t lane)
{
    const uint32_t pieces = __ldg(pull.stream + spmmi_spgemm_pull_pieces_at(pull.counts));
    for (uint32_t e = lane; e < pull.counts.entries; e += 32) {
        const uint32_t begin = shared.begins[e], end = shared.begins[e + 1];
        uint32_t last = shared.pieces[begin];
        PieceSum<Real> sum;
#pragma unroll 1
        for (uint32_t t = begin; t < end; t++) {
            const uint32_t piece = shared.pieces[t];
            sum.add(shared.products[t], piece != last);
            last = piece;
        }
        put(values.c + pull.out + e, values.alpha, sum.end(pieces), values.beta);
    }
}

template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void run_pull(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                         const Pull &pull, Pulled<Real> &shared, uint32_t lane)
{
    const uint32_t chunks = (pull.counts.products + 31) / 32;
    const uint32_t *const at = pull.stream + spmmi_spgemm_pull_words(pull.counts) + lane;
    const uint32_t bits = load_bits(pull, lane),
                   destinations[2] = {__ldg(at), chunks > IN_PULL ? __ldg(at + 32) : 0};
    open_pull<Real, SCALED, IS_CUT>(tables, values, pull, shared, bits, lane);
    __syncwarp();
    bring_products<Real, IS_CUT>(values, pull, shared, bits, destinations, lane);
    __syncwarp();
    if (IS_CUT)
        add_pieces(values, pull, shared, lane);
    else
        add_entries(values, pull, shared, lane);
}

// Computes one entry of C with at most SPMMI_SPGEMM_PULL_LONGEST products.
template <typename Real, bool SCALED, bool IS_CUT>
__device__ __forceinline__ void run_one(const spmmi_spgemm_tables &tables, const Operands<Real> &values,
                                        const Pull &pull, Pulled<Real> &shared, uint32_t lane)
{
    const uint32_t products = pull.counts.products;
    const uint32_t *const pieces = pull.stream + spmmi_spgemm_pull_pieces_at(pull.counts);
    Real sum = Real(0);
    PieceSum<Real> of_pieces;
    for (uint32_t first = 0; first < products; first += PULL) {
        const uint32_t count = min(products - first, (uint32_t)PULL);
#pragma unroll 4
        for (uint32_t at = lane; at < count; at += 32) {
            const PulledRun<Real> run = load_run<Real, SCALED>(tables, values, pull, pull.stream, first + at);
            shared.products[at] = {run.a, values.right[run.start]};
            if (IS_CUT)
                shared.pieces[at] = __ldg(pieces + 1 + (first + at) / 32) >> lane & 1;
        }
        __syncwarp();
        if (lane == 0)
#pragma unroll ADDS_AHEAD
            for (uint32_t t = 0; t < count; t++) {
                if (IS_CUT)
                    of_pieces.add(shared.products[t], shared.pieces[t] != 0);
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
                                        const Pull &pull, Pulled<Real> &shared, uint32_t lane)
{
    if (pull.counts.entries == 1)
        run_one<Real, SCALED, IS_CUT>(tables, values, pull, shared, lane);
    else
        run_pull<Real, SCALED, IS_CUT>(tables, values, pull, shared, lane);
}

template <typename Real, bool SCALED>
__global__ void __launch_bounds__(PULL_THREADS, PULL_BLOCKS)
    pull_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                const __grid_constant__ Operands<Real> values)
{
    __shared__ Pulled<Real> shared[PULL_WARPS];
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
