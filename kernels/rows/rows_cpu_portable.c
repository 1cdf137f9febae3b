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
#define FMA1(a, b, c) fmaf(a, b, c)
#include "rows_cpu_one.h"
#define TRANSPOSE(v) ((void)(v))
#define TURN(name) name##_f32_portable
#include "rows_cpu_turn.h"
#define SPAN span_f32
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define DENSE(name) name##_f32
#include "rows_cpu_dense.h"

#define REAL double
#define FMA1(a, b, c) fma(a, b, c)
#include "rows_cpu_one.h"
#define TRANSPOSE(v) ((void)(v))
#define TURN(name) name##_f64_portable
#include "rows_cpu_turn.h"
#define SPAN span_f64
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define DENSE(name) name##_f64
#include "rows_cpu_dense.h"

ROWS_CPU_TABLE(spmmi_rows_cpu_portable, portable);
