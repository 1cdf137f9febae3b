/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows on the CPU: the rows kernels multiply them into separate rows, which are then copied to C. */
#ifndef SPMMI_CPU_LONG_ROWS_H
#define SPMMI_CPU_LONG_ROWS_H

#include "executor/product.h"
#include "long_rows_pack.h"

struct spmmi_cpu_long_rows {
    struct spmmi_long_rows a; /* rows 0: there are none */
    void *values;             /* of the long rows, in the order of a */
};

/* Returns the bytes that make will allocate. part: NULL if no rows are split off. */
uint64_t spmmi_cpu_long_rows_bytes(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                   spmm_dtype_t dtype);
/* Returns the same for an object that was made. */
uint64_t spmmi_cpu_long_rows_held(const struct spmmi_cpu_long_rows *long_rows, spmm_dtype_t dtype);
/* Copies the long rows of a; their values are 0. Errors: MEMORY. Free with spmmi_cpu_long_rows_free, also
 * after an error. */
spmm_status_t spmmi_cpu_long_rows_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                       spmm_dtype_t dtype, struct spmmi_cpu_long_rows *long_rows,
                                       spmm_diag_t *diag);
void spmmi_cpu_long_rows_free(struct spmmi_cpu_long_rows *long_rows);

/* Sets the values of the long rows. values: of A, in its order. */
void spmmi_cpu_long_rows_set_values(const struct spmmi_cpu_long_rows *long_rows, spmm_dtype_t dtype,
                                    const void *values);

/* Returns the bytes of workspace. product: the product that the long rows belong to. */
uint64_t spmmi_cpu_long_rows_workspace(const struct spmmi_cpu_long_rows *long_rows,
                                       const struct spmmi_product *product);
/* Computes the long rows of the product in workspace. Reads C as it is before the other rows are written. */
void spmmi_cpu_long_rows_multiply(const struct spmmi_cpu_long_rows *long_rows,
                                  const struct spmmi_product *product, void *workspace, int threads);
/* Copies the long rows from workspace to C, after the other rows are written. */
void spmmi_cpu_long_rows_store(const struct spmmi_cpu_long_rows *long_rows,
                               const struct spmmi_product *product, const void *workspace);

#endif
