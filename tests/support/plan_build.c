/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_build.h. */
#include "plan_build.h"

#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "format/alloc.h"

static void *take(int64_t count, size_t size)
{
    void *block = spmmi_alloc_zero((uint64_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

void *test_values_of(const struct test_matrix *a, spmm_dtype_t dtype)
{
    void *values = calloc((size_t)a->nnz + 1, spmm_dtype_size(dtype));
    if (values == NULL)
        abort();
    for (int64_t p = 0; p < a->nnz; p++)
        test_number_set(dtype, values, p, a->values[p]);
    return values;
}

/* Items as struct spmmi_part defines them, found the slow and plain way. */
static void items_fill(struct spmmi_part *part, int64_t rows, const int64_t *row_ptr)
{
    const int64_t granule = part->granule;
    part->items = take(rows + row_ptr[rows], sizeof *part->items);
    int64_t held = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
            for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
                if (p % granule == 0)
                    part->items[part->item_count++] = (uint32_t)i;
            continue;
        }
        if (i == 0 || held >= granule) {
            part->items[part->item_count++] = (uint32_t)i;
            held = 0;
        }
        held += row_ptr[i + 1] - row_ptr[i];
    }
}

static void variant_add(spmm_plan_t *plan, spmm_op_t op, const struct test_plan_options *options)
{
    plan->variants[plan->variant_count++] =
        (struct spmmi_variant){op,
                               options->dtype,
                               SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR,
                               0,
                               1,
                               SPMMI_N_MAX,
                               plan->part_count,
                               1};
    struct spmmi_part *part = &plan->parts[plan->part_count++];
    *part = (struct spmmi_part){op, SPMM_FAMILY_ROWS, options->schedule, options->granule, 0, NULL, 0, 0, 0};
    if (op == SPMM_OP_N) {
        items_fill(part, plan->rows, plan->row_ptr);
        return;
    }
    int64_t *row_ptr = take(plan->cols, sizeof *row_ptr);
    int32_t *col_ind = take(plan->nnz, sizeof *col_ind);
    if (spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, row_ptr, col_ind, NULL) !=
        SPMM_OK)
        abort();
    items_fill(part, plan->cols, row_ptr);
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
}

spmm_plan_t *test_plan_build(const struct test_matrix *a, struct test_plan_options options)
{
    spmm_plan_t *plan = spmmi_plan_new();
    if (plan == NULL)
        abort();
    plan->rows = a->rows;
    plan->cols = a->cols;
    plan->nnz = a->nnz;
    plan->dtype = options.dtype;
    plan->row_ptr = take(a->rows, sizeof *plan->row_ptr);
    memcpy(plan->row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *plan->row_ptr);
    plan->col_ind = take(a->nnz, sizeof *plan->col_ind);
    memcpy(plan->col_ind, a->col_ind, (size_t)a->nnz * sizeof *plan->col_ind);
    if (!options.has_no_values) {
        void *values = test_values_of(a, options.dtype);
        plan->values = take(a->nnz, spmm_dtype_size(options.dtype));
        memcpy(plan->values, values, (size_t)a->nnz * spmm_dtype_size(options.dtype));
        free(values);
    }
    variant_add(plan, SPMM_OP_N, &options);
    if (options.has_transpose)
        variant_add(plan, SPMM_OP_T, &options);
    return plan;
}
