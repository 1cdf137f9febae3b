/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of spmmi_plan_check (plan.h) that are in different files or that other files use. V1 to V9 are rules
 * of docs/plan-format.md. */
#ifndef SPMMI_PLAN_CHECK_H
#define SPMMI_PLAN_CHECK_H

#include "format/plan.h"

#define SPMMI_TARGET_MAX 999u /* 10 x compute capability has two or three digits */

/* Checks the row pointers (V2). The loader needs this check before it decodes columns. */
spmm_status_t spmmi_check_row_ptr(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* Checks that the digests of the pattern and, if with_values, of the values match the arrays in memory. */
spmm_status_t spmmi_check_digests(const spmm_plan_t *plan, int with_values, spmm_diag_t *diag);

/* Checks that the family and the schedule of part `index` allow its fields (V4).
 * Earlier parts have been checked. */
spmm_status_t spmmi_check_part(const spmm_plan_t *plan, uint32_t index, spmm_diag_t *diag);
int spmmi_is_op(spmm_op_t op);

/* Checks that the items of each part partition the nonzeros,
 * rows or segments of op(A) as in plan.h (V5, V9). */
spmm_status_t spmmi_check_items(int threads, const spmm_plan_t *plan, spmm_diag_t *diag);

/* Checks that the row-block metrics, if the plan has them, are possible values. */
spmm_status_t spmmi_check_row_block_metrics(const spmm_plan_t *plan, spmm_diag_t *diag);

/* Checks that the symmetric permutation, if the plan has
 * one, is a permutation of the rows of a square matrix. */
spmm_status_t spmmi_check_symmetric_permutation(const spmm_plan_t *plan, spmm_diag_t *diag);

/* Checks that the permutation metrics, if the plan has them, are possible values. */
spmm_status_t spmmi_check_permutation_metrics(const spmm_plan_t *plan, spmm_diag_t *diag);

/* Checks that the metadata of a plan, or of the head of a plan
 * file, are valid pairs (docs/plan-format.md section 6.14). */
spmm_status_t spmmi_check_metadata(const char *text, uint64_t bytes, spmm_diag_t *diag);

/* Check a sparse product in three steps: the section product; the row pointers of matrix m against its size;
 * and, when all arrays are loaded, everything. They do not check that the pattern of C is the pattern of the
 * product, because that takes as long as the product: spmm_product_create does. */
spmm_status_t spmmi_check_spgemm_head(const spmm_plan_t *plan, spmm_diag_t *diag);
spmm_status_t spmmi_check_spgemm_rows(const struct spmmi_spgemm_matrix *matrix, uint32_t m,
                                      spmm_diag_t *diag);
spmm_status_t spmmi_check_spgemm(const spmm_plan_t *plan, spmm_diag_t *diag);
/* Returns the maximum memory of spmmi_check_spgemm in bytes; 0 if product is NULL. */
uint64_t spmmi_check_spgemm_bytes(const struct spmmi_spgemm *product);

/* The quantities that determine the memory for the checks of items and of the sparse product. */
struct spmmi_check_extent {
    int has_transpose; /* whether a part has op T */
    /* Maximum number of items of:
     * reordered parts, parts together with their long rows, the symmetric permutation. */
    uint64_t reordered_items;
    uint64_t product_bytes; /* result of spmmi_check_spgemm_bytes */
};
/* Returns the maximum memory of spmmi_plan_check_on in bytes. */
uint64_t spmmi_check_bytes(uint64_t cols, uint64_t nnz, int threads, struct spmmi_check_extent extent);

#endif
