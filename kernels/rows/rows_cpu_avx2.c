/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family with AVX2, FMA and F16C. The width in columns selects single values, 128-bit or 256-bit
 * vectors. */
#include <string.h>

#include "kernels/shared/half_cpu.h"
#include "rows_cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,f16c")))

/* A vector that is loaded `count` values before the middle has all ones in its first `count` values. */
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

#define VALUE float
#define READ(x) (x)
#define WRITE(x) (x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_f32
#include "rows_cpu_dense.h"

static void span_f32(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1 || span->b_column > 1)
        spmmi_rows_columns_f32_avx2(span, width);
    else if (width <= 4)
        span_f32x4(span, width, unroll);
    else
        span_f32x8(span, width, unroll);
}

#undef REAL
#undef FMA1
#define REAL double
#define FMA1(a, b, c) __builtin_fma(a, b, c)
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

#define VALUE double
#define READ(x) (x)
#define WRITE(x) (x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_f64
#include "rows_cpu_dense.h"
#undef REAL
#undef FMA1

static void span_f64(const struct rows_span *span, int64_t width, int unroll)
{
    if (width == 1 || span->b_column > 1)
        spmmi_rows_columns_f64_avx2(span, width);
    else if (width == 2)
        span_f64x2(span, width, unroll);
    else
        span_f64x4(span, width, unroll);
}

/* ---- B of 16 bits ---- */

/* Loads the first count values, 1 to 8; the others are 0. */
static inline __attribute__((always_inline)) TARGET __m128i load_part(const uint16_t *p, int count)
{
    uint64_t low = 0, rest = 0;
    uint32_t pair = 0;
    if (count == 8)
        return _mm_loadu_si128((const __m128i_u *)p);
    const uint16_t *const end = p + (count & 4);
    if ((count & 4) != 0)
        memcpy(&low, p, sizeof low);
    if ((count & 2) != 0)
        memcpy(&pair, end, sizeof pair);
    if ((count & 1) != 0)
        rest = end[count & 2];
    rest = (count & 2) != 0 ? rest << 32 | pair : rest;
    return (count & 4) != 0 ? _mm_set_epi64x((int64_t)rest, (int64_t)low) : _mm_set_epi64x(0, (int64_t)rest);
}

static inline __attribute__((always_inline)) TARGET __m128i load_four(const uint16_t *p)
{
    return _mm_loadl_epi64((const __m128i_u *)p);
}

static inline __attribute__((always_inline)) TARGET __m256 widen_bf16(__m128i x)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}

/* Does what half_to_bf16 does, for eight values. */
static inline __attribute__((always_inline)) TARGET __m128i narrow_bf16(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x), upper = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i whole = _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), quiet, is_nan);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(whole, whole), 0x08);
    return _mm256_castsi256_si128(packed);
}

#define REAL float
#define FMA1(a, b, c) __builtin_fmaf(a, b, c)
#define READ_F16(x) _cvtsh_ss(x)
#define READ_BF16(x) half_from_bf16(x)

#define HALF(name) name##_f16
#define FACTOR uint16_t
#define FACTOR_READ(x) READ_F16(x)
#define NUMBER_READ(x) READ_F16(x)
#define WIDEN4(x) _mm_cvtph_ps(x)
#define WIDEN8(x) _mm256_cvtph_ps(x)
#include "rows_cpu_half_avx2.h"
#define HALF(name) name##_bf16
#define FACTOR uint16_t
#define FACTOR_READ(x) READ_BF16(x)
#define NUMBER_READ(x) READ_BF16(x)
#define WIDEN4(x) _mm256_castps256_ps128(widen_bf16(x))
#define WIDEN8(x) widen_bf16(x)
#include "rows_cpu_half_avx2.h"
#define HALF(name) name##_f32_f16
#define FACTOR float
#define FACTOR_READ(x) (x)
#define NUMBER_READ(x) READ_F16(x)
#define WIDEN4(x) _mm_cvtph_ps(x)
#define WIDEN8(x) _mm256_cvtph_ps(x)
#include "rows_cpu_half_avx2.h"
#define HALF(name) name##_f32_bf16
#define FACTOR float
#define FACTOR_READ(x) (x)
#define NUMBER_READ(x) READ_BF16(x)
#define WIDEN4(x) _mm256_castps256_ps128(widen_bf16(x))
#define WIDEN8(x) widen_bf16(x)
#include "rows_cpu_half_avx2.h"

#define LINE_NAME line_f16
#define WIDEN(x) _mm256_cvtph_ps(x)
#define NARROW(x) _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)
#include "rows_cpu_line_avx2.h"
#define LINE_NAME line_bf16
#define WIDEN(x) widen_bf16(x)
#define NARROW(x) narrow_bf16(x)
#include "rows_cpu_line_avx2.h"

#define VALUE uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define LINE(n, alpha, sum, beta, c) line_f16(n, alpha, sum, beta, c)
#define DENSE(name) name##_f16
#include "rows_cpu_dense.h"
#define VALUE uint16_t
#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define LINE(n, alpha, sum, beta, c) line_bf16(n, alpha, sum, beta, c)
#define DENSE(name) name##_bf16
#include "rows_cpu_dense.h"

const struct rows_cpu_level spmmi_rows_cpu_avx2 = {.span = ROWS_CPU_SPANS, ROWS_CPU_REST(avx2)};
#endif
