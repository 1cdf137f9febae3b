/* SPDX-License-Identifier: Apache-2.0 */
/* See row_similarity.h. The sample consists of the rows with a low first min-hash. Two similar rows are then
 * mostly both in the sample or both outside it, and only few rows need the second min-hash. Unions of columns
 * are counted in the order of the hashes, which is random with respect to the matrix, until enough nonzeros
 * have been read. */
#include "row_similarity.h"

#include <stdlib.h>

#include "format/matrix/column_set.h"
#include "format/matrix/numbered_columns.h"
#include "format/base/alloc.h"
#include "format/base/team.h"
#include "format/plan.h"

#define SAMPLE_ROWS 8192 /* approximate size of the sample */
#define BUCKETS 4096 /* buckets of the histogram of first min-hashes, which gives the limit of the sample */
#define NONZEROS_MAX 400000 /* approximate number of nonzeros to read for unions */
#define FACTOR_FIRST 0x9e3779b1u
#define FACTOR_SECOND 0x85ebca6bu

struct mark {
    uint64_t hashes;
    int64_t row;
};

struct sample {
    int64_t rows;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    struct spmmi_numbered_columns numbered; /* the columns as elements of the set */
    struct spmmi_column_set set;
    uint32_t *columns; /* output buffer for draining the set */
    int64_t nonzeros;  /* nonzeros read so far */
    double before, after;
};

static uint32_t least_hash(const int32_t *columns, int64_t count, uint32_t factor)
{
    uint32_t least = UINT32_MAX;
    for (int64_t q = 0; q < count; q++) {
        uint32_t hash = ((uint32_t)columns[q] + 1) * factor;
        hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
        least = hash < least ? hash : least;
    }
    return least;
}

static int compare(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->hashes != y->hashes)
        return x->hashes < y->hashes ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int64_t length_of(const struct sample *s, int64_t row)
{
    return s->row_ptr[row + 1] - s->row_ptr[row];
}

static void add_row(struct sample *s, int64_t row)
{
    spmmi_column_set_add(&s->set, s->numbered.col_ind + s->row_ptr[row], length_of(s, row));
    s->nonzeros += length_of(s, row);
}

/* Returns the number of columns of the row window that contains `row`, divided by the number of its nonempty
 * rows. */
static double columns_before(struct sample *s, int64_t row)
{
    const int64_t first = row / SPMMI_WINDOW_ROWS * SPMMI_WINDOW_ROWS;
    int64_t used = 0;
    for (int64_t i = first; i < first + SPMMI_WINDOW_ROWS && i < s->rows; i++) {
        add_row(s, i);
        used += length_of(s, i) > 0;
    }
    return (double)spmmi_column_set_drain(&s->set, s->columns) / (double)used;
}

/* For each of `count` rows with equal hashes, at most SPMMI_WINDOW_ROWS: adds to s->after the columns per row
 * of a window of these rows, and to s->before those of the window that the row is in now. A row that would
 * gain nothing adds the same to both. */
static void compare_window(struct sample *s, const struct mark *marks, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        add_row(s, marks[i].row);
    const double after = (double)spmmi_column_set_drain(&s->set, s->columns) / (double)count;
    for (int64_t i = 0; i < count; i++) {
        const double before = columns_before(s, marks[i].row);
        s->before += before;
        s->after += count > 1 && after < before ? after : before;
    }
}

/* Returns the limit of first hashes below which there are about SAMPLE_ROWS rows. */
static uint32_t find_limit(int64_t rows, const uint32_t *first)
{
    const uint32_t width = UINT32_MAX / BUCKETS + 1;
    int64_t counts[BUCKETS] = {0}, sum = 0;
    uint32_t bucket = 0;
    for (int64_t i = 0; i < rows; i++)
        counts[first[i] / width]++;
    while (bucket < BUCKETS && sum < SAMPLE_ROWS)
        sum += counts[bucket++];
    return bucket == BUCKETS ? UINT32_MAX : bucket * width;
}

/* Returns the marks of the sampled rows, sorted by hashes; NULL: out of memory. The caller frees them. */
static struct mark *take_sample(const struct sample *s, const uint32_t *first, int64_t *count)
{
    const uint32_t limit = find_limit(s->rows, first);
    *count = 0;
    for (int64_t i = 0; i < s->rows; i++)
        *count += first[i] < limit;
    struct mark *marks = spmmi_alloc((uint64_t)*count, sizeof *marks);
    if (marks == NULL)
        return NULL;
    *count = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        if (first[i] >= limit)
            continue;
        const uint32_t second = least_hash(s->col_ind + s->row_ptr[i], length_of(s, i), FACTOR_SECOND);
        marks[*count].hashes = (uint64_t)first[i] << 32 | second;
        marks[(*count)++].row = i;
    }
    qsort(marks, (size_t)*count, sizeof *marks, compare);
    return marks;
}

spmm_status_t spmmi_row_similarity(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   int threads, double *ratio)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    struct sample s = {.rows = rows, .row_ptr = row_ptr, .col_ind = col_ind};
    struct mark *marks = NULL;
    int64_t count = 0;
    uint32_t *first = spmmi_alloc((uint64_t)rows, sizeof *first);
    s.numbered = spmmi_columns_own(cols, col_ind);
    if (spmmi_columns_are_many(cols, row_ptr[rows]) &&
        spmmi_columns_number(&s.numbered, row_ptr[rows], 1, threads) != SPMM_OK)
        goto cleanup;
    s.columns = spmmi_alloc((uint64_t)s.numbered.cols, sizeof *s.columns);
    if (first == NULL || s.columns == NULL || spmmi_column_set_new(&s.set, s.numbered.cols) != SPMM_OK)
        goto cleanup;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < rows; i++)
        first[i] = least_hash(col_ind + row_ptr[i], row_ptr[i + 1] - row_ptr[i], FACTOR_FIRST);
    marks = take_sample(&s, first, &count);
    if (marks == NULL)
        goto cleanup;
    for (int64_t i = 0, end = 0; i < count && s.nonzeros < NONZEROS_MAX; i = end) {
        while (end < count && end - i < SPMMI_WINDOW_ROWS && marks[end].hashes == marks[i].hashes)
            end++;
        compare_window(&s, marks + i, end - i);
    }
    *ratio = s.before > 0 ? s.after / s.before : 1;
    status = SPMM_OK;
cleanup:
    spmmi_free(marks);
    spmmi_column_set_free(&s.set);
    spmmi_free(s.columns);
    spmmi_numbered_columns_free(&s.numbered);
    spmmi_free(first);
    return status;
}
