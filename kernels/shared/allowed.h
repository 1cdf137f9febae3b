/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose limit of dynamic shared memory was raised above 48 KiB
 * (cudaFuncAttributeMaxDynamicSharedMemorySize). It is raised once per kernel, because the call would take
 * time at every launch. The list belongs to the state of a part, and so to one device. It is empty at first,
 * and threads share it. If it is full, the limit of further kernels is set at every launch. */
#ifndef SPMMI_ALLOWED_H
#define SPMMI_ALLOWED_H

#include <stdint.h>

#define SPMMI_ALLOWED_MAX 16 /* kernels of a part differ by width, layout and alignment of products */

struct spmmi_allowed {
    const void *kernels[SPMMI_ALLOWED_MAX]; /* the first NULL ends the list */
};

/* Returns a list that may be changed. Products get a const state and change only this list. States are
 * allocated, so none of them is a const object. */
static inline struct spmmi_allowed *spmmi_allowed_of(const struct spmmi_allowed *of_state)
{
    return (struct spmmi_allowed *)(uintptr_t)of_state;
}

#endif
