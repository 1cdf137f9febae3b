/* SPDX-License-Identifier: Apache-2.0 */
/* Stores a row of sums in a row of C of 16 bits, eight values at a time: LINE of rows_cpu_dense.h. No include
 * guard. The including file defines TARGET, LINE_NAME, WIDEN(x) for eight values and NARROW(x), its inverse;
 * this file undefines the last three. */

static TARGET int64_t LINE_NAME(int64_t n, float alpha, const float *sum, float beta, uint16_t *c)
{
    const __m256 x = _mm256_set1_ps(alpha), y = _mm256_set1_ps(beta);
    int64_t j = 0;
    if (alpha - alpha != 0) /* infinite or NaN: must not change sums of 0 */
        return 0;
    for (; j + 8 <= n; j += 8) {
        __m128i_u *const at = (__m128i_u *)(c + j);
        const __m256 s = _mm256_loadu_ps(sum + j);
        const __m256 r = beta == 0 ? _mm256_mul_ps(x, s)
                                   : _mm256_fmadd_ps(x, s, _mm256_mul_ps(y, WIDEN(_mm_loadu_si128(at))));
        _mm_storeu_si128(at, NARROW(r));
    }
    return j;
}

#undef LINE_NAME
#undef WIDEN
#undef NARROW
