/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of products of sparse matrices on the CPU: one table of functions per SIMD level and value
 * type. */
#ifndef SPMMI_SPGEMM_CPU_H
#define SPMMI_SPGEMM_CPU_H

#include "executor/spgemm/spgemm_stage.h"

struct spgemm_cpu_ops {
    /* Computes a unit into C or the partial sums. sums has spmmi_spgemm_sums elements; the first stage->sums
     * of them must be 0, and are 0 again afterwards. */
    void (*by_column)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                      const struct spmmi_spgemm_unit *unit, void *sums);
    /* The same by positions. sums need not be initialized. */
    void (*by_position)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                        const struct spmmi_spgemm_unit *unit, void *sums);
    /* Computes whole rows whose columns are not known yet. sums: as for by_column. */
    void (*rows_once)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                      const struct spmmi_spgemm_once *once, const struct spmmi_spgemm_unit *unit,
                      struct spmmi_spgemm_scratch *scratch, void *sums);
    /* Adds the pieces of a row in order and writes C. */
    void (*join)(const struct spmmi_spgemm_stage *stage, const struct spmmi_spgemm_values *values,
                 const struct spmmi_spgemm_cut *cut);
};

/* The tables of the SIMD levels, indexed by value type. */
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_portable[SPMM_F64 + 1];
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_avx2[SPMM_F64 + 1];
extern const struct spgemm_cpu_ops spmmi_spgemm_cpu_avx512[SPMM_F64 + 1];

#endif
