/* SPDX-License-Identifier: Apache-2.0 */
/* See op_matrix.h. A simple implementation without functions of the library. */
#include "op_matrix.h"

#include <stdlib.h>

#include "dense.h"

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

/* Returns an array whose element r is the position of row r of op(A). */
static int64_t *positions_of(int64_t rows, const uint32_t *order)
{
    int64_t *position = take(rows, sizeof *position);
    for (int64_t i = 0; i < rows; i++)
        position[order == NULL ? i : (int64_t)order[i]] = i;
    return position;
}

struct test_matrix *test_op_matrix(const spmm_plan_t *plan, spmm_op_t op, const uint32_t *order,
                                   const void *values)
{
    const int is_transposed = op == SPMM_OP_T;
    struct test_matrix *a = take(1, sizeof *a);
    a->name = "of a plan";
    a->rows = is_transposed ? plan->cols : plan->rows;
    a->cols = is_transposed ? plan->rows : plan->cols;
    a->nnz = plan->nnz;
    a->row_ptr = take(a->rows + 1, sizeof *a->row_ptr);
    a->col_ind = take(a->nnz, sizeof *a->col_ind);
    a->values = take(a->nnz, sizeof *a->values);
    int64_t *position = positions_of(a->rows, order);
    /* The count of a row is stored two elements later. After the prefix sum, the fill loop then leaves each
     * pointer at the start of its row. */
    for (int64_t i = 0; i < plan->rows; i++)
        for (int64_t p = plan->row_ptr[i]; p < plan->row_ptr[i + 1]; p++)
            a->row_ptr[position[is_transposed ? plan->col_ind[p] : i] + 2]++;
    for (int64_t i = 0; i < a->rows; i++)
        a->row_ptr[i + 1] += a->row_ptr[i];
    for (int64_t i = 0; i < plan->rows; i++)
        for (int64_t p = plan->row_ptr[i]; p < plan->row_ptr[i + 1]; p++) {
            const int64_t to = a->row_ptr[position[is_transposed ? plan->col_ind[p] : i] + 1]++;
            a->col_ind[to] = (int32_t)(is_transposed ? i : plan->col_ind[p]);
            a->values[to] = test_value_get(plan->dtype, values == NULL ? plan->values : values, p);
        }
    free(position);
    return a;
}
