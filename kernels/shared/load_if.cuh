// SPDX-License-Identifier: Apache-2.0
// Loads under a condition.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {

// Returns *p if is_there is true, else 0. Uses one predicated load and no branch.
template <typename V> __device__ __forceinline__ V load_if(bool is_there, const V *p)
{
    static_assert(sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 8, "a word");
    union {
        V value;
        uint16_t half;
        uint32_t word;
        uint64_t two;
    } bits;
    const int there = is_there;
    if constexpr (sizeof(V) == 8) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b64 %0, 0; @p ld.global.b64 %0, [%1]; }"
                     : "=l"(bits.two)
                     : "l"(p), "r"(there));
    } else if constexpr (sizeof(V) == 4) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.b32 %0, [%1]; }"
                     : "=r"(bits.word)
                     : "l"(p), "r"(there));
    } else {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b16 %0, 0; @p ld.global.b16 %0, [%1]; }"
                     : "=h"(bits.half)
                     : "l"(p), "r"(there));
    }
    return bits.value;
}

// Does the same for a 16-bit column index, which becomes a whole register.
__device__ __forceinline__ uint32_t load_narrow_if(bool is_there, const uint16_t *p)
{
    uint32_t column;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.u16 %0, [%1]; }"
                 : "=r"(column)
                 : "l"(p), "r"((int)is_there));
    return column;
}

// Does the same for 8 or 16 bytes.
template <int BYTES>
__device__ __forceinline__ void load_words_if(bool is_there, const void *p, uint32_t *word)
{
    static_assert(BYTES == 8 || BYTES == 16, "two or four words");
    if constexpr (BYTES == 16)
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0; "
                     "mov.b32 %3, 0; @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }"
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "l"(p), "r"((int)is_there));
    else
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; mov.b32 %0, 0; mov.b32 %1, 0; "
                     "@p ld.global.v2.b32 {%0, %1}, [%2]; }"
                     : "=r"(word[0]), "=r"(word[1])
                     : "l"(p), "r"((int)is_there));
}

} // namespace spmmi
