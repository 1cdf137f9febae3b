/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a coordinate file, straight into CSR: no triplets are kept.
 *
 * The text is cut at line ends into as many segments as there are threads. Pass 1 reads the indices of each
 * segment and counts the entries of every row; prefix sums over rows, and within a row over segments, give each
 * segment its own places in each row; pass 2 reads the entries and puts them there. So every row holds its
 * entries in the order of the file, whatever the number of threads, and duplicates are summed in that order.
 * With one segment the row pointers themselves are the counters; with more, each segment has 4 bytes a row,
 * and there are only as many segments as keep that below half of the result.
 * Reading the indices twice costs about 15 ns an entry; keeping triplets instead would cost 16 bytes an entry.
 *
 * The passes only notice that something is wrong. read_explain.c then finds the first error in file order. */
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "format/diag.h"
#include "format/plan.h"
#include "read_line.h"

#define SEGMENT_BYTES 65536u           /* below this a thread is not worth its start */
#define PROGRESS_BYTES (1u << 20)      /* text between two progress calls of a thread */

struct job {
    struct spmmi_reader *reader;
    const struct spmmi_mtx *mtx;
    int segments;
    const char *bound[SPMMI_SEGMENT_MAX + 1];
    uint32_t *counts;                  /* segments x rows; NULL with one segment */
    spmm_matrix_t *matrix;
    const char *stage;
    _Atomic uint64_t done;             /* bytes of text in this pass */
    _Atomic bool failed;
};

/* Called by every thread after PROGRESS_BYTES of text; reports from the calling thread only. */
static void advance(struct job *job, uint64_t bytes)
{
    const uint64_t done = atomic_fetch_add(&job->done, bytes) + bytes;
    if (omp_get_thread_num() == 0)
        spmmi_reader_progress(job->reader, job->stage, done, (uint64_t)(job->mtx->end - job->mtx->data));
}

SPMMI_INLINE void count_entry(uint32_t *counts, int64_t *row_ptr, int64_t row)
{
    if (counts != NULL)
        counts[row]++;
    else
        row_ptr[row + 1]++;
}

/* Pass 1 of a segment: returns the number of entries lines, or -1. */
SPMMI_INLINE int64_t count_segment(struct job *job, int segment, bool mirrored)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const char *p = job->bound[segment];
    const char *end = job->bound[segment + 1];
    const char *mark = p;
    int64_t *row_ptr = job->matrix->row_ptr;
    uint32_t *counts = job->counts != NULL ? job->counts + (uint64_t)segment * (uint64_t)mtx->rows : NULL;
    int64_t entries = 0;
    for (p = spmmi_next_entry(p, end, NULL); p < end; p = spmmi_next_entry(p, end, NULL)) {
        int64_t row = 0;
        int64_t col = 0;
        p = spmmi_read_index(p, end, mtx->rows, false, &row);
        if (p == NULL)
            return -1;
        count_entry(counts, row_ptr, row);
        if (mirrored) {
            p = spmmi_read_index(spmmi_skip_blanks(p, end), end, mtx->cols, mtx->field == SPMMI_FIELD_PATTERN, &col);
            if (p == NULL)
                return -1;
            if (col != row)
                count_entry(counts, row_ptr, col);
        }
        p = spmmi_skip_line(p, end);
        entries++;
        if (p - mark > PROGRESS_BYTES) {
            advance(job, (uint64_t)(p - mark));
            mark = p;
        }
    }
    return entries;
}

SPMMI_INLINE int64_t place(uint32_t *counts, int64_t *row_ptr, int64_t row)
{
    return counts != NULL ? row_ptr[row] + counts[row]++ : row_ptr[row + 1]++;
}

/* Pass 2 of a segment: returns the number of inexact integers, or -1. */
SPMMI_INLINE int64_t fill_segment(struct job *job, int segment, enum spmmi_field field, enum spmmi_symmetry symmetry)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const char *p = job->bound[segment];
    const char *end = job->bound[segment + 1];
    const char *mark = p;
    int64_t *row_ptr = job->matrix->row_ptr;
    int32_t *col_ind = job->matrix->col_ind;
    double *values = job->matrix->values;
    uint32_t *counts = job->counts != NULL ? job->counts + (uint64_t)segment * (uint64_t)mtx->rows : NULL;
    int64_t inexact = 0;
    for (p = spmmi_next_entry(p, end, NULL); p < end; p = spmmi_next_entry(p, end, NULL)) {
        struct spmmi_entry entry = {0, 0, 1, false, NULL};
        if (spmmi_read_entry(mtx, field, symmetry, &p, &entry) != SPMMI_ENTRY_OK)
            return -1;
        const int64_t q = place(counts, row_ptr, entry.row);
        col_ind[q] = (int32_t)entry.col;
        if (field != SPMMI_FIELD_PATTERN)
            values[q] = entry.value;
        if (symmetry != SPMMI_GENERAL && entry.row != entry.col) {
            const int64_t mirror = place(counts, row_ptr, entry.col);
            col_ind[mirror] = (int32_t)entry.row;
            if (field != SPMMI_FIELD_PATTERN)
                values[mirror] = symmetry == SPMMI_SKEW ? -entry.value : entry.value;
        }
        inexact += entry.inexact;
        if (p - mark > PROGRESS_BYTES) {
            advance(job, (uint64_t)(p - mark));
            mark = p;
        }
    }
    return inexact;
}

/* One loop for each field, with and without mirroring: the compiler drops what a kind of file never needs. */
static int64_t fill_any(struct job *job, int segment)
{
    const enum spmmi_symmetry symmetry = job->mtx->symmetry;
    const bool general = symmetry == SPMMI_GENERAL;
    switch (job->mtx->field) {
    case SPMMI_FIELD_REAL:
        return general ? fill_segment(job, segment, SPMMI_FIELD_REAL, SPMMI_GENERAL)
                       : fill_segment(job, segment, SPMMI_FIELD_REAL, symmetry);
    case SPMMI_FIELD_INTEGER:
        return general ? fill_segment(job, segment, SPMMI_FIELD_INTEGER, SPMMI_GENERAL)
                       : fill_segment(job, segment, SPMMI_FIELD_INTEGER, symmetry);
    case SPMMI_FIELD_PATTERN:
        break;
    }
    return general ? fill_segment(job, segment, SPMMI_FIELD_PATTERN, SPMMI_GENERAL)
                   : fill_segment(job, segment, SPMMI_FIELD_PATTERN, symmetry);
}

static int64_t count_any(struct job *job, int segment)
{
    return job->mtx->symmetry == SPMMI_GENERAL ? count_segment(job, segment, false)
                                               : count_segment(job, segment, true);
}

/* Run a pass over all segments; the sum of its results, or -1 when one of them failed. */
static int64_t run_pass(struct job *job, const char *stage, int64_t (*pass)(struct job *, int))
{
    int64_t sum = 0;
    job->stage = stage;
    atomic_store(&job->done, 0);
#pragma omp parallel for schedule(static, 1) num_threads(job->segments) reduction(+ : sum)
    for (int segment = 0; segment < job->segments; segment++) {
        const int64_t result = pass(job, segment);
        if (result < 0)
            atomic_store(&job->failed, true);
        else
            sum += result;
    }
    return atomic_load(&job->failed) ? -1 : sum;
}

/* As many segments as there are threads, if their counters stay below half of the result. */
static int segment_count(const struct job *job)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const int64_t expanded = mtx->entries * (mtx->symmetry == SPMMI_GENERAL ? 1 : 2);
    const int64_t result_bytes = expanded * (mtx->field == SPMMI_FIELD_PATTERN ? 4 : 12) + 8 * mtx->rows;
    int64_t count = (mtx->end - mtx->data) / SEGMENT_BYTES + 1;
    count = count < job->reader->threads ? count : job->reader->threads;
    count = count < SPMMI_SEGMENT_MAX ? count : SPMMI_SEGMENT_MAX;
    if (expanded > UINT32_MAX)
        return 1; /* counters have 32 bits */
    if (mtx->rows > 0 && count > result_bytes / 2 / (4 * mtx->rows))
        count = result_bytes / 2 / (4 * mtx->rows);
    return count < 1 ? 1 : (int)count;
}

/* Counts to places: row_ptr[i] becomes the start of row i, counts the start of a segment's share within the row.
 * With one segment, row_ptr[i + 1] becomes the start of row i, which pass 2 moves to its end. */
static int64_t prefix_sums(struct job *job)
{
    const int64_t rows = job->mtx->rows;
    int64_t *row_ptr = job->matrix->row_ptr;
    int64_t sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (job->counts == NULL) {
            const int64_t count = row_ptr[i + 1];
            row_ptr[i + 1] = sum;
            sum += count;
            continue;
        }
        uint32_t within = 0;
        for (int s = 0; s < job->segments; s++) {
            uint32_t *slot = &job->counts[(uint64_t)s * (uint64_t)rows + (uint64_t)i];
            const uint32_t count = *slot;
            *slot = within;
            within += count;
        }
        row_ptr[i] = sum;
        sum += within;
    }
    if (job->counts != NULL)
        row_ptr[rows] = sum;
    return sum;
}

spmm_status_t spmmi_read_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct job job = {.reader = reader, .mtx = mtx, .matrix = matrix};
    uint64_t counters = 0;
    job.segments = spmmi_split_lines(mtx->data, mtx->end, segment_count(&job), job.bound);
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    if (job.segments > 1) {
        counters = (uint64_t)job.segments * (uint64_t)mtx->rows;
        SPMM_TRY(spmmi_reader_alloc(reader, "row counters", counters, sizeof *job.counts, &job.counts));
        memset(job.counts, 0, counters * sizeof *job.counts);
    }
    const int64_t entries = run_pass(&job, "count", count_any);
    if (entries != mtx->entries) {
        status = spmmi_explain_coordinate(reader, mtx);
        goto cleanup;
    }
    matrix->nnz = prefix_sums(&job);
    if (matrix->nnz > SPMMI_NNZ_MAX) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_TOO_LARGE, 0, "expected at most %lld nonzeros, found %lld",
                                   (long long)SPMMI_NNZ_MAX, (long long)matrix->nnz);
        goto cleanup;
    }
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, mtx->field != SPMMI_FIELD_PATTERN));
    matrix->info.integers_inexact = run_pass(&job, "fill", fill_any);
    if (matrix->info.integers_inexact < 0) {
        status = spmmi_explain_coordinate(reader, mtx);
        goto cleanup;
    }
cleanup:
    spmmi_reader_free(reader, job.counts, counters, sizeof *job.counts);
    return status;
}
