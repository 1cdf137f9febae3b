/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the C code of spgemm_cpu_level.h for AVX-512, whose mask registers handle a window of sums at a
 * time. */
#if defined(__x86_64__)
#include <immintrin.h>

#define SPGEMM_VECTORS
#define SPGEMM_MASKS
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,popcnt")))
#define LEVEL spmmi_spgemm_cpu_avx512
#include "spgemm_cpu_level.h"
#else
typedef int spgemm_cpu_has_no_avx512; /* a translation unit must not be empty */
#endif
