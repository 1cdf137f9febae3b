/* SPDX-License-Identifier: Apache-2.0 */
/* Both value types of one SIMD level; each level includes this file once. No include guard. The including
 * file defines TARGET; LEVEL, the name of the table; SPGEMM_VECTORS if AVX2 and FMA intrinsics may be used;
 * and SPGEMM_MASKS if AVX-512 intrinsics may be used too. */
#include <string.h>

#ifdef SPGEMM_VECTORS
#define RANKED_LANES 8
#else
#define RANKED_LANES 4
#endif
#include "format/spgemm/spgemm_row_list.h"
#include "spgemm_cpu.h"
#include "spgemm_cpu_ranks.h"
#include "spgemm_masks.h"

#define REAL float
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#define SPGEMM(name) name##_f32
#ifdef SPGEMM_VECTORS
#define SPGEMM_VECTOR __m128
#define SPGEMM_INTRINSIC(name) _mm_##name##_ps
#endif
#ifdef SPGEMM_MASKS
#define SPGEMM_WINDOW_VECTOR __m256
#define SPGEMM_WINDOW_INTRINSIC(name) _mm256_##name##_ps
#define SPGEMM_WINDOW_LANES(bytes) _mm256_cvtepu8_epi32(bytes)
#endif
#include "spgemm_cpu_rows.h"
#include "spgemm_cpu_once.h"
#undef SPGEMM_VECTOR
#undef SPGEMM_INTRINSIC
#undef SPGEMM_WINDOW_VECTOR
#undef SPGEMM_WINDOW_INTRINSIC
#undef SPGEMM_WINDOW_LANES
#undef REAL
#undef FMA
#undef SPGEMM

#define REAL double
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define SPGEMM(name) name##_f64
#ifdef SPGEMM_VECTORS
#define SPGEMM_VECTOR __m256d
#define SPGEMM_INTRINSIC(name) _mm256_##name##_pd
#endif
#ifdef SPGEMM_MASKS
#define SPGEMM_WINDOW_VECTOR __m512d
#define SPGEMM_WINDOW_INTRINSIC(name) _mm512_##name##_pd
#define SPGEMM_WINDOW_LANES(bytes) _mm512_cvtepu8_epi64(bytes)
#endif
#include "spgemm_cpu_rows.h"
#include "spgemm_cpu_once.h"
#undef SPGEMM_VECTOR
#undef SPGEMM_INTRINSIC
#undef SPGEMM_WINDOW_VECTOR
#undef SPGEMM_WINDOW_INTRINSIC
#undef SPGEMM_WINDOW_LANES
#undef REAL
#undef FMA
#undef SPGEMM

const struct spgemm_cpu_ops LEVEL[SPMM_F64 + 1] = {
    [SPMM_F32] = {by_column_f32, by_position_f32, rows_once_f32, join_f32},
    [SPMM_F64] = {by_column_f64, by_position_f64, rows_once_f64, join_f64},
};
