/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: the cycle, on the CPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aggregation.h"

/* Computes y = y0 + alpha A x; y0 may be y. */
static void csr_multiply(const spmm_csr_t *a, double alpha, const double *x, const double *y0, double *y)
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

/* Computes y = P^T x. */
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

/* Factors the matrix of the coarsest level, which is small and dense. */
static void factor_coarsest(struct aggregation *h)
{
    const spmm_csr_t *last = &h->level[h->levels - 1].cycle.a;
    const int64_t *row_ptr = last->row_ptr;
    const int32_t *col_ind = last->col_ind;
    memset(h->coarsest, 0, sizeof h->coarsest);
    for (int64_t i = 0; i < last->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            h->coarsest[i * last->rows + col_ind[p]] = ((const double *)last->values)[p];
    small_factor((int)last->rows, h->coarsest);
}

void aggregation_read(struct aggregation *h)
{
    for (int k = 0; k < h->levels; k++) {
        const struct aggregation_level *l = &h->level[k];
        double bound = 0;
        h->device->read(l->cycle.a_values, l->a.values, l->a.nnz);
        if (k + 1 == h->levels)
            break;
        h->device->read(l->cycle.p_values, l->p.values, l->p.nnz);
        h->device->read(l->cycle.inverse, l->inverse, l->a.rows);
        h->device->read(&bound, l->bound, 1);
        if (isnan(bound))
            solver_fail("a diagonal entry is not positive");
    }
    factor_coarsest(h);
}

void aggregation_print(const struct aggregation *h)
{
    for (int k = 0; k < h->levels; k++) {
        const spmm_csr_t *a = &h->level[k].cycle.a;
        const unsigned char *bytes = a->values;
        uint64_t hash = 0xcbf29ce484222325;
        for (size_t i = 0; i < (size_t)a->nnz * sizeof(double); i++)
            hash = (hash ^ bytes[i]) * 0x100000001b3;
        printf("level %d: %lld rows, %lld nonzeros, hash %016llx\n", k, (long long)a->rows, (long long)a->nnz,
               (unsigned long long)hash);
    }
}

/* One Gauss-Seidel sweep over all rows: from row `first`, which is the first or the last, in steps of 1 or -1. */
static void sweep(const struct aggregation_cycle *l, int64_t first, int64_t step)
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

/* Computes x of a level from its b. */
static void cycle(struct aggregation *h, int k)
{
    struct aggregation_cycle *l = &h->level[k].cycle, *next = &h->level[k + 1 < h->levels ? k + 1 : k].cycle;
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
    struct aggregation_cycle *l = &h->level[0].cycle;
    h->device->read(l->b, b, l->a.rows);
    cycle(h, 0);
    h->device->write(x, l->x, l->a.rows);
}
