/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the window, panel and bcsr families, included once per compute type and SIMD level; no
 * include guard. The including file defines
 *   TARGET          the function attributes of the level
 *   VALUE, REAL     the types of stored values and of sums; READ(x) and WRITE(x) convert between them
 *   FMA(a, b, c)    the fused multiply-add
 *   HIGH(x)         the factor that is multiplied in place of x; IS_ROUNDED: 1 if it differs from x
 *   IS_SPLIT        1 if the remainder x - HIGH(x) is multiplied too
 *   TCBLOCK(name)   the name of a function of this instance; this file undefines it
 * Functions with a constant number of columns are inlined into one instance per number. */

#define INLINE static inline __attribute__((always_inline)) TARGET

/* The values of A in one row of a block: their factors, and the rows of B in the step
 * that they multiply (meets). */
struct TCBLOCK(row) {
    uint32_t count, meets[TCBLOCK_CPU_BLOCK_MAX];
    REAL high[TCBLOCK_CPU_BLOCK_MAX], low[TCBLOCK_CPU_BLOCK_MAX];
};

/* Reads row r of the walk's current block. `high` receives the values as they are stored, `low` is not
 * set. */
static TARGET __attribute__((noinline)) void TCBLOCK(row_read)(const struct spmmi_tcblocks *layout,
                                                               const struct tcblock_cpu_walk *walk,
                                                               uint32_t r, struct TCBLOCK(row) * row)
{
    const uint8_t *locals = tcblock_cpu_locals(layout, walk->block);
    const VALUE *values = (const VALUE *)layout->values + tcblock_cpu_value(layout, walk->block, r);
    row->count = 0;
    for (uint32_t bits = tcblock_cpu_bits(layout, walk->block, r); bits != 0; bits &= bits - 1) {
        const uint32_t p = (uint32_t)__builtin_ctz(bits);
        const uint32_t position = layout->has_masks   ? spmmi_tcblock_wide_position(sizeof(VALUE), r, p)
                                  : layout->is_packed ? row->count
                                                      : 8 * r + p;
        row->meets[row->count] = layout->has_masks ? walk->local + p : locals[p];
        row->high[row->count++] = READ(values[position]);
    }
}

/* Reads the same row and rounds or splits its values for multiplication. */
static TARGET __attribute__((noinline)) void TCBLOCK(row_factors)(const struct spmmi_tcblocks *layout,
                                                                  const struct tcblock_cpu_walk *walk,
                                                                  uint32_t r, struct TCBLOCK(row) * row)
{
    TCBLOCK(row_read)(layout, walk, r, row);
    for (uint32_t i = 0; IS_ROUNDED && i < row->count; i++) {
        const REAL value = row->high[i];
        row->high[i] = HIGH(value);
        if (IS_SPLIT)
            row->low[i] = HIGH(value - row->high[i]);
    }
}

/* Converts `count` values. A separate function, so that compilers vectorise its loop
 * for any number of columns. */
static TARGET __attribute__((noinline)) void TCBLOCK(values_read)(int64_t count, const VALUE *restrict from,
                                                                  REAL *restrict to)
{
    for (int64_t j = 0; j < count; j++)
        to[j] = READ(from[j]);
}

/* Loads the rows of B of a step. Columns of the tile at or after its width become 0. */
INLINE void TCBLOCK(step_fill)(const struct tcblock_cpu_tile *tile, uint32_t step, REAL *high, REAL *low,
                               const int64_t columns)
{
    const struct spmmi_tcblocks *layout = tile->job->layout;
    const spmm_dense_t *dense = &tile->job->product->b;
    const uint32_t row_count = tcblock_cpu_step_rows(layout, step);
    const int64_t b_row = spmmi_row_step(dense), b_column = spmmi_column_step(dense);
    const VALUE *b = (const VALUE *)dense->data + tile->first * b_column;
    for (uint32_t p = 0; p < row_count; p++) {
        const int64_t row_of_b = tcblock_cpu_row(layout, step, p);
        const int is_there = row_of_b < layout->cols;
        const VALUE *row = is_there ? b + row_of_b * b_row : b;
        if (is_there && tile->width == columns && b_column == 1)
            TCBLOCK(values_read)(columns, row, high + p * columns);
        else
            for (int64_t j = 0; j < columns; j++)
                high[p * columns + j] = is_there && j < tile->width ? READ(row[j * b_column]) : 0;
    }
    for (int64_t i = 0; IS_ROUNDED && i < (int64_t)row_count * columns; i++) {
        const REAL value = high[i];
        high[i] = HIGH(value);
        if (IS_SPLIT)
            low[i] = HIGH(value - high[i]);
    }
}

/* Adds the row's products with one half of B, high or low. */
INLINE void TCBLOCK(products_add)(const struct TCBLOCK(row) * row, const REAL *factors, const REAL *b,
                                  REAL *part, const int64_t columns)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const REAL factor = factors[i];
        const REAL *row_of_b = b + row->meets[i] * columns;
#pragma GCC unroll 32
        for (int64_t j = 0; j < columns; j++)
            part[j] = FMA(factor, row_of_b[j], part[j]);
    }
}

/* Multiplies one block by its rows of B and adds the products to the block's rows of sums. */
INLINE void TCBLOCK(block_add)(const struct spmmi_tcblocks *layout, const struct tcblock_cpu_walk *walk,
                               const REAL *high, const REAL *low, REAL *sums, const int64_t columns)
{
    for (uint32_t r = 0; r < layout->block_rows; r++, sums += columns) {
        struct TCBLOCK(row) row;
        REAL part[TCBLOCK_CPU_COLUMNS_MAX];
        TCBLOCK(row_factors)(layout, walk, r, &row);
        if (row.count == 0)
            continue;
#pragma GCC unroll 32
        for (int64_t j = 0; j < columns; j++)
            part[j] = sums[j];
        if (IS_SPLIT) { /* small products first */
            TCBLOCK(products_add)(&row, row.high, low, part, columns);
            TCBLOCK(products_add)(&row, row.low, high, part, columns);
        }
        TCBLOCK(products_add)(&row, row.high, high, part, columns);
#pragma GCC unroll 32
        for (int64_t j = 0; j < columns; j++)
            sums[j] = part[j];
    }
}

/* Returns row r of an item times column j of B, without rounding factors. A factor that is infinite or NaN,
 * or that rounding makes infinite, can make a sum of rounded or split factors NaN or infinite although the
 * sum without rounding is finite, or infinite and not NaN. */
static TARGET REAL TCBLOCK(sum_plainly)(const struct tcblock_cpu_tile *tile, uint32_t r, int64_t j)
{
    const struct spmmi_tcblocks *layout = tile->job->layout;
    const spmm_dense_t *dense = &tile->job->product->b;
    const int64_t b_row = spmmi_row_step(dense);
    const VALUE *b = (const VALUE *)dense->data + j * spmmi_column_step(dense);
    REAL sum = 0;
    const uint32_t block_row = r / layout->block_rows;
    for (uint32_t step = tile->item->begin; step < tile->item->end; step++) {
        struct tcblock_cpu_walk walk = tcblock_cpu_walk_of(layout, step, block_row, block_row + 1);
        while (tcblock_cpu_walk_on(layout, &walk)) {
            struct TCBLOCK(row) row;
            TCBLOCK(row_read)(layout, &walk, r % layout->block_rows, &row);
            for (uint32_t i = 0; i < row.count; i++)
                sum = FMA(row.high[i], READ(b[tcblock_cpu_row(layout, step, row.meets[i]) * b_row]), sum);
        }
    }
    return sum;
}

INLINE void TCBLOCK(sums_repair)(const struct tcblock_cpu_tile *tile, REAL *sums, const int64_t columns)
{
    for (uint32_t r = 0; r < tile->job->layout->unit_rows; r++) {
        REAL zero = 0; /* stays 0 unless a sum is infinite or NaN */
        for (int64_t j = 0; j < columns; j++)
            zero += sums[r * columns + j] * 0;
        for (int64_t j = 0; zero != 0 && j < tile->width; j++)
            if (sums[r * columns + j] - sums[r * columns + j] != 0)
                sums[r * columns + j] = TCBLOCK(sum_plainly)(tile, r, tile->first + j);
    }
}

/* Returns the value of C for a sum. A sum of 0 stays 0 even if alpha is infinite or NaN,
 * because the row may be empty. */
INLINE VALUE TCBLOCK(finish)(const struct spmmi_product *product, REAL sum, const VALUE *c)
{
    const REAL alpha = sum != 0 ? (REAL)product->alpha : 0, beta = (REAL)product->beta;
    return beta == 0 ? WRITE(alpha * sum) : WRITE(FMA(alpha, sum, beta * READ(*c)));
}

/* Computes `count` contiguous values of C from their sums. */
static TARGET __attribute__((noinline)) void TCBLOCK(values_finish)(const struct spmmi_product *product,
                                                                    int64_t count, const REAL *restrict sums,
                                                                    VALUE *restrict c)
{
    for (int64_t j = 0; j < count; j++)
        c[j] = TCBLOCK(finish)(product, sums[j], c + j);
}

INLINE void TCBLOCK(store)(const struct tcblock_cpu_tile *tile, const REAL *sums, const int64_t columns)
{
    const struct tcblock_cpu_job *job = tile->job;
    const struct spmmi_product *product = job->product;
    const int64_t n = product->b.cols;
    const uint32_t unit_rows = job->layout->unit_rows;
    const uint32_t *row_of = job->layout->row_of + (uint64_t)tile->item->unit * unit_rows;
    const int64_t c_row = spmmi_row_step(&product->c), c_column = spmmi_column_step(&product->c);
    const int is_turned = product->c.layout == SPMM_COL_MAJOR;
    VALUE *c = (VALUE *)product->c.data + tile->first * c_column;
    if (tile->item->slot != SPMMI_TCBLOCK_NONE) {
        REAL *slot = (REAL *)job->workspace + (int64_t)tile->item->slot * unit_rows * n + tile->first;
        for (uint32_t r = 0; r < unit_rows; r++)
            memcpy(slot + r * n, sums + r * columns, (size_t)tile->width * sizeof *sums);
        return;
    }
    for (uint32_t r = 0; !is_turned && r < unit_rows; r++)
        if (row_of[r] != SPMMI_TCBLOCK_NONE)
            TCBLOCK(values_finish)(product, tile->width, sums + r * columns, c + row_of[r] * c_row);
    for (int64_t j = 0; is_turned && j < tile->width; j++)
        for (uint32_t r = 0; r < unit_rows; r++)
            if (row_of[r] != SPMMI_TCBLOCK_NONE) {
                VALUE *at = c + row_of[r] + j * c_column;
                *at = TCBLOCK(finish)(product, sums[r * columns + j], at);
            }
}

INLINE void TCBLOCK(item_run)(const struct tcblock_cpu_tile *tile, const int64_t columns)
{
    const struct spmmi_tcblocks *layout = tile->job->layout;
    const uint32_t block_rows = layout->unit_rows / layout->block_rows;
    _Alignas(64) REAL high[TCBLOCK_CPU_STEP_MAX * TCBLOCK_CPU_COLUMNS_MAX];
    _Alignas(64) REAL low[TCBLOCK_CPU_STEP_MAX * TCBLOCK_CPU_COLUMNS_MAX];
    _Alignas(64) REAL sums[TCBLOCK_CPU_ROWS_MAX * TCBLOCK_CPU_COLUMNS_MAX];
    for (int64_t i = 0; i < layout->unit_rows * columns; i++)
        sums[i] = 0;
    for (uint32_t step = tile->item->begin; step < tile->item->end; step++) {
        TCBLOCK(step_fill)(tile, step, high, low, columns);
        struct tcblock_cpu_walk walk = tcblock_cpu_walk_of(layout, step, 0, block_rows);
        while (tcblock_cpu_walk_on(layout, &walk))
            TCBLOCK(block_add)(layout, &walk, high, low, sums + (int64_t)walk.row * columns, columns);
    }
    if (IS_ROUNDED)
        TCBLOCK(sums_repair)(tile, sums, columns);
    TCBLOCK(store)(tile, sums, columns);
}

static TARGET void TCBLOCK(item)(const struct tcblock_cpu_tile *tile)
{
    switch (tile->columns) {
    case 4:
        TCBLOCK(item_run)(tile, 4);
        break;
    case 8:
        TCBLOCK(item_run)(tile, 8);
        break;
    case 16:
        TCBLOCK(item_run)(tile, 16);
        break;
    default:
        TCBLOCK(item_run)(tile, 32);
    }
}

static TARGET void TCBLOCK(join)(const struct tcblock_cpu_job *job, const struct spmmi_tcblock_split *split,
                                 uint32_t r)
{
    const struct spmmi_product *product = job->product;
    const int64_t n = product->b.cols, c_row = spmmi_row_step(&product->c);
    const uint32_t unit_rows = job->layout->unit_rows;
    const uint32_t row = job->layout->row_of[(uint64_t)split->unit * unit_rows + r];
    const REAL *slots = (const REAL *)job->workspace + ((int64_t)split->first * unit_rows + r) * n;
    for (int64_t j = 0; row != SPMMI_TCBLOCK_NONE && j < n; j++) {
        REAL sum = slots[j];
        for (int64_t i = 1; i < split->count; i++)
            sum += slots[i * unit_rows * n + j];
        VALUE *c = (VALUE *)product->c.data + row * c_row + j * spmmi_column_step(&product->c);
        *c = TCBLOCK(finish)(product, sum, c);
    }
}

static TARGET void TCBLOCK(scale)(int64_t n, double beta, void *c)
{
    VALUE *to = c;
    for (int64_t j = 0; j < n; j++)
        to[j] = beta == 0 ? 0 : WRITE((REAL)beta * READ(to[j]));
}

#undef INLINE
#undef TCBLOCK
