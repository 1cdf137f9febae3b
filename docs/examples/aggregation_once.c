/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: the products of a level without plans, to compare with. */
#include <math.h>
#include <string.h>

#include "aggregation.h"

/* Into arrays of the caller, which the view has. */
static void transpose(const spmm_csr_t *a, const spmm_csr_t *to)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    int64_t *at = (void *)(uintptr_t)to->row_ptr;
    int32_t *columns = (void *)(uintptr_t)to->col_ind;
    double *values = (void *)(uintptr_t)to->values;
    memset(at, 0, ((size_t)a->cols + 1) * sizeof *at);
    for (int64_t p = 0; p < a->nnz; p++)
        at[col_ind[p] + 1]++;
    for (int64_t j = 1; j <= a->cols; j++)
        at[j] += at[j - 1];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const int64_t q = at[col_ind[p]]++;
            columns[q] = (int32_t)i;
            values[q] = ((const double *)a->values)[p];
        }
    memmove(at + 1, at, (size_t)a->cols * sizeof *at); /* where each row ended, the next one begins */
    at[0] = 0;
}

static spmm_csr_t product_once(const spmm_csr_t *a, const spmm_csr_t *b)
{
    spmm_diag_t diag = {.text = ""};
    spmm_csr_t c;
    solver_require(spmm_product_once(a, b, SPMM_DEVICE_CPU, NULL, &c, &diag), &diag);
    return c;
}

double aggregation_once(const struct aggregation_level *l)
{
    const uint64_t nnz = (uint64_t)l->p.nnz, rows = (uint64_t)l->p.cols + 1;
    const spmm_csr_t r = {l->p.cols,
                          l->p.rows,
                          l->p.nnz,
                          SPMM_I64,
                          SPMM_I32,
                          device_cpu.allocate(rows * sizeof(int64_t)),
                          device_cpu.allocate(nnz * sizeof(int32_t)),
                          SPMM_F64,
                          device_cpu.allocate(nnz * sizeof(double))};
    transpose(&l->p, &r);
    spmm_csr_t smooth = product_once(&l->a, &l->t), ap = product_once(&l->a, &l->p),
               c = product_once(&r, &ap);
    double difference = c.nnz == l->galerkin.c.nnz ? 0 : INFINITY, largest = 0;
    for (int64_t q = 0; q < c.nnz && difference < INFINITY; q++) {
        const double error = fabs(((const double *)c.values)[q] - l->galerkin.values[q]);
        difference = error <= difference ? difference : error; /* NaN too */
        largest = fmax(largest, fabs(l->galerkin.values[q]));
    }
    spmm_product_once_free(&smooth);
    spmm_product_once_free(&ap);
    spmm_product_once_free(&c);
    device_cpu.release((void *)(uintptr_t)r.row_ptr);
    device_cpu.release((void *)(uintptr_t)r.col_ind);
    device_cpu.release((void *)(uintptr_t)r.values);
    return difference / largest;
}
