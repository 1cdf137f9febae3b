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

static inline TARGET int fragment_cpu_is_bcsr(const struct spmmi_fragments *layout)
{
    return layout->block_rows == SPMMI_BCSR_ROWS;
}

/* Entries of columns of a step. */
static inline TARGET uint32_t fragment_cpu_width(const struct spmmi_fragments *layout)
{
    if (fragment_cpu_is_bcsr(layout))
        return SPMMI_BCSR_STEP;
    return layout->locals == NULL ? 8 : SPMMI_FRAGMENT_PANEL_STEP;
}

/* Row p of a step is this row of B; of bcsr it may lie beyond the last one, and then nothing meets it. */
static inline TARGET int64_t fragment_cpu_row(const struct spmmi_fragments *layout, uint32_t step, uint32_t p)
{
    const uint32_t *columns = layout->columns + (uint64_t)step * fragment_cpu_width(layout);
    return fragment_cpu_is_bcsr(layout) ? (int64_t)columns[p / layout->block_columns] + p % layout->block_columns
                                        : (int64_t)columns[p];
}

/* Rows of B that a step needs: those of a panel ascend until the last one is repeated, so do block columns. */
static inline TARGET uint32_t fragment_cpu_step_rows(const struct spmmi_fragments *layout, uint32_t step)
{
    const uint32_t width = fragment_cpu_width(layout);
    const uint32_t *columns = layout->columns + (uint64_t)step * width;
    uint32_t count = 1;
    if (width == 8)
        return 8;
    while (count < width && columns[count] > columns[count - 1])
        count++;
    return fragment_cpu_is_bcsr(layout) ? count * layout->block_columns : count;
}

/* Bit p: row r of a block has a number in column p. */
static inline TARGET uint32_t fragment_cpu_bcsr_bits(const struct spmmi_fragments *layout, uint32_t block,
                                                     uint32_t r)
{
    const uint32_t columns = layout->block_columns, bit = r * columns;
    const uint64_t word = layout->bitmaps[(uint64_t)block * (columns / 4) + bit / 64];
    return (uint32_t)(word >> bit % 64) & ((UINT32_C(1) << columns) - 1);
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
