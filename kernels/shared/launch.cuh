// SPDX-License-Identifier: Apache-2.0
// Launches that may overlap the end of the previous kernel (programmatic dependent launch, sm_90).
//
// A kernel launched as dependent starts as soon as every block of the previous kernel has called
// release_dependents or has ended. It must call wait_for_previous before it accesses anything that the
// previous kernel writes. Both calls cost nothing in a kernel that was launched the ordinary way.
//
// Kernels that only wait at their end (end_after_previous) may follow each other in a chain of any length.
// The first one is launched the ordinary way, so that everything before it is complete. None reads or writes
// what another one writes, and each ends with end_after_previous. So the last one is complete only after all
// others.
//
// Data that the previous kernel may write must be read by plain loads. PTX has ld.global.nc (__ldg,
// load_vector_const, and what the compiler makes of const __restrict__) for data that nobody writes while the
// kernel runs, and a dependent kernel runs already. Such a load may be moved above the wait, because its data
// count as constant, or be served from a line that was loaded into the L1 cache before. These loads may read
// tables of the plan, which nothing in the stream writes. Values, which a copy or a kernel may write right
// before the product, are read by plain loads after the wait (docs/decisions/0105).
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/shared/grid.cuh"

namespace spmmi {

// Ends a kernel that may overlap the previous one and does not read its results. The last thread block waits
// for the previous kernel, and so for all of the chain: the next work in the stream finds them complete. The
// other thread blocks end at once.
__device__ __forceinline__ void end_after_previous()
{
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1)
        wait_for_previous();
}

constexpr uint32_t SHARED_FREE =
    48 * 1024; // more dynamic shared memory than this needs an attribute of the kernel

// Allows a kernel this much dynamic shared memory. The attribute belongs to the kernel, whoever launches it.
// So `most` must always be the same, because other threads may launch the kernel in between.
template <typename Kernel> cudaError_t allow_shared(Kernel kernel, uint32_t bytes, uint32_t most)
{
    if (bytes <= SHARED_FREE)
        return cudaSuccess;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most);
}

// A launch in clusters of `blocks` thread blocks (cluster.cuh); grid is a multiple of blocks. It cannot be
// copied, because config points into it.
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
