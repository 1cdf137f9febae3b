/* SPDX-License-Identifier: Apache-2.0 */
/* Smoothed aggregation, an algebraic multigrid method for elasticity (P. Vanek, J. Mandel, M. Brezina, Computing 56,
 * 1996). Its set-up consists of sparse products with plans in files. A level has a matrix A with three unknowns per
 * node. Nodes are grouped into aggregates. T maps a displacement of each aggregate to its nodes, P = (I - omega D^-1
 * A) T smooths this, and P^T A P is the matrix of the next level.
 *
 * T and all patterns are found once, on the CPU. A set-up with new values of A runs on any device and leaves all
 * values there. The cycle runs on the CPU with its own copies. */
#ifndef EXAMPLE_AGGREGATION_H
#define EXAMPLE_AGGREGATION_H

#include "setup_steps.h"
#include "solver.h"
#include "stored_product.h"

#define AGGREGATION_NODE 3 /* unknowns per node */
#define AGGREGATION_LEVELS_MAX 10

/* The data of a level that a cycle needs, on the CPU. */
struct aggregation_cycle {
    spmm_csr_t a, p; /* their patterns belong to plans */
    double *a_values, *p_values;
    double *inverse; /* of the diagonal of A */
    double *x, *b, *r;
};

struct aggregation_level {
    spmm_csr_t a, t,
        p;         /* where the products run; each set-up changes the values of a and p, but no pattern */
    spmm_csr_t r;  /* P^T, for the one shot only: a plan uses P for it */
    int32_t *from; /* for each value of R the index of its value in P */
    double *inverse, *bound;                /* of setup_steps */
    struct stored_product smooth, galerkin; /* A T, whose pattern P has; P^T (A P) */
    struct aggregation_cycle cycle;
};

struct aggregation {
    const struct device *device;
    const struct setup_steps *steps;
    struct aggregation_level level[AGGREGATION_LEVELS_MAX];
    double *values;                                           /* of the first A, where the products run */
    double coarsest[SOLVER_COLUMNS_MAX * SOLVER_COLUMNS_MAX]; /* the factor of the last matrix */
    int levels, loaded; /* loaded: number of plans that were in files; others are made and written */
};

/* Builds the hierarchy of a. Plans are NAME.smooth0, NAME.galerkin0, .. A set-up must follow before the preconditioner
 * is used. */
void aggregation_open(struct aggregation *hierarchy, const struct device *device, const char *name,
                      const spmm_csr_t *a);
void aggregation_close(struct aggregation *hierarchy);
/* Makes a set-up with the values of A in hierarchy->values. A GPU may still be working when the call returns. */
void aggregation_set_up(struct aggregation *hierarchy);
/* Computes the products of a level in one shot, without plans, and adds their time to *seconds. Returns the largest
 * difference from P^T (A P) of the set-up, divided by its largest value. */
double aggregation_once(const struct aggregation *hierarchy, int level, double *seconds);
/* Copies the results of the last set-up to the cycle. */
void aggregation_read(struct aggregation *hierarchy);
/* Makes T for A, on the CPU; the caller releases its arrays. */
spmm_csr_t aggregation_t(const spmm_csr_t *a);
/* Prints the levels, with a hash (FNV-1a) of the bits of the values that were read. */
void aggregation_print(const struct aggregation *hierarchy);
/* Computes x = M^-1 b: a V-cycle with one Gauss-Seidel sweep upwards before and one downwards after, so that M is
 * symmetric. b and x are memory of the device. */
void aggregation_apply(struct aggregation *hierarchy, const double *b, double *x);

#endif
