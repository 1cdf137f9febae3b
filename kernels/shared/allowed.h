/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose limit of dynamic shared memory was raised above 48 KiB (cudaFuncAttributeMaxDynamicSharedMemorySize):
 * it is set once for each, as the call takes time at every launch. The list belongs to the state of a part, so to one
 * device, is empty at first, and threads share it. A kernel that it has no room for is set at every launch. */
#ifndef SPMMI_ALLOWED_H
#define SPMMI_ALLOWED_H

#include <stdint.h>

#define SPMMI_ALLOWED_MAX 16 /* of a part: by width, layout and alignment of its products */

struct spmmi_allowed {
    const void *kernels[SPMMI_ALLOWED_MAX]; /* the first NULL ends it */
};

/* Products get a const state and change this list alone. States are allocated, so none is a const object. */
static inline struct spmmi_allowed *spmmi_allowed_of(const struct spmmi_allowed *of_state)
{
    return (struct spmmi_allowed *)(uintptr_t)of_state;
}

#endif
