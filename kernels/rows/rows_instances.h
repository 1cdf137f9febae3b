/* SPDX-License-Identifier: Apache-2.0 */
/* One function a file of instances: the kernel of a shape, NULL if there is none. */
#ifndef SPMMI_ROWS_INSTANCES_H
#define SPMMI_ROWS_INSTANCES_H

#include "rows_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

spmmi_rows_cuda_fn spmmi_rows_row_split_f32(struct spmmi_rows_shape shape);
spmmi_rows_cuda_fn spmmi_rows_row_split_f64(struct spmmi_rows_shape shape);
spmmi_rows_cuda_fn spmmi_rows_nonzero_split_f32(struct spmmi_rows_shape shape);
spmmi_rows_cuda_fn spmmi_rows_nonzero_split_f64(struct spmmi_rows_shape shape);

#ifdef __cplusplus
}
#endif
#endif
