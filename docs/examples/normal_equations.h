/* SPDX-License-Identifier: Apache-2.0 */
/* Computes A D A^T again and again with a new positive diagonal D, by a plan in a file, on any device. D is copied to
 * the device, and the values of the lower triangle are copied back. */
#ifndef EXAMPLE_NORMAL_EQUATIONS_H
#define EXAMPLE_NORMAL_EQUATIONS_H

#include "stored_product.h"

struct normal_equations {
    const struct device *device;
    struct stored_product product;
    double *a_values, *d; /* where the product runs */
    int64_t d_count;      /* elements of D */
    double *values;       /* on the CPU, in the pattern of product.c: at least the lower triangle */
    int count;            /* products so far */
    double seconds, seconds_with_copies;
};

/* Prepares products for A, whose values do not change, by the plan PATH.normal. */
void normal_open(struct normal_equations *normal, const struct device *device, const char *path,
                 const spmm_csr_t *a);
void normal_close(struct normal_equations *normal);
/* Computes the values for D, which is on the CPU. */
void normal_compute(struct normal_equations *normal, const double *d);
/* Writes these values by columns into a matrix that is 0 elsewhere. */
void normal_dense(const struct normal_equations *normal, double *dense);
/* Prints the mean milliseconds of a product, without and with the copies of D and of the values. */
void normal_print_times(const struct normal_equations *normal);
/* Computes and times products with this number of different D, as iterations of solver, which is for A on the CPU with
 * op T. Returns whether the last product is A D A^T: both must give nearly the same vector. */
int normal_try(struct normal_equations *normal, struct solver *solver, int count);

#endif
