/* SPDX-License-Identifier: Apache-2.0 */
/* Both value types of one SIMD level; included once a level. No include guard. The including file defines TARGET and
 * LEVEL, the name of the table. */
#include <string.h>

#include "spgemm_cpu.h"

#define REAL float
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define SPGEMM(name) name##_f32
#include "spgemm_cpu_rows.h"
#undef REAL
#undef FMA
#undef SPGEMM

#define REAL double
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define SPGEMM(name) name##_f64
#include "spgemm_cpu_rows.h"
#undef REAL
#undef FMA
#undef SPGEMM

const struct spgemm_cpu_ops LEVEL[SPMM_F64 + 1] = {
    [SPMM_F32] = {by_column_f32, by_position_f32, join_f32},
    [SPMM_F64] = {by_column_f64, by_position_f64, join_f64},
};
