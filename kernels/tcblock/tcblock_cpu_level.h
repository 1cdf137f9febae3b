/* SPDX-License-Identifier: Apache-2.0 */
/* All compute types of one SIMD level, included once per level; no include guard. The including file defines
 * TARGET and LEVEL, the name of the table. */
#include <stddef.h>
#include <string.h>

#include "tcblock_cpu.h"
#include "tcblock_shape.h"
#include "tf32_cpu.h"

/* Returns the first block of window w of a step. The blocks of a window end at the
 * first block of the next one. */
static inline TARGET uint32_t tcblock_cpu_block(const struct spmmi_tcblocks *layout, uint32_t step,
                                                uint32_t w)
{
    return layout->locals == NULL ? step + w
                                  : layout->block_first[(uint64_t)step * (layout->unit_rows / 8) + w];
}

/* Returns the row of the step for each position in a row of a block. */
static inline TARGET const uint8_t *tcblock_cpu_locals(const struct spmmi_tcblocks *layout, uint32_t block)
{
    static const uint8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return layout->locals == NULL ? in_order : layout->locals + (uint64_t)block * 8;
}

/* Returns the row of B for row p of a step. With masks (blocks of 16 rows) it may be past the last row of B;
 * no value multiplies it then. */
static inline TARGET int64_t tcblock_cpu_row(const struct spmmi_tcblocks *layout, uint32_t step, uint32_t p)
{
    const uint32_t *columns = layout->columns + (uint64_t)step * layout->step_columns;
    return layout->has_masks ? (int64_t)columns[p / layout->block_columns] + p % layout->block_columns
                             : (int64_t)columns[p];
}

/* Returns the number of rows of B that a step needs. The columns of a row block, and the block columns of
 * bcsr, ascend until the last one is repeated. */
static inline TARGET uint32_t tcblock_cpu_step_rows(const struct spmmi_tcblocks *layout, uint32_t step)
{
    const uint32_t width = layout->step_columns;
    const uint32_t *columns = layout->columns + (uint64_t)step * width;
    uint32_t count = 1;
    if (width == 8)
        return 8;
    while (count < width && columns[count] > columns[count - 1])
        count++;
    return layout->has_masks ? count * layout->block_columns : count;
}

/* Returns a bitmap: bit p is set if row r of a block has a nonzero at position p of its
 * row, with masks in column p. */
static inline TARGET uint32_t tcblock_cpu_bits(const struct spmmi_tcblocks *layout, uint32_t block,
                                               uint32_t r)
{
    const uint32_t columns = layout->block_columns, bit = r * columns;
    const uint64_t words = (layout->block_rows * columns + 63) / 64;
    const uint64_t word = layout->bitmaps[block * words + bit / 64];
    return (uint32_t)(word >> bit % 64) & ((UINT32_C(1) << columns) - 1);
}

/* Returns where the values of a block begin; in packed blocks, where the values of its row r begin. */
static inline TARGET uint64_t tcblock_cpu_value(const struct spmmi_tcblocks *layout, uint32_t block,
                                                uint32_t r)
{
    const uint64_t above = (UINT64_C(1) << 8 * (r % 8)) - 1;
    return layout->is_packed
               ? layout->value_first[block] + (uint64_t)__builtin_popcountll(layout->bitmaps[block] & above)
               : (uint64_t)block * layout->block_rows * layout->block_columns;
}

/* Iterator over the blocks of a step in block rows [first, end). For window and panel, row windows
 * are block rows of 8 rows. */
struct tcblock_cpu_walk {
    uint32_t step, next, end;
    uint32_t left; /* with masks: bits of the step's mask that were not visited yet */
    uint32_t block_row;
    uint32_t block, row; /* current block, and its first row in the unit */
    uint32_t local;      /* with masks: row of the step that column 0 multiplies */
};

static inline TARGET struct tcblock_cpu_walk tcblock_cpu_walk_of(const struct spmmi_tcblocks *layout,
                                                                 uint32_t step, uint32_t first, uint32_t end)
{
    struct tcblock_cpu_walk walk = {.step = step, .end = end, .block_row = first};
    if (!layout->has_masks) {
        walk.next = tcblock_cpu_block(layout, step, first);
        return walk;
    }
    const uint32_t mask = layout->masks[step];
    const uint32_t above = (UINT32_C(1) << SPMMI_TCBLOCK_WIDE_STEP * first) - 1;
    walk.left = mask & ~above & (uint32_t)((UINT64_C(1) << SPMMI_TCBLOCK_WIDE_STEP * end) - 1);
    walk.next = layout->block_first[step] + (uint32_t)__builtin_popcount(mask & above);
    return walk;
}

/* Moves to the next block; returns 0 if there is none. */
static inline TARGET int tcblock_cpu_walk_on(const struct spmmi_tcblocks *layout,
                                             struct tcblock_cpu_walk *walk)
{
    if (layout->has_masks) {
        if (walk->left == 0)
            return 0;
        const uint32_t bit = (uint32_t)__builtin_ctz(walk->left);
        walk->left &= walk->left - 1;
        walk->block_row = bit / SPMMI_TCBLOCK_WIDE_STEP;
        walk->local = bit % SPMMI_TCBLOCK_WIDE_STEP * layout->block_columns;
    } else {
        while (walk->block_row < walk->end &&
               walk->next == tcblock_cpu_block(layout, walk->step, walk->block_row + 1))
            walk->block_row++;
        if (walk->block_row == walk->end)
            return 0;
    }
    walk->row = walk->block_row * layout->block_rows;
    walk->block = walk->next++;
    return 1;
}

#define VALUE float
#define REAL float
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define HIGH(x) (x)
#define IS_SPLIT 0
#define IS_ROUNDED 0
#define TCBLOCK(name) name##_f32
#include "tcblock_cpu_item.h"
#undef HIGH
#undef IS_ROUNDED

#define HIGH(x) tf32_round(x)
#define IS_ROUNDED 1
#define TCBLOCK(name) name##_tf32
#include "tcblock_cpu_item.h"
#undef IS_SPLIT

#define IS_SPLIT 1
#define TCBLOCK(name) name##_3xtf32
#include "tcblock_cpu_item.h"
#undef VALUE
#undef READ
#undef WRITE
#undef HIGH
#undef IS_SPLIT
#undef IS_ROUNDED

#define VALUE uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define HIGH(x) (x)
#define IS_SPLIT 0
#define IS_ROUNDED 0
#define TCBLOCK(name) name##_f16
#include "tcblock_cpu_item.h"
#undef READ
#undef WRITE

#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define TCBLOCK(name) name##_bf16
#include "tcblock_cpu_item.h"
#undef VALUE
#undef REAL
#undef READ
#undef WRITE
#undef FMA

#define VALUE double
#define REAL double
#define READ(x) (x)
#define WRITE(x) (x)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define TCBLOCK(name) name##_f64
#include "tcblock_cpu_item.h"
#undef VALUE
#undef REAL
#undef READ
#undef WRITE
#undef FMA
#undef HIGH
#undef IS_SPLIT
#undef IS_ROUNDED

const struct tcblock_cpu_ops LEVEL[SPMM_COMPUTE_3XTF32 + 1] = {
    [SPMM_COMPUTE_F32] = {item_f32, join_f32, scale_f32},
    [SPMM_COMPUTE_F64] = {item_f64, join_f64, scale_f64},
    [SPMM_COMPUTE_F16] = {item_f16, join_f16, scale_f16},
    [SPMM_COMPUTE_BF16] = {item_bf16, join_bf16, scale_bf16},
    [SPMM_COMPUTE_TF32] = {item_tf32, join_tf32, scale_tf32},
    [SPMM_COMPUTE_3XTF32] = {item_3xtf32, join_3xtf32, scale_3xtf32},
};
