/* SPDX-License-Identifier: Apache-2.0 */
/* One product of spmm-run: a plan, an executor, B, C, and the results. */
#ifndef SPMM_TOOLS_RUN_PRODUCT_H
#define SPMM_TOOLS_RUN_PRODUCT_H

#include <spmm/spmm.h>

#include "check.h"
#include "device_memory.h"
#include "timing.h"

struct run_request {
    int device; /* may be SPMM_DEVICE_AUTO; struct run_product holds the actual device */
    int threads;
    const char *force_kernel;
    spmm_op_t op;
    spmm_layout_t layout;
    int64_t n;
    double alpha, beta;
    spmm_dtype_t a_type;         /* 0: the type in the plan */
    spmm_dtype_t b_type, c_type; /* 0: the type of A */
    int has_unit_values;         /* every entry of A counts as 1 */
    spmm_jit_level_t jit;        /* AUTO: the product is not prepared */
    const spmm_dense_t *b;       /* in host memory, with checked shape, layout and type; NULL: random */
    uint64_t seed;
    int is_checked;   /* run_product_check will be called */
    int is_certified; /* run_product_certify will be called */
    int vectors;      /* vectors of the certificate; 0: the library's default */
    /* Memory limit of the executor on the host, and of B, C, workspace, check and certificate together. 0:
     * the limit of machine_memory.h. */
    uint64_t budget;
};

struct run_product {
    struct run_request request;
    spmm_plan_info_t plan; /* with the value types of this product */
    spmm_executor_t *executor;
    spmm_executor_info_t info;
    struct device_block b_block, c_block, workspace;
    spmm_dense_t b, c;           /* on the device of the executor */
    spmm_dense_t b_host, c_host; /* B, and C after run_product_once; on the CPU the same memory as b and c */
    spmm_dense_t c_before;       /* C before the product; data is NULL if beta is 0 */
    void *values;                /* the values of A that were set; NULL: the plan's values */
    spmm_preparation_t prepared; /* struct_size is 0 if the product was not prepared */
    int uses_ones; /* all values are 1: on request, or if the plan has no values and no matrix is given */
};

/* Creates the executor and the operands. If the plan has no values, sets the values of matrix, or ones if
 * matrix is NULL. */
spmm_status_t run_product_create(const spmm_plan_t *plan, const struct host_csr *matrix,
                                 const struct run_request *request, struct run_product *product,
                                 spmm_diag_t *diag);
void run_product_destroy(struct run_product *product);

/* Multiplies once and copies C to the host. c_host is valid until the product is timed. */
spmm_status_t run_product_once(struct run_product *product, spmm_diag_t *diag);

/* Checks C against op(A) B computed from a. If order is not NULL, row i of C belongs to row order[i] of A. */
spmm_status_t run_product_check(const struct run_product *product, const struct host_csr *a,
                                const uint32_t *order, struct check_result *result, spmm_diag_t *diag);

/* Times the product. Afterwards the contents of c_host are undefined. */
spmm_status_t run_product_time(struct run_product *product, const struct timing_rule *rule,
                               struct timing *timing, spmm_diag_t *diag);

#endif
