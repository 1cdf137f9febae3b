/* SPDX-License-Identifier: Apache-2.0 */
/* The devices for which spmm-inspect makes a plan. */
#ifndef SPMM_TOOLS_PLAN_DEVICE_H
#define SPMM_TOOLS_PLAN_DEVICE_H

#include <stddef.h>

#include "tools/cli/cli.h"

#define PLAN_DEVICES_MAX 16

struct plan_device {
    const char *text;   /* names as in spmm_inspect_options_t, separated by commas */
    const char *reason; /* why the CPU was chosen although the user named no device; NULL if it was not */
    const char *names[PLAN_DEVICES_MAX];
    size_t count;
    char *memory; /* holds the names; owned */
};

/* Reads the value of --device. If it is NULL, chooses "any", or "cpu" on a machine without a GPU, because the
 * library makes plans for "any" as for a current GPU. A kernel (may be NULL) that is named as a GPU kernel
 * keeps "any". Complains if there are too many names. */
enum cli_result plan_device_read(const struct cli_program *program, const char *asked, const char *kernel,
                                 struct plan_device *device);
void plan_device_free(struct plan_device *device);

#endif
