/* SPDX-License-Identifier: Apache-2.0 */
/* The plain loops of the rows family: carry slots and scaling. Written once and included for
 * each value type and SIMD level; the compiler vectorises them as far as TARGET allows. No include guard.
 * The including file defines TARGET, REAL, FMA1(a, b, c) and DENSE(name); this file undefines all but TARGET, as the
 * last of a value type. */

static TARGET void DENSE(add)(int64_t n, const void *slot, void *sum)
{
    const REAL *from = slot;
    REAL *to = sum;
    for (int64_t j = 0; j < n; j++)
        to[j] += from[j];
}

static TARGET void DENSE(add_scaled)(int64_t n, double alpha, const void *sum, void *c, int64_t stride)
{
    const REAL *from = sum;
    REAL *to = c;
    for (int64_t j = 0; j < n; j++)
        to[j * stride] = FMA1((REAL)alpha, from[j], to[j * stride]);
}

static TARGET void DENSE(scale)(int64_t n, double beta, void *c)
{
    REAL *to = c;
    if (beta == 0)
        for (int64_t j = 0; j < n; j++)
            to[j] = 0;
    else
        for (int64_t j = 0; j < n; j++)
            to[j] *= (REAL)beta;
}

#undef REAL
#undef FMA1
#undef DENSE
