/* SPDX-License-Identifier: Apache-2.0 */
/* One product of spmm-run: a plan, an executor, B, C, and what came out. */
#ifndef SPMM_TOOLS_RUN_PRODUCT_H
#define SPMM_TOOLS_RUN_PRODUCT_H

#include <spmm/spmm.h>

#include "check.h"
#include "device_memory.h"
#include "timing.h"

struct run_request {
    int device; /* may be SPMM_DEVICE_AUTO; in struct run_product it is where the executor runs */
    int threads;
    const char *force_kernel;
    spmm_op_t op;
    spmm_layout_t layout;
    int64_t n;
    double alpha, beta;
    spmm_dtype_t a_type;         /* 0: as the plan says */
    spmm_dtype_t b_type, c_type; /* 0: as A */
    int has_unit_values;         /* each entry of A counts as 1 */
    spmm_jit_level_t jit;        /* AUTO: the product is not prepared */
    const spmm_dense_t *b; /* in host memory; NULL: random. Its shape, layout and type have been checked */
    uint64_t seed;
    int is_checked;   /* run_product_check will be called */
    int is_certified; /* run_product_certify will be called */
    int vectors;      /* of it; 0: the library's default */
    /* Of the executor on the host, and of B, C, workspace, check and certificate; 0: that of machine_memory.h. */
    uint64_t budget;
};

struct run_product {
    struct run_request request;
    spmm_plan_info_t plan; /* with the types of this product */
    spmm_executor_t *executor;
    spmm_executor_info_t info;
    struct device_block b_block, c_block, workspace;
    spmm_dense_t b, c;           /* on the device */
    spmm_dense_t b_host, c_host; /* B, and C after the first product; on the CPU the same memory as b and c */
    spmm_dense_t c_before;       /* C before it; data is NULL when beta is 0 */
    void *values;                /* of A as they were set; NULL: those of the plan */
    spmm_preparation_t prepared; /* its struct_size is 0 where it was not */
    int uses_ones; /* values were asked for that are 1, or the plan holds none and none were given */
};

/* Make the executor and load it, with values if the plan has none: those of the matrix, or ones where it is NULL. */
spmm_status_t run_product_create(const spmm_plan_t *plan, const struct host_csr *matrix,
                                 const struct run_request *request, struct run_product *product,
                                 spmm_diag_t *diag);
void run_product_destroy(struct run_product *product);

/* Multiply once and bring C to the host, where it stays until the product is timed. */
spmm_status_t run_product_once(struct run_product *product, spmm_diag_t *diag);

/* Check C against op(A) of a reference of A. Row i of C is row order[i] of A; order may be NULL. */
spmm_status_t run_product_check(const struct run_product *product, const struct host_csr *a,
                                const uint32_t *order, struct check_result *result, spmm_diag_t *diag);

/* Time it; c_host may hold something else afterwards. */
spmm_status_t run_product_time(struct run_product *product, const struct timing_rule *rule,
                               struct timing *timing, spmm_diag_t *diag);

#endif
