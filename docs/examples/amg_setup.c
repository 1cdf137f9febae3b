/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients for elasticity with new coefficients again and again, preconditioned by smoothed aggregation: a
 * set-up for each, by the plans of the products A T and P^T (A P) of each level, beside the same products in one shot.
 * The plans are made by the first run, written beside that of A, and loaded by all later ones. Ends with 1 if the last
 * solution has a residual above 1e-9, or if both set-ups differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation.h"

#define SETUPS 5
#define TOLERANCE 1e-10
#define ITERATIONS_MAX 300

static struct aggregation hierarchy;

/* The stiffness of a node at this turn. */
static double stiffness(int64_t row, int turn)
{
    return 1 + 0.5 * sin(1e-3 * turn * (double)(row / AGGREGATION_NODE));
}

static void new_coefficients(const spmm_csr_t *a, int turn, double *values)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            values[p] = ((const double *)a->values)[p] * stiffness(i, turn) * stiffness(col_ind[p], turn);
}

/* A set-up both ways, with times. */
static double set_up(const double *values, int turn)
{
    double difference = 0;
    const double start = solver_seconds();
    aggregation_set_up(&hierarchy, values);
    const double stop = solver_seconds();
    for (int k = 0; k + 1 < hierarchy.levels; k++)
        difference = fmax(difference, aggregation_once(&hierarchy.level[k]));
    printf("set-up %d: %.2f ms by plans, %.2f ms in one shot, difference %.1e\n", turn, 1e3 * (stop - start),
           1e3 * (solver_seconds() - stop), difference);
    return difference;
}

/* Conjugate gradients for A x = b, from x = 0; r, z, d: scratch. Returns the iterations. */
static int solve(const struct solver *s, const struct block *b, const struct block *x, struct block *v)
{
    struct block *r = &v[0], *z = &v[1], *d = &v[2], *q = &v[3];
    double before = 1, rho = 0, step = 0;
    int iteration = 0;
    const double wanted = TOLERANCE * solver_largest_norm(s, b);
    s->device->add(1, b, 0, r);
    while (solver_largest_norm(s, r) > wanted && iteration < ITERATIONS_MAX) {
        aggregation_apply(&hierarchy, r->data, z->data);
        s->device->gram(r, z, &rho);
        s->device->add(1, z, iteration > 0 ? rho / before : 0, d);
        solver_multiply(s, SPMM_OP_N, 1, d, 0, q);
        s->device->gram(d, q, &step);
        s->device->add(rho / step, d, 1, x);
        s->device->add(-rho / step, q, 1, r);
        before = rho;
        printf("iteration %d: residual %.3e\n", ++iteration, solver_largest_norm(s, r) / wanted * TOLERANCE);
    }
    return iteration;
}

int main(int argc, char **argv)
{
    struct solver s;
    struct block v[6]; /* b, x and what solve needs */
    spmm_csr_t a;
    double difference = 0;
    solver_open(&s, argc, argv, 1, 1);
    if (s.device != &device_cpu || s.permutation != NULL)
        solver_fail("expected --device cpu, and a plan without --symmetric-permutation");
    if (spmm_plan_csr(s.plan, &a) != SPMM_OK)
        solver_fail("the plan has no matrix");
    aggregation_open(&hierarchy, argv[1], &a);
    printf("%d levels down to %lld rows, %d of %d plans of products were there\n", hierarchy.levels,
           (long long)hierarchy.level[hierarchy.levels - 1].a.rows, hierarchy.loaded,
           2 * (hierarchy.levels - 1));
    double *const values = device_cpu.allocate((uint64_t)a.nnz * sizeof *values);
    for (int turn = 0; turn < SETUPS; turn++) {
        new_coefficients(&a, turn, values);
        difference = fmax(difference, set_up(values, turn));
    }
    solver_set_values(&s, values);
    for (int i = 0; i < 6; i++)
        v[i] = block_make(&s, s.info.rows, 1);
    block_fill_random(&s, &v[0]);
    solver_iterated(&s, solve(&s, &v[0], &v[1], v + 2));
    solver_multiply(&s, SPMM_OP_N, -1, &v[1], 1, &v[0]);
    const double residual = solver_largest_norm(&s, &v[0]);
    printf("true residual %.3e\n", residual);
    device_cpu.release(values);
    aggregation_close(&hierarchy);
    return solver_close(&s, residual <= 1e-9 * sqrt((double)s.info.rows) && difference <= 1e-12);
}
