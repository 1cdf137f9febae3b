/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rows kernels on the GPU. An entry (types and schedule) returns the instance of a shape. */
#include <stddef.h>

#include <spmm/plan.h>

#include "rows_instances.h"

static const struct {
    struct spmmi_rows_types types;
    spmmi_rows_cuda_fn (*of_schedule[SPMM_SCHEDULE_NONZERO_SPLIT + 1])(struct spmmi_rows_shape);
} table[] = {
#define ROW(name, a, b, c)                                     \
    {{a, b, c},                                                \
     {[SPMM_SCHEDULE_ROW_SPLIT] = spmmi_rows_row_split_##name, \
      [SPMM_SCHEDULE_NONZERO_SPLIT] = spmmi_rows_nonzero_split_##name}},
    SPMMI_ROWS_INSTANCES(ROW)
#undef ROW
};

spmmi_rows_cuda_fn spmmi_rows_cuda_kernel(int schedule, struct spmmi_rows_types types,
                                          struct spmmi_rows_shape shape)
{
    if (schedule != SPMM_SCHEDULE_ROW_SPLIT && schedule != SPMM_SCHEDULE_NONZERO_SPLIT)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct spmmi_rows_types *t = &table[i].types;
        if (t->a == types.a && t->b == types.b && t->c == types.c)
            return table[i].of_schedule[schedule](shape);
    }
    return NULL;
}
