/* SPDX-License-Identifier: Apache-2.0 */
/* See long_rows_cpu.h. */
#include "long_rows_cpu.h"

#include <string.h>

#include "kernels/rows/rows_csr_cpu.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

#define ALIGN 64u

uint64_t spmmi_cpu_long_rows_bytes(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                   spmm_dtype_t dtype)
{
    if (part == NULL)
        return 0;
    const struct spmmi_cpu_long_rows counts = {.a = spmmi_long_rows_count(a, part)};
    return spmmi_cpu_long_rows_held(&counts, dtype);
}

uint64_t spmmi_cpu_long_rows_held(const struct spmmi_cpu_long_rows *long_rows, spmm_dtype_t dtype)
{
    const struct spmmi_long_rows *p = &long_rows->a;
    return p->rows == 0 ? 0 : spmmi_long_rows_bytes(p) + (uint64_t)p->nnz * spmm_dtype_size(dtype);
}

spmm_status_t spmmi_cpu_long_rows_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                       spmm_dtype_t dtype, struct spmmi_cpu_long_rows *long_rows,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    memset(long_rows, 0, sizeof *long_rows);
    if (part == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_long_rows_make(a, part, &long_rows->a, diag));
    SPMM_TRY_ALLOC(long_rows->values = spmmi_alloc_zero((uint64_t)long_rows->a.nnz, spmm_dtype_size(dtype)),
                   diag);
cleanup:
    return status;
}

void spmmi_cpu_long_rows_free(struct spmmi_cpu_long_rows *long_rows)
{
    spmmi_free(long_rows->values);
    spmmi_long_rows_free(&long_rows->a);
    long_rows->values = NULL;
}

void spmmi_cpu_long_rows_set_values(const struct spmmi_cpu_long_rows *long_rows, spmm_dtype_t dtype,
                                    const void *values)
{
    const size_t size = spmm_dtype_size(dtype);
    for (int64_t q = 0; q < long_rows->a.nnz; q++)
        memcpy((char *)long_rows->values + (size_t)q * size,
               (const char *)values + (size_t)long_rows->a.map[q] * size, size);
}

static struct spmmi_rows_csr csr_of(const struct spmmi_cpu_long_rows *long_rows,
                                    const struct spmmi_product *product)
{
    const struct spmmi_long_rows *a = &long_rows->a;
    return (struct spmmi_rows_csr){.rows = a->rows,
                                   .cols = product->b.rows,
                                   .nnz = a->nnz,
                                   .row_ptr = a->row_ptr,
                                   .col_ind = a->col_ind,
                                   .values = long_rows->values,
                                   .part = a->part};
}

/* Returns the product of the long rows, whose C is adjacent rows without gaps at `rows`. */
static struct spmmi_product product_of(const struct spmmi_cpu_long_rows *long_rows,
                                       const struct spmmi_product *product, void *rows)
{
    const int64_t n = product->b.cols;
    struct spmmi_product own = *product;
    own.c = (spmm_dense_t){rows, long_rows->a.rows, n, n, SPMM_ROW_MAJOR, product->c.type};
    return own;
}

/* Returns the bytes of these rows; UINT64_MAX if they overflow. */
static uint64_t rows_bytes(const struct spmmi_cpu_long_rows *long_rows, const struct spmmi_product *product)
{
    const uint64_t column = (uint64_t)long_rows->a.rows * spmm_dtype_size(product->c.type);
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(column, (uint64_t)product->b.cols, &bytes) || bytes > UINT64_MAX - ALIGN)
        return UINT64_MAX;
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

uint64_t spmmi_cpu_long_rows_workspace(const struct spmmi_cpu_long_rows *long_rows,
                                       const struct spmmi_product *product)
{
    if (long_rows->a.rows == 0)
        return 0;
    const struct spmmi_rows_csr a = csr_of(long_rows, product);
    const struct spmmi_product own = product_of(long_rows, product, NULL);
    const uint64_t rows = rows_bytes(long_rows, product), more = spmmi_rows_csr_workspace(&a, &own);
    return rows > UINT64_MAX - more ? UINT64_MAX : rows + more;
}

/* Copies the long rows between C and adjacent rows. is_store: to C. */
static void rows_move(const struct spmmi_cpu_long_rows *long_rows, const struct spmmi_product *product,
                      char *rows, int is_store)
{
    const size_t size = spmm_dtype_size(product->c.type);
    const int64_t row_step = spmmi_row_step(&product->c), column_step = spmmi_column_step(&product->c);
    for (int64_t i = 0; i < long_rows->a.rows; i++) {
        char *c = (char *)product->c.data + (size_t)(long_rows->a.row_of[i] * row_step) * size;
        for (int64_t j = 0; j < product->b.cols; j++, rows += size, c += (size_t)column_step * size)
            memcpy(is_store ? c : rows, is_store ? rows : c, size);
    }
}

void spmmi_cpu_long_rows_multiply(const struct spmmi_cpu_long_rows *long_rows,
                                  const struct spmmi_product *product, void *workspace, int threads)
{
    if (long_rows->a.rows == 0 || product->b.cols == 0)
        return;
    const struct spmmi_rows_csr a = csr_of(long_rows, product);
    const struct spmmi_product own = product_of(long_rows, product, workspace);
    if (product->beta != 0)
        rows_move(long_rows, product, workspace, 0);
    spmmi_rows_csr_run(&a, &own, (char *)workspace + rows_bytes(long_rows, product), threads);
}

void spmmi_cpu_long_rows_store(const struct spmmi_cpu_long_rows *long_rows,
                               const struct spmmi_product *product, const void *workspace)
{
    rows_move(long_rows, product, (char *)(uintptr_t)workspace, 1);
}
