// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: the values of C by the positions of its products.
//
// block     128 threads: groups of 4, 8, 16 or 32 lanes, one item each; blocks of one bin
// shared    16 sums a lane, as one array of the group's item; 16 bytes for each list entry of a round, and one of none
// round     as many list entries as a group has lanes: loaded side by side, one round ahead
// in flight 4 chunks of products, each of as many as lanes; a chunk is of one list entry, so that its positions differ
// flat      items of a warp with short list entries: a chunk is of 32 products side by side, of any entries; those that
//           have one position are added by ascending lane, which is ascending k
// values    by plain loads: a kernel before this one may write them (kernels/shared/launch.cuh)
// control   is uniform in a warp: groups that are done go on without products
// sums      by ascending k from 0, fused; those of a piece of k go to the partial sums, which a second kernel adds in
//           order: bitwise repeatable, and the bits of the CPU
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_join.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr int THREADS = SPMMI_SPGEMM_THREADS, IN_FLIGHT = 4;
constexpr int GROUPS_MAX = THREADS / 4;

// An entry of the left factor and the row of the right one, or part of it, that it multiplies.
template <typename Real> struct alignas(16) Step {
    Real a;
    uint32_t start, length;
};

template <typename Real> struct Operands {
    const Real *left, *right, *diagonal;
    Real *c, *partials;
    Real alpha, beta;
};

template <typename Real> constexpr unsigned shared_bytes()
{
    return (THREADS + GROUPS_MAX) * sizeof(Step<Real>) + THREADS * SPMMI_SPGEMM_LANE_SUMS * sizeof(Real);
}

// Entry t of the list of an item; of no products behind its end.
template <typename Real>
__device__ __forceinline__ Step<Real> load_step(const spmmi_spgemm_tables &tables,
                                                const Operands<Real> &values, uint32_t list, uint32_t t,
                                                uint32_t length, bool is_listed)
{
    Step<Real> step = {Real(0), 0, 0};
    if (t >= length)
        return step;
    const uint2 row = __ldg(reinterpret_cast<const uint2 *>(tables.rows) + list + t);
    const uint32_t p = is_listed ? __ldg(tables.value_of + (list + t - tables.direct)) : list + t;
    step.start = row.x;
    step.length = row.y;
    step.a = values.left[p];
    if (values.diagonal != nullptr)
        step.a = times(step.a, values.diagonal[__ldg(tables.k_of + p)]);
    return step;
}

// The chunks of one round: a lane's place in the list entries of its group.
template <typename Real, int LANES> struct Walk {
    const Step<Real> *steps; // of the round; steps[LANES] has no products
    Step<Real> step;
    uint32_t product; // of the item: the first one of this list entry
    uint32_t j;       // of this list entry: the lane's next product
    int entry, count;

    __device__ __forceinline__ void begin(int lane, int entries)
    {
        entry = 0;
        count = entries;
        j = (uint32_t)lane;
        step = steps[count > 0 ? 0 : LANES];
    }

    __device__ __forceinline__ void next_chunk(uint32_t lane)
    {
        j += LANES;
        if (j - lane < step.length)
            return;
        product += step.length;
        entry = min(entry + 1, count);
        j = lane;
        step = steps[entry < count ? entry : LANES];
    }
};

template <int LANES> __device__ __forceinline__ bool any_left(bool is_left)
{
    return LANES == 32 ? is_left : __any_sync(EVERY_LANE, is_left);
}

// All products of a round.
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
                const uint32_t at = walk.product + walk.j;
                position[i] = is_narrow ? (uint32_t)__ldg(positions + at)
                                        : (uint32_t)__ldg(reinterpret_cast<const uint16_t *>(positions) + at);
                b[i] = right[walk.step.start + walk.j];
            }
            walk.next_chunk(lane);
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            if (is_there[i])
                sums[position[i]] = fused(a[i], b[i], sums[position[i]]);
            __syncwarp();
        }
    }
}

// A round of products side by side, of the list entries that the lanes hold. Returns how many there were.
template <typename Real>
__device__ __forceinline__ uint32_t add_flat_round(const Step<Real> &own, Step<Real> *steps,
                                                   const Real *right, const uint8_t *positions,
                                                   bool is_narrow, Real *sums, uint32_t lane)
{
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    uint32_t end = own.length; // in the round
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(EVERY_LANE, end, d);
        end += lane >= (uint32_t)d ? before : 0;
    }
    const uint32_t begin = end - own.length, total = __shfl_sync(EVERY_LANE, end, 31);
    const bool has_products = own.length > 0;
    const unsigned entries = __ballot_sync(EVERY_LANE, has_products);
    if (has_products) // product i of the round multiplies number start + i of the right factor
        steps[__popc(entries & below)] = {own.a, own.start - begin, 0};
    __syncwarp();
    uint32_t begun = 0; // entries before this chunk
    for (uint32_t first = 0; first < total; first += 32 * IN_FLIGHT) {
        uint32_t position[IN_FLIGHT];
        Real a[IN_FLIGHT], b[IN_FLIGHT];
        bool is_there[IN_FLIGHT];
        unsigned starts[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            const uint32_t chunk = first + 32 * i, at = chunk + lane;
            is_there[i] = false;
            if (chunk >= total) // the warp's, so that control stays uniform
                continue;
            const bool begins = has_products && begin - chunk < 32; // begin >= chunk, as numbers wrap
            starts[i] = __reduce_or_sync(EVERY_LANE, begins ? 1u << (begin - chunk) : 0u);
            const Step<Real> step = steps[begun + __popc(starts[i] & up_to) - 1];
            begun += __popc(starts[i]);
            is_there[i] = at < total;
            a[i] = step.a;
            position[i] = 0;
            if (is_there[i]) {
                position[i] = is_narrow ? (uint32_t)__ldg(positions + at)
                                        : (uint32_t)__ldg(reinterpret_cast<const uint16_t *>(positions) + at);
                b[i] = right[step.start + at];
            }
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            if (first + 32 * i < total)
                add_chunk<Real, 32>(a[i], b[i], position[i], is_there[i], sums, starts[i], below);
    }
    __syncwarp();
    return total;
}

template <typename Real, int LANES, bool FLAT>
__device__ __forceinline__ void run_group(const spmmi_spgemm_tables &tables, const spmmi_spgemm_bin &bin,
                                          const Operands<Real> &values, unsigned char *shared)
{
    const uint32_t group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const uint32_t i = (blockIdx.x - bin.first_block) * (THREADS / LANES) + group;
    Step<Real> *const steps = reinterpret_cast<Step<Real> *>(shared) + group * (LANES + 1);
    Real *const sums = reinterpret_cast<Real *>(shared + (THREADS + GROUPS_MAX) * sizeof(Step<Real>)) +
                       group * (SPMMI_SPGEMM_LANE_SUMS * LANES);
    uint4 item = {0, 0, 0, 0}; // list, out, position, counts
    if (i < bin.count)
        item = __ldg(reinterpret_cast<const uint4 *>(tables.items) + bin.first + i);
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.w);
    const uint32_t length = SPMMI_SPGEMM_LIST_LENGTH(item.w);
    const uint32_t rounds_end = LANES == 32 ? length : __reduce_max_sync(EVERY_LANE, length);
    wait_for_previous();
    Step<Real> next = load_step(tables, values, item.x, lane, length, bin.is_listed != 0);
    for (uint32_t e = lane; e < entries; e += LANES)
        sums[e] = Real(0);
    if (lane == 0)
        steps[LANES] = {Real(0), 0, 0};
    Walk<Real, LANES> walk = {steps, {Real(0), 0, 0}, 0, 0, 0, 0};
    const uint8_t *const positions = tables.positions + (size_t)item.z * SPMMI_SPGEMM_POSITION_UNIT;
    for (uint32_t first = 0; first < rounds_end; first += LANES) {
        const Step<Real> own = next;
        next = load_step(tables, values, item.x, first + LANES + lane, length, bin.is_listed != 0);
        __syncwarp();
        if constexpr (FLAT) {
            walk.product += add_flat_round(own, steps, values.right,
                                           positions + (size_t)walk.product * (bin.is_narrow ? 1 : 2),
                                           bin.is_narrow != 0, sums, lane);
        } else {
            steps[lane] = own;
            __syncwarp();
            walk.begin((int)lane, first >= length ? 0 : (int)min(length - first, (uint32_t)LANES));
            add_round<Real, LANES>(walk, values.right, positions, bin.is_narrow != 0, sums, lane);
        }
    }
    __syncwarp();
    if (bin.is_partial) {
        for (uint32_t e = lane; e < entries; e += LANES)
            values.partials[item.y + e] = sums[e];
        return;
    }
    for (uint32_t e = lane; e < entries; e += LANES)
        put(values.c + item.y + e, values.alpha, sums[e], values.beta);
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 8)
    numeric_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                   const __grid_constant__ spmmi_spgemm_bins bins,
                   const __grid_constant__ Operands<Real> values)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    uint32_t b = 0;
    while (b + 1 < bins.count && blockIdx.x >= bins.bin[b + 1].first_block)
        b++;
    const spmmi_spgemm_bin bin = bins.bin[b];
    switch (bin.lanes) {
    case 4:
        return run_group<Real, 4, false>(tables, bin, values, shared_memory);
    case 8:
        return run_group<Real, 8, false>(tables, bin, values, shared_memory);
    case 16:
        return run_group<Real, 16, false>(tables, bin, values, shared_memory);
    default:
        return bin.is_flat ? run_group<Real, 32, true>(tables, bin, values, shared_memory)
                           : run_group<Real, 32, false>(tables, bin, values, shared_memory);
    }
}

// A block takes some entries of a row that was cut.
template <typename Real>
__global__ void __launch_bounds__(JOIN_THREADS)
    join_kernel(const __grid_constant__ spmmi_spgemm_tables tables,
                const __grid_constant__ Operands<Real> values)
{
    const spmmi_spgemm_join join = tables.joins[blockIdx.x];
    wait_for_previous();
    add_pieces(values.partials + join.partial, join.stride, join.pieces, join.count,
               [&](uint32_t e, Real sum) { put(values.c + join.c + e, values.alpha, sum, values.beta); });
}

template <typename Real> Operands<Real> operands_of(const spmmi_spgemm_operands *o)
{
    return {static_cast<const Real *>(o->left),
            static_cast<const Real *>(o->right),
            static_cast<const Real *>(o->diagonal),
            static_cast<Real *>(o->c),
            static_cast<Real *>(o->partials),
            static_cast<Real>(o->alpha),
            static_cast<Real>(o->beta)};
}

template <typename Real>
int launch_numeric(const spmmi_spgemm_tables *tables, const spmmi_spgemm_bins *bins,
                   const spmmi_spgemm_operands *o, int is_dependent, void *stream)
{
    return launch_kernel(numeric_kernel<Real>, dim3(bins->blocks), THREADS, shared_bytes<Real>(), stream,
                         is_dependent != 0, *tables, *bins, operands_of<Real>(o));
}

template <typename Real>
int launch_join(const spmmi_spgemm_tables *tables, const spmmi_spgemm_operands *o, int is_dependent,
                void *stream)
{
    return launch_kernel(join_kernel<Real>, dim3(tables->join_count), JOIN_THREADS, 0, stream,
                         is_dependent != 0, *tables, operands_of<Real>(o));
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_numeric_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bins *bins,
                              const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64
               ? spmmi::spgemm::launch_numeric<double>(tables, bins, operands, is_dependent, stream)
               : spmmi::spgemm::launch_numeric<float>(tables, bins, operands, is_dependent, stream);
}

int spmmi_spgemm_join_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64 ? spmmi::spgemm::launch_join<double>(tables, operands, is_dependent, stream)
                            : spmmi::spgemm::launch_join<float>(tables, operands, is_dependent, stream);
}
