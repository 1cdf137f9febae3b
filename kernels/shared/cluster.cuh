// SPDX-License-Identifier: Apache-2.0
// Thread block clusters (sm_90): blocks that run at the same time and read each other's shared memory. In a
// launch without clusters, and before sm_90, each block is a cluster of its own.
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

// Waits for all threads of the cluster. Afterwards, what they wrote to shared memory before is visible to all
// of them.
__device__ __forceinline__ void cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#else
    __syncthreads();
#endif
}

// Returns the word that block `rank` has at the address that `word` has in this block.
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

// Does the same for four adjacent words.
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
