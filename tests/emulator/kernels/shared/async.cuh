// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/async.cuh. Copies are done when they are waited for, so that an earlier read gets
// wrong values.
#pragma once
#include <cuda_runtime.h>

namespace spmmi {

template <int BYTES> inline void copy_async(void *shared, const void *global)
{
    emulator::copy_late(shared, global, BYTES, BYTES);
}

template <typename T> inline void copy_async(void *shared, const T *global)
{
    copy_async<(int)sizeof(T)>(shared, static_cast<const void *>(global));
}

inline void copy_async_if(void *shared, const void *global, bool is_wanted)
{
    if (is_wanted)
        copy_async<16>(shared, global);
}

inline void copy_async_part(void *shared, const void *global, uint32_t count)
{
    emulator::copy_late(shared, global, count, 16);
}

inline void commit_copies()
{
    emulator::commit_copies();
}

template <int PENDING> inline void wait_for_copies()
{
    emulator::wait_for_copies(PENDING);
}

} // namespace spmmi
