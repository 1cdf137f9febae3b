/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the C code of spgemm_cpu_level.h for AVX2 and FMA. */
#if defined(__x86_64__)
#include <immintrin.h>

#define SPGEMM_VECTORS
#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL spmmi_spgemm_cpu_avx2
#include "spgemm_cpu_level.h"
#else
typedef int spgemm_cpu_has_no_avx2; /* a translation unit must not be empty */
#endif
