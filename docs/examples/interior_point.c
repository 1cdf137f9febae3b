/* SPDX-License-Identifier: Apache-2.0 */
/* A primal-dual interior-point method for min c^T x, A x = b, x >= 0. Its iterations need A D A^T with a new diagonal
 * D each. The plan of this product, PLAN.normal, holds the lower triangle and is loaded beside the plan of A. b and c
 * are chosen so that a known point is inside. With --device 0 these products run on a GPU; everything else, including
 * the dense factorisation, runs on the CPU. Ends with 1 unless A x = b, A^T y + s = c and both objectives agree to
 * 1e-8.
 *
 * PLAN [--device N|cpu] --products COUNT: solves nothing, because A may be too large for a dense factor or have
 * dependent rows. Computes A D A^T for COUNT different D, with times and checks. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>

#include "normal_equations.h"
#include "solver.h"

#define TOLERANCE 1e-8
#define CENTRE 0.1 /* share of the mean of x s at which a step aims */
#define ITERATIONS_MAX 200

enum { X, S, C, D, DX, DS, RD, LONG }; /* vectors of as many elements as A has columns */
enum { Y, B, RP, DY, SHORT };          /* vectors of as many elements as A has rows */

struct program {
    struct solver s;
    struct normal_equations normal;
    double *dense; /* A D A^T, then its factor, by columns */
    struct block x[LONG], y[SHORT];
};

static void factor(struct program *p)
{
    const int rows = (int)p->s.info.rows;
    normal_compute(&p->normal, p->x[D].data);
    normal_dense(&p->normal, p->dense);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', rows, p->dense, rows) != 0)
        solver_fail("A D A^T is not positive definite: are rows of A dependent?");
}

/* Returns the step length: 0.99 of the longest step for which x stays positive, at most 1. */
static double length_of(const struct block *x, const struct block *dx)
{
    double least = 1;
    for (int64_t j = 0; j < x->rows; j++)
        least = dx->data[j] < 0 ? fmin(least, -0.99 * x->data[j] / dx->data[j]) : least;
    return least;
}

/* With D = x / s and w = s - centre / x: A D A^T dy = rp + A D (rd + w), ds = rd - A^T dy, dx = -D (w + ds). */
static void iterate(struct program *p, double centre)
{
    struct block *x = p->x, *y = p->y;
    const struct device *d = p->s.device;
    const int rows = (int)p->s.info.rows;
    for (int64_t j = 0; j < x->rows; j++) {
        x[D].data[j] = x[X].data[j] / x[S].data[j];
        x[DX].data[j] = x[D].data[j] * (x[RD].data[j] + x[S].data[j] - centre / x[X].data[j]);
    }
    factor(p);
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

/* Makes b and c from a point inside with s = 1. Then starts with x = s = 1 and y = 0. */
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

/* Computes rp = b - A x and rd = c - A^T y - s. Returns the largest error of these and of c^T x = b^T y. */
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

/* Returns the remaining error. */
static double solve(struct program *p)
{
    const int64_t rows = p->s.info.rows, cols = p->s.info.cols;
    int iteration = 0;
    double error = 0, mean = 0;
    for (int i = 0; i < LONG; i++)
        p->x[i] = block_make(&p->s, cols, 1);
    for (int i = 0; i < SHORT; i++)
        p->y[i] = block_make(&p->s, rows, 1);
    p->dense = device_cpu.allocate((uint64_t)(rows * rows) * sizeof *p->dense);
    start_from(p);
    while ((error = error_of(p)) > TOLERANCE && iteration < ITERATIONS_MAX) {
        p->s.device->gram(&p->x[X], &p->x[S], &mean);
        iterate(p, CENTRE * mean / (double)cols);
        printf("iteration %d: error before %.3e\n", ++iteration, error);
    }
    solver_iterated(&p->s, iteration);
    printf("error %.3e, after %d iterations\n", error, iteration);
    device_cpu.release(p->dense);
    return error;
}

int main(int argc, char **argv)
{
    struct program p = {.dense = NULL};
    spmm_csr_t a;
    const int tries = solver_take_count(&argc, argv, "--products");
    const struct device *device = solver_device(argc, argv);
    solver_open_on(&p.s, &device_cpu, argv[1], 0, 2);
    if (spmm_plan_csr(p.s.plan, &a) != SPMM_OK)
        solver_fail("the plan has no matrix");
    normal_open(&p.normal, device, argv[1], &a);
    const int is_right = tries > 0 ? normal_try(&p.normal, &p.s, tries) : solve(&p) <= TOLERANCE;
    normal_print_times(&p.normal);
    normal_close(&p.normal);
    return solver_close(&p.s, is_right);
}
