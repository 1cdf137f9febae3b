/* SPDX-License-Identifier: Apache-2.0 */
/* Spans with B of 16 bits and AVX2, for one type of A and one of B. No include guard. The including file
 * defines TARGET, REAL, FMA1(a, b, c), HALF(name), FACTOR (type of values of A), FACTOR_READ(x),
 * NUMBER_READ(x) for a value of B, and WIDEN4(x) and WIDEN8(x), which widen the first four and all eight
 * values of an __m128i; this file undefines HALF .. WIDEN8. Sums are stored in whole vectors. */

#define SPAN HALF(span_one)
#define VECS_MAX 1
#define CASES CASES_ONE
#define A_TYPE FACTOR
#define A_READ(x) FACTOR_READ(x)
#define B_READ(x) NUMBER_READ(x)
#include "rows_cpu_half.h"

#define VEC __m128
#define LANES 4
#define MASK int
#define MASK_OF(count) (count)
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define LOAD_MASKED(p, m) ((void)(m), LOAD(p))
#define STORE_MASKED(p, v, m) ((void)(m), STORE(p, v))
#define SET(x) _mm_set1_ps(x)
#define FMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define MUL(a, b) _mm_mul_ps(a, b)
#define ADD(a, b) _mm_add_ps(a, b)
#define A_TYPE FACTOR
#define A_READ(x) FACTOR_READ(x)
#define B_TYPE uint16_t
#define LOAD_B(p) WIDEN4(load_four(p))
#define LOAD_B_MASKED(p, m) WIDEN4(load_part(p, m))
#define SPAN HALF(span_four)
#define VECS_MAX 1
#define CASES CASES_ONE
#include "rows_cpu_span.h"

#define VEC __m256
#define LANES 8
#define MASK int
#define MASK_OF(count) (count)
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_MASKED(p, m) ((void)(m), LOAD(p))
#define STORE_MASKED(p, v, m) ((void)(m), STORE(p, v))
#define SET(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define ADD(a, b) _mm256_add_ps(a, b)
#define A_TYPE FACTOR
#define A_READ(x) FACTOR_READ(x)
#define B_TYPE uint16_t
#define LOAD_B(p) WIDEN8(_mm_loadu_si128((const __m128i_u *)(p)))
#define LOAD_B_MASKED(p, m) WIDEN8(load_part(p, m))
#define SPAN HALF(span_eight)
#define VECS_MAX 8
#define CASES CASES_WIDE
#include "rows_cpu_span.h"

static void HALF(span)(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1)
        HALF(span_one)(span, width, unroll);
    else if (width <= 4)
        HALF(span_four)(span, width, unroll);
    else
        HALF(span_eight)(span, width, unroll);
}

#undef HALF
#undef FACTOR
#undef FACTOR_READ
#undef NUMBER_READ
#undef WIDEN4
#undef WIDEN8
