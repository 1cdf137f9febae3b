/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of one column of B with AVX2. The AVX-512 level uses them as well: wider vectors were no faster. */
#include <string.h>

#include "rows_cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* A vector that is loaded `count` values before the middle has all ones in its first `count` values. */
static const int32_t mask_words[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t mask_longs[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

struct eight {
    __m256d low, high;
};
struct eight_longs {
    __m256i low, high;
};

/* Loads two column indices at once. */
INLINE uint64_t pair_at(const int32_t *col)
{
    uint64_t pair;
    memcpy(&pair, col, sizeof pair);
    return pair;
}

INLINE int64_t low_of(uint64_t pair)
{
    return (uint32_t)pair;
}

INLINE int64_t high_of(uint64_t pair)
{
    return (int64_t)(pair >> 32);
}

INLINE __m128 gather_four(const float *b, const int32_t *col, int64_t ldb)
{
    const uint64_t x = pair_at(col), y = pair_at(col + 2);
    __m128 v = _mm_load_ss(b + low_of(x) * ldb);
    v = _mm_insert_ps(v, _mm_load_ss(b + high_of(x) * ldb), 0x10);
    v = _mm_insert_ps(v, _mm_load_ss(b + low_of(y) * ldb), 0x20);
    return _mm_insert_ps(v, _mm_load_ss(b + high_of(y) * ldb), 0x30);
}

INLINE __m256 gather_f32(const float *b, const int32_t *col, int64_t ldb)
{
    return _mm256_set_m128(gather_four(b, col + 4, ldb), gather_four(b, col, ldb));
}

INLINE __m256d gather_four_f64(const double *b, const int32_t *col, int64_t ldb)
{
    const uint64_t x = pair_at(col), y = pair_at(col + 2);
    const __m128d low = _mm_loadh_pd(_mm_load_sd(b + low_of(x) * ldb), b + high_of(x) * ldb);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(b + low_of(y) * ldb), b + high_of(y) * ldb);
    return _mm256_set_m128d(high, low);
}

INLINE struct eight gather_f64(const double *b, const int32_t *col, int64_t ldb)
{
    return (struct eight){gather_four_f64(b, col, ldb), gather_four_f64(b, col + 4, ldb)};
}

INLINE struct eight load_f64(const double *p)
{
    return (struct eight){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}

INLINE void store_f64(double *p, struct eight v)
{
    _mm256_storeu_pd(p, v.low);
    _mm256_storeu_pd(p + 4, v.high);
}

INLINE struct eight fma_f64(struct eight a, struct eight b, struct eight c)
{
    return (struct eight){_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}

INLINE struct eight load_part_f64(const double *p, struct eight_longs mask)
{
    return (struct eight){_mm256_maskload_pd(p, mask.low), _mm256_maskload_pd(p + 4, mask.high)};
}

INLINE struct eight keep_part_f64(struct eight v, struct eight_longs mask)
{
    return (struct eight){_mm256_and_pd(v.low, _mm256_castsi256_pd(mask.low)),
                          _mm256_and_pd(v.high, _mm256_castsi256_pd(mask.high))};
}

INLINE struct eight_longs mask_f64(int64_t count)
{
    const int64_t *const words = mask_longs + 8 - count;
    return (struct eight_longs){_mm256_loadu_si256((const __m256i_u *)words),
                                _mm256_loadu_si256((const __m256i_u *)(words + 4))};
}

INLINE float sum_f32(__m256 v)
{
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

INLINE double sum_f64(struct eight eight)
{
    const __m256d v = _mm256_add_pd(eight.low, eight.high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#define REAL float
#define FMA1(a, b, c) __builtin_fmaf(a, b, c)
#define VEC __m256
#define MASK __m256i
#define ZERO() _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_PART(p, mask) _mm256_maskload_ps(p, mask)
#define KEEP_PART(v, mask) _mm256_and_ps(v, _mm256_castsi256_ps(mask))
#define MASK_OF(count) _mm256_loadu_si256((const __m256i_u *)(mask_words + 8 - (count)))
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define GATHER(b, col, ldb) gather_f32(b, col, ldb)
#define SUM(v) sum_f32(v)
#define COLUMN(name) name##_f32_avx2
#include "rows_cpu_column_avx2.h"

#define REAL double
#define FMA1(a, b, c) __builtin_fma(a, b, c)
#define VEC struct eight
#define MASK struct eight_longs
#define ZERO() ((struct eight){_mm256_setzero_pd(), _mm256_setzero_pd()})
#define LOAD(p) load_f64(p)
#define STORE(p, v) store_f64(p, v)
#define LOAD_PART(p, mask) load_part_f64(p, mask)
#define KEEP_PART(v, mask) keep_part_f64(v, mask)
#define MASK_OF(count) mask_f64(count)
#define FMA(a, b, c) fma_f64(a, b, c)
#define GATHER(b, col, ldb) gather_f64(b, col, ldb)
#define SUM(v) sum_f64(v)
#define COLUMN(name) name##_f64_avx2
#include "rows_cpu_column_avx2.h"
#endif
