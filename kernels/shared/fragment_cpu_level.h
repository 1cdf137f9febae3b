/* SPDX-License-Identifier: Apache-2.0 */
/* All compute types of one SIMD level; included once a level. No include guard.
 * The including file defines TARGET and LEVEL, the name of the table.                              */
#include <stddef.h>
#include <string.h>

#include "kernels/shared/fragment_cpu.h"
#include "kernels/shared/tf32_cpu.h"

#define NUMBER float
#define REAL float
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define HIGH(x) (x)
#define IS_SPLIT 0
#define IS_ROUNDED 0
#define FRAGMENT(name) name##_f32
#include "fragment_cpu_item.h"
#undef HIGH
#undef IS_ROUNDED
#undef FRAGMENT

#define HIGH(x) tf32_round(x)
#define IS_ROUNDED 1
#define FRAGMENT(name) name##_tf32
#include "fragment_cpu_item.h"
#undef IS_SPLIT
#undef FRAGMENT

#define IS_SPLIT 1
#define FRAGMENT(name) name##_3xtf32
#include "fragment_cpu_item.h"
#undef NUMBER
#undef READ
#undef WRITE
#undef HIGH
#undef IS_SPLIT
#undef IS_ROUNDED
#undef FRAGMENT

#define NUMBER uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define HIGH(x) (x)
#define IS_SPLIT 0
#define IS_ROUNDED 0
#define FRAGMENT(name) name##_f16
#include "fragment_cpu_item.h"
#undef READ
#undef WRITE
#undef FRAGMENT

#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define FRAGMENT(name) name##_bf16
#include "fragment_cpu_item.h"
#undef NUMBER
#undef REAL
#undef READ
#undef WRITE
#undef FMA
#undef FRAGMENT

#define NUMBER double
#define REAL double
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define FRAGMENT(name) name##_f64
#include "fragment_cpu_item.h"
#undef NUMBER
#undef REAL
#undef READ
#undef WRITE
#undef FMA
#undef HIGH
#undef IS_SPLIT
#undef IS_ROUNDED
#undef FRAGMENT

const struct fragment_cpu_ops LEVEL[6] = {
    {item_f32, join_f32, scale_f32},    {item_f64, join_f64, scale_f64},
    {item_f16, join_f16, scale_f16},    {item_bf16, join_bf16, scale_bf16},
    {item_tf32, join_tf32, scale_tf32}, {item_3xtf32, join_3xtf32, scale_3xtf32},
};
