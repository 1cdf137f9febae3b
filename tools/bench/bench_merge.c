/* SPDX-License-Identifier: Apache-2.0 */
/* A merge-based kernel as a peer of products with one column, for f32 and f64. */
#include <stdlib.h>

#include "bench_cusparse_store.h"
#include "bench_peers.h"
#include "merge_spmv.h"
#include "tools/cli/fail.h"

static const char name[] = "merge-csr";

struct merge_peers {
    struct bench_peers base;
    int device;
    const struct host_csr *a; /* op(A) of the problem; stored by the first case with one column */
    struct cusparse_stored stored;
    struct device_block workspace;
};

static void close_peers(struct bench_peers *base)
{
    struct merge_peers *peers = (struct merge_peers *)base;
    cusparse_stored_free(&peers->stored);
    device_block_free(&peers->workspace);
    free(peers);
}

static spmm_status_t take_problem(struct bench_peers *base, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    struct merge_peers *peers = (struct merge_peers *)base;
    (void)op;
    (void)a;
    (void)diag;
    peers->a = op_a;
    peers->stored.is_there = 0;
    return SPMM_OK;
}

static spmm_status_t multiply(void *context, spmm_diag_t *diag)
{
    const char *failure = merge_spmv(context);
    return failure == NULL ? SPMM_OK
                           : fail(diag, SPMM_ERR_DEVICE, "the merge-based kernel failed: %s", failure);
}

static int takes(const struct merge_peers *peers, const struct bench_site *site)
{
    const struct host_csr *a = peers->a;
    return site->b_view.cols == 1 && a->nnz > 0 && a->rows + a->nnz < INT32_MAX / 2 &&
           (a->dtype == SPMM_F32 || a->dtype == SPMM_F64) && site->c_view.type == a->dtype &&
           bench_peers_wants(&peers->base, name);
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct merge_peers *peers = (struct merge_peers *)base;
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    if (!takes(peers, site))
        return;
    struct bench_result *result = bench_peers_result(results, count, name, peers->a->dtype, 0);
    struct merge_product product = {.rows = (int32_t)peers->a->rows,
                                    .nnz = (int32_t)peers->a->nnz,
                                    .x = site->b_view.data,
                                    .y = site->c_view.data,
                                    .is_f64 = peers->a->dtype == SPMM_F64};
    if (!peers->stored.is_there)
        TRY(cusparse_store_entries(peers->device, peers->a, 0, &peers->stored, &diag));
    TRY(device_block_reserve(&peers->workspace, peers->device, merge_spmv_workspace_bytes(&product), &diag));
    product.row_ptr = peers->stored.row_ptr.data;
    product.col_ind = peers->stored.col_ind.data;
    product.values = peers->stored.values.data;
    product.workspace = peers->workspace.data;
    result->memory = (struct bench_memory){peers->stored.bytes, merge_spmv_workspace_bytes(&product)};
    bench_peers_measure(site, multiply, &product, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
}

static const struct bench_peers_backend backend = {close_peers, take_problem, run_all};

spmm_status_t bench_merge_open(const struct bench_site *site, struct bench_peers **peers, spmm_diag_t *diag)
{
    struct merge_peers *made = calloc(1, sizeof *made);
    *peers = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the peers");
    made->base.backend = &backend;
    made->device = site->device;
    *peers = &made->base;
    return SPMM_OK;
}
