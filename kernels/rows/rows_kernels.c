/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rows kernels on the GPU: schedule x dtype, each a file of instances by shape. */
#include <stddef.h>

#include "rows_instances.h"

spmmi_rows_cuda_fn spmmi_rows_cuda_kernel(int schedule, int dtype, struct spmmi_rows_shape shape)
{
    static spmmi_rows_cuda_fn (*const table[2][2])(struct spmmi_rows_shape) = {
        {spmmi_rows_row_split_f32, spmmi_rows_row_split_f64},
        {spmmi_rows_nonzero_split_f32, spmmi_rows_nonzero_split_f64},
    };
    if (schedule < 1 || schedule > 2 || dtype < 1 || dtype > 2)
        return NULL;
    return table[schedule - 1][dtype - 1](shape);
}
