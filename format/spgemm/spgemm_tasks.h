/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the plan of a product into products of two matrices, the tasks: C = F0 F1, or T = F1 F2 and then
 * C = F0 T. */
#ifndef SPMMI_SPGEMM_TASKS_H
#define SPMMI_SPGEMM_TASKS_H

#include "spgemm_factor.h"
#include "spgemm_pattern.h"

#define SPMMI_SPGEMM_TASKS 2

struct spmmi_spgemm_tasks {
    int count; /* 1 or 2; the last task computes C */
    struct spmmi_spgemm_task task[SPMMI_SPGEMM_TASKS];
    /* The pattern of T or C for each task, with its columns numbered as in the right factor. */
    struct spmmi_csr_pattern result[SPMMI_SPGEMM_TASKS];
    struct spmmi_spgemm_factor factors[SPMMI_SPGEMM_FACTORS], inner; /* inner: T as a right factor */
    int32_t *numbered[SPMMI_SPGEMM_TASKS]; /* owned: renumbered columns of the results, else NULL */
};

/* Makes the tasks. The patterns of g and c must outlive them. Free with spmmi_spgemm_tasks_free, also after
 * an error. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_tasks_make(const struct spmmi_spgemm *g, const struct spmmi_csr_pattern *c,
                                      int threads, struct spmmi_spgemm_tasks *tasks, spmm_diag_t *diag);
void spmmi_spgemm_tasks_free(struct spmmi_spgemm_tasks *tasks);
/* Check limits; a limit of 0 is no limit. spmmi_spgemm_require_work returns PLAN_BUDGET if the product has
 * more than `most` multiplications, spmmi_spgemm_require_bytes if `held` + `more` bytes are above
 * `budget`. */
spmm_status_t spmmi_spgemm_require_work(const struct spmmi_spgemm *g, uint64_t most, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_require_bytes(uint64_t held, uint64_t more, uint64_t budget, spmm_diag_t *diag);
/* Return upper bounds in bytes: of what spmmi_spgemm_tasks_make allocates, and of what spmmi_spgemm_prove
 * allocates in addition. nnz: entries of C. */
uint64_t spmmi_spgemm_tasks_bytes(const struct spmmi_spgemm *g, int64_t nnz);
uint64_t spmmi_spgemm_proof_bytes(const struct spmmi_spgemm_tasks *tasks, int threads);

/* Checks that T and C have exactly the patterns of their products; takes O(products) time. Errors:
 * PLAN_PRODUCT, MEMORY. */
spmm_status_t spmmi_spgemm_prove(const struct spmmi_spgemm_tasks *tasks, int threads, spmm_diag_t *diag);

#endif
