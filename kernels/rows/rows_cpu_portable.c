/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family in plain C, for every machine. Where fma is an instruction the compiler uses it. */
#include <math.h>

#include "rows_cpu.h"

#define TARGET
#define CASES_ALL                                                                                   \
    CASE(1, 1) CASE(1, 2) CASE(1, 3) CASE(1, 4) CASE(2, 1) CASE(2, 2) CASE(2, 3) CASE(2, 4)          \
    CASE(4, 1) CASE(4, 2) CASE(4, 3) CASE(4, 4)

#define REAL float
#define VEC float
#define LANES 1
#define MASK int
#define MASK_OF(count) (count)
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define LOAD_MASKED(p, m) ((void)(m), *(p))
#define STORE_MASKED(p, v, m) ((void)(m), *(p) = (v))
#define SET(x) (x)
#define FMA(a, b, c) fmaf(a, b, c)
#define MUL(a, b) ((a) * (b))
#define ADD(a, b) ((a) + (b))
#define SPAN span_f32
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define FMA1(a, b, c) fmaf(a, b, c)
#define DENSE(name) name##_f32
#include "rows_cpu_dense.h"
#undef REAL
#undef FMA1
#undef DENSE

#define REAL double
#define VEC double
#define LANES 1
#define MASK int
#define MASK_OF(count) (count)
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define LOAD_MASKED(p, m) ((void)(m), *(p))
#define STORE_MASKED(p, v, m) ((void)(m), *(p) = (v))
#define SET(x) (x)
#define FMA(a, b, c) fma(a, b, c)
#define MUL(a, b) ((a) * (b))
#define ADD(a, b) ((a) + (b))
#define SPAN span_f64
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define FMA1(a, b, c) fma(a, b, c)
#define DENSE(name) name##_f64
#include "rows_cpu_dense.h"

const struct rows_cpu_ops spmmi_rows_cpu_portable[2] = {
    {span_f32, pack_f32, unpack_f32, add_f32, add_scaled_f32, scale_f32},
    {span_f64, pack_f64, unpack_f64, add_f64, add_scaled_f64, scale_f64},
};
