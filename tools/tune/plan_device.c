/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_device.h. */
#include "plan_device.h"

#include <stddef.h>
#include <string.h>

#include <spmm/executor.h>

#include "tools/compute/gpu.h"

struct plan_device plan_device_choose(const char *asked, const char *kernel)
{
    static const char of_gpus[] = "cuda/";
    const int is_of_gpus = kernel != NULL && strncmp(kernel, of_gpus, strlen(of_gpus)) == 0;
    if (asked != NULL)
        return (struct plan_device){asked, NULL};
    if (is_of_gpus || spmm_device_count() > 0)
        return (struct plan_device){"any", NULL};
    return (struct plan_device){"cpu", gpu_absence()};
}
