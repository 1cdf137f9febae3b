/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: small dense problems with a few columns, always on the CPU. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "solver.h"

#define RANK_TOLERANCE \
    1e-13 /* limit for eigenvalues of a scaled Gram matrix, whose rounding errors are about 1e-15 */

void small_eigen(int n, double *a, double *values)
{
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', n, a, n, values) != 0)
        solver_fail("the eigenvalues of a small matrix were not found");
}

void small_factor(int n, double *g)
{
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', n, g, n) != 0)
        solver_fail("a small matrix is not positive definite: is A?");
}

void small_solve(int n, const double *g, double *x, int columns)
{
    (void)LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'U', n, columns, g, n, x, columns);
}

void small_product(int rows, int m, int n, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, rows, 1, a, m, b, n, 0, c, n);
}

/* Computes q = D V L^-1/2, where D^-1 has the norms of the columns and V L V^T = D g D. */
int small_orthonormal(int n, const double *g, double *q)
{
    static solver_small v;
    double scale[SOLVER_COLUMNS_MAX], values[SOLVER_COLUMNS_MAX];
    int first = 0;
    for (int i = 0; i < n; i++)
        scale[i] = g[i * n + i] > 0 ? 1 / sqrt(g[i * n + i]) : 0;
    for (int i = 0; i < n * n; i++)
        v[i] = g[i] * scale[i / n] * scale[i % n];
    small_eigen(n, v, values);
    while (first < n && values[first] <= RANK_TOLERANCE * values[n - 1])
        first++;
    for (int i = 0; i < n; i++)
        for (int j = first; j < n; j++)
            q[i * (n - first) + j - first] = scale[i] * v[i * n + j] / sqrt(values[j]);
    return n - first;
}

int64_t solver_orthonormalise(const struct solver *solver, const struct block *x, const struct block *scratch)
{
    static solver_small g, q;
    int64_t rank = x->cols;
    for (int turn = 0; turn < 2; turn++) { /* the second turn repairs the rounding errors of the first */
        const struct block now = block_columns(x, 0, rank), old = block_columns(scratch, 0, rank);
        solver->device->gram(&now, &now, g);
        const int left = small_orthonormal((int)rank, g, q);
        const struct block new = block_columns(x, 0, left);
        solver->device->add(1, &now, 0, &old);
        solver->device->combine(&old, q, 0, &new);
        rank = left;
    }
    return rank;
}

void solver_norms(const struct solver *solver, const struct block *x, double *norms)
{
    static solver_small g;
    solver->device->gram(x, x, g);
    for (int64_t j = 0; j < x->cols; j++)
        norms[j] = sqrt(g[j * x->cols + j]);
}

double solver_largest_norm(const struct solver *solver, const struct block *x)
{
    double norms[SOLVER_COLUMNS_MAX], largest = 0;
    solver_norms(solver, x, norms);
    for (int64_t j = 0; j < x->cols; j++)
        largest = fmax(largest, norms[j]);
    return largest;
}
