/* SPDX-License-Identifier: Apache-2.0 */
/* The .npz file of scipy.sparse.save_npz: a zip archive of NumPy arrays. NumPy has no bf16, so bf16 values
 * are written as float32. The values of a pattern are True. */
#include <stdio.h>
#include <string.h>

#include "export_matrix.h"
#include "tools/cli/number.h"
#include "zip_writer.h"

#define ALIGN 64
#define HEAD_BYTES 192
#define CHUNK_BYTES ((size_t)1 << 20)
#define CHUNK_ITEMS (CHUNK_BYTES / 8)

/* A one-dimensional array whose items are written one after another. */
struct array {
    const spmm_csr_t *a;
    const void *items;
    char head[HEAD_BYTES];
    size_t head_bytes, item_bytes;
    uint64_t count;
    void (*copy)(const struct array *array, uint64_t first, uint64_t count, char *bytes);
};

static void copy_plain(const struct array *array, uint64_t first, uint64_t count, char *bytes)
{
    memcpy(bytes, (const char *)array->items + first * array->item_bytes, count * array->item_bytes);
}

/* Copies the low bytes of each row pointer. Like the library, this needs a little-endian machine. */
static void copy_row_ptr(const struct array *array, uint64_t first, uint64_t count, char *bytes)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(bytes + i * array->item_bytes, (const int64_t *)array->items + first + i, array->item_bytes);
}

static void copy_wide_col_ind(const struct array *array, uint64_t first, uint64_t count, char *bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        const int64_t column = ((const int32_t *)array->items)[first + i];
        memcpy(bytes + i * sizeof column, &column, sizeof column);
    }
}

static void copy_true(const struct array *array, uint64_t first, uint64_t count, char *bytes)
{
    (void)array;
    (void)first;
    memset(bytes, 1, count);
}

/* The bits of a bf16 number are the upper half of the bits of the equal float32. */
static void copy_bf16(const struct array *array, uint64_t first, uint64_t count, char *bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)((const uint16_t *)array->items)[first + i] << 16;
        memcpy(bytes + i * sizeof bits, &bits, sizeof bits);
    }
}

/* Writes the header of .npy format 1.0: magic, version, length, a Python dictionary, and blanks that align
 * the data. */
static void write_head(struct array *array, const char *descr, const char *shape)
{
    static const char magic[] = "\x93NUMPY\x01";
    const size_t start = sizeof magic + 2;
    char text[HEAD_BYTES];
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    const size_t end = (start + (size_t)length + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memcpy(array->head, magic, sizeof magic); /* the final zero of magic is the minor version of 1.0 */
    array->head[start - 2] = (char)(end - start);
    array->head[start - 1] = 0;
    memset(array->head + start, ' ', end - start);
    memcpy(array->head + start, text, (size_t)length);
    array->head[end - 1] = '\n';
    array->head_bytes = end;
}

static size_t make_items(const void *context, uint64_t chunk, char *bytes)
{
    const struct array *array = context;
    const uint64_t first = chunk * CHUNK_ITEMS;
    const uint64_t left = array->count - first, count = left < CHUNK_ITEMS ? left : CHUNK_ITEMS;
    const size_t head = chunk == 0 ? array->head_bytes : 0;
    memcpy(bytes, array->head, head);
    array->copy(array, first, count, bytes + head);
    return head + count * array->item_bytes;
}

static spmm_status_t add(struct zip_writer *zip, const char *name, const struct array *array)
{
    const uint64_t chunks = array->count / CHUNK_ITEMS + (array->count % CHUNK_ITEMS != 0);
    return zip_add(zip, name,
                   &(struct chunks){.count = chunks > 0 ? chunks : 1,
                                    .bytes_max = CHUNK_BYTES + HEAD_BYTES,
                                    .make = make_items,
                                    .context = array});
}

static struct array vector(const char *descr, const void *items, size_t item_bytes, uint64_t count,
                           void (*copy)(const struct array *, uint64_t, uint64_t, char *))
{
    char shape[32];
    struct array array = {.items = items, .item_bytes = item_bytes, .count = count, .copy = copy};
    (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)count);
    write_head(&array, descr, shape);
    return array;
}

static struct array values_of(const spmm_csr_t *a)
{
    const uint64_t count = (uint64_t)a->nnz;
    if (a->values == NULL)
        return vector("|b1", NULL, 1, count, copy_true);
    if (a->value_type == SPMM_BF16)
        return vector("<f4", a->values, sizeof(float), count, copy_bf16);
    return vector(value_type(a->value_type)->npy, a->values, spmm_dtype_size(a->value_type), count,
                  copy_plain);
}

spmm_status_t export_npz(struct packed_stream *stream, const struct export_source *from)
{
    const spmm_csr_t *const a = from->a;
    static const char format[] = "csr";
    const int64_t shape[] = {a->rows, a->cols};
    const int is_wide = a->nnz > INT32_MAX; /* SciPy uses one type for both index arrays */
    const char *index = is_wide ? "<i8" : "<i4";
    const struct array col_ind = vector(index, a->col_ind, is_wide ? 8 : 4, (uint64_t)a->nnz,
                                        is_wide ? copy_wide_col_ind : copy_plain);
    const struct array row_ptr =
        vector(index, a->row_ptr, is_wide ? 8 : 4, (uint64_t)a->rows + 1, copy_row_ptr);
    const struct array sizes = vector("<i8", shape, sizeof *shape, 2, copy_plain);
    const struct array values = values_of(a);
    struct array name = {.items = format, .item_bytes = sizeof format - 1, .count = 1, .copy = copy_plain};
    write_head(&name, "|S3", "()");
    struct zip_writer zip = zip_start(stream);
    spmm_status_t status = add(&zip, "indices.npy", &col_ind);
    if (status == SPMM_OK)
        status = add(&zip, "indptr.npy", &row_ptr);
    if (status == SPMM_OK)
        status = add(&zip, "format.npy", &name);
    if (status == SPMM_OK)
        status = add(&zip, "shape.npy", &sizes);
    if (status == SPMM_OK)
        status = add(&zip, "data.npy", &values);
    return status == SPMM_OK ? zip_finish(&zip) : status;
}
