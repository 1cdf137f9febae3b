/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE's SpMV, a peer of products with one column: every algorithm for every storage format, within the
 * limits on sizes that the manual page of spmm-bench lists. Buffer allocation and preprocessing are not
 * timed. For op T the stored matrix is the explicit transpose. An algorithm that does not support the type
 * reports that as its result. */
#include <assert.h>

#include "bench_cusparse_peers.h"
#include "cusparse_product.h"
#include "tools/cli/fail.h"

enum storage {
    STORE_CSR,
    STORE_COO,
    STORE_SELL,
    STORE_BSR2,
    STORE_BSR3,
    STORE_BSR4,
    STORE_BSR8,
    STORE_COUNT
};
static_assert(STORE_COUNT <= CUSPARSE_STORAGES_MAX, "each storage has a place");

static const struct algorithm {
    const char *name;
    enum storage storage;
    cusparseSpMVAlg_t alg;
} algorithms[] = {
    {"cusparse-spmv-csr-default", STORE_CSR, CUSPARSE_SPMV_ALG_DEFAULT},
    {"cusparse-spmv-csr-alg1", STORE_CSR, CUSPARSE_SPMV_CSR_ALG1},
    {"cusparse-spmv-csr-alg2", STORE_CSR, CUSPARSE_SPMV_CSR_ALG2},
    {"cusparse-spmv-coo-alg1", STORE_COO, CUSPARSE_SPMV_COO_ALG1},
    {"cusparse-spmv-coo-alg2", STORE_COO, CUSPARSE_SPMV_COO_ALG2},
    {"cusparse-spmv-sell-alg1", STORE_SELL, CUSPARSE_SPMV_SELL_ALG1},
    {"cusparse-spmv-bsr2-alg1", STORE_BSR2, CUSPARSE_SPMV_BSR_ALG1},
    {"cusparse-spmv-bsr3-alg1", STORE_BSR3, CUSPARSE_SPMV_BSR_ALG1},
    {"cusparse-spmv-bsr4-alg1", STORE_BSR4, CUSPARSE_SPMV_BSR_ALG1},
    {"cusparse-spmv-bsr8-alg1", STORE_BSR8, CUSPARSE_SPMV_BSR_ALG1},
};
#define BLOCK_PADDING 24 /* a multiple of every block size */

static const int64_t blocks[STORE_COUNT] = {
    [STORE_BSR2] = 2, [STORE_BSR3] = 3, [STORE_BSR4] = 4, [STORE_BSR8] = 8};

/* Only remembers the problem: A is stored when the first case with one column runs. */
static spmm_status_t take_problem(struct bench_peers *base, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    (void)op;
    (void)a;
    (void)diag;
    cusparse_peers_take((struct cusparse_peers *)base, op_a);
    return SPMM_OK;
}

static spmm_status_t store_one(struct cusparse_peers *peers, enum storage storage, spmm_diag_t *diag)
{
    struct cusparse_stored *stored = &peers->stored[storage];
    if (storage == STORE_SELL)
        return cusparse_store_sell(peers->device, peers->a, stored, diag);
    if (blocks[storage] > 0)
        return cusparse_store_blocks(peers->device, peers->a, blocks[storage], stored, NULL, diag);
    return cusparse_store_entries(peers->device, peers->a, storage == STORE_COO, stored, diag);
}

/* Stores A in the formats of the requested algorithms, each once. */
static spmm_status_t store_all(struct cusparse_peers *peers, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    peers->is_stored = 1;
    if (cusparse_peers_cannot_store(peers))
        return SPMM_OK;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (bench_peers_wants(&peers->base, algorithms[i].name) &&
            !peers->stored[algorithms[i].storage].is_there)
            TRY(store_one(peers, algorithms[i].storage, diag));
cleanup:
    return status;
}

/* One product with cuSPARSE's descriptors. */
struct call {
    cusparseHandle_t handle;
    struct cusparse_factors f;
    cusparseSpMVAlg_t alg;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    void *buffer;
    size_t buffer_bytes;
};

static spmm_status_t multiply(void *context, spmm_diag_t *diag)
{
    const struct call *call = context;
    return cusparse_check(cusparseSpMV(call->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, call->f.one, call->a,
                                       call->x, call->f.zero, call->y, call->f.compute, call->alg,
                                       call->buffer),
                          "cusparseSpMV failed", diag);
}

static spmm_status_t prepare(struct cusparse_peers *peers, struct call *call, spmm_diag_t *diag)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    spmm_status_t status = SPMM_OK;
    TRY(cusparse_check(cusparseSpMV_bufferSize(call->handle, op, call->f.one, call->a, call->x, call->f.zero,
                                               call->y, call->f.compute, call->alg, &call->buffer_bytes),
                       "cusparseSpMV_bufferSize failed", diag));
    TRY(device_block_reserve(&peers->buffer, peers->device, call->buffer_bytes, diag));
    call->buffer = peers->buffer.data;
    TRY(cusparse_check(cusparseSpMV_preprocess(call->handle, op, call->f.one, call->a, call->x, call->f.zero,
                                               call->y, call->f.compute, call->alg, call->buffer),
                       "cusparseSpMV_preprocess failed", diag));
    TRY(device_synchronize(peers->device, diag));
cleanup:
    return status;
}

static void run_one(struct cusparse_peers *peers, const struct algorithm *algorithm, struct bench_site *site,
                    struct bench_result *result)
{
    const struct cusparse_stored *stored = &peers->stored[algorithm->storage];
    const int64_t scale = stored->block > 0 ? stored->block : 1;
    struct call call = {
        .handle = peers->handle, .alg = algorithm->alg, .f = cusparse_factors_of(peers->a->dtype)};
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    TRY(cusparse_check(cusparse_stored_describe(stored, call.f.type, &call.a), "describing A failed", &diag));
    TRY(cusparse_check(cusparseCreateDnVec(&call.x, stored->cols * scale, site->b_view.data, call.f.type),
                       "describing B failed", &diag));
    TRY(cusparse_check(
        cusparseCreateDnVec(&call.y, stored->rows * scale, site->c_view.data, cuda_type(site->c_view.type)),
        "describing C failed", &diag));
    TRY(prepare(peers, &call, &diag));
    result->memory = (struct bench_memory){stored->bytes, call.buffer_bytes};
    bench_peers_measure(site, multiply, &call, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
    if (call.y != NULL)
        (void)cusparseDestroyDnVec(call.y);
    if (call.x != NULL)
        (void)cusparseDestroyDnVec(call.x);
    if (call.a != NULL)
        (void)cusparseDestroySpMat(call.a);
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct cusparse_peers *peers = (struct cusparse_peers *)base;
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    if (site->b_view.cols != 1)
        return;
    if (!peers->is_stored)
        status = store_all(peers, &diag);
    if (status == SPMM_OK) /* gives B and C enough rows for whole blocks */
        status = bench_site_case(site, site->b_view.layout, 1, BLOCK_PADDING, &diag);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        if (!bench_peers_wants(base, algorithms[i].name) ||
            (status == SPMM_OK && !peers->stored[algorithms[i].storage].is_there))
            continue;
        struct bench_result *result =
            bench_peers_result(results, count, algorithms[i].name, peers->a->dtype, 0);
        if (status == SPMM_OK)
            run_one(peers, &algorithms[i], site, result);
        else
            bench_result_fail(result, status, &diag);
    }
}

static const struct bench_peers_backend backend = {cusparse_peers_close, take_problem, run_all};

spmm_status_t bench_cusparse_spmv_open(const struct bench_site *site, struct bench_peers **peers,
                                       spmm_diag_t *diag)
{
    return cusparse_peers_open(site, &backend, peers, diag);
}
