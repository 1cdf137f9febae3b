// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of rows of C with few entries: a lane has an entry of C, and adds its product of each
// row of the right factor that has one.
//
// block     128 threads: groups of 4 or 8 lanes, each with one item at a time
// masks     a byte per list entry, with a bit for each entry of the item for which it has a product. The
//           products of a list entry are stored in the order of entries: a lane counts the bits below its own
//           to find its product
// shared    16 bytes for each list entry of a round, which has one per lane
// ahead     the item after the next one, and the first round of the next one, are loaded while an item is
//           computed: otherwise its few products would wait for memory most of the time. Later rounds are not
//           loaded ahead: each waits for its loads
// in flight 4 products per lane
// sums      in a register, by ascending k from 0, fused: the bits of other items
#include "kernels/shared/launch.cuh"
#include "spgemm_arithmetic.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_launch.h"
#include "spgemm_lists.cuh"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

constexpr int MASK_THREADS = SPMMI_SPGEMM_THREADS;
constexpr int MASK_BLOCKS = 8;        // minimum per multiprocessor
constexpr int PRODUCTS_IN_FLIGHT = 4; // per lane; a round has a multiple of it

// An entry of the left factor, and the row of the right factor that it multiplies.
template <typename Real> struct alignas(16) MaskedEntry {
    Real a;
    uint32_t start, mask;
};

// Loads entry t of the list of an item. After the end of the list, the entry has no products.
template <typename Real, bool SCALED>
__device__ __forceinline__ MaskedEntry<Real>
load_masked(const spmmi_spgemm_tables &tables, const Operands<Real> &values, const uint4 &item, uint32_t t)
{
    MaskedEntry<Real> entry = {Real(0), 0, 0};
    const uint32_t p = item.x + t;
    if (t >= SPMMI_SPGEMM_LIST_LENGTH(item.w))
        return entry;
    entry.mask = __ldg(tables.positions + (size_t)item.z * SPMMI_SPGEMM_POSITION_UNIT + t);
    entry.start = start_of(tables, p);
    entry.a = left_value<Real, SCALED>(values, tables.k_of, p);
    return entry;
}

// Reads an entry with one load.
template <typename Real> __device__ __forceinline__ MaskedEntry<Real> read_entry(const uint4 *entry)
{
    MaskedEntry<Real> to;
    *reinterpret_cast<uint4 *>(&to) = *entry;
    return to;
}

// Adds the products of `count` list entries that belong to this lane, whose bit is `own`. Entries must exist
// up to a multiple of PRODUCTS_IN_FLIGHT.
template <typename Real>
__device__ __forceinline__ void add_masked(const uint4 *entries, uint32_t count, const Real *right,
                                           unsigned own, Real &sum)
{
#pragma unroll 1
    for (uint32_t first = 0; first < count; first += PRODUCTS_IN_FLIGHT) {
        Real a[PRODUCTS_IN_FLIGHT], b[PRODUCTS_IN_FLIGHT];
        bool has[PRODUCTS_IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < PRODUCTS_IN_FLIGHT; i++) {
            const MaskedEntry<Real> entry = read_entry<Real>(entries + first + i);
            const Real *const at = right + (entry.start + __popc(entry.mask & (own - 1)));
            has[i] = (entry.mask & own) != 0;
            a[i] = entry.a;
            if (has[i])
                b[i] = *at;
        }
#pragma unroll
        for (int i = 0; i < PRODUCTS_IN_FLIGHT; i++)
            if (has[i])
                sum = fused(a[i], b[i], sum);
    }
}

// Loads item i of the bin. After the end of the bin, the item has no entries.
__device__ __forceinline__ uint4 load_item(const spmmi_spgemm_tables &tables, const spmmi_spgemm_bin &bin,
                                           uint32_t i)
{
    uint4 item = {0, 0, 0, 0}; // list, out, position, counts
    if (i < bin.count)
        item = __ldg(reinterpret_cast<const uint4 *>(tables.items) + bin.first + i);
    return item;
}

template <typename Real, bool SCALED, int LANES>
__global__ void __launch_bounds__(MASK_THREADS, MASK_BLOCKS)
    masks_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                 const __grid_constant__ spmmi_spgemm_bin bin, const __grid_constant__ Operands<Real> values)
{
    // One padding element per group moves groups of 4 lanes to different banks.
    __shared__ uint4 shared[MASK_THREADS / LANES][LANES + 1];
    constexpr uint32_t GROUPS = MASK_THREADS / LANES;
    release_dependents();
    const uint32_t group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    uint4 *const entries = shared[group];
    uint32_t i = blockIdx.x * GROUPS * bin.turns + group; // next item to load
    const uint32_t end = i + GROUPS * bin.turns;
    uint4 item = load_item(tables, bin, i);
    MaskedEntry<Real> next = load_masked<Real, SCALED>(tables, values, item, lane);
    i += GROUPS;
    uint4 following = load_item(tables, bin, i < end ? i : bin.count);
    for (uint32_t turn = 0; turn < bin.turns; turn++) {
        const uint4 now = item;
        MaskedEntry<Real> own = next;
        const uint32_t longest = warp_max<LANES>(SPMMI_SPGEMM_LIST_LENGTH(now.w));
        item = following;
        i += GROUPS;
        following = load_item(tables, bin, i < end ? i : bin.count);
        next = load_masked<Real, SCALED>(tables, values, item, lane);
        Real sum = Real(0);
        for (uint32_t first = 0; first < longest; first += LANES) {
            if (first > 0)
                own = load_masked<Real, SCALED>(tables, values, now, first + lane);
            __syncwarp();
            entries[lane] = *reinterpret_cast<const uint4 *>(&own);
            __syncwarp();
            add_masked<Real>(entries, min(longest - first, (uint32_t)LANES), values.right, 1u << lane, sum);
        }
        if (lane < SPMMI_SPGEMM_ENTRIES(now.w))
            put(values.c + (now.y + lane), values.alpha, sum, values.beta);
    }
    end_after_previous();
}

template <typename Real, int LANES>
int launch_bin(const spmmi_spgemm_tables *tables, const spmmi_spgemm_bin *bin, const Operands<Real> &values,
               int is_dependent, void *stream)
{
    const uint32_t items = MASK_THREADS / LANES * bin->turns;
    const auto kernel =
        values.diagonal != nullptr ? masks_kernel<Real, true, LANES> : masks_kernel<Real, false, LANES>;
    return launch_kernel(kernel, dim3((bin->count + items - 1) / items), MASK_THREADS, 0, stream,
                         is_dependent != 0, *tables, *bin, values);
}

template <typename Real>
int launch_masks(const spmmi_spgemm_tables *tables, const spmmi_spgemm_bin *bin,
                 const spmmi_spgemm_operands *o, int is_dependent, void *stream)
{
    const Operands<Real> values = operands_of<Real>(o);
    return bin->lanes == 4 ? launch_bin<Real, 4>(tables, bin, values, is_dependent, stream)
                           : launch_bin<Real, 8>(tables, bin, values, is_dependent, stream);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_masks_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bin *bin,
                            const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64 ? spmmi::spgemm::launch_masks<double>(tables, bin, operands, is_dependent, stream)
                            : spmmi::spgemm::launch_masks<float>(tables, bin, operands, is_dependent, stream);
}
