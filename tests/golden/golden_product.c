/* SPDX-License-Identifier: Apache-2.0 */
/* See golden_product.h. */
#include "golden_product.h"

#include "format/base/alloc.h"

void golden_product_columns_swapped(spmm_plan_t *p)
{
    int32_t *columns = p->product->matrices[0].col_ind;
    const int32_t first = columns[1];
    columns[1] = columns[2];
    columns[2] = first;
}

void golden_product_column_beyond(spmm_plan_t *p)
{
    struct spmmi_spgemm_matrix *a = &p->product->matrices[0];
    a->col_ind[a->nnz - 1] = (int32_t)a->cols;
}

void golden_product_has_values(spmm_plan_t *p)
{
    p->values = spmmi_alloc_zero((uint64_t)p->nnz, spmm_dtype_size(p->dtype));
    spmmi_digest_values(p->nnz, p->dtype, p->values, p->values_digest);
    p->stats.zeros = p->nnz;
}

void golden_product_is_permuted(spmm_plan_t *p)
{
    p->symmetric_permutation = spmmi_alloc((uint64_t)p->rows, sizeof *p->symmetric_permutation);
    for (int64_t i = 0; i < p->rows; i++)
        p->symmetric_permutation[i] = (uint32_t)i;
}

void golden_product_has_parts(spmm_plan_t *p)
{
    p->parts[0] = (struct spmmi_part){.family = SPMM_FAMILY_ROWS,
                                      .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                      .item_size = 4096,
                                      .item_count = 1,
                                      .items = spmmi_alloc_zero(1, sizeof(uint32_t))};
    p->part_count = 1;
}

/* Replaces the last entry of row 1 by an entry above the diagonal. */
void golden_product_above_diagonal(spmm_plan_t *p)
{
    p->col_ind[p->row_ptr[2] - 1] = 2;
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, p->pattern_digest);
    (void)spmmi_stats_compute(p->rows, p->cols, p->row_ptr, p->col_ind, NULL, p->dtype, &p->stats);
}
