/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family in plain C, for every machine. Where fma is an instruction the compiler uses it. */
#include <math.h>

#include "rows_cpu.h"

#define TARGET
/* clang-format off */
#define CASES_ALL                                                                                   \
    CASE(1, 1) CASE(1, 2) CASE(1, 3) CASE(1, 4) CASE(2, 1) CASE(2, 2) CASE(2, 3) CASE(2, 4)          \
    CASE(4, 1) CASE(4, 2) CASE(4, 3) CASE(4, 4)
/* clang-format on */

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
#define FMA(a, b, c) fmaf(a, b, c)
#define VEC float
#define LANES 1
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(x) (x)
#define MUL(a, b) ((a) * (b))
#define TRANSPOSE(v) ((void)(v))
#define TURN(name) name##_f32_portable
#include "rows_cpu_turn.h"
#undef FMA
#undef VEC
#undef LANES
#undef LOAD
#undef STORE
#undef SET
#undef MUL
#undef TRANSPOSE
#undef TURN
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
#define FMA(a, b, c) fma(a, b, c)
#define VEC double
#define LANES 1
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(x) (x)
#define MUL(a, b) ((a) * (b))
#define TRANSPOSE(v) ((void)(v))
#define TURN(name) name##_f64_portable
#include "rows_cpu_turn.h"

const struct rows_cpu_ops spmmi_rows_cpu_portable[SPMM_F64 + 1] = {
    [SPMM_F32] = {span_f32, spmmi_rows_pack_f32_portable, spmmi_rows_unpack_f32_portable, add_f32,
                  add_scaled_f32, scale_f32},
    [SPMM_F64] = {span_f64, spmmi_rows_pack_f64_portable, spmmi_rows_unpack_f64_portable, add_f64,
                  add_scaled_f64, scale_f64},
};
