/* SPDX-License-Identifier: Apache-2.0 */
/* A D A^T with a new positive diagonal D again and again, by a plan in a file, on any device: D goes there, the values
 * of the lower triangle come back. */
#ifndef EXAMPLE_NORMAL_EQUATIONS_H
#define EXAMPLE_NORMAL_EQUATIONS_H

#include "stored_product.h"

struct normal_equations {
    const struct device *device;
    struct stored_product product;
    double *a_values, *d; /* where the product runs */
    int64_t d_count;      /* of D */
    double *values;       /* on the CPU, of product.c, which has the lower triangle and may have more */
    int count;            /* products so far */
    double seconds, seconds_with_copies;
};

/* Of A, whose values do not change, by the plan PATH.normal. */
void normal_open(struct normal_equations *normal, const struct device *device, const char *path,
                 const spmm_csr_t *a);
void normal_close(struct normal_equations *normal);
/* The values for D, which lies on the CPU. */
void normal_compute(struct normal_equations *normal, const double *d);
/* These values by columns, of a matrix that is else 0. */
void normal_dense(const struct normal_equations *normal, double *dense);
/* Milliseconds of a product, in the mean, and with the copies of D and of the values. */
void normal_print_times(const struct normal_equations *normal);
/* Computes and times products with so many different D, as iterations of solver, which is of A, on the CPU, with op T.
 * Returns whether the last of them is A D A^T: both give nearly the same vector. */
int normal_try(struct normal_equations *normal, struct solver *solver, int count);

#endif
