/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_cusparse_peers.h. */
#include "bench_cusparse_peers.h"

#include <stdlib.h>

#include "tools/cli/fail.h"

void cusparse_peers_close(struct bench_peers *base)
{
    struct cusparse_peers *peers = (struct cusparse_peers *)base;
    for (int s = 0; s < CUSPARSE_STORAGES_MAX; s++)
        cusparse_stored_free(&peers->stored[s]);
    device_block_free(&peers->buffer);
    if (peers->handle != NULL)
        (void)cusparseDestroy(peers->handle);
    free(peers);
}

spmm_status_t cusparse_peers_open(const struct bench_site *site, const struct bench_peers_backend *backend,
                                  struct bench_peers **peers, spmm_diag_t *diag)
{
    struct cusparse_peers *made = calloc(1, sizeof *made);
    spmm_status_t status = SPMM_OK;
    *peers = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the peers");
    made->base.backend = backend;
    made->device = site->device;
    TRY(cusparse_check(cusparseCreate(&made->handle), "starting cuSPARSE failed", diag));
    *peers = &made->base;
    made = NULL;
cleanup:
    if (made != NULL)
        cusparse_peers_close(&made->base);
    return status;
}

void cusparse_peers_take(struct cusparse_peers *peers, const struct host_csr *op_a)
{
    peers->a = op_a;
    peers->is_stored = 0;
    for (int s = 0; s < CUSPARSE_STORAGES_MAX; s++)
        peers->stored[s].is_there = 0;
}

int cusparse_peers_cannot_store(const struct cusparse_peers *peers)
{
    return peers->a->nnz >= INT32_MAX || peers->a->nnz == 0;
}
