/* SPDX-License-Identifier: Apache-2.0 */
/* The long entries of a stage in device memory. */
#ifndef SPMMI_SPGEMM_LONG_CUDA_H
#define SPMMI_SPGEMM_LONG_CUDA_H

#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_longs.h"

/* What tables of a stage are made of. */
struct spmmi_spgemm_table_source {
    const struct spmmi_spgemm_stage *stage;
    const struct spmmi_device_memory *memory;
    int has_diagonal;
    uint64_t host_left, device_left;
    uint64_t used; /* bytes of the device that the product has taken so far */
};

struct spmmi_spgemm_gpu_longs {
    struct spmmi_spgemm_long_tables tables; /* of device memory */
    struct spmmi_device_block memory;       /* owned; none: there are no long entries */
};

/* longs: their lists, *host_bytes on the host, which nothing needs once other kernels know what they leave out. Errors:
 * TOO_LARGE, PLAN_BUDGET, DEVICE, DEVICE_MEMORY, MEMORY. Free both also after an error. */
spmm_status_t spmmi_spgemm_gpu_longs_make(const struct spmmi_spgemm_table_source *source, int has_all,
                                          struct spmmi_spgemm_longs *longs, uint64_t *host_bytes,
                                          struct spmmi_spgemm_gpu_longs *out, spmm_diag_t *diag);

#endif
