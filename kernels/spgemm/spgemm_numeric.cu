// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: computes the values of C by the positions of its products.
//
// block     128 threads: groups of 4, 8, 16 or 32 lanes, one item each; all groups of a block belong to one
//           bin
// shared    17 sums per lane, as one array for the item of the group, which has at most 16 per lane: the
//           extra one moves the groups of a warp to different banks; 16 bytes for each list entry of a round,
//           and for one entry without products
// round     list entries that are loaded together, one round ahead: one per lane in groups of 32 lanes, two
//           per lane in smaller groups, which would otherwise wait for memory most of the time
// in flight 4 chunks of products, each with one product per lane; a chunk belongs to one list entry, so that
//           its positions differ
// flat      items of a warp with short list entries: a chunk is 32 products side by side, of any list
//           entries. Products with equal positions are added by ascending lane, that is by ascending k:
//           positions of 2 bytes store the turn. A round is short, so the index of the entry of the left
//           factor, for which its value waits, is found one more round ahead; for other items that was
//           slower, or no faster
// ahead     as the first kernel of a small product, prefetches its tables and values into the L2 cache
//           (spgemm_ahead.cuh). After another kernel it does not, because that was slower
// values    by plain loads: a kernel before this one may write them (kernels/shared/launch.cuh)
// control   is uniform in a warp: groups that are done continue without products
// sums      by ascending k from 0, fused; sums of a piece of k are stored to the partial sums, which a second
//           kernel adds in order: bitwise repeatable, and the bits of the CPU
#include "kernels/shared/launch.cuh"
#include "spgemm_ahead.cuh"
#include "spgemm_flat.cuh"
#include "spgemm_join.cuh"
#include "spgemm_lists.cuh"
#include "spgemm_operands.cuh"
#include "spgemm_stretches.cuh"

namespace spmmi {
namespace spgemm {

constexpr int THREADS = SPMMI_SPGEMM_THREADS;
constexpr int GROUPS_MAX = THREADS / 4, STEPS_MAX = 2 * THREADS + GROUPS_MAX;

template <int LANES> constexpr int STEPS_OF_LANE = LANES < 32 ? 2 : 1; // list entries in a round
static_assert(32 * STEPS_OF_LANE<32> == FLAT_ROUND, "turns are derived in rounds of as many list entries");

// Sums per lane, and one more: it moves items with equal positions, which groups of a warp add side by side,
// to different banks.
constexpr int SUMS_OF_LANE = SPMMI_SPGEMM_LANE_SUMS + 1;

template <typename Real> constexpr unsigned shared_bytes()
{
    return STEPS_MAX * sizeof(ListEntry<Real>) + THREADS * SUMS_OF_LANE * sizeof(Real);
}

// The list entries that a lane has in each round of an item, loaded one round ahead. FINDS_AHEAD: the indices
// of their entries of the left factor are found two rounds ahead.
template <typename Real, bool SCALED, int LANES, bool FINDS_AHEAD> struct RoundsAhead {
    static constexpr int OF_LANE = STEPS_OF_LANE<LANES>, ROUND = LANES * OF_LANE;
    static_assert(!FINDS_AHEAD || OF_LANE == 1, "what follows is one entry a lane");
    const spmmi_spgemm_tables &tables;
    const Operands<Real> &values;
    uint32_t list, length, lane;
    bool is_listed; // the item has a list of its own
    ListEntry<Real> next[OF_LANE];
    uint32_t following; // entry of the left factor for this lane in the round after the next one

    // Finds the entry of the left factor of entry t. Keeping what `load` reads again would take registers.
    __device__ __forceinline__ uint32_t find(uint32_t t) const
    {
        return is_listed ? left_of(tables, list + t, __ldg(&tables.rows[list + t].counts)) : list + t;
    }

    // Loads entry t of the list. After the end of the list, the entry has no products.
    __device__ __forceinline__ ListEntry<Real> load(uint32_t t, bool is_found) const
    {
        ListEntry<Real> step = {Real(0), 0, 0};
        if (t >= length)
            return step;
        const uint2 row = __ldg(reinterpret_cast<const uint2 *>(tables.rows) + list + t);
        const uint32_t p = is_found ? following : is_listed ? left_of(tables, list + t, row.y) : list + t;
        step.start = row.x;
        step.length = SPMMI_SPGEMM_ENTRIES(row.y);
        step.a = left_value<Real, SCALED>(values, tables.k_of, p);
        return step;
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int s = 0; s < OF_LANE; s++)
            next[s] = load(s * LANES + lane, false);
        following = FINDS_AHEAD && ROUND + lane < length ? find(ROUND + lane) : 0;
    }

    // Returns in `own` the entries of the round that begins with entry `first`, and loads the next round.
    __device__ __forceinline__ void take(uint32_t first, ListEntry<Real> (&own)[OF_LANE])
    {
#pragma unroll
        for (int s = 0; s < OF_LANE; s++) {
            const uint32_t t = first + ROUND + s * LANES + lane;
            own[s] = next[s];
            next[s] = load(t, FINDS_AHEAD);
            if (FINDS_AHEAD)
                following = t + ROUND < length ? find(t + ROUND) : 0;
        }
    }
};

// The walk of a lane over the chunks of one round.
template <typename Real, int LANES> struct Walk {
    const ListEntry<Real> *steps; // of the round; steps[NONE] has no products
    ListEntry<Real> step;
    uint32_t product; // number in the item of the first product of this list entry
    uint32_t j;       // next product of the lane in this list entry
    int entry, count;
    static constexpr int NONE = LANES * STEPS_OF_LANE<LANES>;

    __device__ __forceinline__ void begin(int lane, int entries)
    {
        entry = 0;
        count = entries;
        j = (uint32_t)lane;
        step = steps[count > 0 ? 0 : NONE];
    }

    __device__ __forceinline__ void next_chunk(uint32_t lane)
    {
        j += LANES;
        if (j - lane < step.length)
            return;
        product += step.length;
        entry = min(entry + 1, count);
        j = lane;
        step = steps[entry < count ? entry : NONE];
    }
};

template <int LANES> __device__ __forceinline__ bool any_left(bool is_left)
{
    return LANES == 32 ? is_left : __any_sync(EVERY_LANE, is_left);
}

// Adds chunks of products. Within a chunk all positions differ.
template <typename Real>
__device__ __forceinline__ void add_chunks(const Real (&a)[IN_FLIGHT], const Real (&b)[IN_FLIGHT],
                                           const uint32_t (&position)[IN_FLIGHT],
                                           const bool (&is_there)[IN_FLIGHT], Real *sums)
{
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++) {
        if (is_there[i])
            sums[position[i]] = fused(a[i], b[i], sums[position[i]]);
        __syncwarp();
    }
}

// Adds all products of a round.
template <typename Real, int LANES>
__device__ __forceinline__ void add_round(Walk<Real, LANES> &walk, const Real *right,
                                          const uint8_t *positions, bool is_narrow, Real *sums, uint32_t lane)
{
    while (any_left<LANES>(walk.entry < walk.count)) {
        uint32_t position[IN_FLIGHT];
        Real a[IN_FLIGHT], b[IN_FLIGHT];
        bool is_there[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            is_there[i] = walk.j < walk.step.length;
            a[i] = walk.step.a;
            if (is_there[i]) {
                position[i] = load_position(positions, walk.product + walk.j, is_narrow);
                b[i] = right[walk.step.start + walk.j];
            }
            walk.next_chunk(lane);
        }
        add_chunks(a, b, position, is_there, sums);
    }
}

// The same if no list entry has more products than a group has lanes, so that each is one chunk. entries:
// maximum over the groups of the warp; entries after the end of a list have no products. product: number in
// the item of the first product of the round, which is advanced.
template <typename Real>
__device__ __forceinline__ void
add_short_round(const ListEntry<Real> *steps, uint32_t entries, uint32_t &product, const Real *right,
                const uint8_t *positions, bool is_narrow, Real *sums, uint32_t lane)
{
    for (uint32_t t = 0; t < entries; t += IN_FLIGHT) {
        uint32_t position[IN_FLIGHT];
        Real a[IN_FLIGHT], b[IN_FLIGHT];
        bool is_there[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            const ListEntry<Real> step = steps[t + i];
            is_there[i] = lane < step.length;
            a[i] = step.a;
            if (is_there[i]) {
                position[i] = load_position(positions, product + lane, is_narrow);
                b[i] = right[step.start + lane];
            }
            product += step.length;
        }
        add_chunks(a, b, position, is_there, sums);
    }
}

// Writes the sums of an item to C or to the partial sums.
template <typename Real, int LANES>
__device__ __forceinline__ void store_sums(const spmmi_spgemm_bin &bin, const Operands<Real> &values,
                                           const Real *sums, uint32_t out, uint32_t entries, uint32_t lane)
{
    for (uint32_t e = lane; e < entries; e += LANES) {
        if (bin.is_partial)
            values.partials[out + e] = sums[e];
        else
            put(values.c + out + e, values.alpha, bin.is_sole ? sums[e] + Real(0) : sums[e], values.beta);
    }
}

// How an item is run: products of one list entry side by side, or of any list entries, or of any with one sum
// per lane.
enum Mode { BY_ENTRIES, FLAT, OWNED };

template <typename Real, bool SCALED, int LANES, Mode MODE>
__device__ __forceinline__ void run_group(const spmmi_spgemm_tables &tables, const spmmi_spgemm_bin &bin,
                                          const Operands<Real> &values, unsigned char *shared)
{
    const uint32_t group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const uint32_t i = (blockIdx.x - bin.first_block) * (THREADS / LANES) + group;
    constexpr int OF_LANE = STEPS_OF_LANE<LANES>, ROUND = LANES * OF_LANE;
    ListEntry<Real> *const steps = reinterpret_cast<ListEntry<Real> *>(shared) + group * (ROUND + 1);
    Real *const sums = reinterpret_cast<Real *>(shared + STEPS_MAX * sizeof(ListEntry<Real>)) +
                       group * (SUMS_OF_LANE * LANES);
    uint4 item = {0, 0, 0, 0}; // list, out, position, counts
    if (i < bin.count)
        item = __ldg(reinterpret_cast<const uint4 *>(tables.items) + bin.first + i);
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.w), length = SPMMI_SPGEMM_LIST_LENGTH(item.w);
    const uint32_t rounds_end = LANES == 32 ? length : __reduce_max_sync(EVERY_LANE, length);
    RoundsAhead<Real, SCALED, LANES, MODE == FLAT> rounds = {tables, values, item.x,
                                                             length, lane,   bin.is_listed != 0};
    rounds.begin();
    Real own_sum = Real(0);
    if constexpr (MODE != OWNED)
        for (uint32_t e = lane; e < entries; e += LANES)
            sums[e] = Real(0);
    if (lane == 0)
        steps[ROUND] = {Real(0), 0, 0};
    Walk<Real, LANES> walk = {steps, {Real(0), 0, 0}, 0, 0, 0, 0};
    const uint8_t *const positions = tables.positions + (size_t)item.z * SPMMI_SPGEMM_POSITION_UNIT;
    for (uint32_t first = 0; first < rounds_end; first += ROUND) {
        ListEntry<Real> own[OF_LANE];
        rounds.take(first, own);
        __syncwarp();
        if constexpr (MODE != BY_ENTRIES) {
            walk.product += add_flat_round<Real, MODE == OWNED>(
                own[0], steps, values.right, positions + (size_t)walk.product * (bin.is_narrow ? 1 : 2),
                bin.is_narrow != 0, sums, own_sum, lane);
        } else {
#pragma unroll
            for (int s = 0; s < OF_LANE; s++)
                steps[s * LANES + lane] = own[s];
            __syncwarp();
            if (__any_sync(EVERY_LANE, max(own[0].length, own[OF_LANE - 1].length) > LANES)) {
                walk.begin((int)lane, first >= length ? 0 : (int)min(length - first, (uint32_t)ROUND));
                add_round<Real, LANES>(walk, values.right, positions, bin.is_narrow != 0, sums, lane);
            } else {
                add_short_round(steps, min(rounds_end - first, (uint32_t)ROUND), walk.product, values.right,
                                positions, bin.is_narrow != 0, sums, lane);
            }
        }
    }
    __syncwarp();
    if (MODE == OWNED && lane < entries)
        sums[lane] = own_sum;
    __syncwarp();
    store_sums<Real, LANES>(bin, values, sums, item.y, entries, lane);
}

// LOADS_AHEAD is a template parameter because the loop slows products that do not take it.
template <typename Real, bool SCALED, bool LOADS_AHEAD>
__global__ void __launch_bounds__(THREADS, 8)
    numeric_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                   const __grid_constant__ spmmi_spgemm_bins bins,
                   const __grid_constant__ Operands<Real> values, const __grid_constant__ Ahead ahead)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    if constexpr (LOADS_AHEAD)
        load_ahead(ahead);
    uint32_t b = 0;
    while (b + 1 < bins.count && blockIdx.x >= bins.bin[b + 1].first_block)
        b++;
    const spmmi_spgemm_bin bin = bins.bin[b];
    if (bin.lanes == 4)
        run_group<Real, SCALED, 4, BY_ENTRIES>(tables, bin, values, shared_memory);
    else if (bin.lanes == 8)
        run_group<Real, SCALED, 8, BY_ENTRIES>(tables, bin, values, shared_memory);
    else if (bin.lanes == 16)
        run_group<Real, SCALED, 16, BY_ENTRIES>(tables, bin, values, shared_memory);
    else if (!bin.is_flat)
        run_group<Real, SCALED, 32, BY_ENTRIES>(tables, bin, values, shared_memory);
    else if (bin.has_few_entries)
        run_group<Real, SCALED, 32, OWNED>(tables, bin, values, shared_memory);
    else
        run_group<Real, SCALED, 32, FLAT>(tables, bin, values, shared_memory);
    end_after_previous();
}

// The first blocks add long entries, one thread per entry.
SPMMI_SPGEMM_BOTH constexpr uint32_t long_blocks(const spmmi_spgemm_long_tables &longs)
{
    return (longs.count + JOIN_THREADS - 1) / JOIN_THREADS;
}

// Blocks of the join per multiprocessor; limits the registers. 660 fit an H200. Of the 554 of mip_fast0507 only
// 396 did before, and the others waited for their end.
constexpr int JOIN_BLOCKS = 5;

// Joins the pieces of some entries of a row that was cut, or adds the stretches of long entries.
template <typename Real>
__global__ void __launch_bounds__(JOIN_THREADS, JOIN_BLOCKS)
    join_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                const __grid_constant__ spmmi_spgemm_long_tables longs, const Real *sums,
                const __grid_constant__ Operands<Real> values)
{
    if (blockIdx.x < long_blocks(longs)) {
        const uint32_t i = blockIdx.x * JOIN_THREADS + threadIdx.x;
        const spmmi_spgemm_long entry =
            i < longs.count ? longs.entries[i] : spmmi_spgemm_long{0, 0, 0, 0, 0, 0};
        const LongBegins begins(longs, entry);
        wait_for_previous();
        if (i < longs.count)
            put_long(entry, begins, sums + entry.first, values);
        return;
    }
    const spmmi_spgemm_join join = tables.joins[blockIdx.x - long_blocks(longs)];
    wait_for_previous();
    add_pieces(values.partials + join.partial, join.stride, join.pieces, 0, join.count,
               spmmi_spgemm_join_width(join.pieces),
               [&](uint32_t e, Real sum) { put(values.c + join.c + e, values.alpha, sum, values.beta); });
}

template <typename Real, bool SCALED>
int launch_numeric(const spmmi_spgemm_tables *tables, const spmmi_spgemm_bins *bins,
                   const spmmi_spgemm_operands *o, int is_dependent, int may_load_ahead, void *stream)
{
    const Operands<Real> values = operands_of<Real>(o);
    const Ahead ahead = may_load_ahead != 0 ? ahead_of(*tables, values, bins->blocks) : Ahead{};
    return launch_kernel(ahead.is_small ? numeric_kernel<Real, SCALED, true>
                                        : numeric_kernel<Real, SCALED, false>,
                         dim3(bins->blocks), THREADS, shared_bytes<Real>(), stream, is_dependent != 0,
                         *tables, *bins, values, ahead);
}

template <typename Real>
int launch_numeric_of(const spmmi_spgemm_tables *tables, const spmmi_spgemm_bins *bins,
                      const spmmi_spgemm_operands *o, int is_dependent, int may_load_ahead, void *stream)
{
    return o->diagonal != nullptr
               ? launch_numeric<Real, true>(tables, bins, o, is_dependent, may_load_ahead, stream)
               : launch_numeric<Real, false>(tables, bins, o, is_dependent, may_load_ahead, stream);
}

template <typename Real>
int launch_join(const spmmi_spgemm_tables *tables, const spmmi_spgemm_long_tables *longs,
                const spmmi_spgemm_operands *o, int is_dependent, void *stream)
{
    return launch_kernel(join_kernel<Real>, dim3(long_blocks(*longs) + tables->join_count), JOIN_THREADS, 0,
                         stream, is_dependent != 0, *tables, *longs, static_cast<const Real *>(o->stretches),
                         operands_of<Real>(o));
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_numeric_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bins *bins,
                              const struct spmmi_spgemm_operands *operands, int is_dependent,
                              int may_load_ahead, void *stream)
{
    using namespace spmmi::spgemm;
    return operands->is_f64
               ? launch_numeric_of<double>(tables, bins, operands, is_dependent, may_load_ahead, stream)
               : launch_numeric_of<float>(tables, bins, operands, is_dependent, may_load_ahead, stream);
}

int spmmi_spgemm_join_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_long_tables *longs,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64
               ? spmmi::spgemm::launch_join<double>(tables, longs, operands, is_dependent, stream)
               : spmmi::spgemm::launch_join<float>(tables, longs, operands, is_dependent, stream);
}
