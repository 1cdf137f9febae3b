/* SPDX-License-Identifier: Apache-2.0 */
/* See setup_steps.h: the replacement for a GPU in builds without CUDA. */
#include <stddef.h>

#include "setup_steps.h"

const struct setup_steps *setup_steps_cuda(void)
{
    return NULL;
}
