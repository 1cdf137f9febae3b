/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the window or panel family as the CPU holds it: its layout and the values in their blocks. */
#ifndef SPMMI_CPU_FRAGMENTS_H
#define SPMMI_CPU_FRAGMENTS_H

#include "fragment_layout.h"

struct spmmi_cpu_fragments {
    struct spmmi_fragment_layout layout; /* value_map in the order of A for both ops */
    void *values;                        /* padding is zero */
    uint64_t host_bytes;
};

/* Bytes that spmmi_cpu_fragments_make will hold. Errors of both: MEMORY, TOO_LARGE. */
spmm_status_t spmmi_cpu_fragments_bytes(const spmm_plan_t *plan, const struct spmmi_part *part,
                                        uint64_t *bytes, spmm_diag_t *diag);
/* Copies what it needs of the plan's pattern; values are set apart. Free with spmmi_cpu_fragments_free. */
spmm_status_t spmmi_cpu_fragments_make(const spmm_plan_t *plan, const struct spmmi_part *part,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag);
void spmmi_cpu_fragments_free(struct spmmi_cpu_fragments *fragments);

#endif
