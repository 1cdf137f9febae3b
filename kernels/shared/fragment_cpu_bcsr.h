/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of the bcsr family; included by fragment_cpu_item.h, once for each compute type and SIMD level, with its
 * macros. No include guard. Of a block only the numbers are multiplied that A has. */

/* The numbers that row r of a block holds, by column; local: the row of the step that column 0 meets. */
INLINE void FRAGMENT(bcsr_row_read)(const struct spmmi_fragments *layout, uint32_t block, uint32_t r,
                                    uint32_t local, struct FRAGMENT(row) * row)
{
    const uint32_t columns = SPMMI_BCSR_COLUMNS(sizeof(NUMBER));
    const NUMBER *values = (const NUMBER *)layout->values + (uint64_t)block * SPMMI_BCSR_ROWS * columns;
    row->count = 0;
    for (uint32_t bits = fragment_cpu_bcsr_bits(layout, block, r); bits != 0; bits &= bits - 1) {
        const uint32_t p = (uint32_t)__builtin_ctz(bits);
        FRAGMENT(row_push)(row, local + p, READ(values[spmmi_bcsr_place(sizeof(NUMBER), r, p)]));
    }
}

/* The blocks of a step: by block row, then by column. */
INLINE void FRAGMENT(bcsr_step_add)(const struct spmmi_fragments *layout, uint32_t step, const REAL *high,
                                    const REAL *low, REAL *sums, const int64_t columns)
{
    uint32_t block = layout->block_first[step];
    for (uint32_t left = layout->masks[step]; left != 0; left &= left - 1, block++) {
        const uint32_t bit = (uint32_t)__builtin_ctz(left);
        const uint32_t local = bit % SPMMI_BCSR_STEP * SPMMI_BCSR_COLUMNS(sizeof(NUMBER));
        REAL *to = sums + (int64_t)(bit / SPMMI_BCSR_STEP * SPMMI_BCSR_ROWS) * columns;
        for (uint32_t r = 0; r < SPMMI_BCSR_ROWS; r++, to += columns) {
            struct FRAGMENT(row) row;
            FRAGMENT(bcsr_row_read)(layout, block, r, local, &row);
            FRAGMENT(row_add)(&row, high, low, to, columns);
        }
    }
}

/* As sum_plainly. */
static TARGET REAL FRAGMENT(bcsr_sum_plainly)(const struct fragment_cpu_tile *tile, uint32_t r, int64_t j)
{
    const struct spmmi_fragment_host *args = tile->args;
    const struct spmmi_fragments *layout = args->layout;
    const int64_t b_row = args->b_is_col_major ? 1 : args->ldb;
    const NUMBER *b = (const NUMBER *)args->b + j * (args->b_is_col_major ? args->ldb : 1);
    const uint32_t columns = SPMMI_BCSR_COLUMNS(sizeof(NUMBER));
    REAL sum = 0;
    for (uint32_t step = tile->item->begin; step < tile->item->end; step++) {
        uint32_t block = layout->block_first[step];
        for (uint32_t left = layout->masks[step]; left != 0; left &= left - 1, block++) {
            const uint32_t bit = (uint32_t)__builtin_ctz(left);
            const NUMBER *values =
                (const NUMBER *)layout->values + (uint64_t)block * SPMMI_BCSR_ROWS * columns;
            uint32_t bits = fragment_cpu_bcsr_bits(layout, block, r % SPMMI_BCSR_ROWS);
            bits = bit / SPMMI_BCSR_STEP == r / SPMMI_BCSR_ROWS ? bits : 0;
            for (; bits != 0; bits &= bits - 1) {
                const uint32_t p = (uint32_t)__builtin_ctz(bits);
                const int64_t column = fragment_cpu_row(layout, step, bit % SPMMI_BCSR_STEP * columns + p);
                const uint32_t place = spmmi_bcsr_place(sizeof(NUMBER), r % SPMMI_BCSR_ROWS, p);
                sum = FMA(READ(values[place]), READ(b[column * b_row]), sum);
            }
        }
    }
    return sum;
}
