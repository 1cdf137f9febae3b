/* SPDX-License-Identifier: Apache-2.0 */
/* See golden_long_rows.h. */
#include "golden_long_rows.h"

#include <stdlib.h>

void peeled_rows_fewer(spmm_plan_t *p)
{
    p->parts[1].item_count--;
}

void peeled_all(spmm_plan_t *p)
{
    p->parts[0].item_count = 0;
}

void peeled_none(spmm_plan_t *p)
{
    p->parts[1].item_count = 0;
}

void peeled_row_twice(spmm_plan_t *p)
{
    p->parts[1].items[0] = p->parts[1].items[1];
}

void peeled_row_of_both(spmm_plan_t *p)
{
    p->parts[1].items[0] = p->parts[0].items[1];
}

void peeled_row_beyond(spmm_plan_t *p)
{
    p->parts[1].items[p->parts[1].item_count - 1] = (uint32_t)p->rows;
}

/* Exchanges the first split-off row for an empty row of the other part. */
void peeled_row_empty(spmm_plan_t *p)
{
    uint64_t empty = 0;
    while (p->row_ptr[p->parts[0].items[empty]] < p->row_ptr[p->parts[0].items[empty] + 1])
        empty++;
    const uint32_t row = p->parts[0].items[empty];
    if (row > p->parts[1].items[0])
        abort();
    p->parts[0].items[empty] = p->parts[1].items[0];
    p->parts[1].items[0] = row;
    for (uint64_t i = empty; i + 1 < p->parts[0].item_count; i++) {
        const uint32_t next = p->parts[0].items[i + 1];
        if (next > p->parts[0].items[i])
            break;
        p->parts[0].items[i + 1] = p->parts[0].items[i];
        p->parts[0].items[i] = next;
    }
}

void peeled_others_swapped(spmm_plan_t *p)
{
    const uint32_t row = p->parts[0].items[4];
    p->parts[0].items[4] = p->parts[0].items[5];
    p->parts[0].items[5] = row;
}

void peeled_first(spmm_plan_t *p)
{
    const struct spmmi_part part = p->parts[0];
    p->parts[0] = p->parts[1];
    p->parts[1] = part;
}

void peeled_of_another_op(spmm_plan_t *p)
{
    p->parts[1].op = SPMM_OP_T;
}

void peeled_permutes(spmm_plan_t *p)
{
    p->parts[0].flags = SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT;
}

void peeled_row_split(spmm_plan_t *p)
{
    p->parts[1].schedule = SPMM_SCHEDULE_ROW_SPLIT;
}

void peeled_not_flagged(spmm_plan_t *p)
{
    p->parts[1].flags = 0;
}

void peeled_left_out(spmm_plan_t *p)
{
    p->variants[0].part_count = 1;
}

void peeled_alone(spmm_plan_t *p)
{
    p->variants[0].part_first = 1;
    p->variants[0].part_count = 1;
}

/* Parts 2 and 3 are for op T. */
void long_rows_of_transpose_twice(spmm_plan_t *p)
{
    p->parts[2].items[0] = p->parts[3].items[0];
}

void two_plain_parts(spmm_plan_t *p)
{
    p->variants[0].part_count = 2;
}
