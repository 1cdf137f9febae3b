/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_peeled.h. */
#include "peeled_cpu.h"

#include <string.h>

#include "kernels/rows/rows_kernel.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

#define ALIGN 64u

uint64_t spmmi_cpu_peeled_bytes(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                spmm_dtype_t dtype)
{
    if (part == NULL)
        return 0;
    const struct spmmi_peeled p = spmmi_peeled_count(a, part);
    const uint64_t rows = (uint64_t)p.rows, nnz = (uint64_t)p.nnz;
    return (rows + 1) * sizeof *p.row_ptr + rows * sizeof *p.row_of +
           p.part.item_count * sizeof *p.part.items +
           nnz * (sizeof *p.col_ind + sizeof *p.map + spmm_dtype_size(dtype));
}

spmm_status_t spmmi_cpu_peeled_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                    spmm_dtype_t dtype, struct spmmi_cpu_peeled *peeled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    memset(peeled, 0, sizeof *peeled);
    if (part == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_peeled_make(a, part, &peeled->a, diag));
    SPMM_TRY_ALLOC(peeled->values = spmmi_alloc_zero((uint64_t)peeled->a.nnz, spmm_dtype_size(dtype)), diag);
cleanup:
    return status;
}

void spmmi_cpu_peeled_free(struct spmmi_cpu_peeled *peeled)
{
    spmmi_free(peeled->values);
    spmmi_peeled_free(&peeled->a);
    peeled->values = NULL;
}

void spmmi_cpu_peeled_set_values(const struct spmmi_cpu_peeled *peeled, spmm_dtype_t dtype,
                                 const void *values)
{
    const size_t size = spmm_dtype_size(dtype);
    for (int64_t q = 0; q < peeled->a.nnz; q++)
        memcpy((char *)peeled->values + (size_t)q * size,
               (const char *)values + (size_t)peeled->a.map[q] * size, size);
}

static const struct spmmi_rows_host_kernel *kernel_of(const struct spmmi_fragment_host *product)
{
    return &spmmi_rows_host_kernels[SPMM_SCHEDULE_NONZERO_SPLIT - 1][product->dtype - 1];
}

/* Rows of C side by side, without gaps; UINT64_MAX where they overflow. */
static uint64_t rows_bytes(const struct spmmi_cpu_peeled *peeled, const struct spmmi_fragment_host *product)
{
    const uint64_t column = (uint64_t)peeled->a.rows * spmm_dtype_size((spmm_dtype_t)product->dtype);
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(column, (uint64_t)product->n, &bytes) || bytes > UINT64_MAX - ALIGN)
        return UINT64_MAX;
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static struct spmmi_rows_host rows_args(const struct spmmi_cpu_peeled *peeled,
                                        const struct spmmi_fragment_host *product, int64_t cols)
{
    const struct spmmi_peeled *a = &peeled->a;
    return (struct spmmi_rows_host){.rows = a->rows,
                                    .cols = cols,
                                    .nnz = a->nnz,
                                    .row_ptr = a->row_ptr,
                                    .col_ind = a->col_ind,
                                    .values = peeled->values,
                                    .granule = a->part.granule,
                                    .item_count = a->part.item_count,
                                    .items = a->part.items,
                                    .n = product->n,
                                    .b = product->b,
                                    .ldb = product->ldb,
                                    .b_is_col_major = product->b_is_col_major,
                                    .ldc = product->n,
                                    .alpha = product->alpha,
                                    .beta = product->beta,
                                    .threads = product->threads};
}

uint64_t spmmi_cpu_peeled_workspace(const struct spmmi_cpu_peeled *peeled,
                                    const struct spmmi_fragment_host *product, int64_t cols)
{
    if (peeled->a.rows == 0)
        return 0;
    const struct spmmi_rows_host args = rows_args(peeled, product, cols);
    const uint64_t rows = rows_bytes(peeled, product), own = kernel_of(product)->workspace_bytes(&args);
    return rows > UINT64_MAX - own ? UINT64_MAX : rows + own;
}

/* Between C and rows of C side by side. */
static void rows_move(const struct spmmi_cpu_peeled *peeled, const struct spmmi_fragment_host *product,
                      char *rows, int is_store)
{
    const size_t size = spmm_dtype_size((spmm_dtype_t)product->dtype);
    const int64_t row_step = product->c_is_col_major ? 1 : product->ldc;
    const int64_t column_step = product->c_is_col_major ? product->ldc : 1;
    for (int64_t i = 0; i < peeled->a.rows; i++) {
        char *c = (char *)product->c + (size_t)(peeled->a.row_of[i] * row_step) * size;
        for (int64_t j = 0; j < product->n; j++, rows += size, c += (size_t)column_step * size)
            memcpy(is_store ? c : rows, is_store ? rows : c, size);
    }
}

void spmmi_cpu_peeled_multiply(const struct spmmi_cpu_peeled *peeled,
                               const struct spmmi_fragment_host *product, int64_t cols, void *workspace)
{
    if (peeled->a.rows == 0 || product->n == 0)
        return;
    struct spmmi_rows_host args = rows_args(peeled, product, cols);
    args.c = workspace;
    args.workspace = (char *)workspace + rows_bytes(peeled, product);
    if (product->beta != 0)
        rows_move(peeled, product, workspace, 0);
    kernel_of(product)->run(&args);
}

void spmmi_cpu_peeled_store(const struct spmmi_cpu_peeled *peeled, const struct spmmi_fragment_host *product,
                            const void *workspace)
{
    rows_move(peeled, product, (char *)(uintptr_t)workspace, 1);
}
