/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_device.h. */
#include "plan_device.h"

#include <stdlib.h>
#include <string.h>

#include <spmm/executor.h>

#include "tools/compute/gpu.h"

/* Returns 1 if the CPU must be chosen although the user named no device. */
static int is_without_gpu(const char *asked, const char *kernel)
{
    static const char of_gpus[] = "cuda/";
    const int is_of_gpus = kernel != NULL && strncmp(kernel, of_gpus, strlen(of_gpus)) == 0;
    return asked == NULL && !is_of_gpus && spmm_device_count() == 0;
}

enum cli_result plan_device_read(const struct cli_program *program, const char *asked, const char *kernel,
                                 struct plan_device *device)
{
    *device = (struct plan_device){.text = asked != NULL ? asked : "any"};
    if (is_without_gpu(asked, kernel)) {
        device->text = "cpu";
        device->reason = gpu_absence();
    }
    char *rest = device->memory = strdup(device->text);
    while (rest != NULL && device->count < PLAN_DEVICES_MAX)
        device->names[device->count++] = strsep(&rest, ",");
    if (device->memory == NULL || rest != NULL)
        return cli_complain(program, "--device: expected at most %d names", PLAN_DEVICES_MAX);
    return CLI_RUN;
}

void plan_device_free(struct plan_device *device)
{
    free(device->memory);
    *device = (struct plan_device){.text = NULL};
}
