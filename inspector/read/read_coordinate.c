/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of a coordinate file directly into CSR, without storing triplets.
 *
 * The text is split at line ends into one segment per thread. Pass 1 reads the indices of each segment and
 * counts the entries of every row, which gives the row pointers. Rows are then grouped into buckets with
 * about equal numbers of entries (a longer row is a bucket of its own), and each segment gets its own range
 * of positions in each bucket. Pass 2 reads the entries and appends each entry to its bucket, together with
 * its row relative to the bucket in two bytes. Finally read_buckets.c sorts each bucket by row, in cache.
 * Every row therefore has its entries in file order for any number of threads, and duplicates are summed in
 * that order.
 *
 * Why buckets: storing 6,000,000 entries in random order directly into their rows took 0.27 us each, as every
 * entry missed the caches and the TLB three times. Reading them takes 0.04 us each.
 * Why two passes: reading the indices twice takes 0.01 us per entry; triplets would need 16 bytes per entry.
 * Memory beside the text and the result: first 4 bytes per row and segment, where the number of segments
 * keeps this below half of the result; then 2 bytes per entry, which is at most half of the result.
 *
 * The passes only detect that something is wrong. read_explain.c then finds the first error in file order. */
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/team.h"
#include "format/plan.h"
#include "read_buckets.h"
#include "read_line.h"

#define SEGMENT_BYTES 65536u /* fewer bytes do not justify another thread */
/* Such a segment has less than 2^32 entries of at least 4 bytes. */
#define SEGMENT_BYTES_MAX (INT64_C(15) << 30)
#define PROGRESS_BYTES (1u << 20) /* bytes of text between two progress reports of a thread */

struct job {
    struct spmmi_reader *reader;
    const struct spmmi_mtx *mtx;
    int segments;
    const char *bound[SPMMI_SEGMENT_MAX + 1];
    spmm_matrix_t *matrix;
    uint32_t *counts; /* pass 1: segments x rows counters */
    struct spmmi_buckets buckets;
    const char *stage;
    _Atomic uint64_t done; /* bytes of text processed in this pass */
    _Atomic bool failed;
};

/* Called by every thread after PROGRESS_BYTES of text. Only the calling thread of the reader reports
 * progress. */
static void advance(struct job *job, uint64_t bytes)
{
    const uint64_t done = atomic_fetch_add(&job->done, bytes) + bytes;
    if (omp_get_thread_num() == 0)
        spmmi_reader_progress(job->reader, job->stage, done, (uint64_t)(job->mtx->end - job->mtx->data));
}

/* Counters are prefetched, and incremented WAITING entries later, when they are in the cache. */
#define WAITING 16
struct waiting {
    uint32_t *counter[WAITING];
    unsigned count;
};

SPMMI_INLINE void count_entry(struct waiting *waiting, uint32_t *counter)
{
    uint32_t **slot = &waiting->counter[waiting->count++ % WAITING];
    __builtin_prefetch(counter, 1);
    ++**slot;
    *slot = counter;
}

/* Pass 1: counts the entries of a segment per row. Returns the number of entries in its text, or -1 on an
 * error. */
SPMMI_INLINE int64_t count_segment(struct job *job, int segment, bool mirrored)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const char *p = job->bound[segment];
    const char *end = job->bound[segment + 1];
    const char *mark = p;
    uint32_t *counts = job->counts + (uint64_t)segment * (uint64_t)mtx->rows;
    uint32_t unused = 0;
    struct waiting waiting = {.count = 0};
    int64_t entries = 0;
    for (int i = 0; i < WAITING; i++)
        waiting.counter[i] = &unused;
    for (p = spmmi_next_entry(p, end, NULL); p < end; p = spmmi_next_entry(p, end, NULL)) {
        int64_t row = 0;
        int64_t col = 0;
        p = spmmi_read_index(p, end, mtx->rows, &row);
        if (p == NULL)
            return -1;
        count_entry(&waiting, &counts[row]);
        if (mirrored) {
            p = spmmi_read_index(spmmi_skip_blanks(p, end), end, mtx->cols, &col);
            if (p == NULL)
                return -1;
            if (col != row)
                count_entry(&waiting, &counts[col]);
        }
        p = spmmi_skip_line(p, end);
        entries++;
        if (p - mark > PROGRESS_BYTES) {
            advance(job, (uint64_t)(p - mark));
            mark = p;
        }
    }
    for (int i = 0; i < WAITING; i++)
        ++*waiting.counter[i];
    return entries;
}

/* Appends an entry to its bucket. */
SPMMI_INLINE void position(const struct spmmi_buckets *buckets, int64_t *next, const spmm_matrix_t *matrix,
                           bool has_values, int64_t row, int64_t col, double value)
{
    const int64_t bucket = spmmi_bucket_of(buckets, row);
    const int64_t q = next[bucket]++;
    buckets->local_row[q] = (uint16_t)(row - buckets->first_row[bucket]);
    matrix->col_ind[q] = (int32_t)col;
    if (has_values)
        matrix->values[q] = value;
}

/* Pass 2: reads the entries of a segment. Returns the number of inexact integers, or -1 on an error. */
SPMMI_INLINE int64_t fill_segment(struct job *job, int segment, enum spmmi_value_field field,
                                  enum spmmi_symmetry symmetry)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const struct spmmi_buckets buckets = job->buckets;
    const spmm_matrix_t matrix = *job->matrix;
    const bool has_values = field != SPMMI_FIELD_PATTERN;
    int64_t *next = buckets.next + (int64_t)segment * buckets.count;
    const char *p = job->bound[segment];
    const char *end = job->bound[segment + 1];
    const char *mark = p;
    int64_t inexact = 0;
    for (p = spmmi_next_entry(p, end, NULL); p < end; p = spmmi_next_entry(p, end, NULL)) {
        struct spmmi_entry entry = {0, 0, 1, 0, false, NULL};
        if (spmmi_read_entry(mtx, field, symmetry, &p, &entry) != SPMMI_ENTRY_OK)
            return -1;
        position(&buckets, next, &matrix, has_values, entry.row, entry.col, entry.value);
        if (symmetry != SPMMI_GENERAL && entry.row != entry.col)
            position(&buckets, next, &matrix, has_values, entry.col, entry.row,
                     spmmi_is_negated(field, symmetry) ? -entry.value : entry.value);
        inexact += entry.inexact;
        if (p - mark > PROGRESS_BYTES) {
            advance(job, (uint64_t)(p - mark));
            mark = p;
        }
    }
    return inexact;
}

/* Calls a specialised loop for each field, with and without mirroring, so that the compiler removes the code
 * that a kind of file does not need. */
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
    default: /* complex fields */
        return fill_segment(job, segment, job->mtx->field, symmetry);
    }
    return general ? fill_segment(job, segment, SPMMI_FIELD_PATTERN, SPMMI_GENERAL)
                   : fill_segment(job, segment, SPMMI_FIELD_PATTERN, symmetry);
}

static int64_t count_any(struct job *job, int segment)
{
    return job->mtx->symmetry == SPMMI_GENERAL ? count_segment(job, segment, false)
                                               : count_segment(job, segment, true);
}

/* Runs a pass over all segments. Returns the sum of its results, or -1 if a segment failed. */
static int64_t run_pass(struct job *job, const char *stage, int64_t (*pass)(struct job *, int))
{
    int64_t sum = 0;
    job->stage = stage;
    atomic_store(&job->done, 0);
#pragma omp parallel for schedule(static, 1) num_threads(spmmi_team(job->segments)) reduction(+ : sum)
    for (int segment = 0; segment < job->segments; segment++) {
        const int64_t result = pass(job, segment);
        if (result < 0)
            atomic_store(&job->failed, true);
        else
            sum += result;
    }
    return atomic_load(&job->failed) ? -1 : sum;
}

/* Returns the number of segments: one per thread, but fewer if the counters would need more than half of the
 * memory of the result. */
static int segment_count(const struct job *job)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const int64_t bytes = mtx->end - mtx->data;
    const int64_t expanded = mtx->entries * (mtx->symmetry == SPMMI_GENERAL ? 1 : 2);
    const int64_t result_bytes = expanded * (mtx->field == SPMMI_FIELD_PATTERN ? 4 : 12) + 8 * mtx->rows;
    int64_t count = bytes / SEGMENT_BYTES + 1;
    count = count < job->reader->threads ? count : job->reader->threads;
    if (mtx->rows > 0 && count > result_bytes / 2 / (4 * mtx->rows))
        count = result_bytes / 2 / (4 * mtx->rows);
    /* Counters have 32 bits, so a segment must not be longer than SEGMENT_BYTES_MAX. */
    count = count > bytes / SEGMENT_BYTES_MAX + 1 ? count : bytes / SEGMENT_BYTES_MAX + 1;
    return count < SPMMI_SEGMENT_MAX ? (int)count : SPMMI_SEGMENT_MAX;
}

/* Computes the row pointers from the counts. Returns the number of entries including mirrored ones. */
static int64_t sum_rows(struct job *job)
{
    const uint64_t rows = (uint64_t)job->mtx->rows;
    int64_t *row_ptr = job->matrix->row_ptr;
    for (uint64_t i = 0; i < rows; i++) {
        int64_t count = 0;
        for (int s = 0; s < job->segments; s++)
            count += job->counts[(uint64_t)s * rows + i];
        row_ptr[i + 1] = row_ptr[i] + count;
    }
    return row_ptr[rows];
}

/* Computes the first position of each segment in each bucket. */
static void sum_buckets(struct job *job)
{
    const struct spmmi_buckets *buckets = &job->buckets;
    const int64_t rows = job->mtx->rows;
    for (int64_t b = 0; b < buckets->count; b++) {
        int64_t first_position = job->matrix->row_ptr[buckets->first_row[b]];
        for (int s = 0; s < job->segments; s++) {
            buckets->next[(int64_t)s * buckets->count + b] = first_position;
            for (int64_t i = buckets->first_row[b]; i < buckets->first_row[b + 1]; i++)
                first_position += job->counts[(int64_t)s * rows + i];
        }
    }
}

spmm_status_t spmmi_read_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                                    spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct job job = {.reader = reader, .mtx = mtx, .matrix = matrix};
    job.segments = spmmi_split_lines(mtx->data, mtx->end, segment_count(&job), job.bound);
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    const uint64_t counters = (uint64_t)job.segments * (uint64_t)mtx->rows;
    SPMM_TRY(spmmi_reader_alloc(reader, "row counters", counters, sizeof *job.counts, &job.counts));
    memset(job.counts, 0, counters * sizeof *job.counts);
    if (run_pass(&job, "count", count_any) != mtx->entries) {
        status = spmmi_explain_coordinate(reader, mtx);
        goto cleanup;
    }
    matrix->nnz = sum_rows(&job);
    if (matrix->nnz > SPMMI_NNZ_MAX) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_TOO_LARGE, 0,
                                   "expected at most %lld nonzeros, found %lld", (long long)SPMMI_NNZ_MAX,
                                   (long long)matrix->nnz);
        goto cleanup;
    }
    SPMM_TRY(spmmi_buckets_plan(reader, matrix, job.segments, &job.buckets));
    sum_buckets(&job);
    spmmi_reader_free(reader, job.counts, counters, sizeof *job.counts);
    job.counts = NULL;
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, mtx->field != SPMMI_FIELD_PATTERN));
    SPMM_TRY(spmmi_buckets_alloc_local(reader, matrix, &job.buckets));
    matrix->info.integers_inexact = run_pass(&job, "fill", fill_any);
    if (matrix->info.integers_inexact < 0) {
        status = spmmi_explain_coordinate(reader, mtx);
        goto cleanup;
    }
    SPMM_TRY(spmmi_buckets_sort(reader, matrix, &job.buckets));
cleanup:
    spmmi_buckets_free(reader, &job.buckets);
    spmmi_reader_free(reader, job.counts, (uint64_t)job.segments * (uint64_t)mtx->rows, sizeof *job.counts);
    return status;
}
