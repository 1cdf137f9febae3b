/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples of sparse products share: a product whose plan lies in a file, and products without a plan. In
 * doubles, on any device; whatever fails ends the program with a sentence and status 1. tests/bench has these functions
 * by cuSPARSE, for times beside ours. */
#ifndef EXAMPLE_STORED_PRODUCT_H
#define EXAMPLE_STORED_PRODUCT_H

#include <spmm/product.h>

#include "solver.h"

struct stored_product {
    const struct device *device;
    spmm_plan_t *plan;
    spmm_product_t *product;
    spmm_csr_t c;   /* its pattern, on the CPU */
    double *values; /* of C, where the device computes: those of the last run */
    void *workspace;
    uint64_t workspace_bytes;
    struct stored_product_peer *peer; /* NULL: what cuSPARSE needs in place of these */
};

/* What is timed, for people: of stored_product_run and stored_product_once. */
extern const char *const stored_product_way, *const stored_product_once_way;

/* The plan in this file, made ready to run on a device: it has to be of these operands, whose patterns are compared. 0:
 * there is no such file. */
int stored_product_open(struct stored_product *product, const struct device *device, const char *path,
                        const spmm_csr_t *operands, int count);
void stored_product_close(struct stored_product *product);

/* A factor of a product: operands[operand], or its transpose. */
struct stored_factor {
    int operand;
    spmm_op_t op;
};
/* The symbolic phase, and the file. */
void stored_product_inspect(const char *path, const spmm_csr_t *operands, const struct stored_factor *factors,
                            int count);
/* The numeric phase: the values of C from those of the operands; diagonal: NULL without one. All are memory of the
 * device, which may be still at work on them when the call returns. */
void stored_product_run(struct stored_product *product, const double *const *values, const double *diagonal);

/* C = A B in one shot, symbolic phase and all; A, B and C are memory of the device. */
spmm_csr_t stored_product_once(const struct device *device, const spmm_csr_t *a, const spmm_csr_t *b);
void stored_product_once_free(spmm_csr_t *c);

#endif
