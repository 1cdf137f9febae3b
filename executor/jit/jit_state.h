/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor on a GPU knows of compiled kernels: the pattern of a matrix that is small enough, and the operators
 * that spmm_executor_prepare made. Products look them up; nothing is compiled or loaded by a product.
 *
 * A module lives as long as the executor: captured graphs may hold its kernel. */
#ifndef SPMMI_JIT_STATE_H
#define SPMMI_JIT_STATE_H

#include <spmm/executor.h>

#include "format/plan.h"
#include "jit_operator.h"

#define SPMMI_JIT_N_MIN \
    8192 /* columns of row-major products that an operator is worth (docs/decisions/0067) */

struct spmmi_jit;

/* Bytes of the host that create takes for this plan. */
uint64_t spmmi_jit_bytes(const spmm_plan_t *plan, spmm_jit_level_t level);
/* NULL: out of memory. kernel: forced by the options, or NULL. */
struct spmmi_jit *spmmi_jit_create(const spmm_plan_t *plan, int device, uint32_t target,
                                   spmm_jit_level_t level, const char *kernel);
void spmmi_jit_destroy(struct spmmi_jit *jit);
uint64_t spmmi_jit_host_bytes(const struct spmmi_jit *jit);
uint64_t spmmi_jit_device_bytes(const struct spmmi_jit *jit); /* code on the device */
uint64_t spmmi_jit_peak_bytes(const struct spmmi_jit *jit);   /* the most that it was */

/* Why no operator is made of this plan, in static memory; NULL: perhaps one is. */
const char *spmmi_jit_refuse(const struct spmmi_jit *jit);
/* Make an operator for such a product from values in the order of A, under the lock of prepares alone. Returns it, to
 * publish, and in note what was wrong with the cache, or NULL and in note why there is none. */
struct spmmi_jit_operator *spmmi_jit_compile(struct spmmi_jit *jit, const struct spmmi_product *product,
                                             const void *values, enum spmmi_jit_origin *origin,
                                             char note[SPMMI_JIT_NOTE]);

/* ---- Under the executor's lock of values; all but generation, find and run as a writer. ---- */

uint64_t spmmi_jit_generation(const struct spmmi_jit *jit);
void spmmi_jit_values_change(struct spmmi_jit *jit);
/* From now on row-major products of at least SPMMI_JIT_N_MIN columns run it, if its values are those of this generation
 * and still those of the executor. Returns whether they do; then it belongs to jit, else discard it without that lock.
 */
int spmmi_jit_publish(struct spmmi_jit *jit, struct spmmi_jit_operator *made, uint64_t generation);
void spmmi_jit_discard(struct spmmi_jit *jit, struct spmmi_jit_operator *made);
/* The operator for this op and these types runs products of this layout and of at least so many columns as well.
 * Returns whether there is one. */
int spmmi_jit_widen(struct spmmi_jit *jit, const struct spmmi_product *product);
/* The operator that runs this product unless its alpha is 0; NULL: there is none. jit may be NULL. */
const struct spmmi_jit_operator *spmmi_jit_find(const struct spmmi_jit *jit,
                                                const struct spmmi_product *product);
/* Errors: DEVICE. */
spmm_status_t spmmi_jit_run(const struct spmmi_jit *jit, const struct spmmi_jit_operator *made,
                            const struct spmmi_product *product, void *stream, spmm_diag_t *diag);

/* Only one prepare at a time. */
void spmmi_jit_lock(struct spmmi_jit *jit);
void spmmi_jit_unlock(struct spmmi_jit *jit);

#endif
