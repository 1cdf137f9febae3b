/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the tiled family, included once per value type and SIMD level; no include guard.
 * The including file defines
 *   TARGET          the function attributes of the level
 *   VALUE, REAL     the types of stored values and of sums; READ(x) and WRITE(x) convert between them
 *   FMA(a, b, c)    the fused multiply-add
 *   TILED(name)     the name of a function of this instance
 * This file undefines VALUE, READ, WRITE and TILED. Functions with a constant number of columns are inlined
 * into one instance per number. */

#define INLINE static inline __attribute__((always_inline)) TARGET

/* Loads the stage's rows of B into slots of `columns` values. Columns of the tile at or
 * after its width become 0. */
INLINE void TILED(stage_fill)(const struct tiled_cpu_tile *tile, uint32_t stage, REAL *slots,
                              const int64_t columns)
{
    const struct spmmi_tiled *layout = tile->job->layout;
    const spmm_dense_t *dense = &tile->job->product->b;
    const uint32_t *rows = layout->columns + layout->stage_first[stage];
    const uint32_t count = layout->stage_first[stage + 1] - layout->stage_first[stage];
    const int64_t b_row = spmmi_row_step(dense), b_column = spmmi_column_step(dense);
    const VALUE *b = (const VALUE *)dense->data + tile->first * b_column;
    slots += columns; /* slot 0 is for padding, which is not multiplied here */
    if (dense->layout == SPMM_COL_MAJOR) {
        for (int64_t j = 0; j < columns; j++)
            for (uint32_t i = 0; i < count; i++)
                slots[i * columns + j] = j < tile->width ? READ(b[rows[i] + j * b_column]) : 0;
    } else if (tile->width == columns) {
        for (uint32_t i = 0; i < count; i++)
            for (int64_t j = 0; j < columns; j++)
                slots[i * columns + j] = READ(b[rows[i] * b_row + j]);
    } else {
        for (uint32_t i = 0; i < count; i++)
            for (int64_t j = 0; j < columns; j++)
                slots[i * columns + j] = j < tile->width ? READ(b[rows[i] * b_row + j]) : 0;
    }
}

/* Multiplies one lane's entries of a stage. Local index 0 ends them, because the rest of the lane is
 * padding. */
INLINE void TILED(lane_add)(const uint16_t *local, const VALUE *values, uint32_t slices, const REAL *slots,
                            REAL *sum, const int64_t columns)
{
    REAL part[TILED_CPU_COLUMNS_MAX];
#pragma GCC unroll 32
    for (int64_t j = 0; j < columns; j++)
        part[j] = sum[j];
    for (uint32_t s = 0; s < slices && local[s * SPMMI_TILED_LANES] != 0; s++) {
        const REAL value = READ(values[s * SPMMI_TILED_LANES]);
        const REAL *row = slots + local[s * SPMMI_TILED_LANES] * columns;
#pragma GCC unroll 32
        for (int64_t j = 0; j < columns; j++)
            part[j] = FMA(value, row[j], part[j]);
    }
#pragma GCC unroll 32
    for (int64_t j = 0; j < columns; j++)
        sum[j] = part[j];
}

/* Returns the value of C for a sum. A sum of 0 stays 0 even if alpha is infinite or NaN,
 * because the row may be empty. */
INLINE VALUE TILED(finish)(const struct spmmi_product *product, REAL sum, const VALUE *c)
{
    const REAL alpha = sum != 0 ? (REAL)product->alpha : 0, beta = (REAL)product->beta;
    return beta == 0 ? WRITE(alpha * sum) : WRITE(FMA(alpha, sum, beta * READ(*c)));
}

INLINE void TILED(store)(const struct tiled_cpu_tile *tile, const REAL *sums, const int64_t columns)
{
    const struct tiled_cpu_job *job = tile->job;
    const struct spmmi_product *product = job->product;
    const uint32_t threads = job->layout->block_rows;
    const uint32_t *target = job->layout->target + (uint64_t)tile->row_block * threads;
    const int64_t c_row = spmmi_row_step(&product->c), c_column = spmmi_column_step(&product->c);
    const int is_turned = product->c.layout == SPMM_COL_MAJOR;
    VALUE *c = (VALUE *)product->c.data + tile->first * c_column;
    REAL *partials = (REAL *)job->workspace + tile->first;
    for (uint32_t t = 0; t < threads; t++) {
        if (target[t] == SPMMI_TILED_NONE)
            continue;
        if ((target[t] & SPMMI_TILED_PARTIAL) != 0)
            memcpy(partials + (int64_t)(target[t] & ~SPMMI_TILED_PARTIAL) * product->b.cols,
                   sums + t * columns, (size_t)tile->width * sizeof *sums);
        else if (!is_turned)
            for (int64_t j = 0; j < tile->width; j++) {
                VALUE *at = c + target[t] * c_row + j;
                *at = TILED(finish)(product, sums[t * columns + j], at);
            }
    }
    for (int64_t j = 0; is_turned && j < tile->width; j++)
        for (uint32_t t = 0; t < threads; t++)
            if ((target[t] & SPMMI_TILED_PARTIAL) == 0) {
                VALUE *at = c + target[t] + j * c_column;
                *at = TILED(finish)(product, sums[t * columns + j], at);
            }
}

INLINE void TILED(row_block_run)(const struct tiled_cpu_tile *tile, const int64_t columns)
{
    const struct spmmi_tiled *layout = tile->job->layout;
    const uint32_t warps = layout->block_rows / SPMMI_TILED_LANES;
    _Alignas(64) REAL slots[TILED_CPU_STAGE_BYTES / sizeof(REAL)];
    _Alignas(64) REAL sums[TILED_CPU_ROW_BLOCK_MAX * TILED_CPU_COLUMNS_MAX];
    for (int64_t i = 0; i < layout->block_rows * columns; i++)
        sums[i] = 0;
    for (uint32_t s = layout->row_block_stage[tile->row_block];
         s < layout->row_block_stage[tile->row_block + 1]; s++) {
        TILED(stage_fill)(tile, s, slots, columns);
        for (uint32_t t = 0; t < layout->block_rows; t++) {
            const uint32_t *slice = layout->warp_slice + s * warps + t / SPMMI_TILED_LANES;
            const uint64_t first = (uint64_t)slice[0] * SPMMI_TILED_LANES + t % SPMMI_TILED_LANES;
            TILED(lane_add)
            (layout->local + first, (const VALUE *)layout->values + first, slice[1] - slice[0], slots,
             sums + t * columns, columns);
        }
    }
    TILED(store)(tile, sums, columns);
}

static TARGET void TILED(row_block)(const struct tiled_cpu_tile *tile)
{
    switch (tile->columns) {
    case 4:
        TILED(row_block_run)(tile, 4);
        break;
    case 8:
        TILED(row_block_run)(tile, 8);
        break;
    case 16:
        TILED(row_block_run)(tile, 16);
        break;
    default:
        TILED(row_block_run)(tile, 32);
    }
}

static TARGET void TILED(join)(const struct tiled_cpu_job *job, const struct spmmi_tiled_split *split)
{
    const struct spmmi_product *product = job->product;
    const int64_t n = product->b.cols, c_row = spmmi_row_step(&product->c);
    const REAL *partials = (const REAL *)job->workspace + (int64_t)split->first * n;
    for (int64_t j = 0; j < n; j++) {
        REAL sum = partials[j];
        for (int64_t i = 1; i < split->count; i++)
            sum += partials[i * n + j];
        VALUE *c = (VALUE *)product->c.data + split->row * c_row + j * spmmi_column_step(&product->c);
        *c = TILED(finish)(product, sum, c);
    }
}

static TARGET void TILED(scale)(int64_t n, double beta, void *c)
{
    VALUE *to = c;
    for (int64_t j = 0; j < n; j++)
        to[j] = beta == 0 ? 0 : WRITE((REAL)beta * READ(to[j]));
}

#undef INLINE
#undef VALUE
#undef READ
#undef WRITE
#undef TILED
