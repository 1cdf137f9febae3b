// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that overlap with arithmetic (cp.async, sm_80).
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

// Copies one value. Copies of less than four bytes have no asynchronous form: they are complete when the call
// returns.
template <int BYTES> __device__ __forceinline__ void copy_async(void *shared, const void *global)
{
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else if constexpr (BYTES == 2)
        *static_cast<uint16_t *>(shared) = __ldg(static_cast<const uint16_t *>(global));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(BYTES)
                     : "memory");
}

template <typename T> __device__ __forceinline__ void copy_async(void *shared, const T *global)
{
    copy_async<(int)sizeof(T)>(shared, static_cast<const void *>(global));
}

// Copies 16 bytes if is_wanted is true.
__device__ __forceinline__ void copy_async_if(void *shared, const void *global, bool is_wanted)
{
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    asm volatile("{\n.reg .pred wanted;\nsetp.ne.b32 wanted, %2, 0;\n"
                 "@wanted cp.async.cg.shared.global [%0], [%1], 16;\n}" ::"r"(to),
                 "l"(global), "r"((int)is_wanted)
                 : "memory");
}

// Copies 4, 8 or 16 bytes, of which only the first `count` are read; the others become 0.
template <int BYTES = 16>
__device__ __forceinline__ void copy_async_part(void *shared, const void *global, uint32_t count)
{
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(count)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(global), "r"(count),
                     "n"(BYTES)
                     : "memory");
}

// Makes the copies since the last call one group; groups complete in order.
__device__ __forceinline__ void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all but the last PENDING groups of this thread are complete.
template <int PENDING> __device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

} // namespace spmmi
