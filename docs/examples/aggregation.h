/* SPDX-License-Identifier: Apache-2.0 */
/* Smoothed aggregation, an algebraic multigrid method for elasticity (P. Vanek, J. Mandel, M. Brezina, Computing 56,
 * 1996), whose set-up is sparse products with plans in files. A level has a matrix A with three unknowns a node. Nodes
 * are put together to aggregates, T takes a displacement of each aggregate to its nodes, P = (I - omega D^-1 A) T
 * smooths that, and P^T A P is the matrix of the next level. */
#ifndef EXAMPLE_AGGREGATION_H
#define EXAMPLE_AGGREGATION_H

#include "solver.h"
#include "stored_product.h"

#define AGGREGATION_NODE 3 /* unknowns of a node */
#define AGGREGATION_LEVELS_MAX 10

struct aggregation_level {
    spmm_csr_t a, t, p; /* a, p: values change with each set-up, the patterns never */
    int32_t *column;    /* of T: the one entry of each of its rows, which is 1 */
    int64_t *row_ptr;   /* of T */
    double *ones;       /* its values */
    double *inverse;    /* of the diagonal of A */
    double *x, *b, *r;  /* of a cycle */
    double omega;
    struct stored_product smooth, galerkin; /* A T, on whose pattern P lies; P^T (A P) */
};

struct aggregation {
    struct aggregation_level level[AGGREGATION_LEVELS_MAX];
    double coarsest[SOLVER_COLUMNS_MAX * SOLVER_COLUMNS_MAX]; /* the factor of the last matrix */
    int levels, loaded; /* loaded: plans that were in files already; others are made and written */
};

/* The hierarchy of a: plans are NAME.smooth0, NAME.galerkin0, .. There is no preconditioner before a set-up. */
void aggregation_open(struct aggregation *hierarchy, const char *name, const spmm_csr_t *a);
void aggregation_close(struct aggregation *hierarchy);
/* With new values of A. */
void aggregation_set_up(struct aggregation *hierarchy, const double *values);
/* The products of a level in one shot, without plans. Returns the largest difference from P^T (A P) of the set-up, over
 * its largest value. */
double aggregation_once(const struct aggregation_level *level);
/* x = M^-1 b, a V-cycle with a sweep of Gauss and Seidel upwards before and one downwards after: symmetric. */
void aggregation_apply(struct aggregation *hierarchy, const double *b, double *x);
/* y = y0 + alpha A x; y0 may be y */
void csr_multiply(const spmm_csr_t *a, double alpha, const double *x, const double *y0, double *y);

#endif
