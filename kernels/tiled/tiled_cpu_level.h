/* SPDX-License-Identifier: Apache-2.0 */
/* All number types of one SIMD level; included once a level. No include guard.
 * The including file defines TARGET and LEVEL, the name of the table.                              */
#include <string.h>

#include "kernels/shared/half_cpu.h"
#include "tiled_cpu.h"

#define NUMBER float
#define REAL float
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define TILED(name) name##_f32
#include "tiled_cpu_panel.h"
#undef NUMBER
#undef READ
#undef WRITE
#undef TILED

#define NUMBER uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define TILED(name) name##_f16
#include "tiled_cpu_panel.h"
#undef READ
#undef WRITE
#undef TILED

#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define TILED(name) name##_bf16
#include "tiled_cpu_panel.h"
#undef NUMBER
#undef REAL
#undef READ
#undef WRITE
#undef FMA
#undef TILED

#define NUMBER double
#define REAL double
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define TILED(name) name##_f64
#include "tiled_cpu_panel.h"
#undef NUMBER
#undef REAL
#undef READ
#undef WRITE
#undef FMA
#undef TILED

const struct tiled_cpu_ops LEVEL[SPMM_BF16 + 1] = {
    [SPMM_F32] = {panel_f32, join_f32, scale_f32},
    [SPMM_F64] = {panel_f64, join_f64, scale_f64},
    [SPMM_F16] = {panel_f16, join_f16, scale_f16},
    [SPMM_BF16] = {panel_bf16, join_bf16, scale_bf16},
};
