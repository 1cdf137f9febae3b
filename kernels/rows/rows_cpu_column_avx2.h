/* SPDX-License-Identifier: Apache-2.0 */
/* One column, or a few columns, of B with AVX2, written once and included for each type. No include guard.
 *
 * A row has one vector of partial sums. Value u of each group of ROWS_COLUMN_SUMS is added to sum u; the last
 * group is padded with zeros. In the end the upper half of the sums is added to the lower half until one sum
 * is left. Values of B are read one by one, which is faster than gather instructions. If rows are short,
 * mispredicted branches cost more than all else: the values of B of many rows are then collected first, in a
 * loop that ignores row boundaries.
 *
 * The including file defines TARGET, INLINE, a function with TARGET, REAL, FMA1(a, b, c), VEC of
 * ROWS_COLUMN_SUMS, MASK, ZERO(), LOAD(p), STORE(p, v), LOAD_PART(p, mask), KEEP_PART(v, mask) with zeros
 * elsewhere, MASK_OF(count), FMA(a, b, c), GATHER(b, col, ldb), SUM(v) over the vector, and COLUMN(name);
 * this file undefines REAL .. COLUMN. */

enum { COLUMN(rows) = 64 };     /* rows that are summed together */
enum { COLUMN(short_row) = 8 }; /* mean nonzeros of these rows up to which values of B are collected */
enum { COLUMN(room) = COLUMN(rows) * COLUMN(short_row) }; /* values of each column that can be collected */

struct COLUMN(view) {
    const REAL *value, *b;
    const int32_t *col;
    int64_t ldb, b_column, p_end;
};

/* Prefetches A of later nonzeros: reads of B between the reads of A prevent the hardware prefetcher from
 * doing it. */
INLINE void COLUMN(ahead)(const struct COLUMN(view) a, int64_t p)
{
    _mm_prefetch((const char *)(a.col + p + ROWS_STREAM_AHEAD), _MM_HINT_T0);
    _mm_prefetch((const char *)(a.value + p + ROWS_STREAM_AHEAD), _MM_HINT_T0);
}

/* Adds the products of eight nonzeros for each column of B. col: their columns of A. */
INLINE void COLUMN(step)(const struct COLUMN(view) a, VEC value, const int32_t *col, VEC *sum,
                         const int columns)
{
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++)
        sum[j] = FMA(value, GATHER(a.b + j * a.b_column, col, a.ldb), sum[j]);
}

/* Adds the last group of a row, [p, end), which may be empty. */
INLINE void COLUMN(rest)(const struct COLUMN(view) a, int64_t p, int64_t end, VEC *sum, const int columns)
{
    const MASK mask = MASK_OF(end - p);
    int32_t col[ROWS_COLUMN_SUMS] = {0};
    const int32_t *at = a.col + p;
    if (p + ROWS_COLUMN_SUMS > a.p_end) { /* fewer column indices than a group may be left */
        for (int64_t u = 0; u < end - p; u++)
            col[u] = at[u];
        at = col;
    }
    const VEC value = LOAD_PART(a.value + p, mask);
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++)
        sum[j] = FMA(value, KEEP_PART(GATHER(a.b + j * a.b_column, at, a.ldb), mask), sum[j]);
}

/* Sums rows first .. last - 1, whose nonzeros begin at p. Returns where these end. */
INLINE int64_t COLUMN(long_rows)(const struct rows_span *span, const struct COLUMN(view) a, int64_t first,
                                 int64_t last, int64_t p, REAL *sum, const int columns)
{
    const bool ahead = span->ahead_end > 0;
    for (int64_t i = first; i < last; i++, sum++) {
        const int64_t end = rows_span_start(span, i + 1);
        VEC v[ROWS_COLUMNS_MAX];
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            v[j] = ZERO();
        for (; p + ROWS_COLUMN_SUMS <= end; p += ROWS_COLUMN_SUMS) {
            if (ahead)
                COLUMN(ahead)(a, p);
            COLUMN(step)(a, LOAD(a.value + p), a.col + p, v, columns);
        }
        COLUMN(rest)(a, p, end, v, columns);
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            sum[j * COLUMN(rows)] = SUM(v[j]);
        p = end;
    }
    return p;
}

/* Collects the values of B for nonzeros [begin, end). Prefetches A, because A is read in bursts, between
 * which rows are summed, and the hardware prefetcher stops at such pauses. */
INLINE void COLUMN(collect)(const struct COLUMN(view) a, int64_t begin, int64_t end, REAL *to,
                            const int columns)
{
    int64_t p = begin;
    for (; p + ROWS_COLUMN_SUMS <= end; p += ROWS_COLUMN_SUMS) {
        COLUMN(ahead)(a, p);
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            STORE(to + (p - begin) + j * COLUMN(room), GATHER(a.b + j * a.b_column, a.col + p, a.ldb));
    }
    for (; p < end; p++)
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            to[p - begin + j * COLUMN(room)] = a.b[a.col[p] * a.ldb + j * a.b_column];
}

/* Sums a row whose values of B are stored at b. */
INLINE void COLUMN(near)(const REAL *value, const REAL *b, int64_t count, REAL *sum, const int columns)
{
    VEC v[ROWS_COLUMNS_MAX];
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++)
        v[j] = ZERO();
    int64_t k = 0;
    for (; k + ROWS_COLUMN_SUMS <= count; k += ROWS_COLUMN_SUMS)
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
            v[j] = FMA(LOAD(value + k), LOAD(b + k + j * COLUMN(room)), v[j]);
    const MASK mask = MASK_OF(count - k);
    const VEC last = LOAD_PART(value + k, mask);
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++)
        sum[j * COLUMN(rows)] = SUM(FMA(last, LOAD_PART(b + k + j * COLUMN(room), mask), v[j]));
}

/* Sums rows that are entirely in the span. Collects their values of B in `near`, which can hold them. */
INLINE int64_t COLUMN(short_rows)(const struct rows_span *span, const struct COLUMN(view) a, int64_t first,
                                  int64_t last, REAL *sum, REAL *near, const int columns)
{
    const int64_t *start = span->row_ptr + first;
    const int64_t begin = *start, count = last - first, end = start[count];
    COLUMN(collect)(a, begin, end, near, columns);
    for (int64_t i = 0; i < count; i++)
        COLUMN(near)
    (a.value + start[i], near + (start[i] - begin), start[i + 1] - start[i], sum + i, columns);
    return end;
}

/* Stores the sums of rows first .. last - 1 in out. An infinite or NaN alpha does not affect rows without
 * entries. */
INLINE void COLUMN(finish)(const struct rows_span *span, int64_t first, int64_t last, const REAL *sum,
                           REAL *out, const int64_t ldo)
{
    const int64_t *start = span->row_ptr + first;
    const REAL alpha = (REAL)span->alpha, beta = (REAL)span->beta;
    for (int64_t i = 0; i < last - first; i++) {
        const REAL factor = start[i] < start[i + 1] ? alpha : 0;
        out[i * ldo] = beta == 0 ? factor * sum[i] : FMA1(factor, sum[i], beta * out[i * ldo]);
    }
}

INLINE void COLUMN(columns)(const struct rows_span *span, const int columns)
{
    REAL sum[ROWS_COLUMNS_MAX * COLUMN(rows)], near[ROWS_COLUMNS_MAX * COLUMN(room)];
    struct COLUMN(view) a = {span->values, span->b, span->col_ind, 1, span->b_column, span->p_end};
    int64_t p = rows_span_start(span, span->row_begin);
    for (int64_t i = span->row_begin, last; i < span->row_end; i = last) {
        last = span->row_end - i < COLUMN(rows) ? span->row_end : i + COLUMN(rows);
        const int is_whole = p == span->row_ptr[i] && span->row_ptr[last] <= span->p_end;
        if (span->ldb != 1) {
            a.ldb = span->ldb;
            p = COLUMN(long_rows)(span, a, i, last, p, sum, columns);
        } else if (is_whole && span->row_ptr[last] - p <= COLUMN(short_row) * (last - i)) {
            p = COLUMN(short_rows)(span, a, i, last, sum, near, columns);
        } else {
            p = COLUMN(long_rows)(span, a, i, last, p, sum, columns);
        }
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++) {
            REAL *out = (REAL *)span->out + (i - span->row_begin) * span->ldo + j * span->out_column;
            if (span->ldo == 1)
                COLUMN(finish)(span, i, last, sum + j * COLUMN(rows), out, 1);
            else
                COLUMN(finish)(span, i, last, sum + j * COLUMN(rows), out, span->ldo);
        }
    }
}

TARGET void COLUMN(spmmi_rows_columns)(const struct rows_span *span, int64_t width)
{
    switch (width) {
    case 1:
        COLUMN(columns)(span, 1);
        break;
    case 2:
        COLUMN(columns)(span, 2);
        break;
    case 3:
        COLUMN(columns)(span, 3);
        break;
    default:
        COLUMN(columns)(span, ROWS_COLUMNS_MAX);
    }
}

#undef REAL
#undef FMA1
#undef VEC
#undef MASK
#undef ZERO
#undef LOAD
#undef STORE
#undef LOAD_PART
#undef KEEP_PART
#undef MASK_OF
#undef FMA
#undef GATHER
#undef SUM
#undef COLUMN
