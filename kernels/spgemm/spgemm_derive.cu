// SPDX-License-Identifier: Apache-2.0
// spgemm: finds where the products of items belong, by looking up columns of the right factor among the
// columns of C. The results are positions, or masks of list entries.
//
// block     128 threads: groups of as many lanes as the bin has, one item each. The lanes of a group share
//           the products of a list entry and look them up by bisection
// passes    hash (one number per item; items with equal numbers may share a stream), write (the streams that
//           are kept), compare (each other item with the stream that it shares, because equal hashes prove
//           nothing)
// turns     of a flat item with positions of 2 bytes: derived in the same rounds and chunks of FLAT_ROUND in
//           which add_flat_round (spgemm_flat.cuh) adds; change both walks together
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_lookup.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr unsigned DERIVE_THREADS = 128;

// Visits a stream of numbers of 1 or 2 bytes: hashes, writes or compares each number, depending on the pass.
template <spmmi_spgemm_pass PASS> struct Visit {
    uint8_t *stream;
    uint32_t width;
    unsigned long long hash;
    bool differs;

    __device__ __forceinline__ void visit(uint32_t at, uint32_t number)
    {
        uint16_t *const wide = reinterpret_cast<uint16_t *>(stream);
        if (PASS == SPMMI_SPGEMM_HASH)
            hash += hash_of(at, number);
        else if (PASS == SPMMI_SPGEMM_COMPARE)
            differs |= (width == 1 ? (uint32_t)stream[at] : (uint32_t)wide[at]) != number;
        else if (width == 1)
            stream[at] = (uint8_t)number;
        else
            wide[at] = (uint16_t)number;
    }
};

// Visits the positions of all products of an item.
template <spmmi_spgemm_pass PASS>
__device__ __forceinline__ void visit_positions(const spmmi_spgemm_derivation &d,
                                                const spmmi_spgemm_item &item, const int32_t *columns,
                                                uint32_t lane, uint32_t lanes, Visit<PASS> &visit)
{
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.counts);
    uint32_t before = 0;
    for (uint32_t t = 0; t < SPMMI_SPGEMM_LIST_LENGTH(item.counts); t++) {
        const spmmi_spgemm_row row = d.rows[item.list + t];
        const uint32_t count = SPMMI_SPGEMM_ENTRIES(row.counts);
        for (uint32_t j = lane; j < count; j += lanes)
            visit.visit(before + j, place_of(columns, entries, __ldg(d.right_columns + row.start + j)));
        before += count;
    }
}

// A list entry, and the place of its products in a round, for share_round. The derivation needs no values:
// both members `a` are dummies, because share_round copies one to the other.
struct DerivedEntry {
    uint32_t a, start, length;
};

struct DerivedStep {
    uint32_t a, start;
};

// Visits the positions with turns of a flat item with positions of 2 bytes. A warp does this chunk by chunk,
// as the item is run.
template <spmmi_spgemm_pass PASS>
__device__ __forceinline__ void visit_turns(const spmmi_spgemm_derivation &d, const spmmi_spgemm_item &item,
                                            const int32_t *columns, DerivedStep *steps, uint32_t lane,
                                            Visit<PASS> &visit)
{
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.counts),
                   length = SPMMI_SPGEMM_LIST_LENGTH(item.counts);
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    uint32_t before = 0;
    for (uint32_t t = lane; t < length + lane; t += FLAT_ROUND) {
        const spmmi_spgemm_row row = t < length ? d.rows[item.list + t] : spmmi_spgemm_row{0, 0};
        const Share share = share_round<FLAT_ROUND>(
            DerivedEntry{0, row.start, SPMMI_SPGEMM_ENTRIES(row.counts)}, steps, lane);
        uint32_t begun = 0; // entries in front of this chunk
        for (uint32_t chunk = 0; chunk < share.total; chunk += FLAT_ROUND) {
            const unsigned starts = first_of_entries<FLAT_ROUND>(share, chunk, lane);
            const uint32_t at = chunk + lane, start = steps[begun + __popc(starts & up_to) - 1].start;
            const bool is_there = at < share.total;
            const uint32_t none = SPMMI_SPGEMM_ITEM_ENTRIES + lane, // matches no other lane
                place = is_there ? place_of(columns, entries, __ldg(d.right_columns + start + at)) : none,
                           turn = __popc(__match_any_sync(EVERY_LANE, place) & below);
            if (is_there)
                visit.visit(before + at, SPMMI_SPGEMM_POSITION_OF(place, turn));
            begun += __popc(starts);
        }
        before += share.total;
        __syncwarp();
    }
}

// Visits the masks of an item. One lane makes the mask of a list entry.
template <spmmi_spgemm_pass PASS>
__device__ __forceinline__ void visit_masks(const spmmi_spgemm_derivation &d, const spmmi_spgemm_item &item,
                                            const int32_t *columns, uint32_t lane, uint32_t lanes,
                                            Visit<PASS> &visit)
{
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.counts);
    for (uint32_t t = lane; t < SPMMI_SPGEMM_LIST_LENGTH(item.counts); t += lanes) {
        const spmmi_spgemm_row row = d.rows[item.list + t];
        uint32_t mask = 0;
        for (uint32_t j = 0; j < SPMMI_SPGEMM_ENTRIES(row.counts); j++)
            mask |= 1u << place_of(columns, entries, __ldg(d.right_columns + row.start + j));
        visit.visit(t, mask);
    }
}

template <spmmi_spgemm_pass PASS>
__global__ void __launch_bounds__(DERIVE_THREADS)
    derive_kernel(const __grid_constant__ spmmi_spgemm_derivation d, const spmmi_spgemm_bin bin)
{
    __shared__ DerivedStep steps[DERIVE_THREADS];
    const uint64_t thread = (uint64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x;
    const uint32_t lane = (uint32_t)(thread % bin.lanes);
    if (thread / bin.lanes >= bin.count)
        return;
    const uint64_t i = bin.first + thread / bin.lanes;
    const spmmi_spgemm_item item = d.tables.items[i];
    const int32_t *const columns = d.c_columns + d.c_at[i];
    if (PASS != SPMMI_SPGEMM_HASH && (d.writes[i] != 0) != (PASS == SPMMI_SPGEMM_WRITE))
        return;
    Visit<PASS> visit = {d.positions + (size_t)item.position * SPMMI_SPGEMM_POSITION_UNIT,
                         spmmi_spgemm_stream_width(&bin), 0, false};
    if (bin.turns > 0)
        visit_masks<PASS>(d, item, columns, lane, bin.lanes, visit);
    else if (bin.is_flat && !bin.is_narrow)
        visit_turns<PASS>(d, item, columns, steps + threadIdx.x / 32 * 32, lane, visit);
    else
        visit_positions<PASS>(d, item, columns, lane, bin.lanes, visit);
    if (PASS == SPMMI_SPGEMM_HASH)
        atomicAdd(d.hashes + i, visit.hash & d.mask);
    if (visit.differs)
        *d.differs = 1;
}

template <spmmi_spgemm_pass PASS>
int launch_derive(const spmmi_spgemm_derivation *d, const spmmi_spgemm_bin *bin, void *stream)
{
    const uint64_t threads = (uint64_t)bin->count * bin->lanes;
    return launch_kernel(derive_kernel<PASS>,
                         dim3((unsigned)((threads + DERIVE_THREADS - 1) / DERIVE_THREADS)), DERIVE_THREADS, 0,
                         stream, false, *d, *bin);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_derive_cuda(const struct spmmi_spgemm_derivation *derivation,
                             const struct spmmi_spgemm_bin *bin, enum spmmi_spgemm_pass pass, void *stream)
{
    using namespace spmmi::spgemm;
    switch (pass) {
    case SPMMI_SPGEMM_HASH:
        return launch_derive<SPMMI_SPGEMM_HASH>(derivation, bin, stream);
    case SPMMI_SPGEMM_WRITE:
        return launch_derive<SPMMI_SPGEMM_WRITE>(derivation, bin, stream);
    default:
        return launch_derive<SPMMI_SPGEMM_COMPARE>(derivation, bin, stream);
    }
}
