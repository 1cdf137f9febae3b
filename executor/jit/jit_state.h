/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor on a GPU keeps for compiled kernels: the pattern of the matrix if it is small enough, and
 * the operators that spmm_executor_prepare made. Products only look them up; a product never compiles or
 * loads code.
 *
 * A module lives as long as the executor, since captured graphs may hold its kernel. */
#ifndef SPMMI_JIT_STATE_H
#define SPMMI_JIT_STATE_H

#include <spmm/executor.h>

#include "format/plan.h"
#include "jit_operator.h"

#define SPMMI_JIT_N_MIN \
    8192 /* columns from which an operator is faster for row-major products (docs/decisions/0067) */

struct spmmi_jit;

/* Returns the bytes of host memory that spmmi_jit_create takes for this plan. */
uint64_t spmmi_jit_bytes(const spmm_plan_t *plan, spmm_jit_level_t level);
/* Returns NULL if memory is short. kernel: the forced kernel of the options, or NULL. */
struct spmmi_jit *spmmi_jit_create(const spmm_plan_t *plan, int device, uint32_t target,
                                   spmm_jit_level_t level, const char *kernel);
void spmmi_jit_destroy(struct spmmi_jit *jit);
uint64_t spmmi_jit_host_bytes(const struct spmmi_jit *jit);
uint64_t spmmi_jit_device_bytes(const struct spmmi_jit *jit); /* bytes of code on the device */
uint64_t spmmi_jit_peak_bytes(const struct spmmi_jit *jit);   /* maximum of these bytes so far */

/* Returns why no operator is made for this plan, in static memory; NULL: an operator may be possible. */
const char *spmmi_jit_refuse(const struct spmmi_jit *jit);
/* Makes an operator for such a product from values in the order of A. The caller holds spmmi_jit_lock,
 * and no other lock. Returns the operator, to be published, and in note a problem of the cache; or NULL,
 * and in note the reason. */
struct spmmi_jit_operator *spmmi_jit_compile(struct spmmi_jit *jit, const struct spmmi_product *product,
                                             const void *values, enum spmmi_jit_origin *origin,
                                             char note[SPMMI_JIT_NOTE]);

/* ---- Under the executor's lock of values: find, generation and run as readers, others as writers ---- */

uint64_t spmmi_jit_generation(const struct spmmi_jit *jit);
void spmmi_jit_values_change(struct spmmi_jit *jit);
/* Publishes an operator made from the values of this generation: from now on it runs row-major products of at
 * least SPMMI_JIT_N_MIN columns. Returns true if these are still the executor's values; the operator then
 * belongs to jit. Else the caller discards it, without that lock. */
int spmmi_jit_publish(struct spmmi_jit *jit, struct spmmi_jit_operator *made, uint64_t generation);
void spmmi_jit_discard(struct spmmi_jit *jit, struct spmmi_jit_operator *made);
/* Lets the operator for the op and types of this product also run products with its layouts and at least its
 * number of columns. Returns false if there is no such operator. */
int spmmi_jit_widen(struct spmmi_jit *jit, const struct spmmi_product *product);
/* Returns the operator that runs this product unless its alpha is 0; NULL: there is none. jit may be NULL. */
const struct spmmi_jit_operator *spmmi_jit_find(const struct spmmi_jit *jit,
                                                const struct spmmi_product *product);
/* Enqueues the product. Errors: DEVICE. */
spmm_status_t spmmi_jit_run(const struct spmmi_jit *jit, const struct spmmi_jit_operator *made,
                            const struct spmmi_product *product, void *stream, spmm_diag_t *diag);

/* Serialize prepares: only one may run at a time. */
void spmmi_jit_lock(struct spmmi_jit *jit);
void spmmi_jit_unlock(struct spmmi_jit *jit);

#endif
