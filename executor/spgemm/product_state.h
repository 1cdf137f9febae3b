/* SPDX-License-Identifier: Apache-2.0 */
/* Definition of spmm_product_t. */
#ifndef SPMMI_PRODUCT_STATE_H
#define SPMMI_PRODUCT_STATE_H

#include <spmm/product.h>

#include "format/spgemm/spgemm_tasks.h"
#include "spgemm_gpu.h"
#include "spgemm_stage.h"

struct spmm_product {
    struct spmmi_spgemm *plan; /* a copy; this and all arrays below are owned */
    int64_t rows, cols, nnz;
    int64_t *row_ptr;
    int32_t *col_ind;
    spmm_dtype_t dtype;
    int threads;
    uint64_t bytes;
    struct spmmi_spgemm_tasks tasks;
    struct spmmi_spgemm_stage stages[SPMMI_SPGEMM_TASKS]; /* one per task */
    int device;
    struct spmmi_spgemm_gpu *gpu; /* NULL if the product runs on the CPU */
};

/* Checks the device; SPMM_DEVICE_AUTO becomes the CPU. Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_product_device(int *device, spmm_diag_t *diag);

/* The steps of an execution, on the device of the product. See spgemm_stage.h for their operations. */
spmm_status_t spmmi_product_run(const spmm_product_t *product, int stage,
                                const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_product_gather(const spmm_product_t *product, uint32_t factor, const void *from, void *to,
                                   void *stream, spmm_diag_t *diag);
spmm_status_t spmmi_product_scale(const spmm_product_t *product, double beta, void *c, void *stream,
                                  spmm_diag_t *diag);

#endif
