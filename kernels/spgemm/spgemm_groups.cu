// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of groups: two or three rows of C with one pattern, times up to three rows of the
// right factor with one pattern at a time. A position is read once for up to nine products, a value of the
// right factor for up to three.
//
// block     4 warps, one item each
// shared    the sums of the item, row by row
// in flight 3 chunks of 32 positions, with the values of up to three rows of the right factor for each
// sums      by ascending k from 0, fused: the bits of single rows
#include "kernels/shared/launch.cuh"
#include "spgemm_arithmetic.cuh"
#include "spgemm_launch.h"
#include "spgemm_lists.cuh"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

constexpr int GROUP_THREADS = 128, GROUP_WARPS = GROUP_THREADS / 32, CHUNKS = 3, K_MOST = SPMMI_SPGEMM_GROUP;

// The content of a list entry: `k_count` rows of `length` entries, from `start` on in the right factor; p:
// the first entry of the left factor.
struct Run {
    uint32_t start, length, p, k_count;
};

__device__ __forceinline__ Run load_run(const spmmi_spgemm_tables &tables, uint32_t at)
{
    const uint2 row = __ldg(reinterpret_cast<const uint2 *>(tables.rows) + at);
    return {row.x, SPMMI_SPGEMM_ENTRIES(row.y), left_of(tables, at, row.y),
            __ldg(tables.k_count + (at - tables.direct))};
}

template <typename Real, int ROWS>
__device__ __forceinline__ void add_run(const Run &run, const Real (&a)[ROWS][K_MOST], const Real *right,
                                        const uint8_t *positions, bool is_narrow, Real *sums, uint32_t pitch,
                                        uint32_t lane)
{
    for (uint32_t j = lane; j < run.length; j += 32 * CHUNKS) {
        uint32_t position[CHUNKS];
        Real b[CHUNKS][K_MOST];
#pragma unroll
        for (int v = 0; v < CHUNKS; v++) {
            const uint32_t at = j + 32 * v;
            if (at >= run.length)
                continue;
            position[v] = is_narrow ? (uint32_t)__ldg(positions + at)
                                    : (uint32_t)__ldg(reinterpret_cast<const uint16_t *>(positions) + at);
#pragma unroll
            for (int k = 0; k < K_MOST; k++)
                if (k < (int)run.k_count)
                    b[v][k] = right[run.start + k * run.length + at];
        }
#pragma unroll
        for (int v = 0; v < CHUNKS; v++) {
            if (j + 32 * v >= run.length)
                continue;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                Real sum = sums[r * pitch + position[v]];
#pragma unroll
                for (int k = 0; k < K_MOST; k++)
                    if (k < (int)run.k_count)
                        sum = fused(a[r][k], b[v][k], sum);
                sums[r * pitch + position[v]] = sum;
            }
        }
    }
}

template <typename Real, int ROWS>
__global__ void __launch_bounds__(GROUP_THREADS)
    groups_kernel(const __grid_constant__ spmmi_spgemm_tables tables, const spmmi_spgemm_groups groups,
                  const __grid_constant__ Operands<Real> values)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, pitch = groups.entries;
    const uint32_t i = blockIdx.x * GROUP_WARPS + warp;
    Real *const sums = reinterpret_cast<Real *>(shared_memory) + warp * ROWS * pitch;
    release_dependents();
    uint4 item = {0, 0, 0, 0}; // list, out, position, counts
    if (i < groups.bin.count)
        item = __ldg(reinterpret_cast<const uint4 *>(tables.items) + groups.bin.first + i);
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.w);
    const uint32_t length = SPMMI_SPGEMM_LIST_LENGTH(item.w);
    const uint32_t stride = length > 0 ? __ldg(&tables.rows[item.x].start) : 0;
    const bool is_narrow = groups.bin.is_narrow != 0;
    const uint8_t *positions = tables.positions + (size_t)item.z * SPMMI_SPGEMM_POSITION_UNIT;
    for (uint32_t e = lane; e < entries; e += 32)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sums[r * pitch + e] = Real(0);
    __syncwarp();
    Run next = length > 1 ? load_run(tables, item.x + 1) : Run{0, 0, 0, 0};
    for (uint32_t t = 1; t < length; t++) {
        const Run run = next;
        Real a[ROWS][K_MOST];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < K_MOST; k++)
                a[r][k] = k < (int)run.k_count ? values.left[run.p + r * stride + k] : Real(0);
        if (t + 1 < length)
            next = load_run(tables, item.x + t + 1);
        add_run<Real, ROWS>(run, a, values.right, positions, is_narrow, sums, pitch, lane);
        positions += is_narrow ? run.length : 2 * (size_t)run.length;
        __syncwarp();
    }
    for (uint32_t e = lane; e < entries; e += 32)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            put(values.c + item.y + r * entries + e, values.alpha, sums[r * pitch + e], values.beta);
    end_after_previous();
}

template <typename Real, int ROWS>
int launch_groups(const spmmi_spgemm_tables *tables, const spmmi_spgemm_groups *groups,
                  const spmmi_spgemm_operands *o, int is_dependent, void *stream)
{
    const unsigned bytes = (unsigned)(GROUP_WARPS * ROWS * groups->entries * sizeof(Real));
    static_assert(GROUP_WARPS * ROWS * SPMMI_SPGEMM_ITEM_ENTRIES * sizeof(Real) <= SHARED_FREE,
                  "no attribute is set");
    const Operands<Real> values = operands_of<Real>(o);
    return launch_kernel(groups_kernel<Real, ROWS>, dim3((groups->bin.count + GROUP_WARPS - 1) / GROUP_WARPS),
                         GROUP_THREADS, bytes, stream, is_dependent != 0, *tables, *groups, values);
}

template <typename Real>
int launch_groups_of(const spmmi_spgemm_tables *tables, const spmmi_spgemm_groups *groups,
                     const spmmi_spgemm_operands *o, int is_dependent, void *stream)
{
    return groups->rows == 2 ? launch_groups<Real, 2>(tables, groups, o, is_dependent, stream)
                             : launch_groups<Real, 3>(tables, groups, o, is_dependent, stream);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_groups_cuda(const struct spmmi_spgemm_tables *tables,
                             const struct spmmi_spgemm_groups *groups,
                             const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream)
{
    return operands->is_f64
               ? spmmi::spgemm::launch_groups_of<double>(tables, groups, operands, is_dependent, stream)
               : spmmi::spgemm::launch_groups_of<float>(tables, groups, operands, is_dependent, stream);
}
