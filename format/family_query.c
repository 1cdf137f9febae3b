/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about kernel families that need no plan: the public side of family.h. */
#include "family.h"

#include "format/base/options.h"

spmm_status_t spmm_family_at(int index, spmm_family_info_t *info)
{
    const struct spmmi_family *const row = spmmi_family_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    const spmm_family_info_t full = {.family = row->id,
                                     .name = row->name,
                                     .item = row->item,
                                     .unit = row->unit,
                                     .types = row->types,
                                     .uses_tensor_cores = row->compute == SPMMI_COMPUTE_TENSOR,
                                     .takes_long_rows = row->takes_long_rows,
                                     .n_min = row->n_min,
                                     .block_rows_min = row->unit_min,
                                     .block_rows_max = row->unit_max,
                                     .stage_slots_min = row->slots_min,
                                     .stage_slots_max = row->slots_max};
    return spmmi_info_write(info, &full, sizeof full);
}

spmm_status_t spmm_schedule_at(int index, spmm_schedule_info_t *info)
{
    const struct spmmi_schedule *const row = spmmi_schedule_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    const spmm_schedule_info_t full = {.family = row->family,
                                       .schedule = row->id,
                                       .name = row->name,
                                       .item_size_min = row->item_size_min,
                                       .item_size_max = row->item_size_max,
                                       .may_reorder = row->permutation != SPMMI_PERMUTATION_KEPT,
                                       .may_permute_output = row->permutation == SPMMI_PERMUTATION_OUTPUT,
                                       .cuts_rows = row->items == SPMMI_ITEMS_SEGMENTS};
    return spmmi_info_write(info, &full, sizeof full);
}
