/* SPDX-License-Identifier: Apache-2.0 */
/* What an spmm_product_t holds. */
#ifndef SPMMI_PRODUCT_STATE_H
#define SPMMI_PRODUCT_STATE_H

#include <spmm/product.h>

#include "format/spgemm/spgemm_tasks.h"
#include "spgemm_gpu.h"
#include "spgemm_stage.h"

struct spmm_product {
    struct spmmi_spgemm *plan; /* a copy, as all below: owned */
    int64_t rows, cols, nnz;
    int64_t *row_ptr;
    int32_t *col_ind;
    spmm_dtype_t dtype;
    int threads;
    uint64_t bytes;
    struct spmmi_spgemm_tasks tasks;
    struct spmmi_spgemm_stage stages[SPMMI_SPGEMM_TASKS]; /* one a task */
    int device;
    struct spmmi_spgemm_gpu *gpu; /* NULL on the CPU */
};

/* AUTO becomes the CPU. Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_product_device(int *device, spmm_diag_t *diag);

/* The steps of an execution, where the product runs; see spgemm_stage.h. */
spmm_status_t spmmi_product_run(const spmm_product_t *product, int stage,
                                const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_product_gather(const spmm_product_t *product, uint32_t factor, const void *from, void *to,
                                   void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_product_scale(const spmm_product_t *product, double beta, void *c, void *stream,
                                  spmm_diag_t *diag);

#endif
