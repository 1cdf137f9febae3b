/* SPDX-License-Identifier: Apache-2.0 */
/* Converts rows in file order to canonical CSR: sorts columns, sums duplicates in file order, drops zeros if
 * requested, and counts metrics.
 *
 * Rows are sorted in place, and the sort is stable. Most files are sorted by row or by column, so most rows
 * are already in order and need only one check. Long rows are merged with a buffer of half their length.
 * Removed entries are marked with column -1 and squeezed out at the end. The buffers need less than half of
 * the memory of the result. */
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/team.h"
#include "reader.h"

#define INSERTION_MAX 24 /* longer rows are sorted by merging */
#define ROWS_A_TURN 512
#define REMOVED (-1)

/* The buffer that one thread uses for merging. */
struct scratch {
    int32_t *cols;
    double *values;
    int64_t capacity;
};

struct metrics {
    int64_t duplicates, zeros_dropped, zeros_kept, not_finite;
};

/* The entries of one row; values is NULL for a pattern. */
struct row {
    int32_t *cols;
    double *values;
};

static struct row row_at(struct row row, int64_t offset)
{
    return (struct row){row.cols + offset, row.values != NULL ? row.values + offset : NULL};
}

static void insertion_sort(struct row row, int64_t length)
{
    for (int64_t i = 1; i < length; i++) {
        const int32_t col = row.cols[i];
        int64_t j = i;
        if (row.cols[i - 1] <= col)
            continue;
        const double value = row.values != NULL ? row.values[i] : 0;
        for (; j > 0 && row.cols[j - 1] > col; j--) {
            row.cols[j] = row.cols[j - 1];
            if (row.values != NULL)
                row.values[j] = row.values[j - 1];
        }
        row.cols[j] = col;
        if (row.values != NULL)
            row.values[j] = value;
    }
}

/* Merges the sorted halves [0, middle) and [middle, length). Only the first half is copied to the buffer. */
static void merge(struct row row, int64_t middle, int64_t length, const struct scratch *scratch)
{
    const bool has_values = row.values != NULL;
    memcpy(scratch->cols, row.cols, (size_t)middle * sizeof *row.cols);
    if (has_values)
        memcpy(scratch->values, row.values, (size_t)middle * sizeof *row.values);
    int64_t left = 0;
    int64_t right = middle;
    for (int64_t out = 0; left < middle; out++) {
        const bool take_left = right == length || scratch->cols[left] <= row.cols[right];
        row.cols[out] = take_left ? scratch->cols[left] : row.cols[right];
        if (has_values)
            row.values[out] = take_left ? scratch->values[left] : row.values[right];
        left += take_left;
        right += !take_left;
    }
}

static void merge_sort(struct row row, int64_t length, const struct scratch *scratch)
{
    if (length <= INSERTION_MAX) {
        insertion_sort(row, length);
        return;
    }
    const int64_t middle = length / 2;
    merge_sort(row, middle, scratch);
    merge_sort(row_at(row, middle), length - middle, scratch);
    if (row.cols[middle - 1] > row.cols[middle])
        merge(row, middle, length, scratch);
}

static spmm_status_t scratch_grow(struct spmmi_reader *reader, struct scratch *scratch, int64_t length,
                                  bool has_values)
{
    spmm_status_t status = SPMM_OK;
    if (length <= scratch->capacity)
        return SPMM_OK;
        /* Threads share the reader's budget and diag. */
#pragma omp critical(spmmi_scratch_grow)
    {
        spmmi_reader_free(reader, scratch->cols, (uint64_t)scratch->capacity, sizeof *scratch->cols);
        spmmi_reader_free(reader, scratch->values, (uint64_t)scratch->capacity, sizeof *scratch->values);
        *scratch = (struct scratch){NULL, NULL, 0};
        status = spmmi_reader_alloc(reader, "sorting buffer", (uint64_t)length, sizeof *scratch->cols,
                                    &scratch->cols);
        if (status == SPMM_OK && has_values) {
            status = spmmi_reader_alloc(reader, "sorting buffer", (uint64_t)length, sizeof *scratch->values,
                                        &scratch->values);
            if (status != SPMM_OK) {
                spmmi_reader_free(reader, scratch->cols, (uint64_t)length, sizeof *scratch->cols);
                scratch->cols = NULL;
            }
        }
        if (status == SPMM_OK)
            scratch->capacity = length;
    }
    return status;
}

/* Sums runs of equal columns of a sorted row in place. Returns the new length. */
static int64_t sum_duplicates(struct row row, int64_t length)
{
    int64_t out = 0;
    for (int64_t q = 1; q < length; q++) {
        if (row.cols[q] == row.cols[out]) {
            if (row.values != NULL)
                row.values[out] += row.values[q];
            continue;
        }
        out++;
        row.cols[out] = row.cols[q];
        if (row.values != NULL)
            row.values[out] = row.values[q];
    }
    return out + 1;
}

static bool is_finite(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

/* Counts zeros and values that are not finite in a row. Removes the zeros if drop_zeros is set. Returns the
 * new length. */
static int64_t look_at_values(struct row row, int64_t length, bool drop_zeros, struct metrics *metrics)
{
    int64_t zeros = 0;
    for (int64_t q = 0; q < length; q++) {
        zeros += row.values[q] == 0;
        metrics->not_finite += !is_finite(row.values[q]);
    }
    if (!drop_zeros || zeros == 0) {
        metrics->zeros_kept += zeros;
        return length;
    }
    int64_t out = 0;
    for (int64_t q = 0; q < length; q++) {
        row.cols[out] = row.cols[q];
        row.values[out] = row.values[q];
        out += row.values[q] != 0;
    }
    metrics->zeros_dropped += zeros;
    return out;
}

static spmm_status_t finish_row(struct spmmi_reader *reader, const spmm_matrix_t *matrix, int64_t i,
                                struct scratch *scratch, struct metrics *metrics)
{
    spmm_status_t status = SPMM_OK;
    const int64_t begin = matrix->row_ptr[i];
    const int64_t length = matrix->row_ptr[i + 1] - begin;
    const struct row row = row_at((struct row){matrix->col_ind, matrix->values}, begin);
    if (length == 0)
        return SPMM_OK;
    bool sorted = true;
    bool unique = true;
    for (int64_t q = 1; q < length; q++) {
        sorted = sorted && row.cols[q - 1] <= row.cols[q];
        unique = unique && row.cols[q - 1] < row.cols[q];
    }
    if (!sorted) {
        if (length > INSERTION_MAX)
            SPMM_TRY(scratch_grow(reader, scratch, length / 2, matrix->values != NULL));
        merge_sort(row, length, scratch);
    }
    int64_t kept = unique ? length : sum_duplicates(row, length);
    metrics->duplicates += length - kept;
    if (matrix->values != NULL)
        kept = look_at_values(row, kept, reader->drop_zeros, metrics);
    for (int64_t q = kept; q < length; q++)
        row.cols[q] = REMOVED;
cleanup:
    return status;
}

/* Moves the remaining entries to the front and updates row_ptr and nnz. */
static void squeeze(spmm_matrix_t *matrix)
{
    int64_t out = 0;
    int64_t q = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t row_end = matrix->row_ptr[i + 1];
        for (; q < row_end; q++) {
            if (matrix->col_ind[q] == REMOVED)
                continue;
            matrix->col_ind[out] = matrix->col_ind[q];
            if (matrix->values != NULL)
                matrix->values[out] = matrix->values[q];
            out++;
        }
        matrix->row_ptr[i + 1] = out;
    }
    matrix->nnz = out;
}

spmm_status_t spmmi_canonicalise(struct spmmi_reader *reader, spmm_matrix_t *matrix)
{
    int64_t duplicates = 0;
    int64_t dropped = 0;
    int64_t kept = 0;
    int64_t not_finite = 0;
    _Atomic spmm_status_t failure = SPMM_OK;
    const int threads = matrix->nnz < 16384 ? 1 : reader->threads;
#pragma omp parallel num_threads(spmmi_team(threads)) reduction(+ : duplicates, dropped, kept, not_finite)
    {
        struct scratch scratch = {NULL, NULL, 0};
        struct metrics metrics = {0, 0, 0, 0};
#pragma omp for schedule(dynamic, ROWS_A_TURN)
        for (int64_t i = 0; i < matrix->rows; i++) {
            if (atomic_load_explicit(&failure, memory_order_relaxed) != SPMM_OK)
                continue;
            const spmm_status_t status = finish_row(reader, matrix, i, &scratch, &metrics);
            if (status != SPMM_OK)
                atomic_store(&failure, status);
        }
#pragma omp critical(spmmi_scratch_grow)
        {
            spmmi_reader_free(reader, scratch.cols, (uint64_t)scratch.capacity, sizeof *scratch.cols);
            spmmi_reader_free(reader, scratch.values, (uint64_t)scratch.capacity, sizeof *scratch.values);
        }
        duplicates += metrics.duplicates;
        dropped += metrics.zeros_dropped;
        kept += metrics.zeros_kept;
        not_finite += metrics.not_finite;
    }
    matrix->info.duplicates_summed = duplicates;
    matrix->info.zeros_dropped = dropped;
    matrix->info.zeros_kept = kept;
    matrix->info.not_finite = not_finite;
    if (atomic_load(&failure) == SPMM_OK && duplicates + dropped > 0)
        squeeze(matrix);
    return atomic_load(&failure);
}
