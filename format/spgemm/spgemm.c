/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm.h. */
#include "spgemm.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/checked.h"
#include "format/base/diag.h"

void spmmi_spgemm_free(struct spmmi_spgemm *g)
{
    for (uint32_t m = 0; g != NULL && m < SPMMI_SPGEMM_MATRICES; m++) {
        spmmi_free(g->matrices[m].row_ptr);
        spmmi_free(g->matrices[m].col_ind);
    }
    spmmi_free(g);
}

spmm_status_t spmmi_spgemm_copy(const struct spmmi_spgemm *from, struct spmmi_spgemm **to, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm *g = NULL;
    *to = NULL;
    if (from == NULL)
        return SPMM_OK;
    SPMM_TRY_ALLOC(g = spmmi_alloc(1, sizeof *g), diag);
    *g = *from;
    for (uint32_t m = 0; m < SPMMI_SPGEMM_MATRICES; m++)
        g->matrices[m].row_ptr = NULL, g->matrices[m].col_ind = NULL;
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++) {
        const struct spmmi_spgemm_matrix *a = &from->matrices[m];
        struct spmmi_spgemm_matrix *b = &g->matrices[m];
        SPMM_TRY_ALLOC(b->row_ptr = spmmi_alloc((uint64_t)a->rows + 1, sizeof *b->row_ptr), diag);
        SPMM_TRY_ALLOC(b->col_ind = spmmi_alloc((uint64_t)a->nnz, sizeof *b->col_ind), diag);
        memcpy(b->row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *b->row_ptr);
        memcpy(b->col_ind, a->col_ind, (size_t)a->nnz * sizeof *b->col_ind);
    }
    *to = g;
    g = NULL;
cleanup:
    spmmi_spgemm_free(g);
    return status;
}

/* Sets counts[k] to the number of entries with inner index k: entries of column k if by_columns is set, else
 * of row k. */
static void count_inner(const struct spmmi_csr_pattern *a, int by_columns, uint32_t *counts, int64_t inner)
{
    if (by_columns) {
        memset(counts, 0, (size_t)inner * sizeof *counts);
        for (int64_t p = 0; p < a->row_ptr[a->rows]; p++)
            counts[a->col_ind[p]]++;
        return;
    }
    for (int64_t k = 0; k < inner; k++)
        counts[k] = (uint32_t)(a->row_ptr[k + 1] - a->row_ptr[k]);
}

/* A column has at most 2^31 - 2 entries, so 32-bit counters suffice. */
spmm_status_t spmmi_spgemm_count(const struct spmmi_csr_pattern *left, spmm_op_t left_op,
                                 const struct spmmi_csr_pattern *right, spmm_op_t right_op,
                                 uint64_t *products)
{
    spmm_status_t status = SPMM_OK;
    const int64_t inner = left_op == SPMM_OP_T ? left->rows : left->cols;
    uint32_t *counts = spmmi_alloc(2 * (uint64_t)inner, sizeof *counts);
    uint64_t sum = 0;
    if (counts == NULL)
        return SPMM_ERR_MEMORY;
    uint32_t *const others = counts + inner;
    count_inner(left, left_op == SPMM_OP_N, counts, inner);
    count_inner(right, right_op == SPMM_OP_T, others, inner);
    for (int64_t k = 0; k < inner; k++) /* each product is below 2^62 */
        if (!spmmi_add_u64(sum, (uint64_t)counts[k] * others[k], &sum)) {
            sum = UINT64_MAX;
            break;
        }
    *products = sum;
    spmmi_free(counts);
    return status;
}

struct spmmi_spgemm_work spmmi_spgemm_work_of(const struct spmmi_csr_pattern *left,
                                              const struct spmmi_csr_pattern *right)
{
    struct spmmi_spgemm_work work = {0, 0};
    for (int64_t i = 0; i < left->rows; i++) {
        uint64_t products = 0;
        for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
            const int64_t k = left->col_ind[p];
            products += (uint64_t)(right->row_ptr[k + 1] - right->row_ptr[k]);
        }
        spmmi_spgemm_work_add(&work, products);
    }
    return work;
}

int64_t spmmi_spgemm_longest_row(int64_t rows, const int64_t *row_ptr)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = row_ptr[i + 1] - row_ptr[i] > longest ? row_ptr[i + 1] - row_ptr[i] : longest;
    return longest;
}

spmm_status_t spmmi_spgemm_may_be_long(const struct spmmi_csr_pattern *left,
                                       const struct spmmi_csr_pattern *right, int *may, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *counts = NULL;
    *may = 0;
    if (spmmi_spgemm_longest_row(left->rows, left->row_ptr) <= SPMMI_SPGEMM_STRETCH)
        return SPMM_OK;
    SPMM_TRY_ALLOC(counts = spmmi_alloc((uint64_t)right->cols, sizeof *counts), diag);
    count_inner(right, 1, counts, right->cols);
    for (int64_t j = 0; j < right->cols && !*may; j++)
        *may = counts[j] > SPMMI_SPGEMM_STRETCH;
cleanup:
    spmmi_free(counts);
    return status;
}

uint64_t spmmi_spgemm_pattern_bytes(const struct spmmi_spgemm *g)
{
    uint64_t bytes = 0;
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++) {
        const struct spmmi_spgemm_matrix *a = &g->matrices[m];
        bytes += ((uint64_t)a->rows + 1) * sizeof *a->row_ptr + (uint64_t)a->nnz * sizeof *a->col_ind;
    }
    return bytes;
}
