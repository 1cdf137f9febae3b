/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family in plain C, for every machine. The compiler uses an fma instruction if there is one. */
#include <math.h>

#include "kernels/shared/half_cpu.h"
#include "rows_cpu.h"

#define TARGET
#define PACK_ROWS 64 /* rows whose cache lines stay in the cache while they are filled */
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
#define SPAN wide_f32
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define COLUMN(name) name##_f32
#include "rows_cpu_column.h"

#define SPAN span_f16
#define VECS_MAX 4
#define CASES CASES_ALL
#define A_TYPE uint16_t
#define A_READ(x) half_from_f16(x)
#define B_READ(x) half_from_f16(x)
#include "rows_cpu_half.h"
#define SPAN span_bf16
#define VECS_MAX 4
#define CASES CASES_ALL
#define A_TYPE uint16_t
#define A_READ(x) half_from_bf16(x)
#define B_READ(x) half_from_bf16(x)
#include "rows_cpu_half.h"
#define SPAN span_f32_f16
#define VECS_MAX 4
#define CASES CASES_ALL
#define B_READ(x) half_from_f16(x)
#include "rows_cpu_half.h"
#define SPAN span_f32_bf16
#define VECS_MAX 4
#define CASES CASES_ALL
#define B_READ(x) half_from_bf16(x)
#include "rows_cpu_half.h"

#define VALUE float
#define READ(x) (x)
#define WRITE(x) (x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_f32
#include "rows_cpu_dense.h"
#define VALUE uint16_t
#define READ(x) half_from_f16(x)
#define WRITE(x) half_to_f16(x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_f16
#include "rows_cpu_dense.h"
#define VALUE uint16_t
#define READ(x) half_from_bf16(x)
#define WRITE(x) half_to_bf16(x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_bf16
#include "rows_cpu_dense.h"
#undef REAL
#undef FMA1

#define REAL double
#define FMA1(a, b, c) fma(a, b, c)
#include "rows_cpu_one.h"
#define TRANSPOSE(v) ((void)(v))
#define TURN(name) name##_f64_portable
#include "rows_cpu_turn.h"
#define SPAN wide_f64
#define VECS_MAX 4
#define CASES CASES_ALL
#include "rows_cpu_span.h"
#define COLUMN(name) name##_f64
#include "rows_cpu_column.h"
#define VALUE double
#define READ(x) (x)
#define WRITE(x) (x)
#define LINE(n, alpha, sum, beta, c) 0
#define DENSE(name) name##_f64
#include "rows_cpu_dense.h"
#undef REAL
#undef FMA1

/* Packs values of 16 bits, which are moved without conversion. */
void spmmi_rows_pack_half(const struct rows_block *block)
{
    const uint16_t *from = block->by_cols;
    uint16_t *to = block->by_rows;
    for (int64_t begin = 0; begin < block->rows; begin += PACK_ROWS) {
        const int64_t end = block->rows - begin < PACK_ROWS ? block->rows : begin + PACK_ROWS;
        for (int64_t j = 0; j < block->cols; j++)
            for (int64_t i = begin; i < end; i++)
                to[i * block->ld_by_rows + j] = from[i + j * block->ld_by_cols];
    }
}

const struct rows_cpu_level spmmi_rows_cpu_portable = {.span = ROWS_CPU_SPANS, ROWS_CPU_REST(portable)};
