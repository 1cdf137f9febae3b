// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, which enqueue work on streams, and the limits of a launch.
#include <map>

#include "emulated_streams.h"

using namespace emulator;

namespace {

std::map<const void *, size_t> shared_of; // kernels that may have more dynamic shared memory than the default

} // namespace

namespace emulator {

cudaError_t launch(const cudaLaunchConfig_t &config, const void *kernel, Body body)
{
    const Guard guard(runtime_lock);
    Launch launch = {config.gridDim, config.blockDim, 1, config.dynamicSmemBytes, SHARED_USUAL, kernel, body};
    for (unsigned i = 0; i < config.numAttrs; i++)
        if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
            launch.cluster = config.attrs[i].val.clusterDim.x;
    const uint64_t threads = (uint64_t)launch.block.x * launch.block.y * launch.block.z;
    if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0 || threads == 0 || threads > 1024 ||
        launch.grid.y > 65535 || launch.grid.z > 65535 || launch.grid.x > INT32_MAX)
        return remember(cudaErrorInvalidConfiguration);
    if (launch.cluster == 0 || launch.grid.x % launch.cluster != 0 || launch.cluster > 8)
        return remember(cudaErrorInvalidClusterSize);
    const auto found = shared_of.find(kernel);
    if (launch.dynamic_bytes > (found == shared_of.end() ? SHARED_USUAL : found->second))
        return remember(cudaErrorInvalidValue);
    if (found != shared_of.end())
        launch.shared_max = SHARED_MAX;
    submit(config.stream, [launch] { run(launch); });
    return cudaSuccess;
}

} // namespace emulator

extern "C" {

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    const Guard guard(runtime_lock);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess; // a hint
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value > emulator::SHARED_MAX)
        return emulator::remember(cudaErrorInvalidValue);
    shared_of[kernel] = (size_t)value;
    return cudaSuccess;
}

} // extern "C"
