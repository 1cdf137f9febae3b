/* SPDX-License-Identifier: Apache-2.0 */
/* All value types of one SIMD level, included once per level; no include guard. The including file defines
 * TARGET and LEVEL, the name of the table. */
#include <string.h>

#include "kernels/shared/half_cpu.h"
#include "tiled_cpu.h"

#define REAL float
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define VALUE float
#define READ(x) (x)
#define WRITE(x) (x)
#define TILED(name) name##_f32
#include "tiled_cpu_row_block.h"

#define VALUE uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define TILED(name) name##_f16
#include "tiled_cpu_row_block.h"

#define VALUE uint16_t
#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define TILED(name) name##_bf16
#include "tiled_cpu_row_block.h"
#undef REAL
#undef FMA

#define REAL double
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define VALUE double
#define READ(x) (x)
#define WRITE(x) (x)
#define TILED(name) name##_f64
#include "tiled_cpu_row_block.h"
#undef REAL
#undef FMA

const struct tiled_cpu_ops LEVEL[SPMM_BF16 + 1] = {
    [SPMM_F32] = {row_block_f32, join_f32, scale_f32},
    [SPMM_F64] = {row_block_f64, join_f64, scale_f64},
    [SPMM_F16] = {row_block_f16, join_f16, scale_f16},
    [SPMM_BF16] = {row_block_bf16, join_bf16, scale_bf16},
};
