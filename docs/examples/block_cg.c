/* SPDX-License-Identifier: Apache-2.0 */
/* Block conjugate gradients: A X = B for 16 right-hand sides at once, A symmetric positive definite. Converged columns
 * leave the block, and so do directions that depend on others, so the width of the block changes. (H. Ji, Y. Li,
 * Breakdown-free block conjugate gradients, BIT 57, 2017.) Ends with 1 if a residual is above 1e-10 of its B. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver.h"

#define SIDES 16
#define TOLERANCE 1e-11
#define ITERATIONS_MAX 5000

static solver_small gram, factor, rhs, next; /* small matrices, on the host */

/* Computes alpha = (P^T A P)^-1 P^T R, with 0 in converged columns. Then X += P alpha, R -= (A P) alpha. */
static void step(const struct solver *s, const struct block *p, const struct block *q, const int *is_active,
                 const struct block *x, const struct block *r)
{
    const int width = (int)p->cols;
    s->device->gram(p, q, factor);
    small_factor(width, factor);
    s->device->gram(p, r, rhs);
    small_solve(width, factor, rhs, SIDES);
    for (int i = 0; i < width * SIDES; i++)
        rhs[i] = is_active[i % SIDES] ? rhs[i] : 0;
    s->device->combine(p, rhs, 1, x);
    for (int i = 0; i < width * SIDES; i++)
        rhs[i] = -rhs[i];
    s->device->combine(q, rhs, 1, r);
}

/* Computes P = R + P beta with beta = -(P^T A P)^-1 (A P)^T R for active columns only, and makes its columns
 * orthonormal. */
static struct block directions(const struct solver *s, const struct block *p, const struct block *q,
                               const int *is_active, int active, const struct block *r,
                               const struct block *room)
{
    const int width = (int)p->cols;
    const struct block sum = block_columns(room, 0, active), all = block_columns(room, 0, SIDES);
    memset(next, 0, sizeof next);
    s->device->gram(q, r, rhs);
    small_solve(width, factor, rhs, SIDES);
    for (int j = 0, to = 0; j < SIDES; j++) {
        if (!is_active[j])
            continue;
        for (int i = 0; i < width; i++)
            gram[i * active + to] = -rhs[i * SIDES + j];
        next[j * active + to++] = 1;
    }
    s->device->combine(r, next, 0, &sum);
    s->device->combine(p, gram, 1, &sum);
    struct block now = *p;
    now.cols = active;
    s->device->add(1, &sum, 0, &now);
    return block_columns(&now, 0, solver_orthonormalise(s, &now, &all));
}

static int converged(const struct solver *s, const struct block *r, const double *goal, int *is_active,
                     double *largest)
{
    double norms[SIDES];
    int active = 0;
    *largest = 0;
    solver_norms(s, r, norms);
    for (int j = 0; j < SIDES; j++) {
        is_active[j] = is_active[j] && norms[j] > TOLERANCE * goal[j];
        active += is_active[j];
        *largest = fmax(*largest, norms[j] / goal[j]);
    }
    return active;
}

int main(int argc, char **argv)
{
    struct solver s;
    int is_active[SIDES], active = SIDES, iteration = 0;
    double goal[SIDES], largest = 1;
    solver_open(&s, argc, argv, 1, 1);
    const int64_t n = s.info.rows;
    const struct block x = block_make(&s, n, SIDES), b = block_make(&s, n, SIDES),
                       r = block_make(&s, n, SIDES), q = block_make(&s, n, SIDES),
                       room = block_make(&s, n, SIDES);
    struct block p = block_make(&s, n, SIDES);
    block_fill_random(&s, &r); /* the known solution, to compare with at the end */
    solver_multiply(&s, SPMM_OP_N, 1, &r, 0, &b);
    solver_norms(&s, &b, goal);
    s.device->add(1, &b, 0, &r);
    s.device->add(1, &b, 0, &p);
    for (int j = 0; j < SIDES; j++)
        is_active[j] = 1;
    p.cols = solver_orthonormalise(&s, &p, &room);
    while (active > 0 && p.cols > 0 && iteration < ITERATIONS_MAX) {
        const struct block ap = block_columns(&q, 0, p.cols);
        solver_multiply(&s, SPMM_OP_N, 1, &p, 0, &ap);
        step(&s, &p, &ap, is_active, &x, &r);
        active = converged(&s, &r, goal, is_active, &largest);
        printf("iteration %d: width %d, largest residual %.3e\n", ++iteration, (int)p.cols, largest);
        if (active > 0)
            p = directions(&s, &p, &ap, is_active, active, &r, &room);
    }
    solver_iterated(&s, iteration);
    s.device->add(1, &b, 0, &r); /* the true residual, not the residual of the recurrence */
    solver_multiply(&s, SPMM_OP_N, -1, &x, 1, &r);
    active = SIDES;
    (void)converged(&s, &r, goal, is_active, &largest);
    block_fill_random(&s, &q);
    double exact[SIDES], wrong[SIDES], error = 0;
    solver_norms(&s, &q, exact);
    s.device->add(-1, &x, 1, &q);
    solver_norms(&s, &q, wrong);
    for (int j = 0; j < SIDES; j++)
        error = fmax(error, wrong[j] / exact[j]);
    printf("true residual %.3e, error %.3e\n", largest, error);
    return solver_close(&s, largest <= 10 * TOLERANCE);
}
