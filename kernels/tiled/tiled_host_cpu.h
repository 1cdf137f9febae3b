/* SPDX-License-Identifier: Apache-2.0 */
/* CPU form of a part of the tiled family: its layout, and the values in their slices. */
#ifndef SPMMI_CPU_TILED_H
#define SPMMI_CPU_TILED_H

#include "tiled_pack.h"

struct spmmi_cpu_tiled {
    struct spmmi_tiled_layout layout; /* value_map is in the order of A for both ops */
    void *values;                     /* padding is 0 */
    struct spmmi_part part;           /* without items */
    spmm_dtype_t dtype;
    int64_t nnz;
    int threads;
};

/* Makes the layout, with copies of the required arrays of the plan's pattern. Values are set separately.
 * part: a part of the plan, or a part without items, which uses the units in their order. Errors: MEMORY,
 * TOO_LARGE. Free with spmmi_cpu_tiled_free. */
spmm_status_t spmmi_cpu_tiled_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                   struct spmmi_cpu_tiled *tiled, spmm_diag_t *diag);
void spmmi_cpu_tiled_free(struct spmmi_cpu_tiled *tiled);

#endif
