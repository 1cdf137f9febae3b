// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (mbarrier) between threads that copy and threads that use what they copied, and
// asynchronous copies that signal them.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "async.cuh"

namespace spmmi {

using Barrier = uint64_t; // in shared memory

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Called by one thread; then all threads call publish_barriers.
__device__ __forceinline__ void init_barrier(Barrier *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}

// Makes barriers that this thread initialised visible to the copies that it starts.
__device__ __forceinline__ void fence_barriers()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void publish_barriers()
{
    fence_barriers();
    __syncthreads();
}

// Proxy fence: writes to shared memory by ordinary instructions that this thread has seen become visible to
// bulk copies and wgmma that follow in this thread or after its next arrival at a barrier.
__device__ __forceinline__ void publish_writes()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ __forceinline__ void arrive(Barrier *barrier)
{
    asm volatile(
        "{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
        : "memory");
}

// Waits until the phase of this parity has ended; the first phase has parity 0.
__device__ __forceinline__ void wait_for_phase(Barrier *barrier, uint32_t parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
#else
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
#endif
}

// Arrives for the calling thread when all its copies so far (copy_async) are complete.
__device__ __forceinline__ void arrive_after_copies(Barrier *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

// Arrivals at the barrier of a span in addition to the arrivals of its threads.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr uint32_t SPAN_ARRIVALS = 1;
#else
constexpr uint32_t SPAN_ARRIVALS = 0;
#endif

// Arrives, and makes the barrier wait for `bytes` more bytes.
__device__ __forceinline__ void arrive_and_expect(Barrier *barrier, uint32_t bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .b64 state;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#endif
}

// Copies `bytes` bytes by one instruction; they count at the barrier. The size and both addresses are
// multiples of 16. This pays for kilobytes, not for single rows of B: each copy takes some 30 cycles.
__device__ __forceinline__ void copy_bulk(void *shared, const void *global, uint32_t bytes, Barrier *barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(shared)),
        "l"(global), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
#endif
}

// Copies a span by `threads` threads, of which this is number `thread`. On sm_90 thread 0 copies all of it;
// on older devices the threads share the pieces of 16 bytes.
__device__ __forceinline__ void copy_span(void *shared, const void *global, uint32_t bytes, Barrier *barrier,
                                          uint32_t thread, uint32_t threads)
{
#if __CUDA_ARCH__ >= 900
    if (thread == 0) {
        arrive_and_expect(barrier, bytes);
        copy_bulk(shared, global, bytes, barrier);
    }
#else
    for (uint32_t i = 16 * thread; i < bytes; i += 16 * threads)
        copy_async<16>(static_cast<char *>(shared) + i, static_cast<const char *>(global) + i);
#endif
}

// Waits until a span has arrived, at a barrier with no other arrivals. Before sm_90 threads wait for their
// own copies instead.
__device__ __forceinline__ void wait_for_span(Barrier *barrier, uint32_t parity)
{
#if __CUDA_ARCH__ >= 900
    wait_for_phase(barrier, parity);
#endif
}

} // namespace spmmi
