/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a product as the products of two matrices that it consists of: C = F0 F1, or T = F1 F2 and C = F0 T. */
#ifndef SPMMI_SPGEMM_TASKS_H
#define SPMMI_SPGEMM_TASKS_H

#include "spgemm_factor.h"
#include "spgemm_pattern.h"

#define SPMMI_SPGEMM_TASKS 2

struct spmmi_spgemm_tasks {
    int count; /* 1 or 2, that of C last */
    struct spmmi_spgemm_task task[SPMMI_SPGEMM_TASKS];
    struct spmmi_csr_pattern result[SPMMI_SPGEMM_TASKS]; /* its columns are those of the right factor */
    struct spmmi_spgemm_factor factors[SPMMI_SPGEMM_FACTORS], inner; /* inner: T as a right factor */
    int32_t *numbered[SPMMI_SPGEMM_TASKS]; /* owned: columns of results, numbered anew */
};

/* The patterns of g and c must outlive it. Free with spmmi_spgemm_tasks_free, also after an error. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_tasks_make(const struct spmmi_spgemm *g, const struct spmmi_csr_pattern *c,
                                      int threads, struct spmmi_spgemm_tasks *tasks, spmm_diag_t *diag);
void spmmi_spgemm_tasks_free(struct spmmi_spgemm_tasks *tasks);
/* PLAN_BUDGET where there are more multiplications than `most`, or where more bytes beside those that are held are
 * beyond the budget; 0: no limit. */
spmm_status_t spmmi_spgemm_require_work(const struct spmmi_spgemm *g, uint64_t most, spmm_diag_t *diag);
spmm_status_t spmmi_spgemm_require_bytes(uint64_t held, uint64_t more, uint64_t budget, spmm_diag_t *diag);
/* Most bytes that it takes; then most that a proof takes beside it. */
uint64_t spmmi_spgemm_tasks_bytes(const struct spmmi_spgemm *g, int64_t nnz);
uint64_t spmmi_spgemm_proof_bytes(const struct spmmi_spgemm_tasks *tasks, int threads);

/* Are T and C the patterns of the products? O(products) time. Errors: PLAN_PRODUCT, MEMORY. */
spmm_status_t spmmi_spgemm_prove(const struct spmmi_spgemm_tasks *tasks, int threads, spmm_diag_t *diag);

#endif
