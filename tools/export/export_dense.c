/* SPDX-License-Identifier: Apache-2.0 */
/* See export_dense.h. */
#include "export_dense.h"

#include <string.h>

#include "export_matrix.h"
#include "export_text.h"
#include "shortest.h"
#include "tools/compute/npy.h"

#define HEAD_BYTES 120 /* without the comment */
#define LINE_BYTES (SHORTEST_BYTES + 1)

struct source {
    const spmm_dense_t *dense;
    const char *comment;
};

static const struct export_form *text_form(const char *path)
{
    const struct export_form *form = export_form_of_file(path);
    return form != NULL && form->write == export_mtx ? form : NULL;
}

bool export_dense_is_text(const char *path)
{
    return text_form(path) != NULL;
}

/* Returns number `index` in column-major order, the order of Matrix Market arrays. */
static double number_at(const spmm_dense_t *d, int64_t index)
{
    const int64_t row = index % d->rows, col = index / d->rows;
    return value_get(d->type, d->data, d->layout == SPMM_ROW_MAJOR ? row * d->ld + col : col * d->ld + row);
}

static size_t make_lines(const void *context, uint64_t chunk, char *bytes)
{
    const struct source *const from = context;
    const spmm_dense_t *const d = from->dense;
    const struct shortest shortest = shortest_of(d->type);
    const int64_t begin = (int64_t)chunk * EXPORT_ITEMS_A_CHUNK, count = d->rows * d->cols;
    const int64_t end = count - begin < EXPORT_ITEMS_A_CHUNK ? count : begin + EXPORT_ITEMS_A_CHUNK;
    size_t at = 0;
    if (chunk == 0)
        at = (size_t)sprintf(bytes, "%%%%MatrixMarket matrix array real general\n%s%lld %lld\n",
                             from->comment, (long long)d->rows, (long long)d->cols);
    for (int64_t i = begin; i < end; i++) {
        at += shortest_write(&shortest, number_at(d, i), bytes + at);
        bytes[at++] = '\n';
    }
    return at;
}

static spmm_status_t write_text(const char *path, const struct source *from, int threads, spmm_diag_t *diag)
{
    struct output_file file;
    struct packed_stream stream = {
        .file = &file, .packing = text_form(path)->packing, .threads = threads, .diag = diag};
    const struct chunks chunks =
        export_chunks((uint64_t)from->dense->rows * (uint64_t)from->dense->cols, LINE_BYTES,
                      HEAD_BYTES + strlen(from->comment), make_lines, from);
    spmm_status_t status = output_file_open(&file, path, diag);
    if (status == SPMM_OK)
        status = export_text(&stream, &chunks);
    return output_file_close(&file, status);
}

spmm_status_t export_dense(const char *path, const spmm_dense_t *dense, const char *comment, int threads,
                           spmm_diag_t *diag)
{
    const struct source from = {dense, comment};
    return text_form(path) != NULL ? write_text(path, &from, threads, diag) : npy_save(path, dense, diag);
}
