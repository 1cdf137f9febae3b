/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family with AVX-512. Spans of f32 with sums of up to 32 bytes use shorter vectors with masks of
 * this level, because masked stores of AVX2 take many times as long on AMD. Such spans of other types use the
 * AVX2 level. */
#include "kernels/shared/half_cpu.h"
#include "rows_cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,f16c")))
/* clang-format off */
#define CASES_ALL                                                                                   \
    CASE(1, 3) CASE(1, 4) CASE(1, 5) CASE(1, 6) CASE(1, 7) CASE(1, 8) CASE(1, 9) CASE(1, 10)         \
    CASE(1, 11) CASE(1, 12) CASE(1, 13) CASE(1, 14) CASE(1, 15) CASE(1, 16) CASE(2, 2) CASE(4, 1)
/* clang-format on */

/* Stores 16 bytes at a time, because C of most callers has no larger alignment. */
static inline __attribute__((always_inline)) TARGET void stream(float *p, __m512 v)
{
    _mm_stream_ps(p, _mm512_castps512_ps128(v));
    _mm_stream_ps(p + 4, _mm512_extractf32x4_ps(v, 1));
    _mm_stream_ps(p + 8, _mm512_extractf32x4_ps(v, 2));
    _mm_stream_ps(p + 12, _mm512_extractf32x4_ps(v, 3));
}

#define REAL float
#define VEC __m128
#define LANES 4
#define MASK __mmask8
#define MASK_OF(count) ((__mmask8)(0xfu >> (4 - (count))))
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm_maskz_loadu_ps(m, p)
#define STORE_MASKED(p, v, m) _mm_mask_storeu_ps(p, m, v)
#define SET(x) _mm_set1_ps(x)
#define FMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define MUL(a, b) _mm_mul_ps(a, b)
#define ADD(a, b) _mm_add_ps(a, b)
#define SPAN span_f32x4
#define VECS_MAX 1
#define CASES CASE(4, 1)
#include "rows_cpu_span.h"

#define VEC __m256
#define LANES 8
#define MASK __mmask8
#define MASK_OF(count) ((__mmask8)(0xffu >> (8 - (count))))
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm256_maskz_loadu_ps(m, p)
#define STORE_MASKED(p, v, m) _mm256_mask_storeu_ps(p, m, v)
#define SET(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define ADD(a, b) _mm256_add_ps(a, b)
#define SPAN span_f32x8
#define VECS_MAX 1
#define CASES CASE(4, 1)
#include "rows_cpu_span.h"

#define VEC __m512
#define LANES 16
#define MASK __mmask16
#define MASK_OF(count) ((__mmask16)(0xffffu >> (16 - (count))))
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm512_maskz_loadu_ps(m, p)
#define STORE_MASKED(p, v, m) _mm512_mask_storeu_ps(p, m, v)
#define SET(x) _mm512_set1_ps(x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define MUL(a, b) _mm512_mul_ps(a, b)
#define ADD(a, b) _mm512_add_ps(a, b)
#define STREAM(p, v) stream(p, v)
#define STREAM_END() _mm_sfence()
#define SPAN span_f32x16
#define VECS_MAX 16
#define CASES CASES_ALL
#include "rows_cpu_span.h"

static void span_f32(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1 || span->b_column > 1)
        spmmi_rows_columns_f32_avx2(span, width);
    else if (width <= 4)
        span_f32x4(span, width, unroll);
    else if (width <= 8)
        span_f32x8(span, width, unroll);
    else
        span_f32x16(span, width, unroll);
}

#undef REAL
#define REAL double
#define VEC __m512d
#define LANES 8
#define MASK __mmask8
#define MASK_OF(count) ((__mmask8)(0xffu >> (8 - (count))))
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define LOAD_MASKED(p, m) _mm512_maskz_loadu_pd(m, p)
#define STORE_MASKED(p, v, m) _mm512_mask_storeu_pd(p, m, v)
#define SET(x) _mm512_set1_pd(x)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define MUL(a, b) _mm512_mul_pd(a, b)
#define ADD(a, b) _mm512_add_pd(a, b)
#define STREAM(p, v) stream((float *)(void *)(p), _mm512_castpd_ps(v))
#define STREAM_END() _mm_sfence()
#define SPAN span_f64x8
#define VECS_MAX 16
#define CASES CASES_ALL
#include "rows_cpu_span.h"

static void span_f64(const struct rows_span *span, int64_t width, int unroll)
{
    if (width <= 4 || span->b_column > 1)
        spmmi_rows_cpu_avx2.span[SPMM_F64][SPMM_F64](span, width, unroll);
    else
        span_f64x8(span, width, unroll);
}

/* ---- B of 16 bits ---- */

static inline __attribute__((always_inline)) TARGET __m512 widen_bf16(__m256i x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

#undef REAL
#define REAL float
#define READ_F16(x) _cvtsh_ss(x)
#define READ_BF16(x) half_from_bf16(x)

#define HALF(name) name##_f16
#define TYPES [SPMM_F16][SPMM_F16]
#define FACTOR uint16_t
#define FACTOR_READ(x) READ_F16(x)
#define WIDEN(x) _mm512_cvtph_ps(x)
#include "rows_cpu_half_avx512.h"
#define HALF(name) name##_bf16
#define TYPES [SPMM_BF16][SPMM_BF16]
#define FACTOR uint16_t
#define FACTOR_READ(x) READ_BF16(x)
#define WIDEN(x) widen_bf16(x)
#include "rows_cpu_half_avx512.h"
#define HALF(name) name##_f32_f16
#define TYPES [SPMM_F32][SPMM_F16]
#define FACTOR float
#define FACTOR_READ(x) (x)
#define WIDEN(x) _mm512_cvtph_ps(x)
#include "rows_cpu_half_avx512.h"
#define HALF(name) name##_f32_bf16
#define TYPES [SPMM_F32][SPMM_BF16]
#define FACTOR float
#define FACTOR_READ(x) (x)
#define WIDEN(x) widen_bf16(x)
#include "rows_cpu_half_avx512.h"

const struct rows_cpu_level spmmi_rows_cpu_avx512 = {.span = ROWS_CPU_SPANS, .base = &spmmi_rows_cpu_avx2};
#endif
