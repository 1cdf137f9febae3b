// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/load_if.cuh.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

template <typename V> inline V load_if(bool is_there, const V *p)
{
    return is_there ? *p : bits_as<V>(uint64_t(0));
}

inline uint32_t load_narrow_if(bool is_there, const uint16_t *p)
{
    return is_there ? *p : 0;
}

template <int BYTES> inline void load_words_if(bool is_there, const void *p, uint32_t *word)
{
    if (is_there)
        memcpy(word, p, BYTES);
    else
        memset(word, 0, BYTES);
}

} // namespace spmmi
