/* SPDX-License-Identifier: Apache-2.0 */
/* Units of one value type and SIMD level. No include guard. Positions of one row of the right factor differ, so that
 * the additions of one k do not depend on each other. */

/* What entry p of the left factor multiplies. */
struct SPGEMM(step) {
    REAL a;
    const REAL *b;
    const int32_t *columns;
    int64_t count;
};

TARGET static inline struct SPGEMM(step) SPGEMM(step_at)(const struct spmmi_spgemm_stage *stage,
                                                         const struct spmmi_spgemm_values *values, int64_t p)
{
    const struct spmmi_csr_pattern *right = &stage->task.right;
    const int32_t k = stage->task.left.col_ind[p];
    const int64_t start = right->row_ptr[k];
    struct SPGEMM(step)
        s = {((const REAL *)values->left)[p], (const REAL *)values->right + start, right->col_ind + start,
             stage->taken != NULL ? stage->taken[p] : right->row_ptr[k + 1] - start};
    if (values->diagonal != NULL)
        s.a *= ((const REAL *)values->diagonal)[k];
    return s;
}

/* A sum into C. */
TARGET static inline void SPGEMM(put)(const struct spmmi_spgemm_values *values, int64_t q, REAL sum)
{
    const REAL alpha = (REAL)values->alpha, beta = (REAL)values->beta;
    REAL *const c = (REAL *)values->c + q;
    *c = beta == 0 ? alpha * sum : FMA(alpha, sum, beta * *c);
}

TARGET static inline void SPGEMM(add_by_column)(const struct spmmi_spgemm_stage *stage,
                                                const struct spmmi_spgemm_values *values, int64_t first,
                                                int64_t end, REAL *sums)
{
    for (int64_t p = first; p < end; p++) {
        const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p);
        for (int64_t j = 0; j < s.count; j++)
            sums[s.columns[j]] = FMA(s.a, s.b[j], sums[s.columns[j]]);
    }
}

/* A row, or a piece of one, that may have long entries. memory: SPMMI_SPGEMM_LONG_ARRAYS arrays over the columns, all
 * 0, and so they are left. */
TARGET static void SPGEMM(long_row)(const struct spmmi_spgemm_stage *stage,
                                    const struct spmmi_spgemm_values *values, int64_t row, int64_t first,
                                    int64_t end, int64_t partial, REAL *memory)
{
    const int64_t cols = stage->task.right.cols, *c = stage->c.row_ptr;
    REAL *const sums = memory, *const before = memory + cols;
    uint32_t *const counts = (uint32_t *)(void *)(memory + 2 * cols);
    for (int64_t p = first; p < end; p++) {
        const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p);
        for (int64_t j = 0; j < s.count; j++) {
            const int32_t column = s.columns[j];
            const uint32_t count = counts[column]++;
            if (count % SPMMI_SPGEMM_STRETCH == 0 && count > 0) {
                before[column] = count > SPMMI_SPGEMM_STRETCH ? before[column] + sums[column] : sums[column];
                sums[column] = 0;
            }
            sums[column] = FMA(s.a, s.b[j], sums[column]);
        }
    }
    for (int64_t q = c[row]; q < c[row + 1]; q++) {
        const int32_t column = stage->c.col_ind[q];
        const REAL sum = counts[column] > SPMMI_SPGEMM_STRETCH ? before[column] + sums[column] : sums[column];
        if (partial >= 0)
            ((REAL *)values->partials)[partial + q - c[row]] = sum;
        else
            SPGEMM(put)(values, q, sum);
        sums[column] = before[column] = 0;
        counts[column] = 0;
    }
}

TARGET static void SPGEMM(by_column)(const struct spmmi_spgemm_stage *stage,
                                     const struct spmmi_spgemm_values *values,
                                     const struct spmmi_spgemm_unit *unit, void *memory)
{
    REAL *const sums = memory;
    const int64_t *left = stage->task.left.row_ptr, *c = stage->c.row_ptr;
    const int32_t *columns = stage->c.col_ind;
    for (int64_t i = unit->row; i < unit->row_end; i++) {
        const int is_piece = unit->partial >= 0;
        const int64_t first = is_piece ? unit->first : left[i], end = is_piece ? unit->end : left[i + 1];
        if (spmmi_spgemm_is_long(stage, end - first)) {
            SPGEMM(long_row)(stage, values, i, first, end, unit->partial, sums + stage->sums);
            continue;
        }
        SPGEMM(add_by_column)(stage, values, first, end, sums);
        for (int64_t q = c[i]; q < c[i + 1]; q++) {
            if (is_piece)
                ((REAL *)values->partials)[unit->partial + q - c[i]] = sums[columns[q]];
            else
                SPGEMM(put)(values, q, sums[columns[q]]);
            sums[columns[q]] = 0;
        }
    }
}

/* The loop over the products of a range, for positions of one width. Ends behind them. */
#define SPGEMM_ADD(type)                                                     \
    do {                                                                     \
        const type *at = (const type *)(const void *)positions;              \
        for (int64_t p = first; p < end; p++) {                              \
            const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p); \
            for (int64_t j = 0; j < s.count; j++)                            \
                sums[at[j]] = FMA(s.a, s.b[j], sums[at[j]]);                 \
            at += s.count;                                                   \
        }                                                                    \
    } while (0)

TARGET static inline void SPGEMM(add_by_position)(const struct spmmi_spgemm_stage *stage,
                                                  const struct spmmi_spgemm_values *values, int64_t first,
                                                  int64_t end, const uint8_t *positions, uint32_t width,
                                                  REAL *sums)
{
    if (width == 1)
        SPGEMM_ADD(uint8_t);
    else if (width == 2)
        SPGEMM_ADD(uint16_t);
    else
        SPGEMM_ADD(uint32_t);
}
#undef SPGEMM_ADD

#include "spgemm_cpu_groups.h"

TARGET static void SPGEMM(by_position)(const struct spmmi_spgemm_stage *stage,
                                       const struct spmmi_spgemm_values *values,
                                       const struct spmmi_spgemm_unit *unit, void *memory)
{
    const int64_t *left = stage->task.left.row_ptr, *c = stage->c.row_ptr;
    for (int64_t i = unit->row, rows; i < unit->row_end; i += rows) {
        const int64_t entries = c[i + 1] - c[i];
        const int is_piece = unit->partial >= 0;
        const int64_t first = is_piece ? unit->first : left[i], end = is_piece ? unit->end : left[i + 1];
        rows = stage->alike != NULL && !is_piece ? stage->alike[i] : 1;
        rows = rows < unit->row_end - i ? rows : unit->row_end - i;
        if (rows > 1) {
            SPGEMM(by_group)(stage, values, i, (int)rows, memory);
            continue;
        }
        if (spmmi_spgemm_is_long(stage, end - first)) {
            SPGEMM(long_row)(stage, values, i, first, end, unit->partial, (REAL *)memory + stage->sums);
            continue;
        }
        REAL *const sums = is_piece ? (REAL *)values->partials + unit->partial : (REAL *)memory;
        memset(sums, 0, (size_t)entries * sizeof *sums);
        SPGEMM(add_by_position)
        (stage, values, first, end, stage->positions + (is_piece ? unit->position : stage->position_at[i]),
         spmmi_spgemm_width(entries), sums);
        for (int64_t q = 0; !is_piece && q < entries; q++)
            SPGEMM(put)(values, c[i] + q, sums[q]);
    }
}

TARGET static void SPGEMM(join)(const struct spmmi_spgemm_stage *stage,
                                const struct spmmi_spgemm_values *values, const struct spmmi_spgemm_cut *cut)
{
    const int64_t first = stage->c.row_ptr[cut->row], entries = stage->c.row_ptr[cut->row + 1] - first;
    const REAL *const partials = (const REAL *)values->partials + cut->partial;
    for (int64_t q = 0; q < entries; q++) {
        REAL sum = partials[q];
        for (int64_t piece = 1; piece < cut->pieces; piece++)
            sum += partials[piece * entries + q];
        SPGEMM(put)(values, first + q, sum);
    }
}
