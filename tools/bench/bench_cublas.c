/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS as a peer: a dense product with A stored including its zeros, if the GPU has enough memory. The
 * fastest of cublasGemmEx and the algorithms that cuBLASLt proposes is chosen before the timing. f16 and bf16
 * are computed in f32, like ours; f32 is measured on CUDA cores and, as another peer, in tf32. */
#include <math.h>
#include <stdlib.h>

#include "bench_peers.h"
#include "cublas_product.h"
#include "cuda_type.h"
#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

#define WORKSPACE_BYTES ((uint64_t)32 << 20)
#define TRIAL_REPEATS 2

struct cublas_peers {
    struct bench_peers base;
    cublasHandle_t handle;
    cublasLtHandle_t lt;
    int device, is_there;
    spmm_dtype_t dtype;
    int64_t rows, cols;
    struct device_block a; /* row-major, without padding */
    struct device_block workspace;
};

static void close_peers(struct bench_peers *base)
{
    struct cublas_peers *peers = (struct cublas_peers *)base;
    device_block_free(&peers->a);
    device_block_free(&peers->workspace);
    if (peers->lt != NULL)
        (void)cublasLtDestroy(peers->lt);
    if (peers->handle != NULL)
        (void)cublasDestroy(peers->handle);
    free(peers);
}

static spmm_status_t upload_dense(struct cublas_peers *peers, const struct host_csr *csr, uint64_t bytes,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *dense = calloc(bytes, 1); /* all bits 0 is 0 in every type */
    if (dense == NULL)
        return fail_memory(diag, bytes, "A with its zeros");
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++)
            value_set(csr->dtype, dense, i * csr->cols + csr->col_ind[p], csr->values[p]);
    TRY(device_block_reserve(&peers->a, peers->device, bytes, diag));
    TRY(device_upload(&peers->a, dense, bytes, diag));
    TRY(device_block_reserve(&peers->workspace, peers->device, WORKSPACE_BYTES, diag));
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
    if (op_a->nnz == 0 || bytes > (double)bench_peers_room() ||
        !bench_peers_wants(base, "cublas-dense-tf32")) /* this name contains "cublas-dense" */
        return SPMM_OK;
    return upload_dense(peers, op_a, (uint64_t)bytes, diag);
}

/* cuBLAS is column-major, so it sees row-major matrices as their transposes: C^T = B^T A^T. */
static struct cublas_product product_of(const struct cublas_peers *peers, const struct bench_site *site)
{
    const spmm_dense_t *b = &site->b_view;
    const spmm_dense_t *c = &site->c_view;
    const int is_row_major = b->layout == SPMM_ROW_MAJOR;
    struct cublas_product product = {
        .handle = peers->handle, .lt = peers->lt, .k = peers->cols, .c = c->data};
    product.op_left = is_row_major ? CUBLAS_OP_N : CUBLAS_OP_T;
    product.m = is_row_major ? b->cols : peers->rows;
    product.n = is_row_major ? peers->rows : b->cols;
    product.left = is_row_major ? b->data : peers->a.data;
    product.right = is_row_major ? peers->a.data : b->data;
    product.ld_left = is_row_major ? b->ld : peers->cols;
    product.ld_right = is_row_major ? peers->cols : b->ld;
    product.ld_c = c->ld;
    product.type = cuda_type(peers->dtype);
    product.c_type = cuda_type(c->type);
    product.compute = peers->dtype == SPMM_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    product.workspace = peers->workspace.data;
    product.workspace_bytes = WORKSPACE_BYTES;
    return product;
}

/* Returns the cold time in milliseconds, or infinity if the algorithm fails and so is no candidate. */
static double trial_ms(const struct bench_site *site, struct cublas_product *product, int algorithm)
{
    const struct timing_rule rule = {
        .repeats = TRIAL_REPEATS, .repeats_slow = 1, .slow_ms = 1.0, .max_seconds = 0.2, .is_cold_only = 1};
    struct timing timing = {0};
    spmm_diag_t diag;
    product->algorithm = algorithm;
    return stopwatch_measure(site->watch, cublas_product_run, product, &rule, &timing, &diag) == SPMM_OK
               ? timing.ms_cold
               : (double)INFINITY;
}

/* Chooses the fastest algorithm. Stops early if the best one so far is far behind other peers. */
static void choose(const struct bench_site *site, struct cublas_product *product)
{
    int best = -1;
    double best_ms = trial_ms(site, product, -1);
    for (int i = 0; i < product->algorithm_count && !bench_peers_is_far_behind(site, best_ms); i++) {
        const double ms = trial_ms(site, product, i);
        if (ms < best_ms) {
            best = i;
            best_ms = ms;
        }
    }
    product->algorithm = best;
}

static void run_one(struct cublas_peers *peers, struct bench_site *site, int is_tf32,
                    struct bench_result *result)
{
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct cublas_product product = product_of(peers, site);
    if (is_tf32) {
        product.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
        result->arithmetic = (struct arithmetic){SPMM_COMPUTE_TF32, 1};
    }
    TRY(cublas_product_begin(&product, &diag));
    choose(site, &product);
    result->memory = (struct bench_memory){
        (uint64_t)peers->rows * (uint64_t)peers->cols * spmm_dtype_size(peers->dtype),
        product.algorithm >= 0 ? product.algorithms[product.algorithm].workspaceSize : 0};
    bench_peers_measure(site, cublas_product_run, &product, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
    cublas_product_end(&product);
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct cublas_peers *peers = (struct cublas_peers *)base;
    if (!peers->is_there)
        return;
    if (bench_peers_wants(base, "cublas-dense"))
        run_one(peers, site, 0, bench_peers_result(results, count, "cublas-dense", peers->dtype, 1));
    if (peers->dtype == SPMM_F32)
        run_one(peers, site, 1, bench_peers_result(results, count, "cublas-dense-tf32", peers->dtype, 1));
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
    TRY(cublas_check(cublasCreate(&made->handle), "starting cuBLAS failed", diag));
    /* Sums of f16 and bf16 stay in f32 until C is written, as in our kernels. */
    TRY(cublas_check(
        cublasSetMathMode(made->handle, (cublasMath_t)(CUBLAS_DEFAULT_MATH |
                                                       CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "starting cuBLAS failed", diag));
    TRY(cublas_check(cublasLtCreate(&made->lt), "starting cuBLASLt failed", diag));
    *peers = &made->base;
    made = NULL;
cleanup:
    if (made != NULL)
        close_peers(&made->base);
    return status;
}
