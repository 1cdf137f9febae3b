/* SPDX-License-Identifier: Apache-2.0 */
/* What an spmm_product_t holds. */
#ifndef SPMMI_PRODUCT_STATE_H
#define SPMMI_PRODUCT_STATE_H

#include <spmm/product.h>

#include "format/spgemm/spgemm_tasks.h"
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
};

/* Settles AUTO. Errors: ARGUMENT, NO_DEVICE, UNSUPPORTED. */
spmm_status_t spmmi_product_device(int device, spmm_diag_t *diag);

#endif
