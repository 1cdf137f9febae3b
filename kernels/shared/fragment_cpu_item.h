/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the window, panel and bcsr families; included once for each compute type and SIMD level. No include
 * guard. The including file defines TARGET, NUMBER (as stored), REAL (of sums), READ(x) and WRITE(x) between the two,
 * FMA(a, b, c), HIGH(x): the factor as it is multiplied, IS_SPLIT: 1 if the rest of factors is multiplied too,
 * IS_ROUNDED: 1 if HIGH changes numbers, and FRAGMENT(name). Functions with a constant number of columns are inlined
 * into one instance each. */

#define INLINE static inline __attribute__((always_inline)) TARGET

/* The numbers of A that one row of a block holds: rows of the step that they meet, and what they are. */
struct FRAGMENT(row) {
    uint32_t count, meets[FRAGMENT_CPU_BLOCK_MAX];
    REAL high[FRAGMENT_CPU_BLOCK_MAX], low[FRAGMENT_CPU_BLOCK_MAX];
};

INLINE void FRAGMENT(row_push)(struct FRAGMENT(row) * row, uint32_t meets, REAL number)
{
    row->meets[row->count] = meets;
    row->high[row->count] = HIGH(number);
    if (IS_SPLIT)
        row->low[row->count] = HIGH(number - HIGH(number));
    row->count++;
}

/* A function of its own, whose loop compilers vectorise whatever the number of columns. */
static TARGET __attribute__((noinline)) void
FRAGMENT(numbers_read)(int64_t count, const NUMBER *restrict from, REAL *restrict to)
{
    for (int64_t j = 0; j < count; j++)
        to[j] = READ(from[j]);
}

/* The rows of B of a step; what the tile has beyond the width is 0. */
INLINE void FRAGMENT(step_fill)(const struct fragment_cpu_tile *tile, uint32_t step, REAL *high, REAL *low,
                                const int64_t columns)
{
    const struct spmmi_fragment_host *args = tile->args;
    const uint32_t row_count = fragment_cpu_step_rows(args->layout, step);
    const int64_t b_row = args->b_is_col_major ? 1 : args->ldb;
    const int64_t b_column = args->b_is_col_major ? args->ldb : 1;
    const NUMBER *b = (const NUMBER *)args->b + tile->first * b_column;
    for (uint32_t p = 0; p < row_count; p++) {
        const int64_t row_of_b = fragment_cpu_row(args->layout, step, p);
        const int is_there = row_of_b < args->layout->cols;
        const NUMBER *row = is_there ? b + row_of_b * b_row : b;
        if (is_there && tile->width == columns && b_column == 1)
            FRAGMENT(numbers_read)(columns, row, high + p * columns);
        else
            for (int64_t j = 0; j < columns; j++)
                high[p * columns + j] = is_there && j < tile->width ? READ(row[j * b_column]) : 0;
    }
    for (int64_t i = 0; IS_ROUNDED && i < (int64_t)row_count * columns; i++) {
        const REAL number = high[i];
        high[i] = HIGH(number);
        if (IS_SPLIT)
            low[i] = HIGH(number - high[i]);
    }
}

/* The row's products with one of the two halves of B. */
INLINE void FRAGMENT(products_add)(const struct FRAGMENT(row) * row, const REAL *factors, const REAL *b,
                                   REAL *part, const int64_t columns)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const REAL factor = factors[i];
        const REAL *numbers = b + row->meets[i] * columns;
#pragma GCC unroll 32
        for (int64_t j = 0; j < columns; j++)
            part[j] = FMA(factor, numbers[j], part[j]);
    }
}

/* One row of a block, added to its row of sums. */
INLINE void FRAGMENT(row_add)(const struct FRAGMENT(row) * row, const REAL *high, const REAL *low, REAL *sums,
                              const int64_t columns)
{
    REAL part[FRAGMENT_CPU_COLUMNS_MAX];
    if (row->count == 0)
        return;
#pragma GCC unroll 32
    for (int64_t j = 0; j < columns; j++)
        part[j] = sums[j];
    if (IS_SPLIT) { /* small products first */
        FRAGMENT(products_add)(row, row->high, low, part, columns);
        FRAGMENT(products_add)(row, row->low, high, part, columns);
    }
    FRAGMENT(products_add)(row, row->high, high, part, columns);
#pragma GCC unroll 32
    for (int64_t j = 0; j < columns; j++)
        sums[j] = part[j];
}

/* One block: eight rows of A times eight rows of B, added to eight rows of sums. */
INLINE void FRAGMENT(block_add)(const struct spmmi_fragments *layout, uint32_t block, const REAL *high,
                                const REAL *low, REAL *sums, const int64_t columns)
{
    const uint64_t bitmap = layout->bitmaps[block];
    const uint8_t *locals = fragment_cpu_locals(layout, block);
    const NUMBER *values =
        (const NUMBER *)layout->values +
        (layout->is_packed ? layout->value_first[block] : (uint64_t)block * SPMMI_FRAGMENT_NUMBERS);
    for (uint32_t r = 0; r < 8; r++, sums += columns) {
        struct FRAGMENT(row) row = {.count = 0};
        for (uint32_t bits = (uint32_t)(bitmap >> 8 * r) & 0xff; bits != 0; bits &= bits - 1) {
            const uint32_t place = (uint32_t)__builtin_ctz(bits);
            const NUMBER *number = &values[layout->is_packed ? row.count : 8 * r + place];
            FRAGMENT(row_push)(&row, locals[place], READ(*number));
        }
        values += layout->is_packed ? row.count : 0;
        FRAGMENT(row_add)(&row, high, low, sums, columns);
    }
}

#include "fragment_cpu_bcsr.h"

/* Row r of an item times column j of B without rounding factors. A factor that is infinite or NaN, or becomes infinite
 * by rounding, spoils sums of rounded and split factors that may be finite, or infinite and not NaN. */
static TARGET REAL FRAGMENT(sum_plainly)(const struct fragment_cpu_tile *tile, uint32_t r, int64_t j)
{
    const struct spmmi_fragment_host *args = tile->args;
    const struct spmmi_fragments *layout = args->layout;
    const int64_t b_row = args->b_is_col_major ? 1 : args->ldb;
    const NUMBER *b = (const NUMBER *)args->b + j * (args->b_is_col_major ? args->ldb : 1);
    REAL sum = 0;
    for (uint32_t step = tile->item->begin; step < tile->item->end; step++) {
        const uint32_t end = fragment_cpu_block(layout, step, r / 8 + 1);
        for (uint32_t block = fragment_cpu_block(layout, step, r / 8); block < end; block++) {
            const uint8_t *locals = fragment_cpu_locals(layout, block);
            const NUMBER *values = (const NUMBER *)layout->values +
                                   (layout->is_packed ? layout->value_first[block] : (uint64_t)block * 64);
            for (uint32_t bit = 0; bit < 8 * (r % 8 + 1); bit++) {
                if ((layout->bitmaps[block] >> bit & 1) == 0)
                    continue;
                const NUMBER *value = layout->is_packed ? values++ : values + bit;
                if (bit / 8 == r % 8)
                    sum = FMA(READ(*value), READ(b[fragment_cpu_row(layout, step, locals[bit % 8]) * b_row]), sum);
            }
        }
    }
    return sum;
}

INLINE void FRAGMENT(sums_repair)(const struct fragment_cpu_tile *tile, REAL *sums, const int64_t columns)
{
    for (uint32_t r = 0; r < tile->args->layout->unit_rows; r++) {
        REAL zero = 0; /* stays 0 unless a sum is infinite or NaN */
        for (int64_t j = 0; j < columns; j++)
            zero += sums[r * columns + j] * 0;
        for (int64_t j = 0; zero != 0 && j < tile->width; j++)
            if (sums[r * columns + j] - sums[r * columns + j] != 0)
                sums[r * columns + j] = fragment_cpu_is_bcsr(tile->args->layout)
                                            ? FRAGMENT(bcsr_sum_plainly)(tile, r, tile->first + j)
                                            : FRAGMENT(sum_plainly)(tile, r, tile->first + j);
    }
}

INLINE NUMBER FRAGMENT(finish)(const struct spmmi_fragment_host *args, REAL sum, const NUMBER *c)
{
    const REAL alpha = (REAL)args->alpha, beta = (REAL)args->beta;
    return beta == 0 ? WRITE(alpha * sum) : WRITE(FMA(alpha, sum, beta * READ(*c)));
}

/* The same for numbers that lie side by side. */
static TARGET __attribute__((noinline)) void FRAGMENT(numbers_finish)(const struct spmmi_fragment_host *args,
                                                                      int64_t count,
                                                                      const REAL *restrict sums,
                                                                      NUMBER *restrict c)
{
    for (int64_t j = 0; j < count; j++)
        c[j] = FRAGMENT(finish)(args, sums[j], c + j);
}

INLINE void FRAGMENT(store)(const struct fragment_cpu_tile *tile, const REAL *sums, const int64_t columns)
{
    const struct spmmi_fragment_host *args = tile->args;
    const uint32_t unit_rows = args->layout->unit_rows;
    const uint32_t *row_of = args->layout->row_of + (uint64_t)tile->item->unit * unit_rows;
    const int64_t c_row = args->c_is_col_major ? 1 : args->ldc;
    const int64_t c_column = args->c_is_col_major ? args->ldc : 1;
    NUMBER *c = (NUMBER *)args->c + tile->first * c_column;
    if (tile->item->slot != SPMMI_FRAGMENT_NONE) {
        REAL *slot = (REAL *)args->workspace + (int64_t)tile->item->slot * unit_rows * args->n + tile->first;
        for (uint32_t r = 0; r < unit_rows; r++)
            memcpy(slot + r * args->n, sums + r * columns, (size_t)tile->width * sizeof *sums);
        return;
    }
    for (uint32_t r = 0; !args->c_is_col_major && r < unit_rows; r++)
        if (row_of[r] != SPMMI_FRAGMENT_NONE)
            FRAGMENT(numbers_finish)(args, tile->width, sums + r * columns, c + row_of[r] * c_row);
    for (int64_t j = 0; args->c_is_col_major && j < tile->width; j++)
        for (uint32_t r = 0; r < unit_rows; r++)
            if (row_of[r] != SPMMI_FRAGMENT_NONE) {
                NUMBER *at = c + row_of[r] + j * c_column;
                *at = FRAGMENT(finish)(args, sums[r * columns + j], at);
            }
}

INLINE void FRAGMENT(item_run)(const struct fragment_cpu_tile *tile, const int64_t columns)
{
    const struct spmmi_fragments *layout = tile->args->layout;
    _Alignas(64) REAL high[FRAGMENT_CPU_STEP_MAX * FRAGMENT_CPU_COLUMNS_MAX];
    _Alignas(64) REAL low[FRAGMENT_CPU_STEP_MAX * FRAGMENT_CPU_COLUMNS_MAX];
    _Alignas(64) REAL sums[FRAGMENT_CPU_ROWS_MAX * FRAGMENT_CPU_COLUMNS_MAX];
    for (int64_t i = 0; i < layout->unit_rows * columns; i++)
        sums[i] = 0;
    for (uint32_t step = tile->item->begin; step < tile->item->end; step++) {
        FRAGMENT(step_fill)(tile, step, high, low, columns);
        if (fragment_cpu_is_bcsr(layout)) {
            FRAGMENT(bcsr_step_add)(layout, step, high, low, sums, columns);
            continue;
        }
        for (uint32_t w = 0; w < layout->unit_rows / 8; w++) {
            const uint32_t end = fragment_cpu_block(layout, step, w + 1);
            for (uint32_t block = fragment_cpu_block(layout, step, w); block < end; block++)
                FRAGMENT(block_add)(layout, block, high, low, sums + 8 * w * columns, columns);
        }
    }
    if (IS_ROUNDED)
        FRAGMENT(sums_repair)(tile, sums, columns);
    FRAGMENT(store)(tile, sums, columns);
}

static TARGET void FRAGMENT(item)(const struct fragment_cpu_tile *tile)
{
    switch (tile->columns) {
    case 4:
        FRAGMENT(item_run)(tile, 4);
        break;
    case 8:
        FRAGMENT(item_run)(tile, 8);
        break;
    case 16:
        FRAGMENT(item_run)(tile, 16);
        break;
    default:
        FRAGMENT(item_run)(tile, 32);
    }
}

static TARGET void FRAGMENT(join)(const struct spmmi_fragment_host *args,
                                  const struct spmmi_fragment_split *split, uint32_t r)
{
    const uint32_t unit_rows = args->layout->unit_rows;
    const uint32_t row = args->layout->row_of[(uint64_t)split->unit * unit_rows + r];
    const REAL *slots = (const REAL *)args->workspace + ((int64_t)split->first * unit_rows + r) * args->n;
    for (int64_t j = 0; row != SPMMI_FRAGMENT_NONE && j < args->n; j++) {
        REAL sum = slots[j];
        for (int64_t i = 1; i < split->count; i++)
            sum += slots[i * unit_rows * args->n + j];
        NUMBER *c = (NUMBER *)args->c + (args->c_is_col_major ? row + j * args->ldc : row * args->ldc + j);
        *c = FRAGMENT(finish)(args, sum, c);
    }
}

static TARGET void FRAGMENT(scale)(int64_t n, double beta, void *c)
{
    NUMBER *to = c;
    for (int64_t j = 0; j < n; j++)
        to[j] = beta == 0 ? 0 : WRITE((REAL)beta * READ(to[j]));
}

#undef INLINE
