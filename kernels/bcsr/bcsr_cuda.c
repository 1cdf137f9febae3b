/* SPDX-License-Identifier: Apache-2.0 */
/* The bcsr family on a GPU. */
#include "bcsr_instances.h"
#include "bcsr_pack.h"
#include "kernels/tcblock/tcblock_cuda.h"

/* Plans leave few long groups uncut for warpgroups of 3xtf32 (spmmi_bcsr_item_size). */
static uint32_t item_size(const struct spmmi_part_source *source)
{
    const struct spmmi_part *const part = source->part;
    const uint64_t groups = (part->item_count + SPMMI_BCSR_GROUP_ROWS - 1) / SPMMI_BCSR_GROUP_ROWS;
    if (source->plan->dtype != SPMM_F32 || part->block_rows != SPMMI_BCSR_GROUP_ROWS)
        return part->item_size;
    return spmmi_bcsr_item_size(part->item_size, groups, source->device->multiprocessors,
                                source->device->target);
}

static const struct spmmi_tcblock_gpu gpu = {
    .kind = &spmmi_bcsr_kind, .launch = spmmi_bcsr_cuda_launch, .takes_columns = 1, .item_size = item_size};

const struct spmmi_backend spmmi_bcsr_cuda = {SPMMI_CUDA_TCBLOCKS, .kind = &gpu};
