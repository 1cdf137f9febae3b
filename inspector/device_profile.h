/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a plan can be made for, by name. */
#ifndef SPMMI_DEVICE_PROFILE_H
#define SPMMI_DEVICE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define SPMMI_TARGET_ANY 0u
#define SPMMI_TARGET_CPU 1u

struct spmmi_device_profile {
    const char *name;
    uint32_t target;     /* as in struct spmmi_variant: 0 any, 1 CPU, else a compute capability */
    int multiprocessors; /* 0 where the profile names no GPU */
};

/* NULL for an unknown name. A NULL name means "any". */
const struct spmmi_device_profile *spmmi_device_profile_find(const char *name);

/* The profiles in order; NULL past the end. */
const struct spmmi_device_profile *spmmi_device_profile_at(size_t index);

#endif
