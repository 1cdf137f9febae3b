/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the library in docs/examples/stored_product.c by cuSPARSE, to compare the times of the same
 * set-ups and normal equations. Only the factors and the patterns of the operands are taken from the plan.
 * A product of three factors is two products. Simple kernels transpose values and multiply the values of
 * the left factor by a diagonal. With "lower", cuSPARSE computes all of C. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_matrix.h"
#include "setup_steps.h"
#include "sparse_cusparse.h"
#include "stored_product.h"

const char *const stored_product_way = "by SpGEMMreuse", *const stored_product_once_way = "by SpGEMM";

/* A factor on the GPU, transposed if necessary. */
struct factor {
    spmm_csr_t matrix;
    int32_t *from;  /* for a transpose: index of each value in the operand */
    double *values; /* values of a transpose or with a diagonal; else the values of the operand are used */
};

struct stored_product_peer {
    spmm_product_plan_info_t info;
    struct factor factors[SPMM_PRODUCT_FACTORS];
    struct sparse_cusparse inner, outer; /* inner: only with three factors */
};

static void require(int is_done)
{
    if (!is_done)
        solver_fail("out of memory, or CUDA has failed");
}

static void *download(const void *from, size_t bytes)
{
    void *host = malloc(bytes + 1);
    require(host != NULL && cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    return host;
}

/* Copies the pattern of a result to the CPU, with the index types of plans. */
static spmm_csr_t host_pattern(const spmm_csr_t *there)
{
    spmm_csr_t c = *there;
    int32_t *narrow = download(there->row_ptr, ((size_t)c.rows + 1) * sizeof *narrow);
    int64_t *row_ptr = malloc(((size_t)c.rows + 1) * sizeof *row_ptr);
    require(row_ptr != NULL);
    for (int64_t i = 0; i <= c.rows; i++)
        row_ptr[i] = narrow[i];
    free(narrow);
    c.row_ptr_type = SPMM_I64;
    c.row_ptr = row_ptr;
    c.col_ind = download(there->col_ind, (size_t)c.nnz * sizeof(int32_t));
    c.values = NULL;
    return c;
}

static void open_factors(struct stored_product *p, struct stored_product_peer *peer)
{
    for (int f = 0; f < peer->info.factor_count; f++) {
        struct factor *factor = &peer->factors[f];
        spmm_csr_t operand;
        require(spmm_plan_operand(p->plan, peer->info.factor_operand[f], &operand, NULL) == SPMM_OK);
        if (peer->info.factor_op[f] == SPMM_OP_T)
            factor->matrix = device_matrix_transposed(p->device, &operand, &factor->from);
        else
            factor->matrix = device_matrix(p->device, &operand);
        factor->values = factor->from != NULL ? (void *)(uintptr_t)factor->matrix.values
                                              : p->device->allocate((uint64_t)operand.nnz * sizeof(double));
        factor->matrix.values = factor->values;
    }
}

/* Computes the patterns of the products. The pattern of C must be the plan's. */
static void open_products(struct stored_product *p, struct stored_product_peer *peer)
{
    const struct factor *f = peer->factors;
    spmm_csr_t planned;
    if (peer->info.factor_count == 3)
        sparse_cusparse_open(&peer->inner, &f[1].matrix, &f[2].matrix);
    sparse_cusparse_open(&peer->outer, &f[0].matrix,
                         peer->info.factor_count == 3 ? &peer->inner.result : &f[1].matrix);
    p->c = host_pattern(&peer->outer.result);
    p->values = (void *)(uintptr_t)peer->outer.result.values;
    require(spmm_plan_csr(p->plan, &planned) == SPMM_OK);
    if (!peer->info.lower && (planned.nnz != p->c.nnz ||
                              memcmp(planned.col_ind, p->c.col_ind, (size_t)p->c.nnz * sizeof(int32_t)) != 0))
        solver_fail("cuSPARSE has another pattern of the product");
}

int stored_product_open(struct stored_product *p, const struct device *device, const char *path,
                        const spmm_csr_t *operands, int count)
{
    spmm_diag_t diag = {.text = ""};
    memset(p, 0, sizeof *p);
    p->device = device;
    if (device->number < 0)
        solver_fail("cuSPARSE needs --device N");
    const spmm_status_t status = spmm_plan_load(path, NULL, &p->plan, &diag);
    if (status == SPMM_ERR_IO)
        return 0;
    solver_require(status, &diag);
    for (int i = 0; i < count; i++)
        solver_require(spmm_plan_operand_matches(p->plan, i, &operands[i], &diag), &diag);
    p->peer = calloc(1, sizeof *p->peer);
    require(p->peer != NULL);
    p->peer->info.struct_size = sizeof p->peer->info;
    require(spmm_plan_product(p->plan, &p->peer->info) == SPMM_OK);
    open_factors(p, p->peer);
    open_products(p, p->peer);
    return 1;
}

void stored_product_close(struct stored_product *p)
{
    struct stored_product_peer *peer = p->peer;
    if (peer->info.factor_count == 3)
        sparse_cusparse_close(&peer->inner);
    sparse_cusparse_close(&peer->outer);
    for (int f = 0; f < peer->info.factor_count; f++) {
        device_matrix_free(p->device, &peer->factors[f].matrix);
        p->device->release((void *)peer->factors[f].from);
        p->device->release(peer->factors[f].values);
    }
    free((void *)(uintptr_t)p->c.row_ptr);
    free((void *)(uintptr_t)p->c.col_ind);
    free(peer);
    spmm_plan_destroy(p->plan);
}

/* Returns the values of a factor, computed from the values of its operand. */
static const double *factor_values(const struct factor *f, const double *operand, const double *diagonal)
{
    const spmm_csr_t *m = &f->matrix;
    if (f->from != NULL) {
        require(setup_steps_cuda()->gather(operand, f->from, f->values, m->nnz));
        operand = f->values;
    }
    if (diagonal != NULL) {
        require(scale_columns(operand, m->col_ind, diagonal, f->values, m->nnz));
        operand = f->values;
    }
    return operand;
}

void stored_product_run(struct stored_product *p, const double *const *values, const double *diagonal)
{
    const struct stored_product_peer *peer = p->peer;
    const double *of[SPMM_PRODUCT_FACTORS] = {NULL};
    for (int f = 0; f < peer->info.factor_count; f++)
        of[f] =
            factor_values(&peer->factors[f], values[peer->info.factor_operand[f]], f == 0 ? diagonal : NULL);
    if (peer->info.factor_count == 3)
        sparse_cusparse_run(&peer->inner, of[1], of[2]);
    sparse_cusparse_run(&peer->outer, of[0],
                        peer->info.factor_count == 3 ? peer->inner.result.values : of[1]);
}

spmm_csr_t stored_product_once(const struct device *device, const spmm_csr_t *a, const spmm_csr_t *b)
{
    (void)device;
    return sparse_cusparse_once(a, b);
}

void stored_product_once_free(spmm_csr_t *c)
{
    sparse_cusparse_free(c);
}
