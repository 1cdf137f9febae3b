/* SPDX-License-Identifier: Apache-2.0 */
/* A primal-dual interior-point method for min c^T x, A x = b, x >= 0, whose iterations need A D A^T with a new diagonal
 * D each: its plan, PLAN.normal, holds the lower triangle and is loaded beside that of A. b and c are such that a point
 * that is known is inside. Ends with 1 unless A x = b, A^T y + s = c and both objectives agree to 1e-8. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>

#include "solver.h"
#include "stored_product.h"

#define TOLERANCE 1e-8
#define CENTRE 0.1 /* of the mean of x s: what a step aims at */
#define ITERATIONS_MAX 200

enum { X, S, C, D, DX, DS, RD, LONG }; /* vectors of as many elements as A has columns */
enum { Y, B, RP, DY, SHORT };          /* and rows */

struct program {
    struct solver s;
    struct stored_product normal;
    double *dense; /* A D A^T, then its factor, by columns */
    double seconds;
    struct block x[LONG], y[SHORT];
};

static void factor(struct program *p, const double *a_values)
{
    const spmm_csr_t *c = &p->normal.c;
    const int64_t *row_ptr = c->row_ptr;
    const int32_t *col_ind = c->col_ind;
    const double start = solver_seconds();
    stored_product_run(&p->normal, &a_values, p->x[D].data);
    p->seconds += solver_seconds() - start;
    for (int64_t i = 0; i < c->rows * c->rows; i++)
        p->dense[i] = 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
            p->dense[col_ind[q] * c->rows + i] = p->normal.values[q];
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)c->rows, p->dense, (int)c->rows) != 0)
        solver_fail("A D A^T is not positive definite: are rows of A dependent?");
}

/* How far x and s stay positive, at most 1. */
static double length_of(const struct block *x, const struct block *dx)
{
    double least = 1;
    for (int64_t j = 0; j < x->rows; j++)
        least = dx->data[j] < 0 ? fmin(least, -0.99 * x->data[j] / dx->data[j]) : least;
    return least;
}

/* D = x / s and w = s - centre / x: A D A^T dy = rp + A D (rd + w), ds = rd - A^T dy, dx = -D (w + ds). */
static void iterate(struct program *p, const double *a_values, double centre)
{
    struct block *x = p->x, *y = p->y;
    const struct device *d = p->s.device;
    const int rows = (int)p->s.info.rows;
    for (int64_t j = 0; j < x->rows; j++) {
        x[D].data[j] = x[X].data[j] / x[S].data[j];
        x[DX].data[j] = x[D].data[j] * (x[RD].data[j] + x[S].data[j] - centre / x[X].data[j]);
    }
    factor(p, a_values);
    d->add(1, &y[RP], 0, &y[DY]);
    solver_multiply(&p->s, SPMM_OP_N, 1, &x[DX], 1, &y[DY]);
    (void)LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', rows, 1, p->dense, rows, y[DY].data, rows);
    d->add(1, &x[RD], 0, &x[DS]);
    solver_multiply(&p->s, SPMM_OP_T, -1, &y[DY], 1, &x[DS]);
    for (int64_t j = 0; j < x->rows; j++)
        x[DX].data[j] = centre / x[S].data[j] - x[X].data[j] - x[D].data[j] * x[DS].data[j];
    const double alpha = length_of(&x[X], &x[DX]), beta = length_of(&x[S], &x[DS]);
    d->add(alpha, &x[DX], 1, &x[X]);
    d->add(beta, &y[DY], 1, &y[Y]);
    d->add(beta, &x[DS], 1, &x[S]);
}

/* A point inside, with s = 1, of which b and c are made; then x = s = 1 and y = 0. */
static void start_from(struct program *p)
{
    struct block *x = p->x, *y = p->y;
    block_fill_random(&p->s, &x[X]);
    block_fill_random(&p->s, &y[Y]);
    for (int64_t j = 0; j < x->rows; j++) {
        x[C].data[j] = 1.5 - x[X].data[j];
        x[X].data[j] += 1.5;
        x[S].data[j] = 1;
    }
    solver_multiply(&p->s, SPMM_OP_N, 1, &x[X], 0, &y[B]);
    solver_multiply(&p->s, SPMM_OP_T, 1, &y[Y], 1, &x[C]);
    p->s.device->add(1, &x[S], 0, &x[X]);
    p->s.device->add(0, &y[B], 0, &y[Y]);
}

/* rp = b - A x, rd = c - A^T y - s, and the largest error of these and of c^T x = b^T y. */
static double error_of(struct program *p)
{
    struct block *x = p->x, *y = p->y;
    const struct device *d = p->s.device;
    double primal = 0, dual = 0;
    d->add(1, &y[B], 0, &y[RP]);
    solver_multiply(&p->s, SPMM_OP_N, -1, &x[X], 1, &y[RP]);
    d->add(1, &x[C], 0, &x[RD]);
    solver_multiply(&p->s, SPMM_OP_T, -1, &y[Y], 1, &x[RD]);
    d->add(-1, &x[S], 1, &x[RD]);
    d->gram(&x[C], &x[X], &primal);
    d->gram(&y[B], &y[Y], &dual);
    const double gap = fabs(primal - dual) / (1 + fabs(primal)),
                 rows = solver_largest_norm(&p->s, &y[RP]) / (1 + solver_largest_norm(&p->s, &y[B])),
                 columns = solver_largest_norm(&p->s, &x[RD]) / (1 + solver_largest_norm(&p->s, &x[C]));
    return fmax(gap, fmax(rows, columns));
}

int main(int argc, char **argv)
{
    struct program p = {.seconds = 0};
    spmm_csr_t a;
    char path[1024];
    int iteration = 0;
    double error = 0, mean = 0;
    solver_open(&p.s, argc, argv, 0, 2);
    if (p.s.device != &device_cpu || spmm_plan_csr(p.s.plan, &a) != SPMM_OK)
        solver_fail("expected --device cpu");
    (void)snprintf(path, sizeof path, "%s.normal", argv[1]);
    if (!stored_product_open(&p.normal, path, &a, 1))
        solver_fail("there is no plan PLAN.normal, of A D A^T: spmm-inspect --product --transpose-b --lower "
                    "--diagonal");
    if (p.normal.c.rows != a.rows || p.normal.c.cols != a.rows)
        solver_fail("PLAN.normal is not of A D A^T");
    for (int i = 0; i < LONG; i++)
        p.x[i] = block_make(&p.s, a.cols, 1);
    for (int i = 0; i < SHORT; i++)
        p.y[i] = block_make(&p.s, a.rows, 1);
    p.dense = device_cpu.allocate((uint64_t)(a.rows * a.rows) * sizeof *p.dense);
    start_from(&p);
    while ((error = error_of(&p)) > TOLERANCE && iteration < ITERATIONS_MAX) {
        p.s.device->gram(&p.x[X], &p.x[S], &mean);
        iterate(&p, a.values, CENTRE * mean / (double)a.cols);
        printf("iteration %d: error before %.3e\n", ++iteration, error);
    }
    solver_iterated(&p.s, iteration);
    printf("error %.3e, A D A^T in %.3f ms an iteration\n", error, 1e3 * p.seconds / fmax(1, iteration));
    device_cpu.release(p.dense);
    stored_product_close(&p.normal);
    return solver_close(&p.s, error <= TOLERANCE);
}
