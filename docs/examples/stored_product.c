/* SPDX-License-Identifier: Apache-2.0 */
/* See stored_product.h. */
#include "stored_product.h"

#include <stdio.h>
#include <string.h>

const char *const stored_product_way = "by plans", *const stored_product_once_way = "in one shot";

int stored_product_open(struct stored_product *p, const struct device *device, const char *path,
                        const spmm_csr_t *operands, int count)
{
    spmm_diag_t diag = {.text = ""};
    memset(p, 0, sizeof *p);
    p->device = device;
    const spmm_status_t status = spmm_plan_load(path, NULL, &p->plan, &diag);
    if (status == SPMM_ERR_IO)
        return 0;
    solver_require(status, &diag);
    spmm_plan_info_t info = {.struct_size = sizeof info};
    solver_require(spmm_plan_info(p->plan, &info), &diag);
    if (info.a_type != SPMM_F64)
        solver_fail("the plan of the product must be of f64: spmm-inspect --dtype f64");
    for (int i = 0; i < count; i++)
        solver_require(spmm_plan_operand_matches(p->plan, i, &operands[i], &diag), &diag);
    solver_require(spmm_product_create(p->plan, device->number, NULL, &p->product, &diag), &diag);
    solver_require(spmm_product_workspace_bytes(p->product, &p->workspace_bytes), &diag);
    solver_require(spmm_plan_csr(p->plan, &p->c), &diag);
    p->workspace = device->allocate(p->workspace_bytes);
    p->values = device->allocate((uint64_t)p->c.nnz * sizeof *p->values);
    return 1;
}

void stored_product_close(struct stored_product *p)
{
    p->device->release(p->values);
    p->device->release(p->workspace);
    spmm_product_destroy(p->product);
    spmm_plan_destroy(p->plan);
}

void stored_product_run(struct stored_product *p, const double *const *values, const double *diagonal)
{
    spmm_diag_t diag = {.text = ""};
    solver_require(spmm_product_execute(p->product, spmm_real(1), (const void *const *)values, diagonal,
                                        spmm_real(0), p->values, p->workspace, p->workspace_bytes, NULL,
                                        &diag),
                   &diag);
}

spmm_csr_t stored_product_once(const struct device *device, const spmm_csr_t *a, const spmm_csr_t *b)
{
    spmm_diag_t diag = {.text = ""};
    spmm_csr_t c;
    solver_require(spmm_product_once(a, b, device->number, NULL, &c, &diag), &diag);
    return c;
}

void stored_product_once_free(spmm_csr_t *c)
{
    spmm_product_once_free(c);
}
