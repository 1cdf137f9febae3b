/* SPDX-License-Identifier: Apache-2.0 */
/* Computes units, for one value type and SIMD level. No include guard. All positions within one row of the
 * right factor differ, so the additions of one k do not depend on each other. */

/* Entry p of the left factor (a) and the entries of the right factor that it multiplies. */
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

/* Prefetch distance, in entries of the left factor. Of 6, 12, 24 and no prefetch, this was the fastest in the
 * one shot for roads and meshes, by up to 15 %, and not slower elsewhere (AMD EPYC, 2026-11-27). */
#define SPGEMM_AHEAD 12

/* Prefetches for entry p, the next one: the row pointer of the row of the right factor 2 * SPGEMM_AHEAD
 * entries ahead, and the beginning of the row SPGEMM_AHEAD entries ahead, whose pointer has arrived. columns:
 * NULL if they are not read. */
TARGET static inline void SPGEMM(ask)(const struct spmmi_spgemm_task *task, int64_t p, const REAL *right,
                                      const int32_t *columns)
{
    const int32_t *const k = task->left.col_ind + p;
    if (p + 2 * SPGEMM_AHEAD >= task->left.row_ptr[task->left.rows])
        return;
    __builtin_prefetch(task->right.row_ptr + k[2 * SPGEMM_AHEAD]);
    const int64_t first = task->right.row_ptr[k[SPGEMM_AHEAD]];
    if (columns != NULL)
        __builtin_prefetch(columns + first);
    __builtin_prefetch(right + first);
}

/* Writes a sum to C: alpha * sum + beta * C. */
TARGET static inline void SPGEMM(put)(const struct spmmi_spgemm_values *values, int64_t q, REAL sum)
{
    const REAL alpha = (REAL)values->alpha, beta = (REAL)values->beta;
    REAL *const c = (REAL *)values->c + q;
    *c = beta == 0 ? alpha * sum : FMA(alpha, sum, beta * *c);
}

TARGET static inline void SPGEMM(put_row)(const struct spmmi_spgemm_values *values, int64_t q, int64_t count,
                                          const REAL *sums)
{
    const REAL alpha = (REAL)values->alpha;
    REAL *restrict const c = (REAL *)values->c + q;
    if (values->beta == 0)
        for (int64_t j = 0; j < count; j++)
            c[j] = alpha * sums[j];
    else
        for (int64_t j = 0; j < count; j++)
            SPGEMM(put)(values, q + j, sums[j]);
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

/* Loops over the products of the entries [first, end), for positions of one width; `add` adds one product. */
#define SPGEMM_EACH(type, add)                                               \
    do {                                                                     \
        const type *at = (const type *)(const void *)positions;              \
        for (int64_t p = first; p < end; p++) {                              \
            const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p); \
            for (int64_t j = 0; j < s.count; j++)                            \
                add;                                                         \
            at += s.count;                                                   \
        }                                                                    \
    } while (0)
#define SPGEMM_EACH_OF_WIDTH(width, add) \
    do {                                 \
        if ((width) == 1)                \
            SPGEMM_EACH(uint8_t, add);   \
        else if ((width) == 2)           \
            SPGEMM_EACH(uint16_t, add);  \
        else                             \
            SPGEMM_EACH(uint32_t, add);  \
    } while (0)

TARGET static inline void SPGEMM(add_by_position)(const struct spmmi_spgemm_stage *stage,
                                                  const struct spmmi_spgemm_values *values, int64_t first,
                                                  int64_t end, const uint8_t *positions, uint32_t width,
                                                  REAL *sums)
{
    SPGEMM_EACH_OF_WIDTH(width, sums[at[j]] = FMA(s.a, s.b[j], sums[at[j]]));
}

/* Sums of entries that may be long: the sum of the current stretch, the sum of the previous stretches, and
 * the number of products. */
struct SPGEMM(long_sums) {
    REAL *sums, *before;
    uint32_t *counts;
};

TARGET static inline void SPGEMM(add_long)(const struct SPGEMM(long_sums) * l, int64_t at, REAL a, REAL b)
{
    const uint32_t count = l->counts[at]++;
    if (count % SPMMI_SPGEMM_STRETCH == 0 && count > 0) {
        l->before[at] = count > SPMMI_SPGEMM_STRETCH ? l->before[at] + l->sums[at] : l->sums[at];
        l->sums[at] = 0;
    }
    l->sums[at] = FMA(a, b, l->sums[at]);
}

TARGET static void SPGEMM(add_long_entries)(const struct spmmi_spgemm_stage *stage,
                                            const struct spmmi_spgemm_values *values, int64_t first,
                                            int64_t end, const uint8_t *positions, uint32_t width,
                                            const struct SPGEMM(long_sums) * l)
{
    if (positions != NULL) {
        SPGEMM_EACH_OF_WIDTH(width, SPGEMM(add_long)(l, at[j], s.a, s.b[j]));
        return;
    }
    for (int64_t p = first; p < end; p++) {
        const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p);
        for (int64_t j = 0; j < s.count; j++)
            SPGEMM(add_long)(l, s.columns[j], s.a, s.b[j]);
    }
}
#undef SPGEMM_EACH_OF_WIDTH
#undef SPGEMM_EACH

/* Computes a row, or a piece of one, that may have long entries. If positions is NULL, sums are indexed by
 * column and left 0. Only the elements that the entries of the row need are cleared. */
TARGET static void SPGEMM(long_row)(const struct spmmi_spgemm_stage *stage,
                                    const struct spmmi_spgemm_values *values, int64_t row, int64_t first,
                                    int64_t end, int64_t partial, const uint8_t *positions, REAL *memory)
{
    const int64_t begin = stage->c.row_ptr[row], entries = stage->c.row_ptr[row + 1] - begin;
    const int32_t *const columns = stage->c.col_ind + begin;
    REAL *const before = memory + stage->sums;
    const struct SPGEMM(long_sums)
        l = {memory, before, (uint32_t *)(void *)(before + stage->long_sums / SPMMI_SPGEMM_LONG_ARRAYS)};
    for (int64_t q = 0; q < entries; q++) {
        const int64_t at = positions != NULL ? q : columns[q];
        l.sums[at] = 0;
        l.counts[at] = 0;
    }
    SPGEMM(add_long_entries)(stage, values, first, end, positions, spmmi_spgemm_width(entries), &l);
    for (int64_t q = 0; q < entries; q++) {
        const int64_t at = positions != NULL ? q : columns[q];
        const REAL sum = l.counts[at] > SPMMI_SPGEMM_STRETCH ? before[at] + l.sums[at] : l.sums[at];
        if (partial >= 0)
            ((REAL *)values->partials)[partial + q] = sum;
        else
            SPGEMM(put)(values, begin + q, sum);
        l.sums[at] = 0;
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
            SPGEMM(long_row)(stage, values, i, first, end, unit->partial, NULL, sums);
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

#include "spgemm_cpu_groups.h"
#include "spgemm_cpu_masks.h"

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
        if (stage->forms != NULL && stage->forms[i] != SPGEMM_POSITIONS) {
            rows = SPGEMM(by_form)(stage, values, i, rows, memory);
            continue;
        }
        if (rows > 1 && stage->forms == NULL) {
            SPGEMM(by_group)(stage, values, i, (int)rows, memory);
            continue;
        }
        rows = 1;
        const uint8_t *const positions =
            stage->positions + (is_piece ? unit->position : stage->position_at[i]);
        if (spmmi_spgemm_is_long(stage, end - first)) {
            SPGEMM(long_row)(stage, values, i, first, end, unit->partial, positions, memory);
            continue;
        }
        REAL *const sums = is_piece ? (REAL *)values->partials + unit->partial : (REAL *)memory;
        memset(sums, 0, (size_t)entries * sizeof *sums);
        SPGEMM(add_by_position)
        (stage, values, first, end, positions, spmmi_spgemm_width(entries), sums);
        if (!is_piece)
            SPGEMM(put_row)(values, c[i], entries, sums);
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
