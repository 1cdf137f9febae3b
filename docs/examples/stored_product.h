/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the examples with sparse products: a product whose plan is in a file, and products without a plan.
 * All values are doubles, on any device. Every failure ends the program with a sentence and status 1. tests/bench
 * implements these functions with cuSPARSE, to compare times. */
#ifndef EXAMPLE_STORED_PRODUCT_H
#define EXAMPLE_STORED_PRODUCT_H

#include <spmm/product.h>

#include "solver.h"

struct stored_product {
    const struct device *device;
    spmm_plan_t *plan;
    spmm_product_t *product;
    spmm_csr_t c;   /* its pattern, on the CPU */
    double *values; /* values of C of the last run, in memory of the device */
    void *workspace;
    uint64_t workspace_bytes;
    struct stored_product_peer *peer; /* data of cuSPARSE, if it is used instead; else NULL */
};

/* Names for people of what stored_product_run and stored_product_once time. */
extern const char *const stored_product_way, *const stored_product_once_way;

/* Loads the plan in this file and prepares it for a device. The plan must be for these operands; their patterns are
 * compared. Returns 0 if there is no such file. */
int stored_product_open(struct stored_product *product, const struct device *device, const char *path,
                        const spmm_csr_t *operands, int count);
void stored_product_close(struct stored_product *product);

/* A factor of a product: operands[operand], or its transpose. */
struct stored_factor {
    int operand;
    spmm_op_t op;
};
/* Runs the symbolic phase and writes the file. */
void stored_product_inspect(const char *path, const spmm_csr_t *operands, const struct stored_factor *factors,
                            int count);
/* Runs the numeric phase: computes the values of C from the values of the operands; diagonal: NULL without one. All
 * are memory of the device, which may still be working when the call returns. */
void stored_product_run(struct stored_product *product, const double *const *values, const double *diagonal);

/* Computes C = A B in one shot, including the symbolic phase; A, B and C are memory of the device. */
spmm_csr_t stored_product_once(const struct device *device, const spmm_csr_t *a, const spmm_csr_t *b);
void stored_product_once_free(spmm_csr_t *c);

#endif
