/* SPDX-License-Identifier: Apache-2.0 */
/* The plain loops of the rows family: storing sums in C, and scaling C. Written once and included for each
 * type of C and SIMD level; the compiler vectorises them as far as TARGET allows. No include guard. The
 * including file defines TARGET, REAL (of sums), VALUE (of C), READ(x) and WRITE(x) between the two, FMA1(a,
 * b, c), LINE(n, alpha, sum, beta, c), which stores the first columns of a line and returns their number, and
 * DENSE(name); this file undefines VALUE, READ, WRITE, LINE and DENSE. */

/* Returns a value of C. A sum of 0 stays 0 for an infinite or NaN alpha: it may belong to an empty row. */
static inline __attribute__((always_inline)) TARGET VALUE DENSE(finish)(REAL alpha, REAL sum, REAL beta,
                                                                        const VALUE *c)
{
    const REAL factor = sum != 0 ? alpha : 0;
    return beta == 0 ? WRITE(factor * sum) : WRITE(FMA1(factor, sum, beta * READ(*c)));
}

static TARGET void DENSE(store)(const struct rows_store *store)
{
    const int by_rows = store->c_column == 1;
    const int64_t lines = by_rows ? store->rows : store->cols, length = by_rows ? store->cols : store->rows;
    const int64_t line_step = by_rows ? store->ld : 1, step = by_rows ? 1 : store->ld;
    const int64_t c_line = by_rows ? store->c_row : store->c_column, c_step = by_rows ? 1 : store->c_row;
    const REAL alpha = (REAL)store->alpha, beta = (REAL)store->beta;
    for (int64_t i = 0; i < lines; i++) {
        const REAL *sum = (const REAL *)store->sums + i * line_step;
        VALUE *c = (VALUE *)store->c + i * c_line;
        for (int64_t j = by_rows ? LINE(length, alpha, sum, beta, c) : 0; j < length; j++)
            c[j * c_step] = DENSE(finish)(alpha, sum[j * step], beta, c + j * c_step);
    }
}

static TARGET void DENSE(scale)(int64_t n, double beta, void *c)
{
    VALUE *to = c;
    if (beta == 0)
        for (int64_t j = 0; j < n; j++)
            to[j] = 0;
    else
        for (int64_t j = 0; j < n; j++)
            to[j] = WRITE((REAL)beta * READ(to[j]));
}

#undef VALUE
#undef READ
#undef WRITE
#undef LINE
#undef DENSE
