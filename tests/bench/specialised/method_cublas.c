/* SPDX-License-Identifier: Apache-2.0 */
/* See method_cublas.h. */
#include "method_cublas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/cublas_product.h"
#include "tools/bench/cuda_type.h"
#include "tools/cli/fail.h"
#include "tools/compute/device_memory.h"

#define WORKSPACE_BYTES ((uint64_t)32 << 20)
#define DENSE_BYTES_MAX ((uint64_t)256 << 20)

static cublasHandle_t handle;
static cublasLtHandle_t lt;

struct dense_peer {
    struct device_block a, workspace;
    struct cublas_product product;
};

spmm_status_t method_cublas_open(spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    TRY(cublas_check(cublasCreate(&handle), "starting cuBLAS failed", diag));
    /* Sums of f16 and bf16 stay in f32 until C is written, as in our kernels. */
    TRY(cublas_check(
        cublasSetMathMode(
            handle, (cublasMath_t)(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "starting cuBLAS failed", diag));
    TRY(cublas_check(cublasLtCreate(&lt), "starting cuBLASLt failed", diag));
cleanup:
    return status;
}

void method_cublas_close(void)
{
    if (lt != NULL)
        (void)cublasLtDestroy(lt);
    if (handle != NULL)
        (void)cublasDestroy(handle);
    lt = NULL;
    handle = NULL;
}

static spmm_status_t upload_dense(const struct method_case *of, struct device_block *block, spmm_diag_t *diag)
{
    const uint64_t size = spmm_dtype_size(of->dtype), bytes = (uint64_t)of->rows * (uint64_t)of->cols * size;
    spmm_status_t status = SPMM_OK;
    char *dense = calloc(bytes, 1); /* all bits 0 is 0 in every type */
    if (dense == NULL)
        return fail_memory(diag, bytes, "A with its zeros");
    for (int64_t i = 0; i < of->rows; i++)
        for (int32_t p = of->row_ptr[i]; p < of->row_ptr[i + 1]; p++)
            memcpy(dense + (uint64_t)(i * of->cols + of->col_ind[p]) * size,
                   (const char *)of->values + (uint64_t)p * size, size);
    TRY(device_block_reserve(block, 0, bytes, diag));
    TRY(device_upload(block, dense, bytes, diag));
cleanup:
    free(dense);
    return status;
}

/* cuBLAS is column-major, so it sees the row-major matrices as their transposes: C^T = B^T A^T. */
static struct cublas_product product_of(const struct method_case *of, const struct dense_peer *peer)
{
    return (struct cublas_product){.handle = handle,
                                   .lt = lt,
                                   .op_left = CUBLAS_OP_N,
                                   .m = of->b->cols,
                                   .n = of->rows,
                                   .k = of->cols,
                                   .ld_left = of->b->ld,
                                   .ld_right = of->cols,
                                   .ld_c = of->c->ld,
                                   .left = of->b->data,
                                   .right = peer->a.data,
                                   .c = of->c->data,
                                   .type = cuda_type(of->dtype),
                                   .c_type = cuda_type(of->dtype),
                                   .compute = of->dtype == SPMM_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                   .workspace = peer->workspace.data,
                                   .workspace_bytes = WORKSPACE_BYTES};
}

static spmm_status_t make(int number, const struct method_case *of, void *state, spmm_diag_t *diag)
{
    struct dense_peer *peer = state;
    spmm_status_t status = SPMM_OK;
    if ((uint64_t)of->rows * (uint64_t)of->cols > DENSE_BYTES_MAX / spmm_dtype_size(of->dtype))
        return fail(diag, SPMM_ERR_UNSUPPORTED, "A with its zeros has more than 256 MiB");
    TRY(upload_dense(of, &peer->a, diag));
    TRY(device_block_reserve(&peer->workspace, 0, WORKSPACE_BYTES, diag));
    peer->product = product_of(of, peer);
    TRY(cublas_product_begin(&peer->product, diag));
    peer->product.algorithm = number - 1;
    if (peer->product.algorithm >= peer->product.algorithm_count)
        return fail(diag, SPMM_ERR_UNSUPPORTED, "cuBLASLt proposes %d algorithms",
                    peer->product.algorithm_count);
cleanup:
    return status;
}

static spmm_status_t run(void *context, spmm_diag_t *diag)
{
    struct dense_peer *peer = context;
    return cublas_product_run(&peer->product, diag);
}

static void describe(const void *state, struct method_facts *facts)
{
    const struct dense_peer *peer = state;
    const struct cublas_product *product = &peer->product;
    facts->held_bytes = peer->a.bytes;
    if (product->algorithm < 0) {
        (void)snprintf(facts->kernel, sizeof facts->kernel, "gemm-ex");
        return;
    }
    (void)snprintf(facts->kernel, sizeof facts->kernel, "lt-%d", product->algorithm + 1);
    facts->held_bytes += product->algorithms[product->algorithm].workspaceSize;
}

static void drop(void *state)
{
    struct dense_peer *peer = state;
    cublas_product_end(&peer->product);
    device_block_free(&peer->workspace);
    device_block_free(&peer->a);
}

struct method method_cublas(int number)
{
    return (struct method){"cublas", number, sizeof(struct dense_peer), make, run, describe, drop};
}
