/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_file.h: reads the bytes of a dataset, which are contiguous or in chunks that a B-tree lists. */
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "hdf5_file.h"

#define LEVEL_MAX 32

/* The dataset as a row-major matrix of elements that is divided into chunks. */
struct chunks {
    struct spmmi_hdf5 *file;
    const struct spmmi_hdf5_object *object;
    uint64_t rows, cols, chunk_rows, chunk_cols;
    uint64_t chunk_bytes;
    /* Number of the expected chunk: each chunk must occur once, in order. */
    uint64_t next;
    uint64_t packed_left; /* bytes of the file that have not been assigned to a chunk */
    uint64_t wanted;      /* number of chunks that have not been read */
    /* All data; a chunk before and after unshuffling. */
    char *to, *raw, *plain;
};

/* Sets the sizes of the matrix and of a chunk. The rank is 0 to 2. */
static void set_sizes(struct chunks *c)
{
    const struct spmmi_hdf5_object *o = c->object;
    c->rows = o->rank == 2 ? o->dims[0] : 1;
    c->chunk_rows = o->rank == 2 ? o->chunk[0] : 1;
    c->cols = o->rank > 0 ? o->dims[o->rank - 1] : 1;
    c->chunk_cols = o->rank > 0 ? o->chunk[o->rank - 1] : 1;
}

static void unshuffle(const char *from, uint64_t count, unsigned bytes, char *to)
{
    for (unsigned b = 0; b < bytes; b++)
        for (uint64_t i = 0; i < count; i++)
            to[i * bytes + b] = from[b * count + i];
}

/* Unpacks a chunk. `skipped` has a bit for each filter that was not applied to the chunk. */
static spmm_status_t unpack_chunk(const struct chunks *c, uint64_t address, uint32_t stored, uint64_t skipped,
                                  const char **bytes)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_hdf5_object *o = c->object;
    const unsigned size = o->type.bytes;
    const bool is_shuffled = o->is_shuffled && (skipped & 1) == 0;
    const bool is_deflated = o->is_deflated && (skipped >> o->is_shuffled & 1) == 0;
    struct spmmi_hdf5_cursor packed;
    uint64_t got = stored;
    if (!spmmi_hdf5_at(c->file, address, stored, &packed))
        return spmmi_hdf5_expected(c->file, address, "a chunk of data within the file; is it cut off?");
    *bytes = packed.p;
    if (is_deflated) {
        SPMM_TRY(spmmi_mat_inflate(c->file->mat, (uint64_t)(packed.p - c->file->mat->bytes), packed.p, stored,
                                   c->raw, c->chunk_bytes, true, &got));
        *bytes = c->raw;
    }
    if (got != c->chunk_bytes)
        return spmmi_hdf5_expected(c->file, address, "a chunk with all its elements");
    if (is_shuffled) {
        unshuffle(*bytes, c->chunk_bytes / size, size, c->plain);
        *bytes = c->plain;
    }
cleanup:
    return status;
}

/* Copies the part of a chunk that is inside the dataset. */
static void place_chunk(const struct chunks *c, const char *from, uint64_t row, uint64_t col)
{
    const unsigned size = c->object->type.bytes;
    const uint64_t left = c->cols - col, width = left < c->chunk_cols ? left : c->chunk_cols;
    for (uint64_t i = 0; i < c->chunk_rows && row + i < c->rows; i++)
        memcpy(c->to + ((row + i) * c->cols + col) * size, from + i * c->chunk_cols * size, width * size);
}

/* Reads the chunk whose key and address are at the cursor, which has bytes for both. Each chunk is read once, so
 * this needs no step. */
static spmm_status_t read_chunk(struct chunks *c, struct spmmi_hdf5_cursor *key)
{
    spmm_status_t status = SPMM_OK;
    const char *bytes = NULL;
    uint64_t offset[2] = {0, 0};
    const uint32_t stored = (uint32_t)spmmi_hdf5_take(key, 4);
    const uint64_t skipped = spmmi_hdf5_take(key, 4);
    const uint64_t at = (uint64_t)(key->p - c->file->mat->bytes) - c->file->base;
    for (int i = 0; i < c->object->rank; i++)
        offset[2 - c->object->rank + i] = spmmi_hdf5_take(key, 8);
    (void)spmmi_hdf5_skip(key, 8); /* the offset within an element */
    const uint64_t address = spmmi_hdf5_take(key, 8);
    if (c->wanted == 0 || offset[0] % c->chunk_rows != 0 || offset[1] % c->chunk_cols != 0 ||
        offset[0] >= c->rows || offset[1] >= c->cols)
        return spmmi_hdf5_expected(c->file, at, "a chunk of the data");
    const uint64_t across = (c->cols - 1) / c->chunk_cols + 1;
    if (offset[0] / c->chunk_rows * across + offset[1] / c->chunk_cols != c->next)
        return spmmi_hdf5_expected(c->file, at, "each chunk of the data once, in order");
    if (stored > c->packed_left)
        return spmmi_hdf5_expected(c->file, at, "chunks that do not overlap");
    c->packed_left -= stored;
    c->next++;
    c->wanted--;
    SPMM_TRY(unpack_chunk(c, address, stored, skipped, &bytes));
    place_chunk(c, bytes, offset[0], offset[1]);
cleanup:
    return status;
}

/* As visit_node of hdf5_group.c, but the keys describe chunks. */
static spmm_status_t visit_node(struct chunks *c, uint64_t address, unsigned level)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t key_bytes = 8 + 8 * ((uint64_t)c->object->rank + 1);
    struct spmmi_hdf5_cursor node;
    (void)spmmi_hdf5_from(c->file, address, &node);
    const char *signature = spmmi_hdf5_skip(&node, 4);
    const uint64_t kind = spmmi_hdf5_take(&node, 1);
    const unsigned own = (unsigned)spmmi_hdf5_take(&node, 1);
    const uint64_t count = spmmi_hdf5_take(&node, 2);
    (void)spmmi_hdf5_skip(&node, 16); /* siblings */
    if (signature == NULL || node.is_cut || memcmp(signature, "TREE", 4) != 0 || kind != 1 || own >= level ||
        !spmmi_hdf5_step(c->file) || (uint64_t)(node.end - node.p) / (key_bytes + 8) < count)
        return spmmi_hdf5_expected(c->file, address, "a tree of chunks of data");
    for (uint64_t i = 0; i < count; i++) {
        if (own == 0) {
            SPMM_TRY(read_chunk(c, &node));
            continue;
        }
        (void)spmmi_hdf5_skip(&node, key_bytes);
        SPMM_TRY(visit_node(c, spmmi_hdf5_take(&node, 8), own));
    }
cleanup:
    return status;
}

static spmm_status_t read_chunks(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                                 uint64_t bytes, struct spmmi_bytes *unpacked)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader *reader = file->mat->reader;
    struct chunks c = {.file = file, .object = object, .packed_left = file->mat->size};
    struct spmmi_bytes scratch = {NULL, 0, 0};
    uint64_t padded = 0;
    set_sizes(&c);
    if (!spmmi_mul_u64(c.chunk_rows, c.chunk_cols, &c.chunk_bytes) ||
        !spmmi_mul_u64(c.chunk_bytes, object->type.bytes, &c.chunk_bytes) || c.chunk_bytes == 0 ||
        c.chunk_bytes > UINT32_MAX || c.chunk_bytes / SPMMI_MAT_RATIO_MAX > file->mat->size)
        return spmmi_hdf5_expected(file, object->address, "chunks of a size that the file can hold");
    c.wanted = ((c.rows + c.chunk_rows - 1) / c.chunk_rows) * ((c.cols + c.chunk_cols - 1) / c.chunk_cols);
    /* Chunks can extend past the data at two edges. Many chunks can have the same address, so this also
     * bounds the time. */
    if (!spmmi_mul_u64(c.wanted, c.chunk_bytes, &padded) ||
        padded / 4 / SPMMI_MAT_RATIO_MAX > file->mat->size)
        return spmmi_hdf5_expected(file, object->address, "chunks of a size that the file can hold");
    SPMM_TRY(spmmi_bytes_reserve(reader, unpacked, bytes));
    SPMM_TRY(spmmi_bytes_reserve(reader, &scratch, 2 * c.chunk_bytes));
    c.to = unpacked->data;
    c.raw = scratch.data;
    c.plain = scratch.data + c.chunk_bytes;
    SPMM_TRY(visit_node(&c, object->data, LEVEL_MAX));
    if (c.wanted != 0)
        status = spmmi_hdf5_expected(
            file, object->data, "all chunks of the data; parts that were never written are not supported");
cleanup:
    spmmi_bytes_free(reader, &scratch);
    return status;
}

static spmm_status_t check_numbers(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object)
{
    const char *unknown = object->unsupported;
    if (unknown == NULL && object->layout != SPMMI_HDF5_COMPACT && object->data == SPMMI_HDF5_NO_ADDRESS)
        unknown = "data that were never written";
    if (unknown == NULL && object->type.type == 0)
        unknown = "data that are no numbers";
    if (unknown == NULL && (object->rank < 0 || object->rank > 2 || object->layout == SPMMI_HDF5_NO_LAYOUT))
        unknown = "another shape of data";
    if (unknown == NULL && object->layout == SPMMI_HDF5_CHUNKED &&
        object->chunk_rank != (uint64_t)object->rank)
        unknown = "chunks of other dimensions than the data";
    if (unknown == NULL)
        return SPMM_OK;
    return spmmi_reader_fail_at(file->mat->reader, SPMM_ERR_MATRIX_UNSUPPORTED, file->base + object->address,
                                "expected data as MATLAB writes them, found %s", unknown);
}

spmm_status_t spmmi_hdf5_data(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                              struct spmmi_bytes *unpacked, const char **data, uint64_t *count)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_hdf5_cursor c;
    uint64_t bytes = 0;
    SPMM_TRY(check_numbers(file, object)); /* the rank is 0 to 2 */
    if (!spmmi_mul_u64(object->rank > 0 ? object->dims[0] : 1, object->rank > 1 ? object->dims[1] : 1,
                       count) ||
        !spmmi_mul_u64(*count, object->type.bytes, &bytes) || bytes / SPMMI_MAT_RATIO_MAX > file->mat->size)
        return spmmi_hdf5_expected(file, object->address, "data of a size that the file can hold");
    *data = file->mat->bytes;
    if (bytes == 0)
        return SPMM_OK;
    if (object->layout == SPMMI_HDF5_CHUNKED) {
        SPMM_TRY(read_chunks(file, object, bytes, unpacked));
        *data = unpacked->data;
        return SPMM_OK;
    }
    if (object->stored < bytes ||
        (object->layout == SPMMI_HDF5_CONTIGUOUS && !spmmi_hdf5_at(file, object->data, bytes, &c)))
        return spmmi_hdf5_expected(file, object->address, "all data of a variable within the file");
    *data = object->layout == SPMMI_HDF5_CONTIGUOUS ? c.p : object->compact;
cleanup:
    return status;
}
