/* SPDX-License-Identifier: Apache-2.0 */
/* See device_matrix.h. */
#include "device_matrix.h"

#include <stdlib.h>

static int32_t *room(int64_t count)
{
    int32_t *data = calloc((size_t)count + 1, sizeof *data);
    if (data == NULL)
        solver_fail("out of memory");
    return data;
}

static spmm_csr_t upload(const struct device *device, int64_t rows, int64_t cols, int64_t nnz,
                         const int32_t *row_ptr, const int32_t *col_ind)
{
    return (spmm_csr_t){.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .row_ptr_type = SPMM_I32,
                        .col_ind_type = SPMM_I32,
                        .row_ptr = device->upload(row_ptr, (uint64_t)(rows + 1) * sizeof *row_ptr),
                        .col_ind = device->upload(col_ind, (uint64_t)nnz * sizeof *col_ind),
                        .value_type = SPMM_F64};
}

spmm_csr_t device_matrix(const struct device *device, const spmm_csr_t *host)
{
    const int64_t *wide = host->row_ptr;
    int32_t *row_ptr = room(host->rows + 1);
    if (host->nnz > INT32_MAX)
        solver_fail("a matrix has too many nonzeros for this example");
    for (int64_t i = 0; i <= host->rows; i++)
        row_ptr[i] = (int32_t)wide[i];
    const spmm_csr_t matrix = upload(device, host->rows, host->cols, host->nnz, row_ptr, host->col_ind);
    free(row_ptr);
    return matrix;
}

spmm_csr_t device_matrix_transposed(const struct device *device, const spmm_csr_t *host, int32_t **from)
{
    const int64_t *wide = host->row_ptr;
    const int32_t *col_ind = host->col_ind;
    int32_t *row_ptr = room(host->cols + 2), *columns = room(host->nnz), *where = room(host->nnz);
    if (host->nnz > INT32_MAX)
        solver_fail("a matrix has too many nonzeros for this example");
    for (int64_t p = 0; p < host->nnz; p++)
        row_ptr[col_ind[p] + 2]++;
    for (int64_t j = 0; j < host->cols; j++)
        row_ptr[j + 2] += row_ptr[j + 1];
    for (int64_t i = 0; i < host->rows; i++)
        for (int64_t p = wide[i]; p < wide[i + 1]; p++) {
            const int32_t q = row_ptr[col_ind[p] + 1]++; /* ends as the first entry of the next row */
            columns[q] = (int32_t)i;
            where[q] = (int32_t)p;
        }
    spmm_csr_t matrix = upload(device, host->cols, host->rows, host->nnz, row_ptr, columns);
    matrix.values = device->allocate((uint64_t)host->nnz * sizeof(double));
    *from = device->upload(where, (uint64_t)host->nnz * sizeof *where);
    free(row_ptr);
    free(columns);
    free(where);
    return matrix;
}

void device_matrix_free(const struct device *device, const spmm_csr_t *matrix)
{
    device->release((void *)(uintptr_t)matrix->row_ptr);
    device->release((void *)(uintptr_t)matrix->col_ind);
}
