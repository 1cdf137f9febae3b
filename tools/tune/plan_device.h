/* SPDX-License-Identifier: Apache-2.0 */
/* The device that spmm-inspect chooses for. */
#ifndef SPMM_TOOLS_PLAN_DEVICE_H
#define SPMM_TOOLS_PLAN_DEVICE_H

struct plan_device {
    const char *name;   /* of spmm_inspect_options_t */
    const char *reason; /* why it is the CPU though nobody asked for that; NULL: it is not so */
};

/* asked: --device, or NULL. Then any, but cpu where there is no GPU, unless the kernel, which may be NULL, is named as
 * one of GPUs: the library judges any as a current GPU, which would run nothing here. */
struct plan_device plan_device_choose(const char *asked, const char *kernel);

#endif
