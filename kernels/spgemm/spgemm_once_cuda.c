/* SPDX-License-Identifier: Apache-2.0 */
/* A product without a plan on a GPU, in two phases: entries of C are counted, memory is taken for exactly as many, and
 * columns and values are computed. The host reads counts between the phases. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_backend.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_pool.h"
#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_once_launch.h"

#define BLOCKS_OF_MEMORY 16
#define BITMAP_BYTES_MAX (UINT64_C(1) << 30) /* of all bitmaps, if one alone does not take more */

struct once {
    const struct spmmi_spgemm_gpu_once *in;
    struct spmmi_once_work work;
    struct spmmi_once_counts counts; /* of the host */
    struct {
        void *memory;
        size_t bytes;
    } blocks[BLOCKS_OF_MEMORY]; /* of the device, freed at the end */
    int block_count;
    uint64_t used;
    int64_t nnz;
    spmm_diag_t *diag;
};

/* How memory is taken: spmmi_pool_take or spmmi_pool_take_plain. */
typedef spmm_status_t (*take_fn)(size_t bytes, void *stream, void **block, spmm_diag_t *diag);

/* Of an array; no array is empty, so that each has an address. */
static uint64_t array_bytes(uint64_t count, size_t size)
{
    return count * size + 1;
}

/* Memory of the device, all bytes of one value; *out stays the caller's to free. */
static spmm_status_t take(struct once *o, take_fn how, uint64_t count, size_t size, int byte, void **out)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t bytes = array_bytes(count, size), left = o->in->device_left;
    SPMM_REQUIRE(o->used <= left && bytes <= left - o->used, SPMM_ERR_PLAN_BUDGET, o->diag,
                 "the product takes %llu bytes of the GPU so far and %llu more, %llu are allowed",
                 (unsigned long long)o->used, (unsigned long long)bytes, (unsigned long long)left);
    SPMM_TRY(how((size_t)bytes, o->in->stream, out, o->diag));
    o->used += bytes;
    SPMM_TRY_CUDA(cudaMemsetAsync(*out, byte, (size_t)bytes, o->in->stream), o->diag);
cleanup:
    return status;
}

/* The same, freed at the end. */
static spmm_status_t take_scratch(struct once *o, uint64_t count, size_t size, int byte, void **out)
{
    const spmm_status_t status =
        take(o, spmmi_pool_take, count, size, byte, &o->blocks[o->block_count].memory);
    *out = o->blocks[o->block_count].memory;
    o->blocks[o->block_count++].bytes = (size_t)array_bytes(count, size);
    return status;
}

/* How many of each, once what was enqueued is done. */
static spmm_status_t read_counts(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_CUDA(
        cudaMemcpyAsync(&o->counts, o->work.counts, sizeof o->counts, cudaMemcpyDeviceToHost, o->in->stream),
        o->diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(o->in->stream), o->diag);
cleanup:
    return status;
}

/* Its check is enqueued; index: 0 of A, 1 of B. */
static spmm_status_t open_matrix(struct once *o, const spmm_csr_t *from, int index,
                                 struct spmmi_once_matrix *to)
{
    spmm_status_t status = SPMM_OK;
    void *narrow = NULL;
    SPMM_REQUIRE(from->rows > 0 || from->nnz == 0, SPMM_ERR_CSR, o->diag, "%c has %lld entries and no rows",
                 index == 0 ? 'A' : 'B', (long long)from->nnz);
    *to = (struct spmmi_once_matrix){.rows = from->rows,
                                     .cols = from->cols,
                                     .nnz = from->nnz,
                                     .row_ptr = from->row_ptr,
                                     .given = from->col_ind,
                                     .has_wide_rows = from->row_ptr_type == SPMM_I64,
                                     .has_wide_columns = from->col_ind_type == SPMM_I64,
                                     .columns = from->col_ind,
                                     .values = from->values};
    if (to->has_wide_columns) {
        SPMM_TRY(take_scratch(o, (uint64_t)from->nnz, sizeof *to->columns, 0, &narrow));
        to->columns = to->narrow = narrow;
    }
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_check_cuda(to, o->work.counts->bad_row + index, o->in->stream),
                  o->diag);
cleanup:
    return status;
}

/* What the checks of both matrices found. */
static spmm_status_t read_checks(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(read_counts(o));
    for (int i = 0; i < 2; i++)
        SPMM_REQUIRE_AT(
            o->counts.bad_row[i] == ~0ull, SPMM_ERR_CSR, o->diag, o->counts.bad_row[i],
            "row %llu of %c breaks a rule of CSR: its row pointers or its columns do not ascend, or "
            "leave the matrix",
            o->counts.bad_row[i], i == 0 ? 'A' : 'B');
cleanup:
    return status;
}

static spmm_status_t open_once(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    const spmm_csr_t *a = o->in->a, *b = o->in->b;
    struct spmmi_once_work *w = &o->work;
    const uint64_t rows = (uint64_t)a->rows, sums = spmmi_once_scan_blocks(a->rows);
    void *block = NULL;
    SPMM_TRY(take_scratch(o, 1, sizeof *w->counts, 0, &block));
    w->counts = block;
    SPMM_TRY_CUDA(cudaMemsetAsync(w->counts->bad_row, 0xff, sizeof w->counts->bad_row, o->in->stream),
                  o->diag);
    SPMM_TRY(open_matrix(o, a, 0, &w->a));
    SPMM_TRY(open_matrix(o, b, 1, &w->b));
    SPMM_TRY(read_checks(o));
    /* In one block, as each allocation takes its time: sums, bound, lists. */
    SPMM_TRY(take_scratch(o, sums * sizeof *w->sums + (1 + SPMMI_ONCE_CLASSES) * rows * sizeof *w->bound, 1,
                          0, &block));
    w->sums = block;
    w->bound = (uint32_t *)(w->sums + sums);
    for (int c = 0; c < SPMMI_ONCE_CLASSES; c++)
        w->list[c] = w->bound + (uint64_t)(c + 1) * rows;
    w->all_wide = o->in->all_wide;
    w->bitmap_words = (uint64_t)b->cols / 32 + 1;
cleanup:
    return status;
}

/* Bitmaps for the blocks that take wide rows. */
static spmm_status_t take_bitmaps(struct once *o, uint32_t rows)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const uint64_t bytes = w->bitmap_words * sizeof *w->bitmaps, most = BITMAP_BYTES_MAX / bytes;
    void *block = NULL;
    uint64_t blocks = rows < SPMMI_ONCE_BLOCKS_MAX ? rows : SPMMI_ONCE_BLOCKS_MAX;
    if (w->bitmaps != NULL) /* of the first phase, whose rows are those of the second */
        return SPMM_OK;
    blocks = blocks > most ? most : blocks;
    blocks = blocks > 0 ? blocks : 1;
    SPMM_TRY(take_scratch(o, blocks, bytes, 0, &block));
    w->bitmaps = block;
    w->blocks = (uint32_t)blocks;
cleanup:
    return status;
}

/* The symbolic phase: how many entries each row has, and all of them. */
static spmm_status_t count_entries(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_products_cuda(w, stream), o->diag);
    SPMM_TRY(read_counts(o));
    for (int c = 0; c < SPMMI_ONCE_WIDE; c++)
        if (o->counts.rows[c] > 0)
            SPMM_TRY_CUDA((cudaError_t)spmmi_once_count_cuda(w, c, o->counts.rows[c], stream), o->diag);
    SPMM_TRY(read_counts(o));
    const uint32_t wide = o->counts.rows[SPMMI_ONCE_WIDE];
    if (wide > 0) {
        SPMM_TRY(take_bitmaps(o, wide));
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_count_wide_cuda(w, wide, stream), o->diag);
    }
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_scan_cuda(w, stream), o->diag);
    SPMM_TRY_CUDA(
        cudaMemcpyAsync(&o->nnz, w->c_row_ptr + w->a.rows, sizeof o->nnz, cudaMemcpyDeviceToHost, stream),
        o->diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(stream), o->diag);
cleanup:
    return status;
}

/* Lists by entries; those of wide rows have a place for each range. */
static spmm_status_t bin_entries(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const uint64_t ranges = (uint64_t)w->a.rows + (uint64_t)o->nnz / SPMMI_ONCE_RANGE;
    void *block = NULL;
    SPMM_REQUIRE(ranges <= UINT32_MAX, SPMM_ERR_TOO_LARGE, o->diag,
                 "the product has %lld rows and %lld entries, too many for the ranges of a GPU",
                 (long long)w->a.rows, (long long)o->nnz);
    SPMM_TRY(take_scratch(o, 2 * ranges, sizeof *w->range, 0, &block));
    w->list[SPMMI_ONCE_WIDE] = block;
    w->range = w->list[SPMMI_ONCE_WIDE] + ranges;
    SPMM_TRY_CUDA(cudaMemsetAsync(w->counts->rows, 0, sizeof w->counts->rows, o->in->stream), o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_bin_cuda(w, o->in->stream), o->diag);
    SPMM_TRY(read_counts(o));
cleanup:
    return status;
}

/* Columns and values. */
static spmm_status_t compute(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    const uint32_t *rows = o->counts.rows, wide = rows[SPMMI_ONCE_WIDE];
    for (int c = 0; c < SPMMI_ONCE_WIDE; c++)
        if (rows[c] > 0)
            SPMM_TRY_CUDA((cudaError_t)spmmi_once_columns_cuda(w, c, rows[c], stream), o->diag);
    if (wide > 0) {
        SPMM_TRY(take_bitmaps(o, wide));
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_columns_wide_cuda(w, wide, stream), o->diag);
    }
    for (int c = 0; c < SPMMI_ONCE_CLASSES; c++)
        if (rows[c] > 0)
            SPMM_TRY_CUDA(
                (cudaError_t)spmmi_once_values_cuda(w, c, rows[c], o->in->a->value_type == SPMM_F64, stream),
                o->diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(stream), o->diag);
cleanup:
    return status;
}

static spmm_status_t multiply(struct once *o, void *arrays[3])
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)o->in->a->rows;
    SPMM_TRY(take(o, spmmi_pool_take_plain, rows + 1, sizeof(int64_t), 0, &arrays[0]));
    o->work.c_row_ptr = arrays[0];
    SPMM_TRY(open_once(o));
    if (rows > 0)
        SPMM_TRY(count_entries(o));
    SPMM_TRY(take(o, spmmi_pool_take_plain, (uint64_t)o->nnz, sizeof(int32_t), 0, &arrays[1]));
    SPMM_TRY(take(o, spmmi_pool_take_plain, (uint64_t)o->nnz, spmm_dtype_size(o->in->a->value_type), 0,
                  &arrays[2]));
    o->work.c_columns = arrays[1];
    o->work.c_values = arrays[2];
    if (o->nnz > 0) {
        SPMM_TRY(bin_entries(o));
        SPMM_TRY(compute(o));
    }
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_gpu_once(const struct spmmi_spgemm_gpu_once *in, spmm_csr_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct once o = {.in = in, .diag = diag};
    void *arrays[3] = {NULL};
    SPMM_REQUIRE(in->b->nnz <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "B has %lld entries, a GPU takes up to %u", (long long)in->b->nnz, UINT32_MAX);
    SPMM_REQUIRE(spmmi_cuda_device_runs(in->device), SPMM_ERR_NO_DEVICE, diag,
                 "this build has no kernels for GPU %d", in->device);
    SPMM_TRY_CUDA(spmmi_cuda_enter(in->device, &scope), diag);
    SPMM_TRY(multiply(&o, arrays));
    *c = (spmm_csr_t){in->a->rows, in->b->cols,       o.nnz,    SPMM_I64, SPMM_I32, arrays[0],
                      arrays[1],   in->a->value_type, arrays[2]};
    memset(arrays, 0, sizeof arrays);
cleanup:
    for (int i = 0; i < o.block_count; i++)
        spmmi_pool_free(o.blocks[i].memory, o.blocks[i].bytes, in->stream);
    for (int i = 0; i < 3; i++)
        (void)cudaFree(arrays[i]);
    spmmi_cuda_leave(scope);
    return status;
}

int spmmi_spgemm_gpu_owns(const void *block)
{
    struct cudaPointerAttributes attributes;
    if (block == NULL)
        return 0;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, block);
    if (error == cudaSuccess)
        return attributes.type == cudaMemoryTypeDevice;
    (void)cudaGetLastError();
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 0 : -1;
}

void spmmi_spgemm_gpu_release(const void *block)
{
    (void)cudaFree((void *)(uintptr_t)block);
}
