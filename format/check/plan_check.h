/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of spmmi_plan_check (plan.h) that other files use or hold. */
#ifndef SPMMI_PLAN_CHECK_H
#define SPMMI_PLAN_CHECK_H

#include "format/plan.h"

#define SPMMI_TARGET_MAX 999u /* compute capabilities have two or three digits */

/* V2 alone: the loader needs it before it can decode columns. */
spmm_status_t spmmi_check_row_ptr(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* The digests of the pattern and, with_values, of the values, are those of the arrays in memory. */
spmm_status_t spmmi_check_digests(const spmm_plan_t *plan, int with_values, spmm_diag_t *diag);

/* V4. Part index, whose fields its family and schedule allow; the parts before it were looked at. */
spmm_status_t spmmi_check_part(const spmm_plan_t *plan, uint32_t index, spmm_diag_t *diag);
int spmmi_is_op(spmm_op_t op);

/* V5, V9: the items of every part partition the nonzeros, rows or units of op(A) as plan.h says. */
spmm_status_t spmmi_check_items(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* The row-block metrics, where the plan has them, are possible values. */
spmm_status_t spmmi_check_row_block_metrics(const spmm_plan_t *plan, spmm_diag_t *diag);

/* The symmetric permutation, where the plan has one, is a permutation of the rows of a square matrix. */
spmm_status_t spmmi_check_symmetric_permutation(const spmm_plan_t *plan, spmm_diag_t *diag);

/* The permutation metrics, where the plan has them, are possible values. */
spmm_status_t spmmi_check_permutation_metrics(const spmm_plan_t *plan, spmm_diag_t *diag);

/* The metadata of a plan, or of the head of one, are pairs as docs/plan-format.md 6.14 says. */
spmm_status_t spmmi_check_metadata(const char *text, uint64_t bytes, spmm_diag_t *diag);

/* What the section product says by itself; then, of the rows of its matrix m, that they have as many entries as it
 * says; then, with all arrays there, the rest. That the pattern of C is the product's is proved by whoever computes
 * with it, as it takes as long as the product: spmm_product_create. */
spmm_status_t spmmi_check_spgemm_head(const spmm_plan_t *plan, spmm_diag_t *diag);
spmm_status_t spmmi_check_spgemm_rows(const struct spmmi_spgemm_matrix *matrix, uint32_t m,
                                      spmm_diag_t *diag);
spmm_status_t spmmi_check_spgemm(const spmm_plan_t *plan, spmm_diag_t *diag);
/* Memory that this takes at a time; 0 of NULL. */
uint64_t spmmi_check_spgemm_bytes(const struct spmmi_spgemm *product);

/* What the memory for checking the items depends on. */
struct spmmi_check_extent {
    int has_transpose; /* some part has op T */
    /* Maximum over the reordered parts, the pairs that share the rows, and the symmetric permutation. */
    uint64_t reordered_items;
    uint64_t product_bytes; /* spmmi_check_spgemm_bytes */
};
/* Most memory that spmmi_plan_check_on takes at a time. */
uint64_t spmmi_check_bytes(uint64_t cols, uint64_t nnz, int threads, struct spmmi_check_extent extent);

#endif
