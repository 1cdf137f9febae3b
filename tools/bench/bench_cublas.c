/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS as a peer: the product with all of A, zeros included, where that takes a bearable size. f16 and bf16 are
 * computed in f32, as ours are. */
#include <cublas_v2.h>
#include <stdlib.h>

#include "bench_peers.h"
#include "cuda_type.h"
#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

#define DENSE_BYTES_MAX ((uint64_t)2 << 30)

struct cublas_peers {
    struct bench_peers base;
    cublasHandle_t handle;
    int device, is_there;
    spmm_dtype_t dtype;
    int64_t rows, cols;
    struct device_block a; /* row-major, without gaps */
};

static spmm_status_t check(cublasStatus_t error, const char *what, spmm_diag_t *diag)
{
    if (error == CUBLAS_STATUS_SUCCESS)
        return SPMM_OK;
    fail(diag, SPMM_ERR_DEVICE, "%s: %s", what, cublasGetStatusString(error));
    diag->native_error = (int)error;
    return SPMM_ERR_DEVICE;
}

static void close_peers(struct bench_peers *base)
{
    struct cublas_peers *peers = (struct cublas_peers *)base;
    device_block_free(&peers->a);
    if (peers->handle != NULL)
        (void)cublasDestroy(peers->handle);
    free(peers);
}

static spmm_status_t upload_dense(struct cublas_peers *peers, const struct host_csr *csr, uint64_t bytes,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *dense = calloc(bytes, 1); /* 0 in every type */
    if (dense == NULL)
        return fail_memory(diag, bytes, "A with its zeros");
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++)
            value_set(csr->dtype, dense, i * csr->cols + csr->col_ind[p], csr->values[p]);
    TRY(device_block_reserve(&peers->a, peers->device, bytes, diag));
    TRY(device_upload(&peers->a, dense, bytes, diag));
    peers->is_there = 1;
cleanup:
    free(dense);
    return status;
}

static spmm_status_t take_problem(struct bench_peers *base, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    struct cublas_peers *peers = (struct cublas_peers *)base;
    const double bytes = (double)op_a->rows * (double)op_a->cols * (double)spmm_dtype_size(op_a->dtype);
    (void)op;
    (void)a;
    peers->is_there = 0;
    peers->dtype = op_a->dtype;
    peers->rows = op_a->rows;
    peers->cols = op_a->cols;
    if (op_a->nnz == 0 || bytes > (double)DENSE_BYTES_MAX ||
        !bench_peers_wants(base, "cublas-dense-tf32")) /* which contains the other name */
        return SPMM_OK;
    return upload_dense(peers, op_a, (uint64_t)bytes, diag);
}

struct call {
    const struct cublas_peers *peers;
    const spmm_dense_t *b, *c;
    cudaDataType type;
    cublasComputeType_t compute;
};

/* cuBLAS is column-major: of row-major matrices it sees the transposes, and C^T = B^T A^T. */
static spmm_status_t multiply(void *context, spmm_diag_t *diag)
{
    static const double one_f64 = 1.0, zero_f64 = 0.0;
    static const float one_f32 = 1.0f, zero_f32 = 0.0f;
    const struct call *call = context;
    const struct cublas_peers *p = call->peers;
    const int is_f64 = p->dtype == SPMM_F64;
    const void *one = is_f64 ? (const void *)&one_f64 : (const void *)&one_f32;
    const void *zero = is_f64 ? (const void *)&zero_f64 : (const void *)&zero_f32;
    const int64_t n = call->b->cols;
    const cublasStatus_t error =
        call->b->layout == SPMM_ROW_MAJOR
            ? cublasGemmEx_64(p->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, p->rows, p->cols, one, call->b->data,
                              call->type, call->b->ld, p->a.data, call->type, p->cols, zero, call->c->data,
                              call->type, call->c->ld, call->compute, CUBLAS_GEMM_DEFAULT)
            : cublasGemmEx_64(p->handle, CUBLAS_OP_T, CUBLAS_OP_N, p->rows, n, p->cols, one, p->a.data,
                              call->type, p->cols, call->b->data, call->type, call->b->ld, zero,
                              call->c->data, call->type, call->c->ld, call->compute, CUBLAS_GEMM_DEFAULT);
    return check(error, "cublasGemmEx failed", diag);
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct cublas_peers *peers = (struct cublas_peers *)base;
    struct call call = {peers, &site->b_view, &site->c_view, cuda_type(peers->dtype),
                        peers->dtype == SPMM_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F};
    if (!peers->is_there)
        return;
    if (bench_peers_wants(base, "cublas-dense"))
        bench_site_measure(site, multiply, &call,
                           bench_peers_result(results, count, "cublas-dense", peers->dtype, 1));
    if (peers->dtype != SPMM_F32)
        return;
    struct bench_result *result = bench_peers_result(results, count, "cublas-dense-tf32", peers->dtype, 1);
    call.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
    result->arithmetic = (struct arithmetic){SPMM_COMPUTE_TF32, 1};
    bench_site_measure(site, multiply, &call, result);
}

static const struct bench_peers_backend backend = {close_peers, take_problem, run_all};

spmm_status_t bench_cublas_open(const struct bench_site *site, struct bench_peers **peers, spmm_diag_t *diag)
{
    struct cublas_peers *made = calloc(1, sizeof *made);
    spmm_status_t status = SPMM_OK;
    *peers = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the peers");
    made->base.backend = &backend;
    made->device = site->device;
    TRY(check(cublasCreate(&made->handle), "starting cuBLAS failed", diag));
    *peers = &made->base;
    made = NULL;
cleanup:
    if (made != NULL)
        close_peers(&made->base);
    return status;
}
