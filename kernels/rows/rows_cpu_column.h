/* SPDX-License-Identifier: Apache-2.0 */
/* One column of B, one value at a time, in the order of sums of rows_cpu_column_avx2.h. No include guard. The
 * including file defines TARGET, REAL, FMA1(a, b, c), COLUMN(name), and the function COLUMN(wide) for other
 * widths; this file undefines COLUMN. */

static TARGET void COLUMN(column)(const struct rows_span *span)
{
    const REAL *b = span->b, *value = span->values;
    REAL *out = span->out;
    int64_t p = rows_span_start(span, span->row_begin);
    for (int64_t i = span->row_begin; i < span->row_end; i++, out += span->ldo) {
        REAL sum[ROWS_COLUMN_SUMS] = {0};
        const int64_t end = rows_span_start(span, i + 1);
        for (int is_last = 0; !is_last; p += ROWS_COLUMN_SUMS) {
            is_last = p + ROWS_COLUMN_SUMS > end;
            for (int u = 0; u < ROWS_COLUMN_SUMS; u++) /* zeros after the end turn a sum of -0 into 0 */
                sum[u] = p + u < end ? FMA1(value[p + u], b[span->col_ind[p + u] * span->ldb], sum[u])
                                     : sum[u] + 0;
        }
        p = end;
        for (int half = ROWS_COLUMN_SUMS / 2; half > 0; half /= 2)
            for (int u = 0; u < half; u++)
                sum[u] += sum[u + half];
        const REAL alpha = span->row_ptr[i] < span->row_ptr[i + 1] ? (REAL)span->alpha : 0;
        *out = span->beta == 0 ? alpha * sum[0] : FMA1(alpha, sum[0], (REAL)span->beta * *out);
    }
}

static TARGET void COLUMN(span)(const struct rows_span *span, int64_t width, int unroll)
{
    if (width > 1 && span->b_column <= 1) {
        COLUMN(wide)(span, width, unroll);
        return;
    }
    for (int64_t j = 0; j < width; j++) {
        struct rows_span one = *span;
        one.b = (const REAL *)span->b + j * span->b_column;
        one.out = (REAL *)span->out + j * span->out_column;
        COLUMN(column)(&one);
    }
}

#undef COLUMN
