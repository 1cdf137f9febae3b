/* SPDX-License-Identifier: Apache-2.0 */
/* See permuted_rows.h. */
#include "permuted_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"

struct permuted_rows permuted_rows_of(const spmm_plan_t *plan, spmm_op_t op)
{
    struct permuted_rows order = {NULL, NULL};
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    int64_t count = 0;
    if (spmm_plan_symmetric_permutation(plan, &order.b, &count) == SPMM_OK && order.b != NULL)
        order.c = order.b;
    for (int i = 0; order.c == NULL && spmm_plan_variant(plan, i, &variant) == SPMM_OK; i++)
        if (variant.op == op)
            (void)spmm_plan_row_permutation(plan, variant.part_first, &order.c, &count);
    return order;
}

/* Permutes one column at a time, with a copy of that column. */
static spmm_status_t rows_move(const spmm_dense_t *dense, const uint32_t *order, int is_undone,
                               spmm_diag_t *diag)
{
    const size_t size = spmm_dtype_size(dense->type);
    const int is_row_major = dense->layout == SPMM_ROW_MAJOR;
    const size_t row = (is_row_major ? (size_t)dense->ld : 1) * size;
    if (order == NULL || dense->rows == 0)
        return SPMM_OK;
    char *copy = malloc((size_t)dense->rows * size);
    if (copy == NULL)
        return fail(diag, SPMM_ERR_MEMORY, "out of memory");
    for (int64_t j = 0; j < dense->cols; j++) {
        char *column = (char *)dense->data + (is_row_major ? 1 : (size_t)dense->ld) * (size_t)j * size;
        for (int64_t i = 0; i < dense->rows; i++)
            memcpy(copy + (size_t)i * size, column + (is_undone ? (size_t)i : order[i]) * row, size);
        for (int64_t i = 0; i < dense->rows; i++)
            memcpy(column + (is_undone ? order[i] : (size_t)i) * row, copy + (size_t)i * size, size);
    }
    free(copy);
    return SPMM_OK;
}

spmm_status_t permuted_rows_make(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag)
{
    return rows_move(dense, order, 0, diag);
}

spmm_status_t permuted_rows_undo(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag)
{
    return rows_move(dense, order, 1, diag);
}
