// SPDX-License-Identifier: Apache-2.0
// Thread block clusters (sm_90): blocks that run at the same time and read each other's shared memory. Where a kernel
// was launched without, and before sm_90, a block is a cluster of its own.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

__device__ __forceinline__ uint32_t cluster_blocks()
{
    uint32_t count = 1;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
#endif
    return count;
}

__device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

// For all threads of the cluster; what they wrote to shared memory before is visible to them afterwards.
__device__ __forceinline__ void cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#else
    __syncthreads();
#endif
}

// What the block of this rank has where this one has the word.
__device__ __forceinline__ uint32_t load_of_block(const uint32_t *word, uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
    uint32_t value;
    asm volatile("{\n.reg .u32 address;\n"
                 "mapa.shared::cluster.u32 address, %1, %2;\n"
                 "ld.shared::cluster.u32 %0, [address];\n}"
                 : "=r"(value)
                 : "r"((uint32_t)__cvta_generic_to_shared(word)), "r"(rank)
                 : "memory");
    return value;
#else
    (void)rank;
    return *word;
#endif
}

// The same for four words side by side.
__device__ __forceinline__ float4 load_of_block(const float4 *words, uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
    float4 value;
    asm volatile("{\n.reg .u32 address;\n"
                 "mapa.shared::cluster.u32 address, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [address];\n}"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"((uint32_t)__cvta_generic_to_shared(words)), "r"(rank)
                 : "memory");
    return value;
#else
    (void)rank;
    return *words;
#endif
}

} // namespace spmmi
