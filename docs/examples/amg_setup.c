/* SPDX-License-Identifier: Apache-2.0 */
/* Solves an elasticity problem with conjugate gradients again and again, with new coefficients each time. The
 * preconditioner is smoothed aggregation. Each set-up computes the products A T and P^T (A P) of each level by plans,
 * and for comparison in one shot. The first run makes the plans and writes them beside the plan of A; later runs load
 * them. On a GPU the set-ups and products run there, and the cycles of the preconditioner on the CPU. Ends with 1 if
 * the last solution has a residual above 1e-9, or if both set-ups differ. PLAN [--device N|cpu] --set-ups COUNT: makes
 * COUNT set-ups and solves nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation.h"

#define SETUPS 5
#define DIFFERENCE_MAX 1e-12
#define TOLERANCE 1e-10
#define ITERATIONS_MAX 300

static struct aggregation hierarchy;

/* The stiffness of a node in this turn. */
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

/* Makes a set-up with these coefficients in both ways. least: the smallest time of each so far, in ms. Returns how
 * much they differ. */
static double set_up(const double *values, int turn, double *least)
{
    const struct device *device = hierarchy.device;
    double difference = 0, once = 0;
    device->write(hierarchy.values, values, hierarchy.level[0].a.nnz);
    device->wait();
    const double start = solver_seconds();
    aggregation_set_up(&hierarchy);
    device->wait();
    const double stop = solver_seconds();
    for (int k = 0; k + 1 < hierarchy.levels; k++)
        difference = fmax(difference, aggregation_once(&hierarchy, k, &once));
    const double ms[] = {1e3 * (stop - start), 1e3 * once};
    for (int way = 0; way < 2; way++)
        least[way] = turn == 0 ? ms[way] : fmin(least[way], ms[way]);
    printf("set-up %d: %.2f ms %s, %.2f ms %s, difference %.1e\n", turn, ms[0], stored_product_way, ms[1],
           stored_product_once_way, difference);
    return difference;
}

static void print_times(const double *least)
{
    printf("a set-up takes %.4f ms %s: the diagonal, A T, P and P^T (A P) of each level, from values of A to "
           "values of all levels where the device has them\n",
           least[0], stored_product_way);
    printf("the products take %.4f ms %s: A T, A P, the values of P^T, and P^T (A P) of each level, with "
           "memory for "
           "results\n",
           least[1], stored_product_once_way);
}

/* Conjugate gradients for A x = b, starting from x = 0; v: four scratch blocks. Returns the number of iterations. */
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

/* Makes set-ups with new coefficients and keeps the last ones. Returns how much both ways differ. */
static double set_up_often(const struct solver *s, const spmm_csr_t *a, int count)
{
    double difference = 0, least[2] = {0, 0};
    double *const values = device_cpu.allocate((uint64_t)a->nnz * sizeof *values);
    for (int turn = 0; turn < count; turn++) {
        new_coefficients(a, turn, values);
        difference = fmax(difference, set_up(values, turn, least));
    }
    print_times(least);
    aggregation_read(&hierarchy);
    aggregation_print(&hierarchy);
    solver_set_values(s, hierarchy.values);
    device_cpu.release(values);
    return difference;
}

/* Solves the system with the last coefficients. Returns whether its residual is small. */
static int solve_last(struct solver *s)
{
    struct block v[6]; /* b, x and the scratch of solve */
    for (int i = 0; i < 6; i++)
        v[i] = block_make(s, s->info.rows, 1);
    block_fill_random(s, &v[0]);
    solver_iterated(s, solve(s, &v[0], &v[1], v + 2));
    solver_multiply(s, SPMM_OP_N, -1, &v[1], 1, &v[0]);
    const double residual = solver_largest_norm(s, &v[0]);
    printf("true residual %.3e\n", residual);
    return residual <= 1e-9 * sqrt((double)s->info.rows);
}

int main(int argc, char **argv)
{
    struct solver s;
    spmm_csr_t a;
    int is_right = 1;
    const int only = solver_take_count(&argc, argv, "--set-ups");
    solver_open(&s, argc, argv, 1, 1);
    if (s.permutation != NULL)
        solver_fail("expected a plan without --symmetric-permutation");
    if (spmm_plan_csr(s.plan, &a) != SPMM_OK)
        solver_fail("the plan has no matrix");
    aggregation_open(&hierarchy, s.device, argv[1], &a);
    printf("%d levels down to %lld rows, %d of %d plans of products were there\n", hierarchy.levels,
           (long long)hierarchy.level[hierarchy.levels - 1].a.rows, hierarchy.loaded,
           2 * (hierarchy.levels - 1));
    const double difference = set_up_often(&s, &a, only > 0 ? only : SETUPS);
    if (only > 0)
        solver_iterated(&s, only);
    else
        is_right = solve_last(&s);
    aggregation_close(&hierarchy);
    return solver_close(&s, is_right && difference <= DIFFERENCE_MAX);
}
