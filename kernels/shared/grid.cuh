// SPDX-License-Identifier: Apache-2.0
// Synchronisation of a kernel with the previous and the next kernel, and a prefetch; see launch.cuh.
#pragma once
#include <cuda_runtime.h>

namespace spmmi {

__device__ __forceinline__ void release_dependents()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // plain loads and stores stay after it
#endif
}

// Loads the cache line of an address into the L2 cache.
__device__ __forceinline__ void prefetch_l2(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

} // namespace spmmi
