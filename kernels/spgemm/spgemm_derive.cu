// SPDX-License-Identifier: Apache-2.0
// spgemm: where the products of items belong, found by looking up columns of the right factor in those of C.
//
// block     128 threads: groups of as many lanes as the bin has, one item each; a lane takes every so-manyth product
//           of a list entry and looks it up by bisection
// passes    hash (a number for each item that equal streams of positions share), write (streams that are kept),
//           compare (all others with the stream that they share: a hash alone proves nothing)
#include "kernels/shared/launch.cuh"
#include "spgemm_lookup.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr unsigned DERIVE_THREADS = 128;

template <spmmi_spgemm_pass PASS> struct Visit {
    const spmmi_spgemm_derivation &d;
    uint8_t *positions;
    bool is_narrow;
    unsigned long long hash;
    bool differs;

    __device__ __forceinline__ void product(uint32_t at, uint32_t place)
    {
        uint16_t *const wide = reinterpret_cast<uint16_t *>(positions);
        if (PASS == SPMMI_SPGEMM_HASH)
            hash += hash_of(at, place);
        else if (PASS == SPMMI_SPGEMM_COMPARE)
            differs |= (is_narrow ? (uint32_t)positions[at] : (uint32_t)wide[at]) != place;
        else if (is_narrow)
            positions[at] = (uint8_t)place;
        else
            wide[at] = (uint16_t)place;
    }
};

template <spmmi_spgemm_pass PASS>
__global__ void __launch_bounds__(DERIVE_THREADS)
    derive_kernel(const __grid_constant__ spmmi_spgemm_derivation d, const spmmi_spgemm_bin bin)
{
    const uint64_t thread = (uint64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x;
    const uint32_t lane = (uint32_t)(thread % bin.lanes);
    if (thread / bin.lanes >= bin.count)
        return;
    const uint64_t i = bin.first + thread / bin.lanes;
    const spmmi_spgemm_item item = d.tables.items[i];
    const uint32_t entries = SPMMI_SPGEMM_ENTRIES(item.counts);
    const uint32_t length = SPMMI_SPGEMM_LIST_LENGTH(item.counts);
    const int32_t *const columns = d.c_columns + d.c_at[i];
    if (PASS != SPMMI_SPGEMM_HASH && (d.writes[i] != 0) != (PASS == SPMMI_SPGEMM_WRITE))
        return;
    Visit<PASS> visit = {d, d.positions + (size_t)item.position * SPMMI_SPGEMM_POSITION_UNIT,
                         bin.is_narrow != 0, 0, false};
    uint32_t before = 0;
    for (uint32_t t = 0; t < length; t++) {
        const spmmi_spgemm_row row = d.tables.rows[item.list + t];
        for (uint32_t j = lane; j < row.length; j += bin.lanes)
            visit.product(before + j, place_of(columns, entries, __ldg(d.right_columns + row.start + j)));
        before += row.length;
    }
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
