/* SPDX-License-Identifier: Apache-2.0 */
/* Alternating least squares for a recommender: the ratings R (users x items) are approximated by U V^T with 32
 * factors. A half-step is one product and a small system: for users U = R V (V^T V + mu I)^-1, for items V = R^T U
 * (U^T U + mu I)^-1. It minimises |R - U V^T|^2 + mu (|U|^2 + |V|^2) over U or V. (Pairs without a rating count as 0.)
 * The plan needs both ops: spmm-inspect --op both. Ends with 1 unless every half-step solves its system and lowers
 * this sum. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver.h"

#define FACTORS 32
#define MU 1.0
#define HALF_STEPS 40

static solver_small gram, inverse, other, cross;

static double trace(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < FACTORS * FACTORS; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_to_diagonal(double *a, double value)
{
    for (int i = 0; i < FACTORS; i++)
        a[i * FACTORS + i] += value;
}

static double norm(const struct solver *s, const struct block *x)
{
    double norms[FACTORS], sum = 0;
    solver_norms(s, x, norms);
    for (int j = 0; j < FACTORS; j++)
        sum += norms[j] * norms[j];
    return sqrt(sum);
}

/* Stores in `to` the best factors for `from`; room has the shape of `to`. Sets *sum to the minimised sum without |R|^2,
 * which does not change. Returns the relative residual of the system. */
static double half_step(const struct solver *s, spmm_op_t op, const struct block *from,
                        const struct block *to, const struct block *room, double *sum)
{
    solver_multiply(s, op, 1, from, 0, room);
    s->device->gram(from, from, gram);
    add_to_diagonal(gram, MU);
    memcpy(other, gram, sizeof gram);
    memset(inverse, 0, sizeof inverse);
    add_to_diagonal(inverse, 1);
    small_factor(FACTORS, other);
    small_solve(FACTORS, other, inverse, FACTORS);
    s->device->combine(room, inverse, 0, to);
    s->device->gram(to, room, cross);
    s->device->gram(to, to, other);
    double pulls = 0;
    for (int i = 0; i < FACTORS; i++)
        pulls += cross[i * FACTORS + i];
    /* -2 <R, U V^T> + <U^T U, V^T V + mu I> + mu |V|^2, where gram is V^T V + mu I */
    *sum = trace(other, gram) - 2 * pulls;
    for (int i = 0; i < FACTORS; i++)
        *sum += MU * (gram[i * FACTORS + i] - MU);
    const double scale = norm(s, room);
    for (int i = 0; i < FACTORS * FACTORS; i++)
        gram[i] = -gram[i];
    s->device->combine(to, gram, 1, room);
    return norm(s, room) / scale;
}

/* |R|^2 */
static double squares_of(const struct solver *s)
{
    spmm_csr_t r;
    double sum = 0;
    if (spmm_plan_csr(s->plan, &r) != SPMM_OK)
        solver_fail("the plan has no matrix");
    const double *values = r.values;
    for (int64_t p = 0; p < r.nnz; p++)
        sum += values[p] * values[p];
    return sum;
}

int main(int argc, char **argv)
{
    struct solver s;
    int step = 0, is_right = 1;
    solver_open(&s, argc, argv, 0, 2);
    const struct block users = block_make(&s, s.info.rows, FACTORS),
                       items = block_make(&s, s.info.cols, FACTORS);
    const struct block user_room = block_make(&s, s.info.rows, FACTORS),
                       item_room = block_make(&s, s.info.cols, FACTORS);
    const double squares = squares_of(&s);
    double before = (double)INFINITY;
    block_fill_random(&s, &items);
    for (; step < HALF_STEPS; step++) {
        double sum = 0;
        const int is_users = step % 2 == 0;
        const double residual = is_users ? half_step(&s, SPMM_OP_N, &items, &users, &user_room, &sum)
                                         : half_step(&s, SPMM_OP_T, &users, &items, &item_room, &sum);
        printf("half-step %d, %s: sum %.9g of %.9g, system solved to %.3e\n", step + 1,
               is_users ? "users" : "items", squares + sum, squares, residual);
        is_right = is_right && residual <= 1e-11 && sum <= before + 1e-12 * squares;
        before = sum;
    }
    solver_iterated(&s, step);
    return solver_close(&s, is_right);
}
