/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the tiled family as the CPU holds it: its layout and the values in their slices. */
#ifndef SPMMI_CPU_TILED_H
#define SPMMI_CPU_TILED_H

#include "tiled_pack.h"

struct spmmi_cpu_tiled {
    struct spmmi_tiled_layout layout; /* value_map in the order of A for both ops */
    void *values;                     /* padding is zero */
    uint64_t host_bytes;
};

/* The part that runs where the plan has none of this schedule: units in their order, segments of the mean row.
 * Its items are NULL, which stands for that order below. */
struct spmmi_part spmmi_cpu_tiled_default(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule);

/* Bytes that spmmi_cpu_tiled_make will hold. Errors of both: MEMORY, TOO_LARGE. */
spmm_status_t spmmi_cpu_tiled_bytes(const spmm_plan_t *plan, const struct spmmi_part *part, uint64_t *bytes,
                                    spmm_diag_t *diag);
/* Copies what it needs of the plan's pattern; values are set apart. Free with spmmi_cpu_tiled_free. */
spmm_status_t spmmi_cpu_tiled_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                   struct spmmi_cpu_tiled *tiled, spmm_diag_t *diag);
void spmmi_cpu_tiled_free(struct spmmi_cpu_tiled *tiled);

#endif
