/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix compiled for one GPU (jit_ptx.h): gets the code of its program from the cache or from the
 * driver's compiler, and launches it. */
#ifndef SPMMI_JIT_OPERATOR_H
#define SPMMI_JIT_OPERATOR_H

#include "executor/product.h"
#include "jit_cache.h"
#include "jit_driver.h"
#include "jit_ptx.h"

struct spmmi_jit_operator {
    spmm_op_t op;
    struct spmmi_types types;
    int64_t n_min[2]; /* minimum columns of products that run it: [0] row-major B and C, [1] other layouts */
    uint32_t code_bytes;
    void *module, *function;
    struct spmmi_jit_operator *next;
};

/* The name of its kernel. Its results have the bits of rows/row-split. */
#define SPMMI_JIT_KERNEL "cuda/rows/row-split/operator"

/* Where the code of an operator came from. */
enum spmmi_jit_origin { SPMMI_JIT_NOWHERE, SPMMI_JIT_DISK, SPMMI_JIT_COMPILER };

/* Fills module, function and code_bytes of an operator for this matrix and compute capability `target`. The
 * device's context must be current. With `compiles`, code that is not on disk is compiled and stored there.
 * NOWHERE: *why says why, in static memory. */
enum spmmi_jit_origin spmmi_jit_operator_make(const struct spmmi_jit_driver *driver,
                                              struct spmmi_jit_cache *cache,
                                              const struct spmmi_jit_matrix *matrix, uint32_t target,
                                              int compiles, struct spmmi_jit_operator *made,
                                              const char **why);

/* Returns the index in n_min for these layouts: 0 if both are row-major, else 1. */
int spmmi_jit_is_strided(const spmm_dense_t *b, const spmm_dense_t *c);
/* Returns true if the operator has this op and these types. */
int spmmi_jit_operator_is_of(const struct spmmi_jit_operator *made, const struct spmmi_product *product);
/* Returns true if the operator can run this product, for any alpha. */
int spmmi_jit_operator_fits(const struct spmmi_jit_operator *made, const struct spmmi_product *product);
/* Enqueues a product that fits and whose alpha is not 0. The device's context must be current.
 * Returns true on success. */
int spmmi_jit_operator_launch(const struct spmmi_jit_driver *driver, const struct spmmi_jit_operator *made,
                              const struct spmmi_product *product, void *stream);

#endif
