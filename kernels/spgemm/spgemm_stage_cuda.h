/* SPDX-License-Identifier: Apache-2.0 */
/* A stage in device memory. */
#ifndef SPMMI_SPGEMM_STAGE_CUDA_H
#define SPMMI_SPGEMM_STAGE_CUDA_H

#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_columns_cuda.h"
#include "spgemm_long_cuda.h"

struct spmmi_spgemm_gpu_stage {
    struct spmmi_spgemm_tables tables; /* in device memory; an item says where its positions are */
    struct spmmi_spgemm_bins bins;
    struct spmmi_spgemm_bin masks[SPMMI_SPGEMM_MASK_BINS]; /* of items with masks */
    uint32_t mask_count;                                   /* number of these bins */
    struct spmmi_spgemm_groups groups[SPMMI_SPGEMM_GROUP_BINS];
    uint32_t group_count;
    const char *kernel;
    struct spmmi_device_block memory, positions; /* owned, as are longs and columns */
    struct spmmi_spgemm_gpu_longs longs;
    struct spmmi_spgemm_gpu_columns columns; /* if they are made, there are no items and no pulls */
    /* Elements of the workspace for sums of pieces; 0: no row is cut. */
    uint64_t partials;
    uint64_t bytes; /* device bytes of all of these */
};

#define SPMMI_SPGEMM_KERNEL_POSITIONS "positions"
#define SPMMI_SPGEMM_KERNEL_COLUMNS "columns" /* needs the least memory if there are many products */

/* Makes a stage and uploads it. used: device bytes of the product before this stage. Free the stage also
 * after an error, and before the allocator that `memory` refers to. */
spmm_status_t spmmi_spgemm_gpu_stage_make(const struct spmmi_spgemm_gpu_source *source, int index,
                                          const struct spmmi_device_memory *memory, uint64_t used,
                                          struct spmmi_spgemm_gpu_stage *stage, spmm_diag_t *diag);
void spmmi_spgemm_gpu_stage_free(struct spmmi_spgemm_gpu_stage *stage);

/* Sets *can_overlap to whether a kernel may start before its predecessor in the stream has ended, in graphs
 * too. */
spmm_status_t spmmi_spgemm_can_overlap(int device, int *can_overlap, spmm_diag_t *diag);

#ifdef SPMM_TEST_HOOKS
extern unsigned long long spmmi_spgemm_hash_mask; /* bits of hashes that are used */
#endif

#endif
