/* SPDX-License-Identifier: Apache-2.0 */
/* rows_cpu_span.h for B of 16 bits, one value at a time; sums are stored without scaling. No include guard.
 * The including file defines REAL, FMA1(a, b, c), B_READ(x), and SPAN, VECS_MAX, CASES, A_TYPE and A_READ(x)
 * of rows_cpu_span.h. */
#include "rows_cpu_one.h"
#define B_TYPE uint16_t
#define LOAD_B(p) B_READ(*(p))
#define LOAD_B_MASKED(p, m) ((void)(m), B_READ(*(p)))
#include "rows_cpu_span.h"
#undef B_READ
