/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE's generic SpMM: every algorithm for every storage format, within the limits on sizes that the
 * manual page of spmm-bench lists. Buffer allocation and preprocessing are not timed. f16 and bf16 are
 * computed in f32, like ours; an algorithm that does not support them reports that as its result. SpMMOp is
 * not measured, because it was never faster (docs/decisions/0044). */
#include <assert.h>

#include "bench_cusparse_peers.h"
#include "cusparse_product.h"
#include "tools/cli/fail.h"

enum storage {
    STORE_CSR,
    STORE_CSR_OF_A,
    STORE_COO,
    STORE_BSR8,
    STORE_BSR16,
    STORE_ELL8,
    STORE_ELL16,
    STORE_ELL32,
    STORE_COUNT
};
static_assert(STORE_COUNT <= CUSPARSE_STORAGES_MAX, "each storage has a place");

struct algorithm {
    const char *name;
    enum storage storage;
    cusparseSpMMAlg_t alg;
};

/* For op T, csr, coo and bsr store the explicit transpose, and opT-csr stores A and transposes in the
 * operation. Blocked formats come last, because they may need B and C padded to whole blocks. */
static const struct algorithm algorithms[] = {
    {"cusparse-csr-default", STORE_CSR, CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse-csr-alg1", STORE_CSR, CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse-csr-alg2", STORE_CSR, CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse-csr-alg3", STORE_CSR, CUSPARSE_SPMM_CSR_ALG3},
    {"cusparse-opT-csr-default", STORE_CSR_OF_A, CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse-opT-csr-alg1", STORE_CSR_OF_A, CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse-opT-csr-alg2", STORE_CSR_OF_A, CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse-opT-csr-alg3", STORE_CSR_OF_A, CUSPARSE_SPMM_CSR_ALG3},
    {"cusparse-coo-alg1", STORE_COO, CUSPARSE_SPMM_COO_ALG1},
    {"cusparse-coo-alg2", STORE_COO, CUSPARSE_SPMM_COO_ALG2},
    {"cusparse-coo-alg3", STORE_COO, CUSPARSE_SPMM_COO_ALG3},
    {"cusparse-coo-alg4", STORE_COO, CUSPARSE_SPMM_COO_ALG4},
    {"cusparse-bsr8-alg1", STORE_BSR8, CUSPARSE_SPMM_BSR_ALG1},
    {"cusparse-bsr16-alg1", STORE_BSR16, CUSPARSE_SPMM_BSR_ALG1},
    {"cusparse-ell8-alg1", STORE_ELL8, CUSPARSE_SPMM_BLOCKED_ELL_ALG1},
    {"cusparse-ell16-alg1", STORE_ELL16, CUSPARSE_SPMM_BLOCKED_ELL_ALG1},
    {"cusparse-ell32-alg1", STORE_ELL32, CUSPARSE_SPMM_BLOCKED_ELL_ALG1},
};
#define BLOCK_PADDING 32

static int wants_storage(const struct cusparse_peers *peers, enum storage storage)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (algorithms[i].storage == storage && bench_peers_wants(&peers->base, algorithms[i].name))
            return 1;
    return 0;
}

/* Stores A in the blocked formats that are requested. */
static spmm_status_t take_blocks(struct cusparse_peers *peers, const struct host_csr *op_a, spmm_diag_t *diag)
{
    static const struct {
        int64_t block;
        enum storage bsr, ell; /* STORE_COUNT: not available */
    } sizes[] = {{8, STORE_BSR8, STORE_ELL8}, {16, STORE_BSR16, STORE_ELL16}, {32, STORE_COUNT, STORE_ELL32}};
    spmm_status_t status = SPMM_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const enum storage bsr = sizes[i].bsr;
        const enum storage ell = sizes[i].ell;
        const int wants_bsr = bsr != STORE_COUNT && wants_storage(peers, bsr);
        TRY(cusparse_store_blocks(peers->device, op_a, sizes[i].block, wants_bsr ? &peers->stored[bsr] : NULL,
                                  wants_storage(peers, ell) ? &peers->stored[ell] : NULL, diag));
    }
cleanup:
    return status;
}

static spmm_status_t take_problem(struct bench_peers *base, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    struct cusparse_peers *peers = (struct cusparse_peers *)base;
    struct cusparse_stored *stored = peers->stored;
    spmm_status_t status = SPMM_OK;
    cusparse_peers_take(peers, op_a);
    if (cusparse_peers_cannot_store(peers))
        return SPMM_OK;
    if (wants_storage(peers, STORE_CSR))
        TRY(cusparse_store_entries(peers->device, op_a, 0, &stored[STORE_CSR], diag));
    if (wants_storage(peers, STORE_COO))
        TRY(cusparse_store_entries(peers->device, op_a, 1, &stored[STORE_COO], diag));
    if (op == SPMM_OP_T && wants_storage(peers, STORE_CSR_OF_A))
        TRY(cusparse_store_entries(peers->device, a, 0, &stored[STORE_CSR_OF_A], diag));
    TRY(take_blocks(peers, op_a, diag));
cleanup:
    return status;
}

static void run_one(struct cusparse_peers *peers, const struct algorithm *algorithm, struct bench_site *site,
                    struct bench_result *result)
{
    const int is_op_t = algorithm->storage == STORE_CSR_OF_A;
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct cusparse_product product = {.handle = peers->handle,
                                       .op = is_op_t ? CUSPARSE_OPERATION_TRANSPOSE
                                                     : CUSPARSE_OPERATION_NON_TRANSPOSE,
                                       .factors = cusparse_factors_of(peers->a->dtype),
                                       .algorithm = algorithm->alg};
    TRY(cusparse_product_begin(&product, &peers->stored[algorithm->storage], &site->b_view, &site->c_view,
                               peers->device, &peers->buffer, &diag));
    TRY(device_synchronize(peers->device, &diag));
    result->memory = (struct bench_memory){peers->stored[algorithm->storage].bytes, product.buffer_bytes};
    bench_peers_measure(site, cusparse_product_run, &product, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
    cusparse_product_end(&product);
}

/* Returns 1 if B and C have enough rows for whole blocks. */
static int has_whole_blocks(const struct bench_site *site, const struct cusparse_stored *stored)
{
    return site->b_view.rows >= stored->cols * stored->block &&
           site->c_view.rows >= stored->rows * stored->block;
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct cusparse_peers *peers = (struct cusparse_peers *)base;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const struct algorithm *algorithm = &algorithms[i];
        const struct cusparse_stored *stored = &peers->stored[algorithm->storage];
        spmm_diag_t diag = {.status = SPMM_OK};
        if (!stored->is_there || !bench_peers_wants(base, algorithm->name))
            continue;
        struct bench_result *result =
            bench_peers_result(results, count, algorithm->name, peers->a->dtype, stored->block > 0);
        if (stored->block > 0 && !has_whole_blocks(site, stored)) {
            const spmm_status_t status =
                bench_site_case(site, site->b_view.layout, site->b_view.cols, BLOCK_PADDING, &diag);
            if (status != SPMM_OK) {
                bench_result_fail(result, status, &diag);
                continue;
            }
        }
        run_one(peers, algorithm, site, result);
    }
}

static const struct bench_peers_backend backend = {cusparse_peers_close, take_problem, run_all};

spmm_status_t bench_cusparse_open(const struct bench_site *site, struct bench_peers **peers,
                                  spmm_diag_t *diag)
{
    return cusparse_peers_open(site, &backend, peers, diag);
}
