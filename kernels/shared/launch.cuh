// SPDX-License-Identifier: Apache-2.0
// Launches that may overlap the end of the kernel before them (programmatic dependent launch, sm_90).
//
// A kernel launched as dependent starts as soon as every block of the kernel before it has called
// release_dependents or ended; it must call wait_for_previous before it touches what that kernel writes.
// Both calls cost nothing in a kernel that was launched the ordinary way.
//
// Kernels that only wait at their end (end_after_previous) may follow each other in a chain of any length: the first
// of it is launched the ordinary way, so that all before it is complete; none reads or writes what another one writes;
// each ends with end_after_previous. So the last one is complete only after all others.
//
// What the kernel before it may write is read by plain loads. PTX has ld.global.nc (__ldg, load_vector_const, and what
// the compiler makes of const __restrict__) for data that nobody writes as long as the kernel runs, and this one runs
// already: such a load may be moved above the wait, as its data count as constant, or served from a line that came to
// the L1 cache before. Tables of the plan, which nothing in the stream writes, may be read so; values, which a copy or
// a kernel may write right before the product, are read by plain loads after the wait (docs/decisions/0105).
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/shared/grid.cuh"

namespace spmmi {

// The end of a kernel that may run beside the one before it, whose results it does not read: its last thread block
// waits for that one, and so for all of its chain: what follows in the stream finds them complete. The other thread
// blocks end at once.
__device__ __forceinline__ void end_after_previous()
{
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1)
        wait_for_previous();
}

constexpr uint32_t SHARED_FREE =
    48 * 1024; // kernels need an attribute for more dynamic shared memory than this

// Let a kernel have so much dynamic shared memory. The attribute is the kernel's, whoever launches it: `most` is always
// the same, as launches of other threads may come between.
template <typename Kernel> cudaError_t allow_shared(Kernel kernel, uint32_t bytes, uint32_t most)
{
    if (bytes <= SHARED_FREE)
        return cudaSuccess;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most);
}

// A launch in clusters of so many thread blocks (cluster.cuh); grid is a multiple of them. It is not copied, as config
// points into it.
struct ClusterLaunch {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    ClusterLaunch(unsigned grid, unsigned blocks, unsigned threads, unsigned shared_bytes, void *stream)
    {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = blocks;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.gridDim = dim3(grid);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = static_cast<cudaStream_t>(stream);
        config.attrs = &attribute;
        config.numAttrs = 1;
    }
    ClusterLaunch(const ClusterLaunch &) = delete;
    ClusterLaunch &operator=(const ClusterLaunch &) = delete;
};

template <typename... Parameters, typename... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), unsigned grid, unsigned blocks, unsigned threads,
                            unsigned shared_bytes, void *stream, Arguments... arguments)
{
    const ClusterLaunch launch(grid, blocks, threads, shared_bytes, stream);
    return cudaLaunchKernelEx(&launch.config, kernel, static_cast<Parameters>(arguments)...);
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 threads, unsigned shared_bytes,
                          void *stream, bool is_dependent, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = &attribute;
    config.numAttrs = is_dependent ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

} // namespace spmmi
