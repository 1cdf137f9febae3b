/* SPDX-License-Identifier: Apache-2.0 */
/* Transposition in square blocks that are transposed in registers; included once for each value type. No
 * include guard. The including file defines TARGET, REAL, VEC, LANES, LOAD, STORE, SET, FMA, MUL, FMA1 (see
 * rows_cpu_span.h), TRANSPOSE(v) for an array of LANES vectors, and TURN(name); this file undefines the last
 * two. */

#define TURN_ROWS 64 /* rows that are finished for all columns before the next ones begin */

static TARGET void TURN(pack_square)(const REAL *from, int64_t ld_from, REAL *to, int64_t ld_to)
{
    VEC v[LANES];
    for (int j = 0; j < LANES; j++)
        v[j] = LOAD(from + j * ld_from);
    TRANSPOSE(v);
    for (int i = 0; i < LANES; i++)
        STORE(to + i * ld_to, v[i]);
}

/* Packs the last columns of rows, fewer than LANES, by whole vectors. Each row overwrites what the row before
 * wrote past its end, so that a square of rows has to follow. Returns the number of rows that are done. */
static TARGET int64_t TURN(pack_part)(const REAL *from, int64_t ld_from, REAL *to, int64_t ld_to,
                                      int64_t rows, int64_t cols)
{
    int64_t begin = 0;
    for (; cols > 0 && begin + 2 * LANES <= rows; begin += LANES) {
        VEC v[LANES];
        for (int j = 0; j < LANES; j++)
            v[j] = LOAD(from + begin + (j < cols ? j : 0) * ld_from);
        TRANSPOSE(v);
        for (int i = 0; i < LANES; i++)
            STORE(to + (begin + i) * ld_to, v[i]);
    }
    return begin;
}

static TARGET void TURN(pack_edge)(const REAL *from, int64_t ld_from, REAL *to, int64_t ld_to, int64_t rows,
                                   int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            to[i * ld_to + j] = from[i + j * ld_from];
}

TARGET void TURN(spmmi_rows_pack)(const struct rows_block *block)
{
    const int64_t ld_from = block->ld_by_cols, ld_to = block->ld_by_rows;
    const int64_t cols_whole = block->cols / LANES * LANES;
    for (int64_t begin = 0; begin < block->rows; begin += TURN_ROWS) {
        const int64_t rows = block->rows - begin < TURN_ROWS ? block->rows - begin : TURN_ROWS;
        const int64_t rows_whole = rows / LANES * LANES;
        const REAL *from = (const REAL *)block->by_cols + begin;
        REAL *to = (REAL *)block->by_rows + begin * ld_to;
        /* pack_part would overwrite padding after the rows, so it runs only without padding. */
        const int64_t cols_part = block->cols - cols_whole;
        const int64_t done = ld_to == block->cols
                                 ? TURN(pack_part)(from + cols_whole * ld_from, ld_from, to + cols_whole,
                                                   ld_to, rows_whole, cols_part)
                                 : 0;
        for (int64_t j = 0; j < cols_whole; j += LANES)
            for (int64_t i = 0; i < rows_whole; i += LANES)
                TURN(pack_square)(from + i + j * ld_from, ld_from, to + i * ld_to + j, ld_to);
        TURN(pack_edge)
        (from + done + cols_whole * ld_from, ld_from, to + done * ld_to + cols_whole, ld_to,
         rows_whole - done, cols_part);
        TURN(pack_edge)
        (from + rows_whole, ld_from, to + rows_whole * ld_to, ld_to, rows - rows_whole, block->cols);
    }
}

/* Writes the first cols of LANES columns. */
static TARGET void TURN(unpack_square)(const REAL *from, int64_t ld_from, REAL *to, int64_t ld_to,
                                       int64_t cols, REAL alpha, REAL beta)
{
    VEC v[LANES];
    for (int i = 0; i < LANES; i++)
        v[i] = LOAD(from + i * ld_from);
    TRANSPOSE(v);
    for (int j = 0; j < cols; j++) {
        REAL *at = to + j * ld_to;
        STORE(at, beta == 0 ? MUL(SET(alpha), v[j]) : FMA(SET(alpha), v[j], MUL(SET(beta), LOAD(at))));
    }
}

static TARGET void TURN(unpack_edge)(const REAL *from, int64_t ld_from, REAL *to, int64_t ld_to, int64_t rows,
                                     int64_t cols, REAL alpha, REAL beta)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            const REAL x = from[i * ld_from + j];
            REAL *at = to + i + j * ld_to;
            *at = beta == 0 ? alpha * x : FMA1(alpha, x, beta * *at);
        }
}

TARGET void TURN(spmmi_rows_unpack)(const struct rows_block *block)
{
    const int64_t ld_from = block->ld_by_rows, ld_to = block->ld_by_cols;
    const int64_t rows_whole = block->rows / LANES * LANES, cols_whole = block->cols / LANES * LANES;
    const REAL alpha = (REAL)block->alpha, beta = (REAL)block->beta;
    const REAL *from = block->by_rows;
    REAL *to = block->by_cols;
    for (int64_t j = 0; j < cols_whole; j += LANES)
        for (int64_t i = 0; i < rows_whole; i += LANES)
            TURN(unpack_square)
    (from + i * ld_from + j, ld_from, to + i + j * ld_to, ld_to, LANES, alpha, beta);
    /* Vectors loaded from the last columns extend into the next rows; in the last rows they would leave the
     * block. */
    const int64_t cols_part = block->cols - cols_whole;
    int64_t done = 0;
    for (; cols_part > 0 && done + 2 * LANES <= rows_whole; done += LANES)
        TURN(unpack_square)
    (from + done * ld_from + cols_whole, ld_from, to + done + cols_whole * ld_to, ld_to, cols_part, alpha,
     beta);
    TURN(unpack_edge)
    (from + done * ld_from + cols_whole, ld_from, to + done + cols_whole * ld_to, ld_to, rows_whole - done,
     cols_part, alpha, beta);
    TURN(unpack_edge)
    (from + rows_whole * ld_from, ld_from, to + rows_whole, ld_to, block->rows - rows_whole, block->cols,
     alpha, beta);
}

#undef TURN_ROWS
#undef TRANSPOSE
#undef TURN
