/* SPDX-License-Identifier: Apache-2.0 */
/* A device on which candidates are timed: its stopwatch, and B, C and workspace, which are kept from one
 * candidate to the next. */
#ifndef SPMM_TOOLS_TUNE_DEVICE_H
#define SPMM_TOOLS_TUNE_DEVICE_H

#include <spmm/spmm.h>

#include "tools/compute/device_memory.h"
#include "tools/compute/timing.h"

struct tune_device {
    int device;
    int threads; /* CPU threads; 0: OpenMP's default */
    struct stopwatch *watch;
    struct device_block b_block, c_block, workspace;
    struct staging_block staging;
    spmm_dense_t b, c; /* of the last product; B is random */
};

/* The product with which a plan is timed. */
struct tune_product {
    spmm_op_t op;
    int64_t n;
    spmm_layout_t layout;
};

spmm_status_t tune_device_open(int device, int threads, struct tune_device *place, spmm_diag_t *diag);
void tune_device_close(struct tune_device *place); /* accepts an all-zero struct too */

/* Measures the cold time of a product in microseconds. Errors: UNSUPPORTED if the candidate does not run on
 * this device or its executor does not fit in memory; MEMORY or DEVICE_MEMORY if B and C do not fit; errors
 * of the executor. */
spmm_status_t tune_device_time(struct tune_device *place, const spmm_plan_t *plan,
                               const struct tune_product *product, double *us, spmm_diag_t *diag);

#endif
