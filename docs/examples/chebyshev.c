/* SPDX-License-Identifier: Apache-2.0 */
/* Subspace iteration with a Chebyshev filter for the 8 smallest eigenvalues of a symmetric matrix. Each iteration
 * multiplies a block of 16 vectors 12 times, C = alpha A B + beta C. (Y. Zhou, Y. Saad, M. L. Tiago, J. R.
 * Chelikowsky, J. Comput. Phys. 219, 2006.) Ends with 1 if a residual is above 1e-8 of the norm of A. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

#define WANTED 8
#define BLOCK 16
#define DEGREE 12
#define TOLERANCE 1e-10
#define ITERATIONS_MAX 1000

/* Returns the largest sum of magnitudes in a row. No eigenvalue is larger. */
static double bound_of(const struct solver *s)
{
    spmm_csr_t a;
    double bound = 0;
    if (spmm_plan_csr(s->plan, &a) != SPMM_OK)
        solver_fail("the plan has no matrix");
    const int64_t *row_ptr = a.row_ptr;
    const double *values = a.values;
    for (int64_t i = 0; i < a.rows; i++) {
        double sum = 0;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            sum += fabs(values[p]);
        bound = fmax(bound, sum);
    }
    return bound;
}

/* Replaces X by p(A) X. The polynomial p is small from low to high and large below low. Y is the next vector of the
 * recurrence. */
static void filter(const struct solver *s, struct block *x, struct block *y, double least, double low,
                   double high)
{
    const double e = (high - low) / 2, c = (high + low) / 2, first = e / (least - c), tau = 2 / first;
    double sigma = first;
    solver_multiply(s, SPMM_OP_N, sigma / e, x, 0, y);
    s->device->add(-c * sigma / e, x, 1, y);
    for (int i = 2; i <= DEGREE; i++) {
        const double next = 1 / (tau - sigma);
        const struct block before = *x;
        solver_multiply(s, SPMM_OP_N, 2 * next / e, y, -sigma * next, x);
        s->device->add(-2 * c * next / e, y, 1, x);
        *x = *y;
        *y = before;
        sigma = next;
    }
    const struct block last = *y;
    *y = *x;
    *x = last;
}

/* Replaces X by the Ritz vectors of its span, with Y as scratch, and sets Y = A X - X Lambda. Returns the largest
 * residual of the wanted vectors. */
static double rayleigh_ritz(const struct solver *s, const struct block *x, const struct block *y,
                            double *values)
{
    static solver_small h, q;
    const struct block wanted = block_columns(y, 0, WANTED);
    if (solver_orthonormalise(s, x, y) < BLOCK)
        solver_fail("the block has lost its rank");
    solver_multiply(s, SPMM_OP_N, 1, x, 0, y);
    s->device->gram(x, y, h);
    small_eigen(BLOCK, h, values);
    s->device->add(1, x, 0, y);
    s->device->combine(y, h, 0, x);
    memset(q, 0, sizeof q);
    for (int j = 0; j < BLOCK; j++)
        q[j * BLOCK + j] = -values[j];
    s->device->combine(x, q, 0, y);
    solver_multiply(s, SPMM_OP_N, 1, x, 1, y);
    return solver_largest_norm(s, &wanted);
}

int main(int argc, char **argv)
{
    struct solver s;
    double values[BLOCK], residual = 0;
    int iteration = 0;
    solver_open(&s, argc, argv, 1, 1);
    const double bound = bound_of(&s);
    struct block x = block_make(&s, s.info.rows, BLOCK), y = block_make(&s, s.info.rows, BLOCK);
    block_fill_random(&s, &x);
    residual = rayleigh_ritz(&s, &x, &y, values);
    while (residual > TOLERANCE * bound && iteration < ITERATIONS_MAX) {
        filter(&s, &x, &y, values[0], values[BLOCK - 1], bound);
        residual = rayleigh_ritz(&s, &x, &y, values);
        printf("iteration %d: lambda %.12g, damped from %.3g on, largest residual %.3e\n", ++iteration,
               values[0], values[BLOCK - 1], residual / bound);
    }
    solver_iterated(&s, iteration);
    for (int j = 0; j < WANTED; j++)
        printf("eigenvalue %d: %.15g\n", j, values[j]);
    return solver_close(&s, residual <= 10 * TOLERANCE * bound);
}
