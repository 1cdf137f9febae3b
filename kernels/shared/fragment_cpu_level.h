/* SPDX-License-Identifier: Apache-2.0 */
/* All compute types of one SIMD level; included once a level. No include guard.
 * The including file defines TARGET and LEVEL, the name of the table.                              */
#include <stddef.h>
#include <string.h>

#include "kernels/shared/fragment_cpu.h"
#include "kernels/shared/tf32_cpu.h"

/* First block of window w of a step; that of the next window is the end. */
static inline TARGET uint32_t fragment_cpu_block(const struct spmmi_fragments *layout, uint32_t step,
                                                 uint32_t w)
{
    return layout->locals == NULL ? step + w
                                  : layout->block_first[(uint64_t)step * (layout->unit_rows / 8) + w];
}

/* Which row of its step each place in a row of a block is. */
static inline TARGET const uint8_t *fragment_cpu_locals(const struct spmmi_fragments *layout, uint32_t block)
{
    static const uint8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return layout->locals == NULL ? in_order : layout->locals + (uint64_t)block * 8;
}

static inline TARGET const uint32_t *fragment_cpu_columns(const struct spmmi_fragments *layout, uint32_t step)
{
    return layout->columns + (uint64_t)step * (layout->locals == NULL ? 8 : SPMMI_FRAGMENT_PANEL_STEP);
}

/* Rows of B that a step needs: those of a panel ascend until the last one is repeated. */
static inline TARGET uint32_t fragment_cpu_step_rows(const struct spmmi_fragments *layout, uint32_t step)
{
    const uint32_t *columns = fragment_cpu_columns(layout, step);
    uint32_t count = 1;
    if (layout->locals == NULL)
        return 8;
    while (count < SPMMI_FRAGMENT_PANEL_STEP && columns[count] > columns[count - 1])
        count++;
    return count;
}

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
