// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory of kernels that are launched repeatedly.
#pragma once
#include "allowed.h"
#include "launch.cuh"

namespace spmmi {

// Calls allow_shared unless the kernel is in the list, and adds it to the list. If threads add two kernels at
// once, the list may miss one of them; the driver is then called again.
template <typename Kernel>
cudaError_t allow_shared_once(Kernel kernel, uint32_t bytes, uint32_t most, struct spmmi_allowed *list)
{
    const void *const function = reinterpret_cast<const void *>(kernel);
    uint32_t end = 0;
    if (bytes <= SHARED_FREE)
        return cudaSuccess;
    for (; end < SPMMI_ALLOWED_MAX; end++) {
        const void *const known = __atomic_load_n(&list->kernels[end], __ATOMIC_ACQUIRE);
        if (known == function)
            return cudaSuccess;
        if (known == nullptr)
            break;
    }
    const cudaError_t error = allow_shared(kernel, bytes, most);
    if (error == cudaSuccess && end < SPMMI_ALLOWED_MAX)
        __atomic_store_n(&list->kernels[end], function, __ATOMIC_RELEASE);
    return error;
}

} // namespace spmmi
