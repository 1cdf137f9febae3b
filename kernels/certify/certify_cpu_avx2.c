/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of certify_cpu_level.h compiled for AVX2 and FMA. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "certify_lanes.h"

#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL spmmi_certify_avx2
#define ADD_EXACT(a, x, sum) ((lanes4)_mm256_fmadd_pd(a, _mm256_set1_pd(x), sum))
#define PRODUCT_ERROR(a, x, product) ((lanes4)_mm256_fmsub_pd(_mm256_set1_pd(a), x, product))
#include "certify_cpu_level.h"
#else
typedef int certify_cpu_has_no_avx2; /* a translation unit must not be empty */
#endif
