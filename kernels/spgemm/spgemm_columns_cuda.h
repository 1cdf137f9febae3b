/* SPDX-License-Identifier: Apache-2.0 */
/* A stage in device memory for the kernels that look up the positions of products. */
#ifndef SPMMI_SPGEMM_COLUMNS_CUDA_H
#define SPMMI_SPGEMM_COLUMNS_CUDA_H

#include "executor/spgemm/spgemm_gpu.h"
#include "spgemm_columns.h"
#include "spgemm_long_cuda.h"

struct spmmi_spgemm_gpu_columns {
    struct spmmi_spgemm_column_tables tables; /* in device memory */
    struct spmmi_spgemm_span spans[SPMMI_SPGEMM_SPANS];
    struct spmmi_device_block memory; /* owned; none: another kernel runs the stage */
};

/* Makes the tables and uploads them. Free columns->memory also after an error. */
spmm_status_t spmmi_spgemm_gpu_columns_make(const struct spmmi_spgemm_table_source *source,
                                            struct spmmi_spgemm_gpu_columns *columns, spmm_diag_t *diag);
/* Launches all kernels of the stage. can_overlap: a kernel may start before its predecessor in the stream has
 * ended. is_dependent: this also holds for the first kernel. Returns a cudaError_t. */
int spmmi_spgemm_gpu_columns_run(const struct spmmi_spgemm_gpu_columns *columns,
                                 const struct spmmi_spgemm_operands *operands, int can_overlap,
                                 int is_dependent, void *stream);

#endif
