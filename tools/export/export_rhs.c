/* SPDX-License-Identifier: Apache-2.0 */
/* See export_rhs.h. */
#include "export_rhs.h"

#include <stdlib.h>
#include <string.h>

#include "export_matrix.h"
#include "export_text.h"
#include "format/base/file_ending.h"
#include "shortest.h"
#include "tools/cli/fail.h"
#include "tools/compute/npy.h"

#define HEAD_BYTES 120
#define LINE_BYTES (SHORTEST_BYTES + 1)

static const struct export_form *text_form(const char *path)
{
    const struct export_form *form = export_form_of_file(path);
    return form != NULL && form->write == export_mtx ? form : NULL;
}

static bool is_npy(const char *path)
{
    const size_t length = strlen(path); /* of a file to write: .npy alone would be a hidden one */
    return length > strlen(".npy") && spmmi_has_ending(path, length, ".npy");
}

bool export_rhs_has_form(const char *path)
{
    return is_npy(path) || text_form(path) != NULL;
}

static double sum_of_row(const spmm_csr_t *a, int64_t row)
{
    const int64_t *row_ptr = a->row_ptr;
    long double sum = 0;
    for (int64_t p = row_ptr[row]; p < row_ptr[row + 1]; p++)
        sum += a->values != NULL ? (long double)value_get(a->value_type, a->values, p) : 1;
    return (double)sum;
}

static size_t make_lines(const void *context, uint64_t chunk, char *bytes)
{
    const spmm_dense_t *b = context;
    const struct shortest shortest = shortest_of(SPMM_F64);
    const int64_t begin = (int64_t)chunk * EXPORT_ITEMS_A_CHUNK;
    const int64_t end = b->rows - begin < EXPORT_ITEMS_A_CHUNK ? b->rows : begin + EXPORT_ITEMS_A_CHUNK;
    size_t at = 0;
    if (chunk == 0)
        at = (size_t)snprintf(bytes, HEAD_BYTES,
                              "%%%%MatrixMarket matrix array real general\n%% A x for x = 1\n%lld 1\n",
                              (long long)b->rows);
    for (int64_t i = begin; i < end; i++) {
        at += shortest_write(&shortest, ((const double *)b->data)[i], bytes + at);
        bytes[at++] = '\n';
    }
    return at;
}

static spmm_status_t write_text(const char *path, const spmm_dense_t *b, int threads, spmm_diag_t *diag)
{
    struct output_file file;
    struct packed_stream stream = {
        .file = &file, .packing = text_form(path)->packing, .threads = threads, .diag = diag};
    const struct chunks chunks = export_chunks((uint64_t)b->rows, LINE_BYTES, HEAD_BYTES, make_lines, b);
    spmm_status_t status = output_file_open(&file, path, diag);
    if (status == SPMM_OK)
        status = export_text(&stream, &chunks);
    return output_file_close(&file, status);
}

spmm_status_t export_rhs(const char *path, const spmm_csr_t *a, int threads, spmm_diag_t *diag)
{
    double *const sums = calloc((size_t)a->rows + 1, sizeof *sums);
    const spmm_dense_t b = {sums, a->rows, 1, 1, SPMM_ROW_MAJOR, SPMM_F64};
    if (sums == NULL)
        return fail_memory(diag, ((uint64_t)a->rows + 1) * sizeof *sums, "the right-hand side");
    for (int64_t i = 0; i < a->rows; i++)
        sums[i] = sum_of_row(a, i);
    const spmm_status_t status =
        is_npy(path) ? npy_save(path, &b, diag) : write_text(path, &b, threads, diag);
    free(sums);
    return status;
}
