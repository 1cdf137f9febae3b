/* SPDX-License-Identifier: Apache-2.0 */
/* Peeled rows on the CPU: the rows kernels multiply them into rows of their own, which then take their places in C. */
#ifndef SPMMI_CPU_PEELED_H
#define SPMMI_CPU_PEELED_H

#include "executor/product.h"
#include "peeled_pack.h"

struct spmmi_cpu_peeled {
    struct spmmi_peeled a; /* rows 0: there are none */
    void *values;          /* in the order of a */
};

/* Bytes that make will hold. part: NULL where no rows are peeled. */
uint64_t spmmi_cpu_peeled_bytes(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                spmm_dtype_t dtype);
/* The same of what was made. */
uint64_t spmmi_cpu_peeled_held(const struct spmmi_cpu_peeled *peeled, spmm_dtype_t dtype);
/* Errors: MEMORY. Free with spmmi_cpu_peeled_free, also after an error. */
spmm_status_t spmmi_cpu_peeled_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                    spmm_dtype_t dtype, struct spmmi_cpu_peeled *peeled, spmm_diag_t *diag);
void spmmi_cpu_peeled_free(struct spmmi_cpu_peeled *peeled);

/* values: of A, in its order. */
void spmmi_cpu_peeled_set_values(const struct spmmi_cpu_peeled *peeled, spmm_dtype_t dtype,
                                 const void *values);

/* product: the one that the peeled rows belong to. */
uint64_t spmmi_cpu_peeled_workspace(const struct spmmi_cpu_peeled *peeled,
                                    const struct spmmi_product *product);
/* The peeled rows of the product into workspace, from C as it is before the other rows are written. */
void spmmi_cpu_peeled_multiply(const struct spmmi_cpu_peeled *peeled, const struct spmmi_product *product,
                               void *workspace, int threads);
/* From there to C, once the other rows are written. */
void spmmi_cpu_peeled_store(const struct spmmi_cpu_peeled *peeled, const struct spmmi_product *product,
                            const void *workspace);

#endif
