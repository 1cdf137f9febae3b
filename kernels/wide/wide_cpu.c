/* SPDX-License-Identifier: Apache-2.0 */
/* The wide family on the CPU: the same product, computed from the nonzeros with the same order of sums. */
#include <stdio.h>

#include "format/base/alloc.h"
#include "kernels/shared/nonzeros_cpu.h"

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state, (void)product;
    (void)snprintf(text, size, "cpu/wide/column-panels");
}

const struct spmmi_backend spmmi_wide_cpu = {.create = spmmi_nonzeros_cpu_create,
                                             .destroy = spmmi_free,
                                             .workspace = spmmi_nonzeros_cpu_workspace,
                                             .run = spmmi_nonzeros_cpu_run,
                                             .describe = describe};
