/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples of sparse products share: a product whose plan lies in a file. In doubles, on the CPU; whatever
 * fails ends the program with a sentence and status 1. */
#ifndef EXAMPLE_STORED_PRODUCT_H
#define EXAMPLE_STORED_PRODUCT_H

#include <spmm/product.h>

struct stored_product {
    spmm_plan_t *plan;
    spmm_product_t *product;
    spmm_csr_t c;   /* its pattern is that of the plan */
    double *values; /* of C, those of the last run */
    void *workspace;
    uint64_t workspace_bytes;
};

/* The plan in this file, made ready to run: it has to be of these operands, whose patterns are compared. 0: there is no
 * such file. */
int stored_product_open(struct stored_product *product, const char *path, const spmm_csr_t *operands,
                        int count);
void stored_product_close(struct stored_product *product);

/* A factor of a product: operands[operand], or its transpose. */
struct stored_factor {
    int operand;
    spmm_op_t op;
};
/* The symbolic phase, and the file. */
void stored_product_inspect(const char *path, const spmm_csr_t *operands, const struct stored_factor *factors,
                            int count);
/* The numeric phase: the values of C from those of the operands; diagonal: NULL without one. */
void stored_product_run(struct stored_product *product, const double *const *values, const double *diagonal);

#endif
