/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_device.h. */
#include "sparse_device.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"
#include "tools/compute/gpu.h"

static spmm_status_t place(struct device_block *block, int device, const void *from, uint64_t bytes,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    TRY(device_block_reserve(block, device, bytes, diag));
    if (from != NULL)
        TRY(device_upload(block, from, bytes, diag));
cleanup:
    return status;
}

spmm_status_t sparse_device_open(struct sparse_device *d, const spmm_product_info_t *info,
                                 const spmm_csr_t *operands, const spmm_dense_t *diagonal,
                                 uint64_t workspace_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t size = spmm_dtype_size(info->dtype);
    TRY(gpu_select(info->device, diag));
    for (int i = 0; i < info->operand_count; i++) {
        TRY(place(&d->values[i], info->device, operands[i].values, (uint64_t)operands[i].nnz * size, diag));
        d->operands[i] = d->values[i].data;
    }
    if (diagonal->data != NULL)
        TRY(place(&d->diagonal, info->device, diagonal->data, (uint64_t)diagonal->rows * size, diag));
    TRY(place(&d->c, info->device, NULL, (uint64_t)info->nnz * size, diag));
    TRY(place(&d->workspace, info->device, NULL, workspace_bytes, diag));
cleanup:
    return status;
}

void sparse_device_close(struct sparse_device *d)
{
    for (int i = 0; i < SPMM_PRODUCT_FACTORS; i++)
        device_block_free(&d->values[i]);
    device_block_free(&d->diagonal);
    device_block_free(&d->c);
    device_block_free(&d->workspace);
}

/* Copies a matrix to the GPU, in three blocks. */
static spmm_status_t place_matrix(struct device_block blocks[3], int device, const spmm_csr_t *a,
                                  spmm_csr_t *placed, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t row_size = a->row_ptr_type == SPMM_I64 ? sizeof(int64_t) : sizeof(int32_t),
                 column_size = a->col_ind_type == SPMM_I64 ? sizeof(int64_t) : sizeof(int32_t);
    *placed = *a;
    TRY(place(&blocks[0], device, a->row_ptr, ((uint64_t)a->rows + 1) * row_size, diag));
    TRY(place(&blocks[1], device, a->col_ind, (uint64_t)a->nnz * column_size, diag));
    TRY(place(&blocks[2], device, a->values, (uint64_t)a->nnz * spmm_dtype_size(a->value_type), diag));
    placed->row_ptr = blocks[0].data;
    placed->col_ind = blocks[1].data;
    placed->values = blocks[2].data;
cleanup:
    return status;
}

static spmm_status_t fetch(const void *from, uint64_t bytes, const void **to, spmm_diag_t *diag)
{
    void *host = malloc((size_t)bytes + 1);
    *to = host;
    return host == NULL ? fail_memory(diag, bytes, "C") : gpu_copy(host, from, bytes, diag);
}

spmm_status_t sparse_device_once(int device, const spmm_csr_t *a, const spmm_csr_t *b,
                                 const spmm_product_once_options_t *options, spmm_csr_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct device_block blocks[2][3] = {{{0}}};
    spmm_csr_t placed[2], found = {.rows = 0};
    TRY(gpu_require(device, diag));
    TRY(gpu_select(device, diag));
    TRY(place_matrix(blocks[0], device, a, &placed[0], diag));
    TRY(place_matrix(blocks[1], device, b, &placed[1], diag));
    TRY(spmm_product_once(&placed[0], &placed[1], device, options, &found, diag));
    *c = found;
    c->row_ptr = c->col_ind = c->values = NULL;
    TRY(fetch(found.row_ptr, ((uint64_t)c->rows + 1) * sizeof(int64_t), &c->row_ptr, diag));
    TRY(fetch(found.col_ind, (uint64_t)c->nnz * sizeof(int32_t), &c->col_ind, diag));
    TRY(fetch(found.values, (uint64_t)c->nnz * spmm_dtype_size(c->value_type), &c->values, diag));
cleanup:
    spmm_product_once_free(&found);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            device_block_free(&blocks[i][j]);
    return status;
}
