/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the window, panel or bcsr family as the CPU holds it: its layout and the values in their blocks. */
#ifndef SPMMI_CPU_FRAGMENTS_H
#define SPMMI_CPU_FRAGMENTS_H

#include "executor/backend.h"
#include "kernels/long_rows/peeled_cpu.h"
#include "fragment_kind.h"
#include "fragment_pack.h"

struct spmmi_cpu_fragments {
    struct spmmi_fragment_layout layout; /* value_map in the order of A for both ops */
    void *values;                        /* padding is zero */
    struct spmmi_cpu_peeled peeled;      /* rows that the layout has not */
    struct spmmi_part part;              /* without items */
    spmm_dtype_t dtype;
    int64_t nnz;
    int threads;
};

/* Copies what it needs of the plan's pattern; values are set apart. long_rows: those of this part, or NULL. Errors:
 * MEMORY, TOO_LARGE. Free with spmmi_cpu_fragments_free. */
spmm_status_t spmmi_cpu_fragments_make(const struct spmmi_fragment_kind *kind, const spmm_plan_t *plan,
                                       const struct spmmi_part *part, const struct spmmi_part *long_rows,
                                       struct spmmi_cpu_fragments *fragments, spmm_diag_t *diag);
void spmmi_cpu_fragments_free(struct spmmi_cpu_fragments *fragments);

/* Of struct spmmi_backend, for families whose kind is a struct spmmi_fragment_kind. */
spmm_status_t spmmi_cpu_fragments_create(const struct spmmi_part_source *source, void **state,
                                         uint64_t *bytes, spmm_diag_t *diag);
void spmmi_cpu_fragments_destroy(void *state);
spmm_status_t spmmi_cpu_fragments_set_values(void *state, const void *values, void *stream);
uint64_t spmmi_cpu_fragments_workspace(const void *state, const struct spmmi_product *product);
spmm_status_t spmmi_cpu_fragments_run(const void *state, const struct spmmi_product *product, void *workspace,
                                      void *stream);
void spmmi_cpu_fragments_describe(const void *state, const struct spmmi_product *product, char *text,
                                  size_t size);
#define SPMMI_CPU_FRAGMENTS(its_kind)                                                                \
    {                                                                                                \
        .create = spmmi_cpu_fragments_create, .destroy = spmmi_cpu_fragments_destroy,                \
        .set_values = spmmi_cpu_fragments_set_values, .workspace = spmmi_cpu_fragments_workspace,    \
        .run = spmmi_cpu_fragments_run, .describe = spmmi_cpu_fragments_describe, .kind = (its_kind) \
    }

#endif
