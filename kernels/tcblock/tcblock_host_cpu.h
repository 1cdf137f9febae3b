/* SPDX-License-Identifier: Apache-2.0 */
/* CPU form of a part of the window, panel or bcsr family: its layout, and the values in their blocks. */
#ifndef SPMMI_CPU_TCBLOCKS_H
#define SPMMI_CPU_TCBLOCKS_H

#include "executor/backend.h"
#include "kernels/long_rows/long_rows_cpu.h"
#include "tcblock_kind.h"
#include "tcblock_pack.h"

struct spmmi_cpu_tcblocks {
    struct spmmi_tcblock_layout layout;   /* value_map is in the order of A for both ops */
    void *values;                         /* padding is 0 */
    struct spmmi_cpu_long_rows long_rows; /* rows that the layout does not contain */
    struct spmmi_part part;               /* without items */
    spmm_dtype_t dtype;
    int64_t nnz;
    int threads;
};

/* Makes the layout, with copies of the required arrays of the plan's pattern. Values are set
 * separately. long_rows: the long rows of this part, or NULL. Errors: MEMORY, TOO_LARGE. Free
 * with spmmi_cpu_tcblocks_free. */
spmm_status_t spmmi_cpu_tcblocks_make(const struct spmmi_tcblock_kind *kind, const spmm_plan_t *plan,
                                      const struct spmmi_part *part, const struct spmmi_part *long_rows,
                                      struct spmmi_cpu_tcblocks *tcblocks, spmm_diag_t *diag);
void spmmi_cpu_tcblocks_free(struct spmmi_cpu_tcblocks *tcblocks);

/* Functions of struct spmmi_backend for families whose kind is a struct spmmi_tcblock_kind. */
spmm_status_t spmmi_cpu_tcblocks_create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                                        spmm_diag_t *diag);
void spmmi_cpu_tcblocks_destroy(void *state);
spmm_status_t spmmi_cpu_tcblocks_set_values(void *state, const void *values, void *stream);
uint64_t spmmi_cpu_tcblocks_workspace(const void *state, const struct spmmi_product *product);
spmm_status_t spmmi_cpu_tcblocks_run(const void *state, const struct spmmi_product *product, void *workspace,
                                     void *stream);
void spmmi_cpu_tcblocks_part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows,
                                  char *text, size_t size);
void spmmi_cpu_tcblocks_describe(const void *state, const struct spmmi_product *product, char *text,
                                 size_t size);
#define SPMMI_CPU_TCBLOCKS(its_kind)                                                            \
    {                                                                                           \
        .create = spmmi_cpu_tcblocks_create, .destroy = spmmi_cpu_tcblocks_destroy,             \
        .set_values = spmmi_cpu_tcblocks_set_values, .workspace = spmmi_cpu_tcblocks_workspace, \
        .run = spmmi_cpu_tcblocks_run, .describe = spmmi_cpu_tcblocks_describe,                 \
        .part_name = spmmi_cpu_tcblocks_part_name, .kind = (its_kind)                           \
    }

#endif
