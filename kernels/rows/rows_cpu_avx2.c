/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family with AVX2 and FMA: one value, 128-bit and 256-bit vectors, by the width of the columns. */
#include "rows_cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

/* Loaded from 8 - count on, the first count values are all ones. */
static const int32_t mask_words[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t mask_longs[8] = {-1, -1, -1, -1, 0, 0, 0, 0};

#define CASES_ONE CASE(4, 1)
/* clang-format off */
#define CASES_WIDE                                                                                  \
    CASE(1, 1) CASE(1, 2) CASE(1, 3) CASE(1, 4) CASE(1, 5) CASE(1, 6) CASE(1, 7) CASE(1, 8)          \
    CASE(2, 3) CASE(2, 4) CASE(4, 1) CASE(4, 2)
/* clang-format on */

#define REAL float
#define FMA1(a, b, c) __builtin_fmaf(a, b, c)
#include "rows_cpu_one.h"
#define SPAN span_f32x1
#define VECS_MAX 1
#define CASES CASES_ONE
#include "rows_cpu_span.h"

#define VEC __m128
#define LANES 4
#define MASK __m128i
#define MASK_OF(count) _mm_loadu_si128((const __m128i_u *)(mask_words + 8 - (count)))
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm_maskload_ps(p, m)
#define STORE_MASKED(p, v, m) _mm_maskstore_ps(p, m, v)
#define SET(x) _mm_set1_ps(x)
#define FMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define MUL(a, b) _mm_mul_ps(a, b)
#define ADD(a, b) _mm_add_ps(a, b)
#define SPAN span_f32x4
#define VECS_MAX 1
#define CASES CASES_ONE
#include "rows_cpu_span.h"

#define VEC __m256
#define LANES 8
#define MASK __m256i
#define MASK_OF(count) _mm256_loadu_si256((const __m256i_u *)(mask_words + 8 - (count)))
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm256_maskload_ps(p, m)
#define STORE_MASKED(p, v, m) _mm256_maskstore_ps(p, m, v)
#define SET(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define ADD(a, b) _mm256_add_ps(a, b)
#define SPAN span_f32x8
#define VECS_MAX 8
#define CASES CASES_WIDE
#include "rows_cpu_span.h"

#define DENSE(name) name##_f32
#include "rows_cpu_dense.h"

static void span_f32(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1)
        span_f32x1(span, width, unroll);
    else if (width <= 4)
        span_f32x4(span, width, unroll);
    else
        span_f32x8(span, width, unroll);
}

#define REAL double
#define FMA1(a, b, c) __builtin_fma(a, b, c)
#include "rows_cpu_one.h"
#define SPAN span_f64x1
#define VECS_MAX 1
#define CASES CASES_ONE
#include "rows_cpu_span.h"

#define VEC __m128d
#define LANES 2
#define MASK __m128i
#define MASK_OF(count) _mm_loadu_si128((const __m128i_u *)(mask_longs + 4 - (count)))
#define LOAD(p) _mm_loadu_pd(p)
#define STORE(p, v) _mm_storeu_pd(p, v)
#define LOAD_MASKED(p, m) _mm_maskload_pd(p, m)
#define STORE_MASKED(p, v, m) _mm_maskstore_pd(p, m, v)
#define SET(x) _mm_set1_pd(x)
#define FMA(a, b, c) _mm_fmadd_pd(a, b, c)
#define MUL(a, b) _mm_mul_pd(a, b)
#define ADD(a, b) _mm_add_pd(a, b)
#define SPAN span_f64x2
#define VECS_MAX 1
#define CASES CASES_ONE
#include "rows_cpu_span.h"

#define VEC __m256d
#define LANES 4
#define MASK __m256i
#define MASK_OF(count) _mm256_loadu_si256((const __m256i_u *)(mask_longs + 4 - (count)))
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define LOAD_MASKED(p, m) _mm256_maskload_pd(p, m)
#define STORE_MASKED(p, v, m) _mm256_maskstore_pd(p, m, v)
#define SET(x) _mm256_set1_pd(x)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define ADD(a, b) _mm256_add_pd(a, b)
#define SPAN span_f64x4
#define VECS_MAX 8
#define CASES CASES_WIDE
#include "rows_cpu_span.h"

#define DENSE(name) name##_f64
#include "rows_cpu_dense.h"

static void span_f64(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1)
        span_f64x1(span, width, unroll);
    else if (width == 2)
        span_f64x2(span, width, unroll);
    else
        span_f64x4(span, width, unroll);
}

ROWS_CPU_TABLE(spmmi_rows_cpu_avx2, avx2);
#endif
