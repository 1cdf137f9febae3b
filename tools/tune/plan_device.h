/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that spmm-inspect chooses for. */
#ifndef SPMM_TOOLS_PLAN_DEVICE_H
#define SPMM_TOOLS_PLAN_DEVICE_H

#include <stddef.h>

#include "tools/cli/cli.h"

#define PLAN_DEVICES_MAX 16

struct plan_device {
    const char *text;   /* names of spmm_inspect_options_t, with commas between them */
    const char *reason; /* why it is the CPU though nobody asked for that; NULL: it is not so */
    const char *names[PLAN_DEVICES_MAX];
    size_t count;
    char *memory; /* of the names; owned */
};

/* asked: --device, or NULL. Then any, but cpu where there is no GPU, unless the kernel, which may be NULL, is named as
 * one of GPUs: the library judges any as a current GPU, which would run nothing here. Complains of too many names. */
enum cli_result plan_device_read(const struct cli_program *program, const char *asked, const char *kernel,
                                 struct plan_device *device);
void plan_device_free(struct plan_device *device);

#endif
