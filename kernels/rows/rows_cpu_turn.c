/* SPDX-License-Identifier: Apache-2.0 */
/* Transposition between row-major and column-major with AVX2. The AVX-512 level uses it as well, because the
 * shared cache is the limit, not the shuffles. */
#include "rows_cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

static inline __attribute__((always_inline)) TARGET void transpose_f32(__m256 v[8])
{
    __m256 pairs[8], quads[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        quads[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
        quads[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xee);
        quads[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
        quads[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20);
        v[i + 4] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x31);
    }
}

static inline __attribute__((always_inline)) TARGET void transpose_f64(__m256d v[4])
{
    const __m256d a = _mm256_unpacklo_pd(v[0], v[1]);
    const __m256d b = _mm256_unpackhi_pd(v[0], v[1]);
    const __m256d c = _mm256_unpacklo_pd(v[2], v[3]);
    const __m256d d = _mm256_unpackhi_pd(v[2], v[3]);
    v[0] = _mm256_permute2f128_pd(a, c, 0x20);
    v[1] = _mm256_permute2f128_pd(b, d, 0x20);
    v[2] = _mm256_permute2f128_pd(a, c, 0x31);
    v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

#define REAL float
#define VEC __m256
#define LANES 8
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define SET(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define FMA1(a, b, c) __builtin_fmaf(a, b, c)
#define TRANSPOSE(v) transpose_f32(v)
#define TURN(name) name##_f32_avx2
#include "rows_cpu_turn.h"
#undef REAL
#undef VEC
#undef LANES
#undef LOAD
#undef STORE
#undef SET
#undef FMA
#undef MUL
#undef FMA1

#define REAL double
#define VEC __m256d
#define LANES 4
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define SET(x) _mm256_set1_pd(x)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define FMA1(a, b, c) __builtin_fma(a, b, c)
#define TRANSPOSE(v) transpose_f64(v)
#define TURN(name) name##_f64_avx2
#include "rows_cpu_turn.h"
#endif
