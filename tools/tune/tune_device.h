/* SPDX-License-Identifier: Apache-2.0 */
/* A device that candidates are timed on: its clock, and B, C and workspace, which stay from one candidate to the
 * next. */
#ifndef SPMM_TOOLS_TUNE_DEVICE_H
#define SPMM_TOOLS_TUNE_DEVICE_H

#include <spmm/spmm.h>

#include "tools/compute/device_memory.h"
#include "tools/compute/timing.h"

struct tune_device {
    int device;
    int threads; /* CPU; 0 = OpenMP's default */
    struct stopwatch *watch;
    struct device_block b_block, c_block, workspace;
    struct staging_block staging;
    spmm_dense_t b, c; /* of the last product; B is random */
};

/* The product of a plan: what it is to be timed with. */
struct tune_product {
    spmm_op_t op;
    int64_t n;
    spmm_layout_t layout;
};

spmm_status_t tune_device_open(int device, int threads, struct tune_device *place, spmm_diag_t *diag);
void tune_device_close(struct tune_device *place); /* also of one that is all zero */

/* Microseconds of a product from memory, caches being cold. Errors: UNSUPPORTED where the candidate does not run here
 * or its executor does not fit; MEMORY, DEVICE_MEMORY where B and C do not; and those of the executor. */
spmm_status_t tune_device_time(struct tune_device *place, const spmm_plan_t *plan,
                               const struct tune_product *product, double *us, spmm_diag_t *diag);

#endif
