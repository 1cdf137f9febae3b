/* SPDX-License-Identifier: Apache-2.0 */
/* The check of one part against the rows of its family and schedule in format/family_list.def
 * (docs/plan-format.md section 6.6). */
#include "format/base/diag.h"
#include "format/family.h"
#include "plan_check.h"

int spmmi_is_op(spmm_op_t op)
{
    return op == SPMM_OP_N || op == SPMM_OP_T;
}

static int is_item_size(uint32_t item_size, const struct spmmi_schedule *row)
{
    if (row->item_sizes == SPMMI_ITEM_SIZE_POWER)
        return spmmi_is_power_within(item_size, row->item_size_min, row->item_size_max);
    return item_size >= row->item_size_min && item_size <= row->item_size_max;
}

static int are_panels(const struct spmmi_part *part, const struct spmmi_family *row)
{
    const int is_unit = row->unit_max == 0
                            ? part->block_rows == 0
                            : spmmi_is_power_within(part->block_rows, row->unit_min, row->unit_max);
    return is_unit && part->stage_slots >= row->slots_min && part->stage_slots <= row->slots_max;
}

/* Checks the flags. C may be permuted only if the items are rows and the part is reordered. */
static int are_flags(uint32_t flags, const struct spmmi_schedule *row)
{
    switch (flags) {
    case 0:
        return 1;
    case SPMMI_PART_LONG_ROWS:
        return spmmi_takes_long_rows(row);
    case SPMMI_PART_REORDERED:
        return row->permutation != SPMMI_PERMUTATION_KEPT;
    case SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT:
        return row->permutation == SPMMI_PERMUTATION_OUTPUT;
    default:
        return 0;
    }
}

/* Checks that a part of long rows follows a part that can leave them out, and that the family of the long
 * rows has kernels for the value type of the plan. Returns true for other parts. */
static int is_in_its_place(const spmm_plan_t *p, uint32_t index)
{
    const struct spmmi_part *part = &p->parts[index], *before = index > 0 ? part - 1 : part;
    if ((part->flags & SPMMI_PART_LONG_ROWS) == 0)
        return 1;
    return spmmi_family_of(before->family)->takes_long_rows && before->op == part->op &&
           (before->flags & SPMMI_PART_PERMUTES_OUTPUT) == 0 &&
           (spmmi_family_of(part->family)->types & SPMMI_TYPE_BIT(p->dtype)) != 0;
}

spmm_status_t spmmi_check_part(const spmm_plan_t *p, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part *part = &p->parts[index];
    const struct spmmi_schedule *const row = spmmi_schedule_of(part->family, part->schedule);
    SPMM_RULE(spmmi_is_op(part->op), PART, index, "part %u has op %d", index, (int)part->op);
    SPMM_RULE(row != NULL, PART, index, "part %u has family %d and schedule %d", index, (int)part->family,
              (int)part->schedule);
    SPMM_RULE(is_item_size(part->item_size, row), PART, index, "part %u has item size %u", index,
              part->item_size);
    SPMM_RULE(are_panels(part, spmmi_family_of(part->family)), PART, index,
              "part %u has row blocks of %u rows and %u slots", index, part->block_rows, part->stage_slots);
    SPMM_RULE(are_flags(part->flags, row), PART, index, "part %u has flags 0x%x", index, part->flags);
    SPMM_RULE(is_in_its_place(p, index), PART, index,
              "part %u has long rows, but they cannot belong to the part before it", index);
    SPMM_RULE(part->item_count == 0 || part->items != NULL, PART, index, "part %u has no items", index);
cleanup:
    return status;
}
