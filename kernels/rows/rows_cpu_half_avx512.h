/* SPDX-License-Identifier: Apache-2.0 */
/* Spans with B of 16 bits and AVX-512, for one type of A and one of B. No include guard. The including file
 * defines TARGET, REAL, HALF(name), TYPES (indices of these types in a table of spans), FACTOR (type of
 * values of A), FACTOR_READ(x), and WIDEN(x) for an __m256i; this file undefines HALF .. WIDEN. Sums are
 * stored in whole vectors. */

#define VEC __m512
#define LANES 16
#define MASK __mmask16
#define MASK_OF(count) ((__mmask16)(0xffffu >> (16 - (count))))
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define LOAD_MASKED(p, m) ((void)(m), LOAD(p))
#define STORE_MASKED(p, v, m) ((void)(m), STORE(p, v))
#define SET(x) _mm512_set1_ps(x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define MUL(a, b) _mm512_mul_ps(a, b)
#define ADD(a, b) _mm512_add_ps(a, b)
#define A_TYPE FACTOR
#define A_READ(x) FACTOR_READ(x)
#define B_TYPE uint16_t
#define LOAD_B(p) WIDEN(_mm256_loadu_si256((const __m256i_u *)(p)))
#define LOAD_B_MASKED(p, m) WIDEN(_mm256_maskz_loadu_epi16(m, p))
#define SPAN HALF(span_wide)
#define VECS_MAX 16
#define CASES CASES_ALL
#include "rows_cpu_span.h"

static void HALF(span)(const struct rows_span *span, int64_t width, int unroll)
{
    if (width <= 8)
        spmmi_rows_cpu_avx2.span TYPES(span, width, unroll);
    else
        HALF(span_wide)(span, width, unroll);
}

#undef HALF
#undef TYPES
#undef FACTOR
#undef FACTOR_READ
#undef WIDEN
