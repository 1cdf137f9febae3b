/* SPDX-License-Identifier: Apache-2.0 */
/* Smoothed aggregation, an algebraic multigrid method for elasticity (P. Vanek, J. Mandel, M. Brezina, Computing 56,
 * 1996), whose set-up is sparse products with plans in files. A level has a matrix A with three unknowns a node. Nodes
 * are put together to aggregates, T takes a displacement of each aggregate to its nodes, P = (I - omega D^-1 A) T
 * smooths that, and P^T A P is the matrix of the next level.
 *
 * What T is and all patterns are found once, on the CPU. A set-up with new values of A runs on any device and leaves
 * all values there; the cycle runs on the CPU, with copies of its own. */
#ifndef EXAMPLE_AGGREGATION_H
#define EXAMPLE_AGGREGATION_H

#include "setup_steps.h"
#include "solver.h"
#include "stored_product.h"

#define AGGREGATION_NODE 3 /* unknowns of a node */
#define AGGREGATION_LEVELS_MAX 10

/* What a cycle needs of a level, on the CPU. */
struct aggregation_cycle {
    spmm_csr_t a, p; /* their patterns are those of plans */
    double *a_values, *p_values;
    double *inverse; /* of the diagonal of A */
    double *x, *b, *r;
};

struct aggregation_level {
    spmm_csr_t a, t, p; /* where the products run; a, p: values change with each set-up, the patterns never */
    spmm_csr_t r;       /* P^T, of the one shot alone: a plan takes P for it */
    int32_t *from;      /* which value of P each of R is */
    double *inverse, *bound;                /* of setup_steps */
    struct stored_product smooth, galerkin; /* A T, on whose pattern P lies; P^T (A P) */
    struct aggregation_cycle cycle;
};

struct aggregation {
    const struct device *device;
    const struct setup_steps *steps;
    struct aggregation_level level[AGGREGATION_LEVELS_MAX];
    double *values;                                           /* of the first A, where the products run */
    double coarsest[SOLVER_COLUMNS_MAX * SOLVER_COLUMNS_MAX]; /* the factor of the last matrix */
    int levels, loaded; /* loaded: plans that were in files already; others are made and written */
};

/* The hierarchy of a: plans are NAME.smooth0, NAME.galerkin0, .. There is no preconditioner before a set-up. */
void aggregation_open(struct aggregation *hierarchy, const struct device *device, const char *name,
                      const spmm_csr_t *a);
void aggregation_close(struct aggregation *hierarchy);
/* With the values of A that lie in hierarchy->values. A GPU may be still at work when the call returns. */
void aggregation_set_up(struct aggregation *hierarchy);
/* The products of a level in one shot, without plans; adds their time to *seconds. Returns the largest difference from
 * P^T (A P) of the set-up, over its largest value. */
double aggregation_once(const struct aggregation *hierarchy, int level, double *seconds);
/* Hands what the last set-up has made to the cycle. */
void aggregation_read(struct aggregation *hierarchy);
/* T of A, all on the CPU; the caller releases its arrays. */
spmm_csr_t aggregation_t(const spmm_csr_t *a);
/* What the levels are, with a hash (FNV-1a) of the bits of the values that were read. */
void aggregation_print(const struct aggregation *hierarchy);
/* x = M^-1 b, a V-cycle with a sweep of Gauss and Seidel upwards before and one downwards after: symmetric. b and x are
 * memory of the device. */
void aggregation_apply(struct aggregation *hierarchy, const double *b, double *x);

#endif
