/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: operations on the CPU, with any CBLAS. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

static double *allocate(uint64_t bytes)
{
    const size_t size = (size_t)(bytes / 256 + 1) * 256;
    double *data = aligned_alloc(256, size);
    if (data == NULL)
        solver_fail("out of memory");
    memset(data, 0, size);
    return data;
}

static void release(double *data)
{
    free(data);
}

static void read_values(double *host, const double *data, int64_t count)
{
    memcpy(host, data, (size_t)count * sizeof *host);
}

static void write_values(double *data, const double *host, int64_t count)
{
    memcpy(data, host, (size_t)count * sizeof *host);
}

static void *upload(const void *host, uint64_t bytes)
{
    return memcpy(allocate(bytes), host, (size_t)bytes);
}

static void gram(const struct block *x, const struct block *y, double *g)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)x->cols, (int)y->cols, (int)x->rows, 1, x->data,
                (int)x->ld, y->data, (int)y->ld, 0, g, (int)y->cols);
}

static void combine(const struct block *x, const double *q, double beta, const struct block *y)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)x->rows, (int)y->cols, (int)x->cols, 1,
                x->data, (int)x->ld, q, (int)y->cols, beta, y->data, (int)y->ld);
}

static void add(double alpha, const struct block *x, double beta, const struct block *y)
{
    for (int64_t i = 0; i < x->rows; i++) {
        const double *from = x->data + i * x->ld;
        double *to = y->data + i * y->ld;
        for (int64_t j = 0; j < x->cols; j++)
            to[j] = alpha * from[j] + (beta == 0 ? 0 : beta * to[j]);
    }
}

static void wait_for_it(void)
{
}

const struct device device_cpu = {allocate, release, read_values, write_values, upload,
                                  gram,     combine, add,         wait_for_it,  SPMM_DEVICE_CPU};
