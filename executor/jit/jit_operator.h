/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix compiled for one GPU (jit_ptx.h): its program becomes code, by the cache or by the driver's compiler,
 * and is launched. */
#ifndef SPMMI_JIT_OPERATOR_H
#define SPMMI_JIT_OPERATOR_H

#include "executor/product.h"
#include "jit_cache.h"
#include "jit_driver.h"
#include "jit_ptx.h"

struct spmmi_jit_operator {
    spmm_op_t op;
    struct spmmi_types types;
    int64_t n_min[2]; /* products with fewer columns run as ever: row-major ones, and others */
    uint32_t code_bytes;
    void *module, *function;
    struct spmmi_jit_operator *next;
};

/* The name of its kernel, whose bits are those of rows/row-split. */
#define SPMMI_JIT_KERNEL "cuda/rows/row-split/operator"

/* Where its code came from. */
enum spmmi_jit_origin { SPMMI_JIT_NOWHERE, SPMMI_JIT_DISK, SPMMI_JIT_COMPILER };

/* Fills module, function and code_bytes of an operator from a matrix for compute capability target; the device's
 * context is current. compiles: what is not on disk is compiled and remembered. NOWHERE: *why says why, in static
 * memory. */
enum spmmi_jit_origin spmmi_jit_operator_make(const struct spmmi_jit_driver *driver,
                                              struct spmmi_jit_cache *cache,
                                              const struct spmmi_jit_matrix *matrix, uint32_t target,
                                              int compiles, struct spmmi_jit_operator *made,
                                              const char **why);

/* Which n_min is theirs. */
int spmmi_jit_is_strided(const spmm_dense_t *b, const spmm_dense_t *c);
/* Is it for this op and these types? */
int spmmi_jit_operator_is_of(const struct spmmi_jit_operator *made, const struct spmmi_product *product);
/* Does it run this product, whatever alpha is? */
int spmmi_jit_operator_fits(const struct spmmi_jit_operator *made, const struct spmmi_product *product);
/* Enqueues a product that fits, whose alpha is not 0; the device's context is current. Returns whether it was. */
int spmmi_jit_operator_launch(const struct spmmi_jit_driver *driver, const struct spmmi_jit_operator *made,
                              const struct spmmi_product *product, void *stream);

#endif
