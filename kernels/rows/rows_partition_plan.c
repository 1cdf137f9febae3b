/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_partition_plan.h. Both schedules need only the row pointers of the matrix. */
#include "rows_partition_plan.h"

#include <stdbool.h>

#include "format/base/alloc.h"
#include "format/base/team.h"

#define ROWS_PARALLEL 100000 /* with fewer rows one thread is faster */

/* Sets items[i] to the row that holds nonzero i * item size. Each row writes the items that begin in it. */
static void split_nonzeros(int64_t rows, const int64_t *row_ptr, int64_t item_size, int threads,
                           uint32_t *items)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(rows > ROWS_PARALLEL ? threads : 1))
    for (int64_t row = 0; row < rows; row++) {
        const int64_t end = row_ptr[row + 1];
        for (int64_t i = (row_ptr[row] + item_size - 1) / item_size; i * item_size < end; i++)
            items[i] = (uint32_t)row;
    }
}

/* Writes the first row of each item and returns the number of items. items may be NULL to count only. An item
 * begins where the one before it was full, so the loop is sequential; it reads the row pointers once. */
static uint64_t split_rows(int64_t rows, const int64_t *row_ptr, int64_t item_size, uint32_t *items)
{
    uint64_t count = 0;
    int64_t full = 0; /* the nonzero at which the open item is full */
    for (int64_t row = 0; row < rows; row++) {
        if (count > 0 && row_ptr[row] < full)
            continue;
        if (items != NULL)
            items[count] = (uint32_t)row;
        count++;
        full = row_ptr[row] + item_size;
    }
    return count;
}

spmm_status_t spmmi_partition(spmm_op_t op, spmm_schedule_t schedule, uint32_t item_size, int64_t rows,
                              const int64_t *row_ptr, int threads, struct spmmi_part *part)
{
    const int64_t nnz = row_ptr[rows];
    const bool by_rows = schedule == SPMM_SCHEDULE_ROW_SPLIT;
    part->op = op;
    part->family = SPMM_FAMILY_ROWS;
    part->schedule = schedule;
    part->item_size = item_size;
    part->item_count = by_rows ? split_rows(rows, row_ptr, item_size, NULL)
                               : (uint64_t)(nnz / item_size + (nnz % item_size != 0));
    part->items = spmmi_alloc(part->item_count, sizeof *part->items);
    if (part->items == NULL)
        return SPMM_ERR_MEMORY;
    if (by_rows)
        (void)split_rows(rows, row_ptr, item_size, part->items);
    else
        split_nonzeros(rows, row_ptr, item_size, threads, part->items);
    return SPMM_OK;
}
