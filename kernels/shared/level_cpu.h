/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that families on the CPU share: the SIMD level, the number of threads, and C = beta * C. */
#ifndef SPMMI_LEVEL_CPU_H
#define SPMMI_LEVEL_CPU_H

#include <stdbool.h>

#include "executor/product.h"

/* NAME_avx2 if this machine has AVX2 and FMA, else NAME_portable. name: a table or function of one level. */
#if defined(__x86_64__)
#define SPMMI_CPU_LEVEL(name) (spmmi_cpu_has_avx2() ? name##_avx2 : name##_portable)
#else
#define SPMMI_CPU_LEVEL(name) name##_portable
#endif
bool spmmi_cpu_has_avx2(void);
bool spmmi_cpu_has_avx512(void); /* also VL, DQ and BW */

/* Returns the number of threads for products of n columns with `work` multiplications per column. threads =
 * 0: OpenMP's default. It is at most SPMMI_TEAM_MAX, because callers allocate memory for each thread. */
int spmmi_cpu_threads(int64_t work, int64_t n, int threads);

/* Computes C = beta * C for `rows` rows, line by line. scale multiplies n values; with beta = 0 it does not
 * read them. */
void spmmi_cpu_scale(const struct spmmi_product *product, int64_t rows,
                     void (*scale)(int64_t n, double beta, void *c));

#endif
