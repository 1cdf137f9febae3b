/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that may have more dynamic shared memory than all may: the driver is told once for each, as its answer takes
 * time at every launch. The list is of the state of a part, empty at first, and lives as long as what it says: a device
 * that is reset forgets. Threads share it. What it has no room for is told every time. */
#ifndef SPMMI_ALLOWED_H
#define SPMMI_ALLOWED_H

#include <stdint.h>

#define SPMMI_ALLOWED_MAX 16 /* of a part: by width, layout and alignment of its products */

struct spmmi_allowed {
    const void *kernels[SPMMI_ALLOWED_MAX]; /* the first NULL ends it */
};

/* Products do not change a state but for this. */
static inline struct spmmi_allowed *spmmi_allowed_of(const struct spmmi_allowed *of_state)
{
    return (struct spmmi_allowed *)(uintptr_t)of_state;
}

#endif
