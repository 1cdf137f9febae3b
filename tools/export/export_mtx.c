/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market: coordinates counted from 1, row by row; only the lower triangle of a symmetric matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export_matrix.h"
#include "export_text.h"
#include "shortest.h"
#include "tools/cli/fail.h"

#define HEAD_BYTES 160 /* without comments */
#define COMMENT_BYTES_MAX 1024
#define LINE_BYTES (2 * 11 + SHORTEST_BYTES)

struct entries {
    const spmm_csr_t *a; /* the entries that are written */
    const char *comments;
    spmm_symmetry_t symmetry;
    struct shortest shortest;
};

/* Copies the entries on and below the diagonal. The caller frees the arrays of lower, even after a
 * failure. */
static spmm_status_t lower_of(const spmm_csr_t *a, spmm_csr_t *lower, spmm_diag_t *diag)
{
    const int64_t *const row_ptr = a->row_ptr;
    const int32_t *const col_ind = a->col_ind;
    const size_t bytes = a->values != NULL ? spmm_dtype_size(a->value_type) : 0;
    int64_t *const rows = calloc((size_t)a->rows + 1, sizeof *rows);
    int32_t *const columns = calloc((size_t)a->nnz + 1, sizeof *columns);
    char *const values = malloc((size_t)a->nnz * bytes + 1);
    *lower = *a;
    lower->row_ptr = rows;
    lower->col_ind = columns;
    lower->values = values;
    if (rows == NULL || columns == NULL || values == NULL)
        return fail_memory(diag, 0, "one triangle of the matrix");
    int64_t at = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1] && col_ind[p] <= i; p++) {
            columns[at] = col_ind[p];
            if (bytes > 0)
                memcpy(values + (size_t)at * bytes, (const char *)a->values + (size_t)p * bytes, bytes);
            at++;
        }
        rows[i + 1] = at;
    }
    lower->nnz = at;
    return SPMM_OK;
}

/* Returns the row of nonzero p. */
static int64_t row_of(const spmm_csr_t *a, int64_t p)
{
    const int64_t *row_ptr = a->row_ptr;
    int64_t low = 0, high = a->rows; /* row_ptr[low] <= p < row_ptr[high] */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (row_ptr[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t write_head(const struct entries *e, char *bytes)
{
    const spmm_csr_t *a = e->a;
    return (size_t)snprintf(bytes, HEAD_BYTES + strlen(e->comments),
                            "%%%%MatrixMarket matrix coordinate %s %s\n%s%lld %lld %lld\n",
                            a->values != NULL ? "real" : "pattern", spmm_symmetry_name(e->symmetry),
                            e->comments, (long long)a->rows, (long long)a->cols, (long long)a->nnz);
}

static size_t write_entry(const struct entries *e, int64_t row, int64_t p, char *bytes)
{
    const spmm_csr_t *a = e->a;
    size_t at = export_count((uint64_t)row + 1, bytes);
    bytes[at++] = ' ';
    at += export_count((uint64_t)((const int32_t *)a->col_ind)[p] + 1, bytes + at);
    if (a->values != NULL) {
        bytes[at++] = ' ';
        at += shortest_write(&e->shortest, value_get(a->value_type, a->values, p), bytes + at);
    }
    bytes[at++] = '\n';
    return at;
}

static size_t make_lines(const void *context, uint64_t chunk, char *bytes)
{
    const struct entries *e = context;
    const spmm_csr_t *a = e->a;
    const int64_t *row_ptr = a->row_ptr;
    const int64_t begin = (int64_t)chunk * EXPORT_ITEMS_A_CHUNK;
    const int64_t end = a->nnz - begin < EXPORT_ITEMS_A_CHUNK ? a->nnz : begin + EXPORT_ITEMS_A_CHUNK;
    size_t at = chunk == 0 ? write_head(e, bytes) : 0;
    int64_t row = begin < end ? row_of(a, begin) : 0;
    for (int64_t p = begin; p < end; p++) {
        while (row_ptr[row + 1] <= p)
            row++;
        at += write_entry(e, row, p, bytes + at);
    }
    return at;
}

static spmm_status_t write_entries(struct packed_stream *stream, const struct entries *e)
{
    const struct chunks chunks =
        export_chunks((uint64_t)e->a->nnz, LINE_BYTES, HEAD_BYTES + strlen(e->comments), make_lines, e);
    return export_text(stream, &chunks);
}

spmm_status_t export_mtx(struct packed_stream *stream, const struct export_source *from)
{
    struct entries e = {from->a, from->comments, SPMM_SYMMETRY_GENERAL, shortest_of(from->a->value_type)};
    spmm_csr_t lower;
    if (from->symmetry != SPMM_SYMMETRY_SYMMETRIC && from->symmetry != SPMM_SYMMETRY_SKEW)
        return write_entries(stream, &e);
    spmm_status_t status = lower_of(from->a, &lower, stream->diag);
    const spmm_csr_t all = lower; /* for free, because lower.values of a pattern becomes NULL */
    if (from->a->values == NULL)
        lower.values = NULL;
    e.a = &lower;
    e.symmetry = from->symmetry;
    if (status == SPMM_OK)
        status = write_entries(stream, &e);
    free((void *)(uintptr_t)all.row_ptr);
    free((void *)(uintptr_t)all.col_ind);
    free((void *)(uintptr_t)all.values);
    return status;
}

char *export_comments(const spmm_plan_t *plan)
{
    spmm_metadata_t pair;
    size_t size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out != NULL && spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        if (strlen(pair.key) + strlen(pair.value) + strlen("% =\n") <= COMMENT_BYTES_MAX)
            (void)fprintf(out, "%% %s=%s\n", pair.key, pair.value);
    if (out == NULL || fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int is_kept(spmm_dtype_t type, const void *values, int64_t p)
{
    _Alignas(8) unsigned char back[8]; /* can hold a number of any type */
    const size_t bytes = spmm_dtype_size(type);
    const double value = value_get(type, values, p);
    if (!isnan(value))
        return 1;
    value_set(type, back, 0, copysign((double)NAN, value));
    return memcmp(back, (const char *)values + (size_t)p * bytes, bytes) == 0;
}

int64_t export_value_lost(const spmm_csr_t *a)
{
    int64_t p = 0;
    while (a->values != NULL && p < a->nnz && is_kept(a->value_type, a->values, p))
        p++;
    return a->values != NULL ? p : a->nnz;
}
