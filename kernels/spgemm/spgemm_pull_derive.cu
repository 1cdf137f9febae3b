// SPDX-License-Identifier: Apache-2.0
// spgemm: derives the streams of pulls. Finds the entry of each product, by looking up columns of the right
// factor among the columns of C.
//
// block     4 warps, one pull each
// shared    for each product, its entry of C and its number among the products of the entry; for each entry,
//           its number of products; the list of products in the order of entries
// passes    hash, write, compare, as in spgemm_derive.cu
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_lists.cuh"
#include "spgemm_lookup.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr unsigned DERIVE_THREADS = 128, DERIVE_WARPS = DERIVE_THREADS / 32, PULL = SPMMI_SPGEMM_PULL;

struct Ranking {
    uint8_t entry[PULL], number[PULL]; // of each product
    uint16_t count[PULL], begin[PULL]; // of each entry: its products, and the products of all entries in
                                       // front of it
    uint32_t begins[PULL / 32];        // bits of the products, in the order of entries, that begin an entry
    uint32_t sources[PULL / 4];        // a byte for each product, in the order of entries: its number in the
                                       // order of runs
};

// Visits word `at` of a stream: hashes, writes or compares it, depending on the pass.
template <spmmi_spgemm_pass PASS>
__device__ __forceinline__ void visit_word(uint32_t *stream, uint32_t at, uint32_t word,
                                           unsigned long long &hash, bool &differs)
{
    if (PASS == SPMMI_SPGEMM_HASH)
        hash += hash_of(at, word);
    else if (PASS == SPMMI_SPGEMM_WRITE)
        stream[at] = word;
    else
        differs |= stream[at] != word;
}

// Returns the entry of the pull to which entry p of the left factor and entry q of the right factor
// contribute. c_at: first entry of C of the pull. Only the row of p is searched, because columns ascend
// within each row.
__device__ __forceinline__ uint32_t entry_of(const spmmi_spgemm_derivation &d, uint32_t c_at,
                                             uint32_t entries, uint32_t p, uint32_t q)
{
    const uint32_t row = d.row_of[p], begin = max(c_at, d.c_row_ptr[row]),
                   end = min(c_at + entries, d.c_row_ptr[row + 1]);
    return begin - c_at + place_of(d.c_columns + begin, end - begin, __ldg(d.right_columns + q));
}

// Finds the entry of each product, and the number of the product in its entry: by chunk, then by lane, that
// is by ascending k.
__device__ __forceinline__ void find_entries(const spmmi_spgemm_derivation &d, const spmmi_spgemm_pull &pull,
                                             const spmmi_spgemm_pull_counts &counts, const uint32_t *words,
                                             Ranking &ranking, uint32_t lane)
{
    const uint32_t chunks = (counts.products + 31) / 32, low = (1u << counts.bits) - 1;
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    uint32_t runs_before = 0, begin_before = 0; // begin: first product of a run
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t at = 32 * chunk + lane, run_bits = words[chunk], own = run_bits & up_to,
                       begin = last_begin(own, (int)chunk, begin_before);
        const bool is_there = at < counts.products;
        uint32_t entry = PULL + lane;
        if (is_there) {
            const uint32_t run = runs_before + __popc(own) - 1,
                           word = counts.bits > 0 ? words[2 * chunks + run] : run,
                           p = pull.first + (word >> counts.bits);
            entry =
                entry_of(d, pull.out, counts.entries, p, start_of(d.tables, p) + (word & low) + (at - begin));
        }
        runs_before += __popc(run_bits);
        begin_before = last_begin(run_bits, (int)chunk, begin_before);
        const unsigned same = __match_any_sync(EVERY_LANE, entry);
        const uint32_t before = is_there ? ranking.count[entry] : 0;
        __syncwarp();
        if (is_there) {
            ranking.entry[at] = (uint8_t)entry;
            ranking.number[at] = (uint8_t)(before + __popc(same & below));
            if ((same & below) == 0)
                ranking.count[entry] = (uint16_t)(before + __popc(same));
        }
        __syncwarp();
    }
}

// Finds where the products of each entry begin.
__device__ __forceinline__ void scan_entries(const spmmi_spgemm_pull_counts &counts, Ranking &ranking,
                                             uint32_t lane)
{
    uint32_t before = 0;
    for (uint32_t first = 0; first < counts.entries; first += 32) {
        const uint32_t e = first + lane, count = e < counts.entries ? ranking.count[e] : 0;
        uint32_t end = count;
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const uint32_t other = __shfl_up_sync(EVERY_LANE, end, delta);
            end += lane >= (uint32_t)delta ? other : 0;
        }
        const uint32_t begin = before + end - count;
        if (e < counts.entries) {
            ranking.begin[e] = (uint16_t)begin;
            atomicOr(&ranking.begins[begin / 32], 1u << begin % 32);
        }
        before += __shfl_sync(EVERY_LANE, end, 31);
    }
    __syncwarp();
}

// Puts the products in the order of entries.
__device__ __forceinline__ void order_products(const spmmi_spgemm_pull_counts &counts, Ranking &ranking,
                                               uint32_t lane)
{
    if (lane == 0)
        ranking.sources[(counts.products - 1) / 4] = 0; // the bytes after the last product
    __syncwarp();
    uint8_t *const sources = reinterpret_cast<uint8_t *>(ranking.sources);
    for (uint32_t at = lane; at < counts.products; at += 32)
        sources[ranking.begin[ranking.entry[at]] + ranking.number[at]] = (uint8_t)at;
    __syncwarp();
}

template <spmmi_spgemm_pass PASS>
__global__ void __launch_bounds__(DERIVE_THREADS)
    derive_pulls_kernel(const __grid_constant__ spmmi_spgemm_derivation d)
{
    __shared__ Ranking shared[DERIVE_WARPS];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * DERIVE_WARPS + warp;
    Ranking &ranking = shared[warp];
    if (i >= d.tables.pull_count)
        return;
    if (PASS != SPMMI_SPGEMM_HASH && (d.pull_writes[i] != 0) != (PASS == SPMMI_SPGEMM_WRITE))
        return;
    const spmmi_spgemm_pull pull = d.tables.pulls[i];
    const spmmi_spgemm_pull_counts counts = spmmi_spgemm_pull_unpack(pull.counts);
    const uint32_t *const words = d.words + d.words_at[i];
    const uint32_t before = spmmi_spgemm_pull_words(counts), chunks = (counts.products + 31) / 32;
    const bool has_sources = counts.entries > 1;
    uint32_t *const stream = reinterpret_cast<uint32_t *>(d.positions) + pull.stream;
    unsigned long long hash = 0;
    bool differs = false;
    if (has_sources) {
        for (uint32_t e = lane; e < PULL; e += 32)
            ranking.count[e] = 0;
        if (lane < PULL / 32)
            ranking.begins[lane] = 0;
        __syncwarp();
        find_entries(d, pull, counts, words, ranking, lane);
        scan_entries(counts, ranking, lane);
        order_products(counts, ranking, lane);
    }
    for (uint32_t at = lane; at < before; at += 32) {
        const bool is_begins = has_sources && at >= chunks && at < 2 * chunks;
        visit_word<PASS>(stream, at, is_begins ? ranking.begins[at - chunks] : words[at], hash, differs);
    }
    for (uint32_t at = lane; has_sources && at < (counts.products + 3) / 4; at += 32)
        visit_word<PASS>(stream, before + at, ranking.sources[at], hash, differs);
    if (PASS == SPMMI_SPGEMM_HASH)
        atomicAdd(d.pull_hashes + i, hash & d.mask);
    if (differs)
        *d.differs = 1;
}

template <spmmi_spgemm_pass PASS> int launch_derive_pulls(const spmmi_spgemm_derivation *d, void *stream)
{
    return launch_kernel(derive_pulls_kernel<PASS>,
                         dim3((d->tables.pull_count + DERIVE_WARPS - 1) / DERIVE_WARPS), DERIVE_THREADS, 0,
                         stream, false, *d);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_derive_pulls_cuda(const struct spmmi_spgemm_derivation *derivation,
                                   enum spmmi_spgemm_pass pass, void *stream)
{
    using namespace spmmi::spgemm;
    switch (pass) {
    case SPMMI_SPGEMM_HASH:
        return launch_derive_pulls<SPMMI_SPGEMM_HASH>(derivation, stream);
    case SPMMI_SPGEMM_WRITE:
        return launch_derive_pulls<SPMMI_SPGEMM_WRITE>(derivation, stream);
    default:
        return launch_derive_pulls<SPMMI_SPGEMM_COMPARE>(derivation, stream);
    }
}
