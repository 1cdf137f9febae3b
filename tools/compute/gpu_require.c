/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the requested GPU exists, see gpu.h. */
#include <spmm/executor.h>

#include "gpu.h"
#include "tools/cli/fail.h"

spmm_status_t gpu_require(int device, spmm_diag_t *diag)
{
    const int count = spmm_device_count();
    if (count == 0)
        return fail(diag, SPMM_ERR_NO_DEVICE, "GPU %d was asked for, and %s", device, gpu_absence());
    if (device >= count)
        return fail(diag, SPMM_ERR_NO_DEVICE, "GPU %d was asked for, and the last GPU of this machine is %d",
                    device, count - 1);
    return SPMM_OK;
}
