// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase of entries with many products, including long entries.
//
// block     4 stretches: 4 warps load one stretch each; a fifth warp adds, one lane per stretch, because each
//           product waits for the one before it. What counts is therefore that all stretches of all entries
//           run at once, and that the adding lanes wait neither for memory nor for load instructions: with
//           both in one warp a stretch took 74 us on an H100
// shared    for each stretch a ring of STAGES chunks of 64 products, a and b, and of the words that say where
//           these are
// in flight the products of the next STAGES - 1 chunks, and the words of as many chunks after these
// sums      a stretch is added by ascending k from 0, fused, and stored in the workspace; the last kernel
//           adds the stretches of a piece in order, then the pieces: bitwise repeatable, and the bits of the
//           CPU
// bounds    lists are trusted, as those of all sparse products (docs/decisions/0037)
#include "spgemm_long.cuh"

namespace spmmi {
namespace spgemm {

template <typename Real, bool SCALED>
__global__ void __launch_bounds__(LONG_THREADS, LONG_BLOCKS)
    long_kernel(const __grid_constant__ spmmi_spgemm_long_tables tables,
                const __grid_constant__ Operands<Real> values, Real *sums)
{
    __shared__ LongRing<Real, SCALED> rings[LONG_STRETCHES];
    release_dependents();
    add_long_stretches<Real, SCALED>(tables, values, blockIdx.x * LONG_STRETCHES, sums, rings);
}

template <typename Real>
int launch_long(const spmmi_spgemm_long_tables *tables, const spmmi_spgemm_operands *o, void *stream)
{
    const dim3 blocks((tables->stretch_count + LONG_STRETCHES - 1) / LONG_STRETCHES);
    const Operands<Real> values = operands_of<Real>(o);
    Real *const sums = static_cast<Real *>(o->stretches);
    return o->diagonal != nullptr ? launch_kernel(long_kernel<Real, true>, blocks, LONG_THREADS, 0, stream,
                                                  false, *tables, values, sums)
                                  : launch_kernel(long_kernel<Real, false>, blocks, LONG_THREADS, 0, stream,
                                                  false, *tables, values, sums);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_long_cuda(const struct spmmi_spgemm_long_tables *tables,
                           const struct spmmi_spgemm_operands *operands, void *stream)
{
    return operands->is_f64 ? spmmi::spgemm::launch_long<double>(tables, operands, stream)
                            : spmmi::spgemm::launch_long<float>(tables, operands, stream);
}
