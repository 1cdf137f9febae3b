/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the same C code for AVX2 and FMA. */
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL spmmi_tiled_cpu_avx2
#include "tiled_cpu_level.h"
#else
typedef int tiled_cpu_has_no_avx2; /* ISO C forbids an empty translation unit */
#endif
