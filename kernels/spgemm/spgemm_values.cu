// SPDX-License-Identifier: Apache-2.0
// spgemm: puts the values of a transposed factor in its order, and scales C = beta * C. One thread per
// element.
#include "kernels/shared/launch.cuh"
#include "spgemm_arithmetic.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr unsigned VALUE_THREADS = 256;

template <typename Word>
__global__ void __launch_bounds__(VALUE_THREADS)
    gather_kernel(uint32_t count, const uint32_t *map, const Word *from, Word *to)
{
    release_dependents();
    const uint64_t q = (uint64_t)blockIdx.x * VALUE_THREADS + threadIdx.x;
    if (q < count)
        to[q] = from[__ldg(map + q)];
}

template <typename Real>
__global__ void __launch_bounds__(VALUE_THREADS) scale_kernel(uint64_t count, Real beta, Real *c)
{
    const uint64_t q = (uint64_t)blockIdx.x * VALUE_THREADS + threadIdx.x;
    if (q < count)
        c[q] = beta == Real(0) ? Real(0) : times(beta, c[q]);
}

inline dim3 grid_of(uint64_t count)
{
    return dim3((unsigned)((count + VALUE_THREADS - 1) / VALUE_THREADS));
}

template <typename Word>
int launch_gather(uint32_t count, const uint32_t *map, const void *from, void *to, void *stream)
{
    return launch_kernel(gather_kernel<Word>, grid_of(count), VALUE_THREADS, 0, stream, false, count, map,
                         static_cast<const Word *>(from), static_cast<Word *>(to));
}

template <typename Real> int launch_scale(uint64_t count, double beta, void *c, void *stream)
{
    return launch_kernel(scale_kernel<Real>, grid_of(count), VALUE_THREADS, 0, stream, false, count, beta,
                         static_cast<Real *>(c));
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_gather_cuda(uint32_t count, size_t size, const uint32_t *map, const void *from, void *to,
                             void *stream)
{
    return size == sizeof(uint64_t) ? spmmi::spgemm::launch_gather<uint64_t>(count, map, from, to, stream)
                                    : spmmi::spgemm::launch_gather<uint32_t>(count, map, from, to, stream);
}

int spmmi_spgemm_scale_cuda(uint64_t count, int is_f64, double beta, void *c, void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_scale<double>(count, beta, c, stream)
                  : spmmi::spgemm::launch_scale<float>(count, beta, c, stream);
}
