/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: the numeric phases of a set-up, and the cycle. */
#include <math.h>
#include <string.h>

#include "aggregation.h"

void csr_multiply(const spmm_csr_t *a, double alpha, const double *x, const double *y0, double *y)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    const double *values = a->values;
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            sum += values[p] * x[col_ind[p]];
        y[i] = y0[i] + alpha * sum;
    }
}

/* y = P^T x */
static void restrict_to(const spmm_csr_t *p, const double *x, double *y)
{
    const int64_t *row_ptr = p->row_ptr;
    const int32_t *col_ind = p->col_ind;
    const double *values = p->values;
    memset(y, 0, (size_t)p->cols * sizeof *y);
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
            y[col_ind[q]] += values[q] * x[i];
}

/* The diagonal of A, and omega from a bound of the eigenvalues of D^-1 A, the largest sum of a row: of elasticity at
 * least twice what it bounds. The cycle is positive definite with any omega. */
static void look_at_diagonal(struct aggregation_level *l)
{
    const int64_t *row_ptr = l->a.row_ptr;
    const int32_t *col_ind = l->a.col_ind;
    const double *values = l->a.values;
    double bound = 0;
    for (int64_t i = 0; i < l->a.rows; i++) {
        double sum = 0, diagonal = 0;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            sum += fabs(values[p]);
            diagonal = col_ind[p] == i ? values[p] : diagonal;
        }
        if (diagonal <= 0)
            solver_fail("a diagonal entry is not positive");
        l->inverse[i] = 1 / diagonal;
        bound = fmax(bound, sum / diagonal);
    }
    l->omega = 3 / bound;
}

/* P = T - omega D^-1 (A T), and the matrix of the next level. */
static void products(struct aggregation_level *l)
{
    const int64_t *row_ptr = l->p.row_ptr;
    const int32_t *col_ind = l->p.col_ind;
    double *const values = l->smooth.values;
    stored_product_run(&l->smooth, (const double *const[]){l->a.values, l->ones}, NULL);
    for (int64_t i = 0; i < l->p.rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
            values[q] = (col_ind[q] == l->column[i]) - l->omega * l->inverse[i] * values[q];
    stored_product_run(&l->galerkin, (const double *const[]){values, l->a.values}, NULL);
}

void aggregation_set_up(struct aggregation *h, const double *values)
{
    const spmm_csr_t *last = &h->level[h->levels - 1].a;
    h->level[0].a.values = values;
    for (int k = 0; k + 1 < h->levels; k++) {
        look_at_diagonal(&h->level[k]);
        products(&h->level[k]);
    }
    const int64_t *row_ptr = last->row_ptr;
    const int32_t *col_ind = last->col_ind;
    memset(h->coarsest, 0, sizeof h->coarsest);
    for (int64_t i = 0; i < last->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            h->coarsest[i * last->rows + col_ind[p]] = ((const double *)last->values)[p];
    small_factor((int)last->rows, h->coarsest);
}

/* A step of Gauss and Seidel from row first on, upwards or downwards. */
static void sweep(const struct aggregation_level *l, int64_t first, int64_t step)
{
    const int64_t *row_ptr = l->a.row_ptr;
    const int32_t *col_ind = l->a.col_ind;
    const double *values = l->a.values;
    for (int64_t i = first; i >= 0 && i < l->a.rows; i += step) {
        double rest = l->b[i];
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            rest -= values[p] * l->x[col_ind[p]];
        l->x[i] += l->inverse[i] * rest;
    }
}

/* x of a level from its b. */
static void cycle(struct aggregation *h, int k)
{
    struct aggregation_level *l = &h->level[k], *next = l + 1;
    if (k + 1 == h->levels) {
        memcpy(l->x, l->b, (size_t)l->a.rows * sizeof *l->x);
        small_solve((int)l->a.rows, h->coarsest, l->x, 1);
        return;
    }
    memset(l->x, 0, (size_t)l->a.rows * sizeof *l->x);
    sweep(l, 0, 1);
    csr_multiply(&l->a, -1, l->x, l->b, l->r);
    restrict_to(&l->p, l->r, next->b);
    cycle(h, k + 1);
    csr_multiply(&l->p, 1, next->x, l->x, l->x);
    sweep(l, l->a.rows - 1, -1);
}

void aggregation_apply(struct aggregation *h, const double *b, double *x)
{
    struct aggregation_level *l = &h->level[0];
    memcpy(l->b, b, (size_t)l->a.rows * sizeof *b);
    cycle(h, 0);
    memcpy(x, l->x, (size_t)l->a.rows * sizeof *x);
}
