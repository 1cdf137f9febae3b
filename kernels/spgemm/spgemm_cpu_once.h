/* SPDX-License-Identifier: Apache-2.0 */
/* Computes columns and values of rows of C together, for one value type and SIMD level. No include guard.
 * alpha is 1 and beta is 0. */

/* Writes the columns of row i to the list in the order in which they are first met, and their sums to `sums`
 * in the same order. The mark of a column is base + its index in the list. */
TARGET static inline void SPGEMM(list_sums)(const struct spmmi_spgemm_stage *stage,
                                            const struct spmmi_spgemm_values *values, int64_t i,
                                            const struct spmmi_spgemm_scratch *scratch, REAL *sums)
{
    const struct spmmi_csr_pattern *left = &stage->task.left;
    const uint32_t base = scratch->base;
    uint32_t *const marks = scratch->marks, count = 0;
    int32_t *const list = scratch->list;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        SPGEMM(ask)(&stage->task, p, (const REAL *)values->right, stage->task.right.col_ind);
        const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p);
        for (int64_t j = 0; j < s.count; j++) {
            const int32_t column = s.columns[j];
            const uint32_t at = marks[column] - base;
            if (marks[column] >= base) {
                sums[at] = FMA(s.a, s.b[j], sums[at]);
                continue;
            }
            marks[column] = base + count;
            list[count] = column;
            sums[count++] = FMA(s.a, s.b[j], 0);
        }
    }
}

/* Writes the columns of row i to the list, and adds its sums by column. The inner loop has no branch, because
 * in long rows the columns come in random order. */
TARGET static inline void SPGEMM(list_and_add)(const struct spmmi_spgemm_stage *stage,
                                               const struct spmmi_spgemm_values *values, int64_t i,
                                               const struct spmmi_spgemm_scratch *scratch, REAL *sums)
{
    const struct spmmi_csr_pattern *left = &stage->task.left;
    const uint32_t base = scratch->base;
    uint32_t *const marks = scratch->marks, count = 0;
    int32_t *const list = scratch->list;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        SPGEMM(ask)(&stage->task, p, (const REAL *)values->right, stage->task.right.col_ind);
        const struct SPGEMM(step) s = SPGEMM(step_at)(stage, values, p);
        for (int64_t j = 0; j < s.count; j++) {
            const int32_t column = s.columns[j];
            list[count] = column;
            count += marks[column] < base;
            marks[column] = base;
            sums[column] = FMA(s.a, s.b[j], sums[column]);
        }
    }
}

/* Writes a row of C of at most RANKED_LANES entries. The loops have a fixed number of iterations, so no
 * branch is mispredicted. The lanes after the entries all have the number of entries as their rank, so they
 * write the first entry of the next row. That entry must belong to the same unit, so that this thread
 * overwrites it later; in another unit, the write would race with another thread. */
TARGET static inline void SPGEMM(put_few)(const int32_t *list, int32_t *columns, REAL *c, const REAL *sums)
{
    int32_t ranks[RANKED_LANES];
    spmmi_ranks_of(list, RANKED_LANES, 0, ranks);
    for (int q = 0; q < RANKED_LANES; q++) {
        columns[ranks[q]] = list[q];
        c[ranks[q]] = sums[q];
    }
}

/* Writes a row of C of at most RANKED_MAX entries in ascending order, from the list and its sums. room:
 * number of entries, from the first one of the row on, that may be written. */
TARGET static inline void SPGEMM(put_listed)(const struct spmmi_spgemm_stage *stage, int64_t i, int64_t room,
                                             struct spmmi_spgemm_scratch *scratch, int32_t *columns, REAL *c,
                                             const REAL *sums)
{
    const int64_t count = stage->c.row_ptr[i + 1] - stage->c.row_ptr[i];
    int32_t *const list = scratch->list, ranks[RANKED_LANES];
    spmmi_ranks_begin(list, count);
    if (count <= RANKED_LANES && room > RANKED_LANES) {
        SPGEMM(put_few)(list, columns, c, sums);
        return;
    }
    for (int64_t first = 0; first < count; first += RANKED_LANES) {
        spmmi_ranks_of(list, count, first, ranks);
        for (int64_t q = first; q < count && q < first + RANKED_LANES; q++) {
            columns[ranks[q - first]] = list[q];
            c[ranks[q - first]] = sums[q];
        }
    }
}

/* Computes rows i to i + rows - 1, which all have the columns of row i. sums has a group of lanes per column,
 * one lane per row. */
TARGET static void SPGEMM(group_by_column)(const struct spmmi_spgemm_stage *stage,
                                           const struct spmmi_spgemm_values *values, int64_t i, int rows,
                                           REAL *sums)
{
    const int64_t *left = stage->task.left.row_ptr, *c = stage->c.row_ptr;
    const int64_t entries = c[i + 1] - c[i], length = left[i + 1] - left[i];
    const int32_t *const columns = stage->c.col_ind + c[i];
    struct SPGEMM(bundle) g = {.count = 0};
    for (int64_t t = 0; t < length; t += g.depth) {
        const int64_t k = stage->task.left.col_ind[left[i] + t];
        SPGEMM(bundle_at)(stage, values, i, rows, t, &g);
        SPGEMM(add_bundle)
        (&g, stage->task.right.col_ind + stage->task.right.row_ptr[k], sizeof(int32_t), sums);
    }
    for (int64_t q = 0; q < entries; q++) {
        REAL *const sum = sums + (int64_t)columns[q] * SPMMI_SPGEMM_LANES;
        for (int r = 0; r < rows; r++)
            ((REAL *)values->c)[c[i + r] + q] = sum[r];
        memset(sum, 0, SPMMI_SPGEMM_LANES * sizeof *sum);
    }
}

/* Returns how many rows, from row i on, are computed together. */
static inline int SPGEMM(rows_alike)(const struct spmmi_spgemm_stage *stage,
                                     const struct spmmi_spgemm_once *once, int64_t i, int64_t end)
{
    const int64_t *left = stage->task.left.row_ptr;
    int rows = 1;
    if (!once->is_grouped || spmmi_spgemm_is_long(stage, left[i + 1] - left[i]))
        return 1;
    while (rows < SPMMI_SPGEMM_LANES && i + rows < end && once->repeats->rows[i + rows] == 1)
        rows++;
    return rows;
}

/* Computes the columns and values of a unit of whole rows. */
TARGET static void SPGEMM(rows_once)(const struct spmmi_spgemm_stage *stage,
                                     const struct spmmi_spgemm_values *values,
                                     const struct spmmi_spgemm_once *once,
                                     const struct spmmi_spgemm_unit *unit,
                                     struct spmmi_spgemm_scratch *scratch, void *memory)
{
    REAL *const sums = memory, listed[RANKED_MAX];
    const int64_t *left = stage->task.left.row_ptr, *c = stage->c.row_ptr;
    for (int64_t i = unit->row, rows; i < unit->row_end; i += rows) {
        const int64_t entries = c[i + 1] - c[i];
        int32_t *const columns = once->col_ind + c[i];
        const int is_long = spmmi_spgemm_is_long(stage, left[i + 1] - left[i]),
                  has_before = i > unit->row && once->repeats->rows[i] > 0;
        if (scratch->base > UINT32_MAX - (uint32_t)stage->task.right.cols)
            spmmi_spgemm_scratch_clear(scratch, stage->task.right.cols);
        rows = SPGEMM(rows_alike)(stage, once, i, unit->row_end);
        if (is_long || has_before || rows > 1) {
            spmmi_spgemm_row_columns(&stage->task, once->repeats, i, entries, has_before, scratch, columns);
            for (int64_t r = 1; r < rows; r++)
                memcpy(columns + r * entries, columns, (size_t)entries * sizeof *columns);
        } else if (entries > RANKED_MAX) {
            SPGEMM(list_and_add)(stage, values, i, scratch, sums);
            scratch->base++;
            spmmi_columns_by_set(&stage->task, entries, scratch, columns);
        } else {
            SPGEMM(list_sums)(stage, values, i, scratch, listed);
            SPGEMM(put_listed)
            (stage, i, c[unit->row_end] - c[i], scratch, columns, (REAL *)values->c + c[i], listed);
            scratch->base += (uint32_t)entries;
            continue;
        }
        if (is_long) {
            SPGEMM(long_row)(stage, values, i, left[i], left[i + 1], -1, NULL, sums);
            continue;
        }
        if (rows > 1) {
            SPGEMM(group_by_column)(stage, values, i, (int)rows, sums);
            continue;
        }
        if (has_before)
            SPGEMM(add_by_column)(stage, values, left[i], left[i + 1], sums);
        for (int64_t q = 0; q < entries; q++) {
            ((REAL *)values->c)[c[i] + q] = sums[columns[q]];
            sums[columns[q]] = 0;
        }
    }
}
