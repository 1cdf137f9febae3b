/* SPDX-License-Identifier: Apache-2.0 */
/* Pattern files of the Deep Learning Matrix Collection: "rows, cols, nonzeros", then one line of row pointers
 * and one line of columns, both counted from 0. */
#include <stdio.h>

#include "export_matrix.h"
#include "export_text.h"

#define HEAD_BYTES 80
#define NUMBER_BYTES 22

/* Writes number i of the sequence of rows + 1 row pointers and nnz columns, and the separator after it. */
static size_t write_number(const spmm_csr_t *a, int64_t i, char *bytes)
{
    const int64_t column = i - a->rows - 1;
    const int is_last = column == -1 || column == a->nnz - 1;
    const uint64_t number = column < 0 ? (uint64_t)((const int64_t *)a->row_ptr)[i]
                                       : (uint64_t)((const int32_t *)a->col_ind)[column];
    const size_t size = export_count(number, bytes);
    bytes[size] = is_last ? '\n' : ' ';
    return size + 1;
}

static size_t make_numbers(const void *context, uint64_t chunk, char *bytes)
{
    const spmm_csr_t *a = context;
    const int64_t count = a->rows + 1 + a->nnz, begin = (int64_t)chunk * EXPORT_ITEMS_A_CHUNK;
    const int64_t end = count - begin < EXPORT_ITEMS_A_CHUNK ? count : begin + EXPORT_ITEMS_A_CHUNK;
    size_t at = 0;
    if (chunk == 0)
        at = (size_t)snprintf(bytes, HEAD_BYTES, "%lld, %lld, %lld\n", (long long)a->rows, (long long)a->cols,
                              (long long)a->nnz);
    for (int64_t i = begin; i < end; i++)
        at += write_number(a, i, bytes + at);
    if (end == count && a->nnz == 0)
        bytes[at++] = '\n'; /* an empty line of columns */
    return at;
}

spmm_status_t export_smtx(struct packed_stream *stream, const struct export_source *from)
{
    const spmm_csr_t *const a = from->a;
    const uint64_t count = (uint64_t)a->rows + 1 + (uint64_t)a->nnz;
    const struct chunks chunks = export_chunks(count, NUMBER_BYTES, HEAD_BYTES, make_numbers, a);
    return export_text(stream, &chunks);
}
