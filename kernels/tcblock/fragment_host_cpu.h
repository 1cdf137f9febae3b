/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the window, panel or bcsr family as the CPU holds it: its layout and the values in their blocks. */
#ifndef SPMMI_CPU_FRAGMENTS_H
#define SPMMI_CPU_FRAGMENTS_H

#include "kernels/long_rows/peeled_cpu.h"
#include "fragment_pack.h"

struct spmmi_cpu_fragments {
    struct spmmi_fragment_layout layout; /* value_map in the order of A for both ops */
    void *values;                        /* padding is zero */
    struct spmmi_cpu_peeled peeled;      /* rows that the layout has not */
    uint64_t host_bytes;
};

/* Bytes that spmmi_cpu_fragments_make will hold for this part of the plan. Errors of both: MEMORY, TOO_LARGE. */
spmm_status_t spmmi_cpu_fragments_bytes(const spmm_plan_t *plan, uint32_t part, uint64_t *bytes,
                                        spmm_diag_t *diag);
/* Copies what it needs of the plan's pattern; values are set apart. Free with spmmi_cpu_fragments_free. */
spmm_status_t spmmi_cpu_fragments_make(const spmm_plan_t *plan, uint32_t part,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag);
void spmmi_cpu_fragments_free(struct spmmi_cpu_fragments *fragments);
/* values: nnz numbers in CSR order of A. */
void spmmi_cpu_fragments_set_values(const struct spmmi_cpu_fragments *fragments, spmm_dtype_t dtype,
                                    int64_t nnz, const void *values);

/* args without layout and, for the first, data. */
uint64_t spmmi_cpu_fragments_workspace(const struct spmmi_cpu_fragments *fragments,
                                       const struct spmmi_fragment_host *args);
void spmmi_cpu_fragments_run(const struct spmmi_cpu_fragments *fragments,
                             const struct spmmi_fragment_host *args);

#endif
