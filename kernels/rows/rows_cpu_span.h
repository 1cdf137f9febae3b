/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the rows family, written once and included for each vector type. No include guard.
 *
 * The including file defines
 *   TARGET                  function attributes that allow the instructions
 *   REAL, VEC, LANES        type of sums, the vector type for it and its length
 *   MASK, MASK_OF(count)    selects the first count lanes, 1 <= count <= LANES
 *   LOAD(p) STORE(p, v) LOAD_MASKED(p, m) STORE_MASKED(p, v, m)
 *   A_TYPE, A_READ(x)       type of values of A and conversion to REAL, if it is not REAL
 *   B_TYPE, LOAD_B(p), LOAD_B_MASKED(p, m)  the same for B
 *   SET(x) FMA(a, b, c) MUL(a, b) ADD(a, b)
 *   SPAN                    name of the function defined here
 *   VECS_MAX, CASES         maximum number of vectors in a tile; the (unroll, vectors) pairs that can occur
 *   STREAM(p, v), STREAM_END()  optional: a store to a multiple of ROWS_STREAM_ALIGN bytes that bypasses the
 *                           caches, and a fence that makes such stores visible to other threads
 * and this file undefines the macros of an instance: VEC .. CASES. */

#ifndef A_TYPE
#define A_TYPE REAL
#define A_READ(x) (x)
#endif
#ifndef STREAM
#define STREAM(p, v) STORE(p, v)
#define STREAM_END() ((void)0)
#endif
#ifndef B_TYPE
#define B_TYPE REAL
#define LOAD_B(p) LOAD(p)
#define LOAD_B_MASKED(p, m) LOAD_MASKED(p, m)
#endif
#define TILE_PASTE(a, b) a##b
#define TILE_NAME(a, b) TILE_PASTE(a, b)
#define TILE TILE_NAME(SPAN, _tile)
#define TILES TILE_NAME(SPAN, _tiles)
#define STEP TILE_NAME(SPAN, _step)
#define FINISH TILE_NAME(SPAN, _finish)
#define AHEAD TILE_NAME(SPAN, _ahead)

/* acc += a * (one row of B). All vectors but the last are whole; the mask is for the last one. */
static inline __attribute__((always_inline)) TARGET void STEP(VEC *acc, const REAL a, const B_TYPE *b,
                                                              const int vecs, const MASK mask)
{
    const VEC x = SET(a);
#pragma GCC unroll 16
    for (int v = 0; v < vecs - 1; v++)
        acc[v] = FMA(x, LOAD_B(b + v * LANES), acc[v]);
    acc[vecs - 1] = FMA(x, LOAD_B_MASKED(b + (vecs - 1) * LANES, mask), acc[vecs - 1]);
}

/* Prefetches rows of B for later nonzeros. */
static inline __attribute__((always_inline)) TARGET void
AHEAD(const int32_t *col, const B_TYPE *b, const int64_t ldb, const int count, const int vecs)
{
    const int bytes = vecs * LANES * (int)sizeof(B_TYPE);
#pragma GCC unroll 4
    for (int u = 0; u < count; u++)
#pragma GCC unroll 16
        for (int at = 0; at < bytes; at += ROWS_LINE_BYTES)
            __builtin_prefetch((const char *)(b + col[u] * ldb) + at);
}

static inline __attribute__((always_inline)) TARGET void FINISH(const VEC *sum, REAL *out, const REAL alpha,
                                                                const REAL beta, const int vecs,
                                                                const int is_whole, const MASK mask,
                                                                const bool streams)
{
    const VEC x = SET(alpha);
    const VEC y = SET(beta);
#pragma GCC unroll 16
    for (int v = 0; v < vecs; v++) {
        REAL *at = out + v * LANES;
        const int is_part =
            v == vecs - 1 && !is_whole; /* some masked stores are far slower than whole ones */
        VEC r = MUL(x, sum[v]);
        if (beta != 0)
            r = FMA(x, sum[v], MUL(y, is_part ? LOAD_MASKED(at, mask) : LOAD(at)));
        if (is_part)
            STORE_MASKED(at, r, mask);
        else if (streams)
            STREAM(at, r);
        else
            STORE(at, r);
    }
}

/* Runs one tile of columns for all rows of the span. unroll, vecs and fetches are constants in every use. */
static inline __attribute__((always_inline)) TARGET void
TILE(const struct rows_span *span, const int64_t column, const int unroll, const int vecs, const int is_whole,
     const MASK mask, const int64_t ldb, const bool fetches)
{
    const int64_t *row_ptr = span->row_ptr;
    const int32_t *col = span->col_ind;
    const A_TYPE *value = span->values;
    const B_TYPE *b = (const B_TYPE *)span->b + column;
    REAL *out = (REAL *)span->out + column;
    const REAL alpha = (REAL)span->alpha;
    const REAL beta = (REAL)span->beta;
    const uintptr_t out_bytes = (uintptr_t)span->ldo * sizeof(REAL);
    const bool streams = span->streams && beta == 0 && ((uintptr_t)out | out_bytes) % ROWS_STREAM_ALIGN == 0;
    const int64_t p_end = span->p_end, ahead_end = span->ahead_end;
    int64_t p = row_ptr[span->row_begin] > span->p_begin ? row_ptr[span->row_begin] : span->p_begin;
    for (int64_t i = span->row_begin; i < span->row_end; i++) {
        VEC acc[4][VECS_MAX];
#pragma GCC unroll 4
        for (int u = 0; u < unroll; u++)
#pragma GCC unroll 16
            for (int v = 0; v < vecs; v++)
                acc[u][v] = SET(0);
        const int64_t end = row_ptr[i + 1] < p_end ? row_ptr[i + 1] : p_end;
        for (; p + unroll <= end; p += unroll) {
            if (fetches && p < ahead_end) {
                AHEAD(col + p + ROWS_AHEAD, b, ldb, unroll, vecs);
                if (unroll == 4) { /* wider rows of B give the hardware prefetcher enough time */
                    __builtin_prefetch(col + p + ROWS_STREAM_AHEAD);
                    __builtin_prefetch(value + p + ROWS_STREAM_AHEAD);
                }
            }
#pragma GCC unroll 4
            for (int u = 0; u < unroll; u++)
                STEP(acc[u], A_READ(value[p + u]), b + col[p + u] * ldb, vecs, mask);
        }
        if (unroll > 1)
            for (; p < end; p++) {
                if (fetches && p < ahead_end)
                    AHEAD(col + p + ROWS_AHEAD, b, ldb, 1, vecs);
                STEP(acc[0], A_READ(value[p]), b + col[p] * ldb, vecs, mask);
            }
#pragma GCC unroll 16
        for (int v = 0; v < vecs; v++) {
            if (unroll == 4)
                acc[2][v] = ADD(acc[2][v], acc[3][v]);
            if (unroll >= 2)
                acc[0][v] = ADD(acc[0][v], acc[1][v]);
            if (unroll == 4)
                acc[0][v] = ADD(acc[0][v], acc[2][v]);
        }
        /* An infinite or NaN alpha does not affect rows without entries. */
        FINISH(acc[0], out, row_ptr[i] < row_ptr[i + 1] ? alpha : 0, beta, vecs, is_whole, mask, streams);
        out += span->ldo;
    }
    if (streams)
        STREAM_END();
}

/* Narrow tiles have a loop that does not test whether to prefetch; the test took up to a tenth of the
 * time. */
static inline __attribute__((always_inline)) TARGET void
TILES(const struct rows_span *span, const int64_t column, const int unroll, const int vecs,
      const int is_whole, const MASK mask, const int64_t ldb, const bool fetches)
{
    if (unroll < 4 || fetches)
        TILE(span, column, unroll, vecs, is_whole, mask, ldb, true);
    else
        TILE(span, column, unroll, vecs, is_whole, mask, ldb, false);
}

static TARGET void SPAN(const struct rows_span *span, int64_t width, int unroll)
{
    const bool fetches = span->ahead_end > 0 && width * (int64_t)sizeof(B_TYPE) >= span->ahead_from;
    for (int64_t column = 0; column < width; column += VECS_MAX * LANES) {
        const int64_t left = width - column < VECS_MAX * LANES ? width - column : VECS_MAX * LANES;
        const int vecs = (int)((left + LANES - 1) / LANES);
        const MASK mask = MASK_OF((int)left - (vecs - 1) * LANES);
        const int is_whole = left == vecs * LANES;
        switch (unroll * 32 + vecs) {
/* If a row of B is one vector, its address needs a shift, not a multiplication. */
#define CASE(u, v)                                                         \
    case (u)*32 + (v):                                                     \
        if ((u) == 4 && (v) == 1 && width == LANES && span->ldb == LANES)  \
            TILES(span, 0, u, v, 1, mask, LANES, fetches);                 \
        else                                                               \
            TILES(span, column, u, v, is_whole, mask, span->ldb, fetches); \
        break;
            CASES
#undef CASE
        default:
            __builtin_unreachable();
        }
    }
}

#undef VEC
#undef LANES
#undef MASK
#undef MASK_OF
#undef LOAD
#undef STORE
#undef STREAM
#undef STREAM_END
#undef LOAD_MASKED
#undef STORE_MASKED
#undef SET
#undef FMA
#undef MUL
#undef ADD
#undef A_TYPE
#undef A_READ
#undef B_TYPE
#undef LOAD_B
#undef LOAD_B_MASKED
#undef SPAN
#undef VECS_MAX
#undef CASES
#undef TILE_PASTE
#undef TILE_NAME
#undef TILE
#undef TILES
#undef STEP
#undef FINISH
#undef AHEAD
