// SPDX-License-Identifier: Apache-2.0
// Moves values through a map, one thread per value.
#include <cuda_runtime.h>
#include <stdint.h>

#include "convert.h"
#include "kernels/shared/launch.cuh"

namespace {

constexpr int THREADS = 256;

template <typename T>
__global__ void __launch_bounds__(THREADS)
    gather(uint32_t count, const uint32_t *__restrict__ map, const T *__restrict__ in, T *__restrict__ out,
           uint32_t room)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = in[min(map[i], room - 1)];
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    scatter(uint32_t count, const uint32_t *__restrict__ map, const T *__restrict__ in, T *__restrict__ out,
            uint32_t room)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count && map[i] < room)
        out[map[i]] = in[i];
}

} // namespace

// Moves bits without interpreting them: T is an unsigned word of the size of a value.
template <typename T>
static int move_words(bool scatters, uint32_t count, const uint32_t *map, const void *in, void *out,
                      uint32_t room, void *stream)
{
    return (int)spmmi::launch_kernel(scatters ? scatter<T> : gather<T>, dim3((count + THREADS - 1) / THREADS),
                                     THREADS, 0, stream, false, count, map, static_cast<const T *>(in),
                                     static_cast<T *>(out), room);
}

static int move_values(int dtype, bool scatters, uint32_t count, const uint32_t *map, const void *in,
                       void *out, uint32_t room, void *stream)
{
    if (count == 0)
        return cudaSuccess;
    return dtype == 1   ? move_words<uint32_t>(scatters, count, map, in, out, room, stream)
           : dtype == 2 ? move_words<uint64_t>(scatters, count, map, in, out, room, stream)
                        : move_words<uint16_t>(scatters, count, map, in, out, room, stream);
}

extern "C" int spmmi_gather_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                                 uint32_t room, void *cuda_stream)
{
    return move_values(dtype, false, count, map, in, out, room, cuda_stream);
}

extern "C" int spmmi_scatter_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                                  uint32_t room, void *cuda_stream)
{
    return move_values(dtype, true, count, map, in, out, room, cuda_stream);
}

extern "C" int spmmi_kernels_load_cuda(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(gather<uint32_t>));
}
