/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rows kernels on the GPU: schedule x dtype, each a file of instances by shape. */
#include <spmm/plan.h>

#include "rows_instances.h"

spmmi_rows_cuda_fn spmmi_rows_cuda_kernel(int schedule, int dtype, struct spmmi_rows_shape shape)
{
    static spmmi_rows_cuda_fn (*const table[SPMM_SCHEDULE_NONZERO_SPLIT + 1][SPMM_F64 + 1])(
        struct spmmi_rows_shape) = {
        [SPMM_SCHEDULE_ROW_SPLIT] =
            {[SPMM_F32] = spmmi_rows_row_split_f32, [SPMM_F64] = spmmi_rows_row_split_f64},
        [SPMM_SCHEDULE_NONZERO_SPLIT] =
            {[SPMM_F32] = spmmi_rows_nonzero_split_f32, [SPMM_F64] = spmmi_rows_nonzero_split_f64},
    };
    if (schedule < 0 || schedule > SPMM_SCHEDULE_NONZERO_SPLIT || dtype < 0 || dtype > SPMM_F64 ||
        table[schedule][dtype] == NULL)
        return NULL;
    return table[schedule][dtype](shape);
}
