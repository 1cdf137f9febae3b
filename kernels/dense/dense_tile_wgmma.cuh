// SPDX-License-Identifier: Apache-2.0
// wgmma of 16-bit types with both operands in shared memory (sm_90a), swizzled by 128 or 64 bytes.
#pragma once
#include <type_traits>

#include "kernels/shared/barrier.cuh"
#include "kernels/shared/value.cuh"

namespace spmmi {

#define SPMMI_TILE_WGMMA_32(type)                                                                 \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %19, 0;\n"                               \
                 "wgmma.mma_async.sync.aligned.m64n32k16.f32." type "." type " {"                 \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"                          \
                 "}, %16, %17, adds, 1, 1, 0, %18;\n}"                                            \
                 : SPMMI_TILE_SUMS(0), SPMMI_TILE_SUMS(1), SPMMI_TILE_SUMS(2), SPMMI_TILE_SUMS(3) \
                 : "l"(x), "l"(y), "n"(IS_ROWS), "r"((int)adds))
#define SPMMI_TILE_WGMMA_64(type)                                                                  \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %35, 0;\n"                                \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {"                  \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                          \
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"                 \
                 "}, %32, %33, adds, 1, 1, 0, %34;\n}"                                             \
                 : SPMMI_TILE_SUMS(0), SPMMI_TILE_SUMS(1), SPMMI_TILE_SUMS(2), SPMMI_TILE_SUMS(3), \
                   SPMMI_TILE_SUMS(4), SPMMI_TILE_SUMS(5), SPMMI_TILE_SUMS(6), SPMMI_TILE_SUMS(7)  \
                 : "l"(x), "l"(y), "n"(IS_ROWS), "r"((int)adds))
#define SPMMI_TILE_WGMMA_128(type)                                                                    \
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %67, 0;\n"                                   \
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {"                    \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                             \
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"                   \
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                   \
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"                    \
                 "}, %64, %65, adds, 1, 1, 0, %66;\n}"                                                \
                 : SPMMI_TILE_SUMS(0), SPMMI_TILE_SUMS(1), SPMMI_TILE_SUMS(2), SPMMI_TILE_SUMS(3),    \
                   SPMMI_TILE_SUMS(4), SPMMI_TILE_SUMS(5), SPMMI_TILE_SUMS(6), SPMMI_TILE_SUMS(7),    \
                   SPMMI_TILE_SUMS(8), SPMMI_TILE_SUMS(9), SPMMI_TILE_SUMS(10), SPMMI_TILE_SUMS(11),  \
                   SPMMI_TILE_SUMS(12), SPMMI_TILE_SUMS(13), SPMMI_TILE_SUMS(14), SPMMI_TILE_SUMS(15) \
                 : "l"(x), "l"(y), "n"(IS_ROWS), "r"((int)adds))
#define SPMMI_TILE_SUMS(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])

// Multiplies 64 x 16 by 16 x 8 TILES values; x and y are descriptors. IS_ROWS: y is "MN-major".
// adds = false starts new sums.
template <typename Half, int IS_ROWS, int TILES>
__device__ __forceinline__ void tile_wgmma(float (&d)[TILES][4], uint64_t x, uint64_t y, bool adds)
{
    constexpr bool IS_BF16 = std::is_same<Half, __nv_bfloat16>::value;
    if constexpr (TILES == 4 && IS_BF16)
        SPMMI_TILE_WGMMA_32("bf16");
    else if constexpr (TILES == 4)
        SPMMI_TILE_WGMMA_32("f16");
    else if constexpr (TILES == 8 && IS_BF16)
        SPMMI_TILE_WGMMA_64("bf16");
    else if constexpr (TILES == 8)
        SPMMI_TILE_WGMMA_64("f16");
    else if constexpr (IS_BF16)
        SPMMI_TILE_WGMMA_128("bf16");
    else
        SPMMI_TILE_WGMMA_128("f16");
}

} // namespace spmmi
