/* SPDX-License-Identifier: Apache-2.0 */
/* The long entries of a stage in device memory. */
#ifndef SPMMI_SPGEMM_LONG_CUDA_H
#define SPMMI_SPGEMM_LONG_CUDA_H

#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_longs.h"

/* Input of the functions that make tables of a stage. */
struct spmmi_spgemm_table_source {
    const struct spmmi_spgemm_stage *stage;
    const struct spmmi_device_memory *memory;
    int has_diagonal;
    uint64_t host_left, device_left;
    uint64_t used; /* device memory that the product has allocated so far */
};

struct spmmi_spgemm_gpu_longs {
    struct spmmi_spgemm_long_tables tables; /* in device memory */
    struct spmmi_device_block memory;       /* owned; none: there are no long entries */
};

/* Makes the lists of long entries in `longs`, which take *host_bytes on the host, and uploads them. The lists
 * on the host may be freed once all other kernels know which entries they leave out. has_all: see
 * spmmi_spgemm_longs_make. Errors: TOO_LARGE, PLAN_BUDGET, DEVICE, DEVICE_MEMORY, MEMORY. Free both also
 * after an error. */
spmm_status_t spmmi_spgemm_gpu_longs_make(const struct spmmi_spgemm_table_source *source, int has_all,
                                          struct spmmi_spgemm_longs *longs, uint64_t *host_bytes,
                                          struct spmmi_spgemm_gpu_longs *out, spmm_diag_t *diag);

#endif
