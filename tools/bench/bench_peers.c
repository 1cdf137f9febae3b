/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of the competitors' library. */
#include "bench_peers.h"

#include "tools/compute/gpu.h"

#include <stdio.h>
#include <string.h>

#include "tools/cli/fail.h"

spmm_status_t bench_peers_open(const struct bench_site *site, const struct bench_peers_options *options,
                               struct bench_peers **peers, char note[160], spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *peers = NULL;
    note[0] = '\0';
    if (site->device >= 0) {
#ifdef SPMM_TOOLS_CUDA
        status = bench_cusparse_open(site, peers, diag);
        if (status == SPMM_OK)
            status = bench_cublas_open(site, &(*peers)->next, diag);
#else
        status = fail(diag, SPMM_ERR_NO_DEVICE, "%s", gpu_absence());
#endif
    } else {
        status = bench_mkl_open(site, options->mkl_path, peers, note, diag);
    }
    for (struct bench_peers *p = *peers; p != NULL; p = p->next)
        p->filter = options->filter;
    return status;
}

void bench_peers_close(struct bench_peers *peers)
{
    while (peers != NULL) {
        struct bench_peers *const next = peers->next;
        peers->backend->close(peers);
        peers = next;
    }
}

int bench_peers_take(const struct bench_peers *peers, spmm_dtype_t dtype)
{
    return peers != NULL && (!peers->is_wide_only || dtype == SPMM_F32 || dtype == SPMM_F64);
}

spmm_status_t bench_peers_problem(struct bench_peers *peers, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (struct bench_peers *p = peers; p != NULL; p = p->next)
        TRY(p->backend->problem(p, op, a, op_a, diag));
cleanup:
    return status;
}

void bench_peers_run(struct bench_peers *peers, struct bench_site *site,
                     struct bench_result results[PEERS_MAX], int *count)
{
    *count = 0;
    for (struct bench_peers *p = peers; p != NULL; p = p->next)
        p->backend->run(p, site, results, count);
}

int bench_peers_wants(const struct bench_peers *peers, const char *name)
{
    return peers->filter == NULL || strstr(name, peers->filter) != NULL;
}

struct bench_result *bench_peers_result(struct bench_result results[PEERS_MAX], int *count, const char *name,
                                        spmm_dtype_t dtype, int is_tensor)
{
    struct bench_result *result = &results[(*count)++];
    *result = (struct bench_result){.status = SPMM_OK, .may_round = is_tensor};
    /* f32 as it is has no tensor cores; what has rounded it for them shows in the check. */
    result->arithmetic = (struct arithmetic){(spmm_compute_t)dtype, is_tensor && dtype != SPMM_F32};
    snprintf(result->name, sizeof result->name, "%s", name);
    return result;
}
