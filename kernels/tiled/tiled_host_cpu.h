/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the tiled family as the CPU holds it: its layout and the values in their slices. */
#ifndef SPMMI_CPU_TILED_H
#define SPMMI_CPU_TILED_H

#include "tiled_pack.h"

struct spmmi_cpu_tiled {
    struct spmmi_tiled_layout layout; /* value_map in the order of A for both ops */
    void *values;                     /* padding is zero */
    struct spmmi_part part;           /* without items */
    spmm_dtype_t dtype;
    int64_t nnz;
    int threads;
};

/* Copies what it needs of the plan's pattern; values are set apart. part: of the plan, or without items: units in their
 * order. Errors: MEMORY, TOO_LARGE. Free with spmmi_cpu_tiled_free. */
spmm_status_t spmmi_cpu_tiled_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                   struct spmmi_cpu_tiled *tiled, spmm_diag_t *diag);
void spmmi_cpu_tiled_free(struct spmmi_cpu_tiled *tiled);

#endif
