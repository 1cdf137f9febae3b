/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: the replacement for a GPU in builds without CUDA. */
#include <stddef.h>

#include "solver.h"

const struct device *device_cuda(int number)
{
    (void)number;
    return NULL;
}
