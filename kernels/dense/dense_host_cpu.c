/* SPDX-License-Identifier: Apache-2.0 */
/* The dense family on the CPU: the same product, computed from the nonzeros, since zeros add nothing. */
#include <stdio.h>

#include "format/base/alloc.h"
#include "kernels/shared/nonzeros_cpu.h"
#include "dense_shape.h"

static struct spmmi_part default_part(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule)
{
    (void)plan;
    return (struct spmmi_part){.op = op, .family = SPMMI_DENSE, .schedule = schedule};
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state, (void)product;
    (void)snprintf(text, size, "cpu/dense/gemm");
}

const struct spmmi_backend spmmi_dense_cpu = {.create = spmmi_nonzeros_cpu_create,
                                              .destroy = spmmi_free,
                                              .workspace = spmmi_nonzeros_cpu_workspace,
                                              .run = spmmi_nonzeros_cpu_run,
                                              .describe = describe,
                                              .default_part = default_part};
