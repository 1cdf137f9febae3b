/* SPDX-License-Identifier: Apache-2.0 */
/* LOBPCG for the 8 smallest eigenvalues of a symmetric matrix, with a block of 12 vectors and no preconditioner. Only
 * residuals that have not converged are multiplied, so the width of the products changes. (A. V. Knyazev, SIAM J. Sci.
 * Comput. 23, 2001.) Ends with 1 if a residual |A x - lambda x| is above 1e-8 of the largest eigenvalue seen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver.h"

#define WANTED 8
#define BLOCK 12
#define BASIS (3 * BLOCK) /* X, R, P */
#define TOLERANCE 1e-9
#define ITERATIONS_MAX 2000

static solver_small gram, image, basis, half, small, ritz;

/* Finds the Ritz vectors of the smallest Ritz values in the span of S. ritz is BASIS x 2 BLOCK: the new X and the new
 * P, which is X without its part in the old X. */
static void rayleigh_ritz(const struct solver *solver, const struct block *s, const struct block *as,
                          double *values)
{
    static double all[BASIS];
    solver->device->gram(s, s, gram);
    solver->device->gram(s, as, image);
    const int rank = small_orthonormal(BASIS, gram, basis);
    if (rank < BLOCK)
        solver_fail("the block has lost its rank: are there 12 rows?");
    small_product(BASIS, BASIS, rank, image, basis, half); /* image is symmetric */
    small_product(BASIS, rank, rank, basis, half, small);
    small_eigen(rank, small, all);
    memcpy(values, all, BLOCK * sizeof *values);
    for (int i = 0; i < BASIS; i++)
        for (int j = 0; j < BLOCK; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += basis[i * rank + k] * small[k * rank + j];
            ritz[i * 2 * BLOCK + j] = sum;
            ritz[i * 2 * BLOCK + BLOCK + j] = i < BLOCK ? 0 : sum;
        }
}

/* Computes X and P from S, with room as scratch. */
static void update(const struct solver *solver, const struct block *s, const struct block *room)
{
    const struct block x = block_columns(s, 0, BLOCK), p = block_columns(s, 2 * BLOCK, BLOCK);
    const struct block new_x = block_columns(room, 0, BLOCK), new_p = block_columns(room, BLOCK, BLOCK);
    solver->device->combine(s, ritz, 0, room);
    solver->device->add(1, &new_x, 0, &x);
    solver->device->add(1, &new_p, 0, &p);
}

/* Computes R = A X - X Lambda, with the columns that have not converged first and zeros after them. Returns the number
 * of these columns. */
static int residuals(const struct solver *solver, const struct block *x, const struct block *ax,
                     const double *values, double scale, const struct block *r, const struct block *room,
                     double *largest)
{
    const struct block all = block_columns(room, 0, BLOCK);
    double norms[BLOCK];
    int active = 0;
    memset(small, 0, sizeof small);
    for (int j = 0; j < BLOCK; j++)
        small[j * BLOCK + j] = -values[j];
    solver->device->add(1, ax, 0, &all);
    solver->device->combine(x, small, 1, &all);
    solver_norms(solver, &all, norms);
    memset(small, 0, sizeof small);
    *largest = 0;
    for (int j = 0; j < BLOCK; j++) {
        *largest = j < WANTED ? fmax(*largest, norms[j] / scale) : *largest;
        if (norms[j] > TOLERANCE * scale)
            small[j * BLOCK + active++] = 1;
    }
    solver->device->combine(&all, small, 0, r);
    return active;
}

int main(int argc, char **argv)
{
    struct solver solver;
    double values[BLOCK], largest = 1, scale = 0;
    int iteration = 0;
    solver_open(&solver, argc, argv, 1, 1);
    const int64_t n = solver.info.rows;
    const struct block s = block_make(&solver, n, BASIS), as = block_make(&solver, n, BASIS),
                       room = block_make(&solver, n, 2 * BLOCK), start = block_make(&solver, n, BLOCK);
    const struct block x = block_columns(&s, 0, BLOCK), ax = block_columns(&as, 0, BLOCK),
                       r = block_columns(&s, BLOCK, BLOCK);
    block_fill_random(&solver, &start);
    solver.device->add(1, &start, 0, &x);
    solver_multiply(&solver, SPMM_OP_N, 1, &x, 0, &ax);
    while (iteration < ITERATIONS_MAX) {
        rayleigh_ritz(&solver, &s, &as, values);
        update(&solver, &s, &room);
        update(&solver, &as, &room);
        scale = fmax(scale, fabs(values[BLOCK - 1]));
        const int active = residuals(&solver, &x, &ax, values, scale, &r, &room, &largest);
        printf("iteration %d: width %d, lambda %.12g, largest residual %.3e\n", ++iteration, active,
               values[0], largest);
        if (largest <= TOLERANCE)
            break;
        const struct block moving = block_columns(&s, BLOCK, active),
                           image_of = block_columns(&as, BLOCK, active);
        solver_multiply(&solver, SPMM_OP_N, 1, &moving, 0, &image_of);
    }
    solver_iterated(&solver, iteration);
    solver_multiply(&solver, SPMM_OP_N, 1, &x, 0,
                    &ax); /* the true residual, not the residual of the recurrence */
    (void)residuals(&solver, &x, &ax, values, scale, &r, &room, &largest);
    for (int j = 0; j < WANTED; j++)
        printf("eigenvalue %d: %.15g\n", j, values[j]);
    printf("true residual %.3e of %.3g\n", largest, scale);
    return solver_close(&solver, largest <= 10 * TOLERANCE);
}
