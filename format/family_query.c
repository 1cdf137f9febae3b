/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions that describe kernel families and schedules. They need no plan. */
#include "family.h"

#include <string.h>

#include "format/base/options.h"

spmm_status_t spmm_family_at(int index, spmm_family_info_t *info)
{
    const struct spmmi_family *const row = spmmi_family_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_family_info_t full;
    memset(&full, 0, sizeof full);
    full.family = row->id;
    full.name = row->name;
    full.item = row->item;
    full.unit = row->unit;
    full.types = row->types & SPMMI_TYPES_ALL;
    full.uses_tensor_cores = row->compute == SPMMI_COMPUTE_TENSOR;
    full.takes_long_rows = row->takes_long_rows;
    full.n_min = row->n_min;
    full.block_rows_min = row->unit_min;
    full.block_rows_max = row->unit_max;
    full.stage_slots_min = row->slots_min;
    full.stage_slots_max = row->slots_max;
    return spmmi_info_write(info, &full, sizeof full);
}

spmm_status_t spmm_schedule_at(int index, spmm_schedule_info_t *info)
{
    const struct spmmi_schedule *const row = spmmi_schedule_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_schedule_info_t full;
    memset(&full, 0, sizeof full);
    full.family = row->family;
    full.schedule = row->id;
    full.name = row->name;
    full.item_size_min = row->item_size_min;
    full.item_size_max = row->item_size_max;
    full.may_reorder = row->permutation != SPMMI_PERMUTATION_KEPT;
    full.may_permute_output = row->permutation == SPMMI_PERMUTATION_OUTPUT;
    full.cuts_rows = row->items == SPMMI_ITEMS_SEGMENTS;
    return spmmi_info_write(info, &full, sizeof full);
}
