/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_cusparse_store.h. */
#include "bench_cusparse_store.h"

#include <stdlib.h>

#include "tools/cli/fail.h"

/* Blocks are tried while they take at most this many times the bytes of CSR. */
#define BLOCKS_MIN_GAIN 4

void cusparse_stored_free(struct cusparse_stored *stored)
{
    device_block_free(&stored->row_ptr);
    device_block_free(&stored->row_ind);
    device_block_free(&stored->col_ind);
    device_block_free(&stored->values);
    stored->is_there = 0;
}

static spmm_status_t upload(struct device_block *to, int device, const void *from, uint64_t bytes,
                            spmm_diag_t *diag)
{
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
    if (rows == NULL || values == NULL) {
        status = fail_memory(diag, nnz * 12, "the matrix for cuSPARSE");
        goto cleanup;
    }
    if (is_coo)
        TRY(upload(&stored->row_ind, device, rows, nnz * sizeof *rows, diag));
    else
        TRY(upload(&stored->row_ptr, device, rows, ((uint64_t)csr->rows + 1) * sizeof *rows, diag));
    TRY(upload(&stored->col_ind, device, csr->col_ind, nnz * sizeof *csr->col_ind, diag));
    TRY(upload(&stored->values, device, values, nnz * spmm_dtype_size(csr->dtype), diag));
    stored->rows = csr->rows;
    stored->cols = csr->cols;
    stored->nnz = csr->nnz;
    stored->is_there = 1;
cleanup:
    free(values);
    free(rows);
    return status;
}

/* Do so many blocks take a bearable size? */
static int is_worth_blocks(const struct host_csr *csr, int64_t block, int64_t blocks)
{
    const double size = (double)spmm_dtype_size(csr->dtype);
    const double bytes = (double)blocks * ((double)(block * block) * size + 4.0);
    return blocks >= 0 && bytes <= BLOCKS_MIN_GAIN * (double)csr->nnz * (size + 4.0);
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
    TRY(upload(&stored->row_ptr, device, bsr->row_ptr, ((uint64_t)bsr->block_rows + 1) * 4, diag));
    TRY(upload(&stored->col_ind, device, bsr->col_ind, blocks * 4, diag));
    TRY(upload(&stored->values, device, bsr->values, blocks * block_bytes, diag));
    describe(bsr, bsr->blocks, 0, stored);
cleanup:
    return status;
}

static spmm_status_t store_ell(int device, const struct host_bsr *bsr, spmm_dtype_t dtype,
                               uint64_t block_bytes, struct cusparse_stored *stored, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct host_ell ell = {0};
    TRY(host_ell_make(bsr, dtype, &ell, diag));
    const uint64_t blocks = (uint64_t)(bsr->block_rows * ell.width);
    TRY(upload(&stored->col_ind, device, ell.col_ind, blocks * 4, diag));
    TRY(upload(&stored->values, device, ell.values, blocks * block_bytes, diag));
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
    if ((as_bsr == NULL && as_ell == NULL) || !is_worth_blocks(csr, block, host_bsr_count(csr, block)))
        return SPMM_OK;
    TRY(host_bsr_make(csr, block, &bsr, diag));
    if (as_bsr != NULL)
        TRY(store_bsr(device, &bsr, block_bytes, as_bsr, diag));
    if (as_ell != NULL && is_worth_blocks(csr, block, bsr.block_rows * host_ell_width(&bsr)))
        TRY(store_ell(device, &bsr, csr->dtype, block_bytes, as_ell, diag));
cleanup:
    host_bsr_free(&bsr);
    return status;
}
