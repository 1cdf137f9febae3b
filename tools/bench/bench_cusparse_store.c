/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_cusparse_store.h. */
#include "bench_cusparse_store.h"

#include <stdlib.h>
#include <string.h>

#include "bench_peers.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

/* SELL and BSR are tried only if they need at most this many times the bytes of CSR. */
#define GAIN_MIN 4
/* Blocked-ELL is tried only if it stores at most this many values per nonzero. With more, tensor cores at
 * their peak (2 operations per value at 625 TFLOP/s on an H200) take longer than gathering 2 bytes of B per
 * nonzero and column (at 8.8 TB/s). */
#define FILL_MAX 64
#define SLICE 32 /* rows per slice of SELL */

void cusparse_stored_free(struct cusparse_stored *stored)
{
    device_block_free(&stored->row_ptr);
    device_block_free(&stored->row_ind);
    device_block_free(&stored->col_ind);
    device_block_free(&stored->values);
    stored->is_there = 0;
}

/* Uploads one array and adds its bytes to the total. */
static spmm_status_t upload(struct cusparse_stored *stored, struct device_block *to, int device,
                            const void *from, uint64_t bytes, spmm_diag_t *diag)
{
    stored->bytes += bytes;
    const spmm_status_t status = device_block_reserve(to, device, bytes, diag);
    return status == SPMM_OK ? device_upload(to, from, bytes, diag) : status;
}

static int32_t *narrow_row_ptr(const struct host_csr *csr)
{
    int32_t *row_ptr = malloc(((size_t)csr->rows + 1) * sizeof *row_ptr);
    for (int64_t i = 0; row_ptr != NULL && i <= csr->rows; i++)
        row_ptr[i] = (int32_t)csr->row_ptr[i];
    return row_ptr;
}

static int32_t *row_indices(const struct host_csr *csr)
{
    int32_t *row_ind = malloc(((size_t)csr->nnz + 1) * sizeof *row_ind);
    for (int64_t i = 0; row_ind != NULL && i < csr->rows; i++)
        for (int64_t p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++)
            row_ind[p] = (int32_t)i;
    return row_ind;
}

spmm_status_t cusparse_store_entries(int device, const struct host_csr *csr, int is_coo,
                                     struct cusparse_stored *stored, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t nnz = (uint64_t)csr->nnz;
    int32_t *rows = is_coo ? row_indices(csr) : narrow_row_ptr(csr);
    void *values = host_csr_typed_values(csr);
    stored->bytes = 0;
    if (rows == NULL || values == NULL) {
        status = fail_memory(diag, nnz * 12, "the matrix for cuSPARSE");
        goto cleanup;
    }
    if (is_coo)
        TRY(upload(stored, &stored->row_ind, device, rows, nnz * sizeof *rows, diag));
    else
        TRY(upload(stored, &stored->row_ptr, device, rows, ((uint64_t)csr->rows + 1) * sizeof *rows, diag));
    TRY(upload(stored, &stored->col_ind, device, csr->col_ind, nnz * sizeof *csr->col_ind, diag));
    TRY(upload(stored, &stored->values, device, values, nnz * spmm_dtype_size(csr->dtype), diag));
    stored->rows = csr->rows;
    stored->cols = csr->cols;
    stored->nnz = csr->nnz;
    stored->is_there = 1;
cleanup:
    free(values);
    free(rows);
    return status;
}

/* Returns 1 if this many values, with one index per `of` values, are few enough to try the format. */
static int is_worth_values(const struct host_csr *csr, double values, double of)
{
    const double size = (double)spmm_dtype_size(csr->dtype);
    return values * (size + 4.0 / of) <= GAIN_MIN * (double)csr->nnz * (size + 4.0);
}

/* blocks is -1 if memory was too short to count them. */
static int is_worth_bsr(const struct host_csr *csr, int64_t block, int64_t blocks)
{
    const double area = (double)(block * block);
    return blocks >= 0 && is_worth_values(csr, (double)blocks * area, area);
}

static int is_worth_ell(const struct host_csr *csr, int64_t block, int64_t blocks)
{
    const double values = (double)blocks * (double)(block * block);
    return blocks >= 0 && values <= FILL_MAX * (double)csr->nnz &&
           values * (double)spmm_dtype_size(csr->dtype) <= (double)bench_peers_room();
}

static void describe(const struct host_bsr *bsr, int64_t blocks, int64_t width,
                     struct cusparse_stored *stored)
{
    stored->rows = bsr->block_rows;
    stored->cols = bsr->block_cols;
    stored->nnz = blocks;
    stored->block = bsr->block;
    stored->width = width;
    stored->is_there = 1;
}

static spmm_status_t store_bsr(int device, const struct host_bsr *bsr, uint64_t block_bytes,
                               struct cusparse_stored *stored, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t blocks = (uint64_t)bsr->blocks;
    stored->bytes = 0;
    TRY(upload(stored, &stored->row_ptr, device, bsr->row_ptr, ((uint64_t)bsr->block_rows + 1) * 4, diag));
    TRY(upload(stored, &stored->col_ind, device, bsr->col_ind, blocks * 4, diag));
    TRY(upload(stored, &stored->values, device, bsr->values, blocks * block_bytes, diag));
    describe(bsr, bsr->blocks, 0, stored);
cleanup:
    return status;
}

static spmm_status_t store_ell(int device, const struct host_bsr *bsr, spmm_dtype_t dtype,
                               uint64_t block_bytes, struct cusparse_stored *stored, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct host_ell ell = {0};
    stored->bytes = 0;
    TRY(host_ell_make(bsr, dtype, &ell, diag));
    const uint64_t blocks = (uint64_t)(bsr->block_rows * ell.width);
    TRY(upload(stored, &stored->col_ind, device, ell.col_ind, blocks * 4, diag));
    TRY(upload(stored, &stored->values, device, ell.values, blocks * block_bytes, diag));
    describe(bsr, (int64_t)blocks, ell.width, stored);
cleanup:
    host_ell_free(&ell);
    return status;
}

spmm_status_t cusparse_store_blocks(int device, const struct host_csr *csr, int64_t block,
                                    struct cusparse_stored *as_bsr, struct cusparse_stored *as_ell,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct host_bsr bsr = {0};
    const uint64_t block_bytes = (uint64_t)(block * block) * spmm_dtype_size(csr->dtype);
    const int64_t blocks = as_bsr != NULL || as_ell != NULL ? host_bsr_count(csr, block) : -1;
    const int wants_bsr = as_bsr != NULL && is_worth_bsr(csr, block, blocks);
    if (!wants_bsr && (as_ell == NULL || !is_worth_ell(csr, block, blocks)))
        return SPMM_OK;
    TRY(host_bsr_make(csr, block, &bsr, diag));
    if (wants_bsr)
        TRY(store_bsr(device, &bsr, block_bytes, as_bsr, diag));
    if (as_ell != NULL && is_worth_ell(csr, block, bsr.block_rows * host_ell_width(&bsr)))
        TRY(store_ell(device, &bsr, csr->dtype, block_bytes, as_ell, diag));
cleanup:
    host_bsr_free(&bsr);
    return status;
}

/* Returns the start of each slice. Each slice is as wide as its longest row. Offsets that do not fit in 32
 * bits become INT32_MAX, which is refused. Returns NULL if memory is short. */
static int32_t *slice_offsets(const struct host_csr *csr, int64_t slices)
{
    int64_t total = 0;
    int32_t *offsets = calloc((size_t)slices + 1, sizeof *offsets);
    for (int64_t s = 0; offsets != NULL && s < slices; s++) {
        int64_t width = 0;
        for (int64_t i = s * SLICE; i < (s + 1) * SLICE && i < csr->rows; i++)
            width =
                csr->row_ptr[i + 1] - csr->row_ptr[i] > width ? csr->row_ptr[i + 1] - csr->row_ptr[i] : width;
        total += width * SLICE;
        offsets[s + 1] = total < INT32_MAX ? (int32_t)total : INT32_MAX;
    }
    return offsets;
}

/* Stores entry e of row i of a slice at e * SLICE + i. Padding has column -1. */
static void fill_slices(const struct host_csr *csr, const int32_t *offsets, int32_t *col_ind, void *values)
{
    for (int64_t i = 0; i < csr->rows; i++) {
        for (int64_t p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) {
            const int64_t at = offsets[i / SLICE] + (p - csr->row_ptr[i]) * SLICE + i % SLICE;
            col_ind[at] = csr->col_ind[p];
            value_set(csr->dtype, values, at, csr->values[p]);
        }
    }
}

spmm_status_t cusparse_store_sell(int device, const struct host_csr *csr, struct cusparse_stored *stored,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t slices = (csr->rows + SLICE - 1) / SLICE;
    int32_t *offsets = slice_offsets(csr, slices);
    const uint64_t count = offsets != NULL && slices > 0 ? (uint64_t)offsets[slices] : 0;
    int32_t *col_ind = NULL;
    void *values = NULL;
    if (count == 0 || count >= INT32_MAX || !is_worth_values(csr, (double)count, 1.0))
        goto cleanup;
    col_ind = malloc(count * sizeof *col_ind);
    values = calloc(count, spmm_dtype_size(csr->dtype));
    if (col_ind == NULL || values == NULL) {
        status = fail_memory(diag, count * 12, "the matrix in slices");
        goto cleanup;
    }
    stored->bytes = 0;
    memset(col_ind, 0xff, count * sizeof *col_ind);
    fill_slices(csr, offsets, col_ind, values);
    TRY(upload(stored, &stored->row_ptr, device, offsets, ((uint64_t)slices + 1) * sizeof *offsets, diag));
    TRY(upload(stored, &stored->col_ind, device, col_ind, count * sizeof *col_ind, diag));
    TRY(upload(stored, &stored->values, device, values, count * spmm_dtype_size(csr->dtype), diag));
    stored->rows = csr->rows;
    stored->cols = csr->cols;
    stored->nnz = csr->nnz;
    stored->width = (int64_t)count;
    stored->slice = SLICE;
    stored->is_there = 1;
cleanup:
    free(values);
    free(col_ind);
    free(offsets);
    return status;
}
