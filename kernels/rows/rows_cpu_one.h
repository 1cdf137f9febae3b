/* SPDX-License-Identifier: Apache-2.0 */
/* A single value in place of the vectors of rows_cpu_span.h and rows_cpu_turn.h. No include guard. The
 * including file defines REAL and FMA1(a, b, c). */
#define VEC REAL
#define LANES 1
#define MASK int
#define MASK_OF(count) (count)
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define LOAD_MASKED(p, m) ((void)(m), *(p))
#define STORE_MASKED(p, v, m) ((void)(m), *(p) = (v))
#define SET(x) (x)
#define FMA(a, b, c) FMA1(a, b, c)
#define MUL(a, b) ((a) * (b))
#define ADD(a, b) ((a) + (b))
