/* SPDX-License-Identifier: Apache-2.0 */
/* See bcsr_pack.h. A byte per column, its mark, says which of eight rows have the column. The marks of eight
 * columns, transposed, are eight rows of a block by eight columns. */
#include <string.h>

#include "bcsr_pack.h"
#include "bcsr_shape.h"

#define MARK_ROWS 8u /* rows that share marks: each half of a block row has its own marks */
#define HALVES (SPMMI_BCSR_ROWS / MARK_ROWS)

/* Returns the distance between the marks of the two halves. Includes the columns that aligned block
 * columns add at both ends. */
static uint64_t pitch_of(uint32_t marked_max)
{
    return spmmi_marks_bytes((uint64_t)marked_max + 2 * SPMMI_BCSR_COLUMNS(2));
}

uint64_t spmmi_bcsr_marks_bytes(uint32_t marked_max)
{
    return HALVES * pitch_of(marked_max);
}

/* Returns the lower four bytes, with a zero byte after each. */
static uint64_t bytes_widened(uint64_t bytes)
{
    bytes &= UINT32_MAX;
    bytes = (bytes | bytes << 16) & UINT64_C(0x0000ffff0000ffff);
    return (bytes | bytes << 8) & UINT64_C(0x00ff00ff00ff00ff);
}

/* Makes the bitmap of eight rows of a block from their marks, and clears the marks. */
static void rows_take(uint8_t *marks, uint32_t width, uint64_t *bitmap)
{
    const uint64_t left = spmmi_transposed(spmmi_marks_word(marks));
    if (width == MARK_ROWS) {
        bitmap[0] = left;
    } else {
        const uint64_t right = spmmi_transposed(spmmi_marks_word(marks + MARK_ROWS));
        bitmap[0] = bytes_widened(left) | bytes_widened(right) << 8;
        bitmap[1] = bytes_widened(left >> 32) | bytes_widened(right >> 32) << 8;
    }
    memset(marks, 0, width);
}

/* Fills the bitmaps of block row w in a step from its marks. */
static void step_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit, uint32_t w,
                      const struct spmmi_bcsr_column *columns, uint32_t low, uint64_t step)
{
    const struct spmmi_tcblock_layout *layout = f->layout;
    const uint32_t width = layout->view.block_columns, words = width / 4, shift = SPMMI_BCSR_STEP * w;
    const uint32_t mask = layout->masks[step];
    uint64_t *bitmap =
        layout->bitmaps +
        (layout->block_first[step] + (uint64_t)spmmi_ones(mask & ((UINT32_C(1) << shift) - 1))) * words;
    for (uint32_t i = 0; i < SPMMI_BCSR_STEP; i++) {
        if ((mask >> shift >> i & 1) == 0)
            continue;
        uint8_t *const marks = unit->marks + (columns[i].column * width - low);
        for (uint32_t h = 0; h < HALVES; h++)
            rows_take(marks + h * pitch_of(unit->marked_max), width, bitmap + h * words / HALVES);
        bitmap += words;
    }
}

void spmmi_bcsr_bitmaps_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit,
                             const struct spmmi_tcblock_rows *look, uint64_t step)
{
    const uint64_t pitch = pitch_of(unit->marked_max);
    const uint32_t width = f->layout->view.block_columns, inside = look->low % width,
                   low = look->low - inside;
    for (uint32_t h = 0; h < HALVES; h++)
        memset(unit->marks + h * pitch, 0, spmmi_marks_bytes(look->high - low + width));
    for (uint32_t w = 0; w * SPMMI_BCSR_ROWS < look->count; w++) {
        for (uint32_t h = 0; h < HALVES; h++) {
            const uint32_t begin = w * SPMMI_BCSR_ROWS + h * MARK_ROWS, left = look->count - begin;
            if (begin < look->count)
                spmmi_marks_rows(unit->marks + h * pitch + inside, look, begin,
                                 begin + (left < MARK_ROWS ? left : MARK_ROWS), NULL);
        }
        for (uint32_t i = 0; i < unit->count; i += SPMMI_BCSR_STEP)
            step_fill(f, unit, w, unit->columns + i, low, step + i / SPMMI_BCSR_STEP);
    }
}
