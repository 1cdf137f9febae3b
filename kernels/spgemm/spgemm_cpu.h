/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of products of sparse matrices on the CPU: a table of functions for each SIMD level and value type. */
#ifndef SPMMI_SPGEMM_CPU_H
#define SPMMI_SPGEMM_CPU_H

#include "executor/spgemm/spgemm_stage.h"

struct spgemm_cpu_ops {
    /* A unit into C or the partial sums. sums: spmmi_spgemm_sums elements, of which the first stage->sums are 0, and so
     * they are left. */
    void (*by_column)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                      const struct spmmi_spgemm_unit *unit, void *sums);
    /* The same; all of sums may hold anything. */
    void (*by_position)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                        const struct spmmi_spgemm_unit *unit, void *sums);
    /* Whole rows, whose columns are not known yet; sums as of by_column. */
    void (*rows_once)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                      const struct spmmi_spgemm_once *once, const struct spmmi_spgemm_unit *unit,
                      struct spmmi_spgemm_scratch *scratch, void *sums);
    /* The pieces of a row, added in order, go to C. */
    void (*join)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                 const struct spmmi_spgemm_cut *cut);
};

/* By value type. */
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_portable[SPMM_F64 + 1];
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_avx2[SPMM_F64 + 1];
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_avx512[SPMM_F64 + 1];

#endif
