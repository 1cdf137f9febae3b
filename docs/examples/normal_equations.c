/* SPDX-License-Identifier: Apache-2.0 */
/* See normal_equations.h. */
#include "normal_equations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-12 /* relative to the norms of A D A^T and of the vector that it multiplies */

/* Computes a product. Returns its time without copies. */
static double run(struct normal_equations *n)
{
    n->device->wait();
    const double start = solver_seconds();
    stored_product_run(&n->product, (const double *const[]){n->a_values}, n->d);
    n->device->wait();
    return solver_seconds() - start;
}

void normal_open(struct normal_equations *n, const struct device *device, const char *path,
                 const spmm_csr_t *a)
{
    char name[1024];
    (void)snprintf(name, sizeof name, "%s.normal", path);
    *n = (struct normal_equations){.device = device, .d_count = a->cols};
    if (!stored_product_open(&n->product, device, name, a, 1))
        solver_fail("there is no plan PLAN.normal, of A D A^T: spmm-inspect --product --transpose-b --lower "
                    "--diagonal");
    if (n->product.c.rows != a->rows || n->product.c.cols != a->rows)
        solver_fail("PLAN.normal is not of A D A^T");
    n->a_values = device->upload(a->values, (uint64_t)a->nnz * sizeof(double));
    n->d = device->allocate((uint64_t)a->cols * sizeof(double));
    n->values = device_cpu.allocate((uint64_t)n->product.c.nnz * sizeof(double));
    (void)run(n); /* D = 0: excludes the costs of the first run on a device from the times */
}

void normal_close(struct normal_equations *n)
{
    n->device->release(n->a_values);
    n->device->release(n->d);
    device_cpu.release(n->values);
    stored_product_close(&n->product);
}

void normal_compute(struct normal_equations *n, const double *d)
{
    const spmm_csr_t *c = &n->product.c;
    const double start = solver_seconds();
    n->device->write(n->d, d, n->d_count);
    n->seconds += run(n);
    n->device->read(n->values, n->product.values, c->nnz);
    n->seconds_with_copies += solver_seconds() - start;
    n->count++;
}

void normal_dense(const struct normal_equations *n, double *dense)
{
    const spmm_csr_t *c = &n->product.c;
    const int64_t *row_ptr = c->row_ptr;
    const int32_t *col_ind = c->col_ind;
    memset(dense, 0, (size_t)(c->rows * c->rows) * sizeof *dense);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
            dense[col_ind[q] * c->rows + i] = n->values[q];
}

void normal_print_times(const struct normal_equations *n)
{
    const double ms = 1e3 / fmax(1, n->count);
    char name[64] = "";
    (void)spmm_device_name(n->device->number, name, sizeof name);
    printf("A D A^T takes %.4f ms %s, %.4f ms with the copies of D and of the values, on %s\n",
           ms * n->seconds, stored_product_way, ms * n->seconds_with_copies, name);
}

/* Computes y = A D A^T x from the lower triangle, and its Frobenius norm. */
static double multiply_lower(const struct normal_equations *n, const double *x, double *y)
{
    const spmm_csr_t *c = &n->product.c;
    const int64_t *row_ptr = c->row_ptr;
    const int32_t *col_ind = c->col_ind;
    double squares = 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
            const int32_t j = col_ind[q];
            const double value = j <= i ? n->values[q] : 0;
            squares += (j < i ? 2 : 1) * value * value;
            y[i] += value * x[j];
            y[j] += j < i ? value * x[i] : 0;
        }
    return sqrt(squares);
}

int normal_try(struct normal_equations *n, struct solver *s, int count)
{
    const struct block x = block_make(s, s->info.rows, 1), y = block_make(s, s->info.rows, 1),
                       d = block_make(s, s->info.cols, 1), z = block_make(s, s->info.cols, 1);
    for (int turn = 0; turn < count; turn++) {
        for (int64_t j = 0; j < d.rows; j++)
            d.data[j] = 1 + 0.9 * sin((double)(j + turn));
        normal_compute(n, d.data);
    }
    solver_iterated(s, count);
    block_fill_random(s, &x);
    const double norm = multiply_lower(n, x.data, y.data) * solver_largest_norm(s, &x);
    solver_multiply(s, SPMM_OP_T, 1, &x, 0, &z);
    for (int64_t j = 0; j < z.rows; j++)
        z.data[j] *= d.data[j];
    solver_multiply(s, SPMM_OP_N, -1, &z, 1, &y);
    const double error = solver_largest_norm(s, &y) / norm;
    printf("%d products, error %.1e\n", count, error);
    return error <= TOLERANCE;
}
