/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the libraries of the peers and forwards calls to them, see bench_peers.h. */
#include "bench_peers.h"

#include "tools/compute/gpu.h"

#include <stdio.h>
#include <string.h>

#include "tools/cli/fail.h"

#define ROOM_MAX ((uint64_t)2 << 30)
#define FAR_BEHIND 3.0 /* multiple of the time of the best peer */

#ifdef SPMM_TOOLS_CUDA
/* The results have this order. Ratios refer to the first library, cuSPARSE, which has two backends. */
static spmm_status_t open_gpu(const struct bench_site *site, struct bench_peers **peers, spmm_diag_t *diag)
{
    static spmm_status_t (*const opens[])(const struct bench_site *, struct bench_peers **, spmm_diag_t *) = {
        bench_cusparse_open, bench_cusparse_spmv_open, bench_cublas_open, bench_merge_open};
    spmm_status_t status = SPMM_OK;
    struct bench_peers **end = peers;
    for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
        TRY(opens[i](site, end, diag));
        end = &(*end)->next;
    }
cleanup:
    return status;
}
#endif

spmm_status_t bench_peers_open(const struct bench_site *site, const struct bench_peers_options *options,
                               struct bench_peers **peers, char note[160], spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *peers = NULL;
    note[0] = '\0';
    if (site->device >= 0) {
#ifdef SPMM_TOOLS_CUDA
        status = open_gpu(site, peers, diag);
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

int bench_peers_take(const struct bench_peers *peers, spmm_dtype_t dtype, spmm_dtype_t c_type)
{
    const int is_wide = (dtype == SPMM_F32 || dtype == SPMM_F64) && c_type == dtype;
    return peers != NULL && (!peers->is_wide_only || is_wide);
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
    site->ms_best_peer = 0.0;
    for (struct bench_peers *p = peers; p != NULL; p = p->next)
        p->backend->run(p, site, results, count);
}

int bench_peers_wants(const struct bench_peers *peers, const char *name)
{
    return peers->filter == NULL || strstr(name, peers->filter) != NULL;
}

uint64_t bench_peers_room(void)
{
    spmm_diag_t diag;
    uint64_t room = 0;
    if (gpu_memory_free(&room, &diag) != SPMM_OK)
        return 0;
    return room / 4 < ROOM_MAX ? room / 4 : ROOM_MAX;
}

int bench_peers_is_far_behind(const struct bench_site *site, double ms)
{
    return site->ms_best_peer > 0.0 && ms > FAR_BEHIND * site->ms_best_peer;
}

void bench_peers_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result)
{
    site->rule.once_ms = FAR_BEHIND * site->ms_best_peer;
    bench_site_measure(site, fn, context, result);
    site->rule.once_ms = 0.0;
    if (result->status == SPMM_OK && result->error_ratio <= 1.0 &&
        result->arithmetic.compute != SPMM_COMPUTE_TF32 &&
        (site->ms_best_peer <= 0.0 || result->ms_cold < site->ms_best_peer))
        site->ms_best_peer = result->ms_cold;
}

struct bench_result *bench_peers_result(struct bench_result results[PEERS_MAX], int *count, const char *name,
                                        spmm_dtype_t dtype, int is_tensor)
{
    struct bench_result *result = &results[(*count)++];
    *result = (struct bench_result){.status = SPMM_OK, .may_round = is_tensor && dtype == SPMM_F32};
    /* Exact f32 does not run on tensor cores. If a library rounds f32 for them, the check detects it
     * (may_round). */
    result->arithmetic = (struct arithmetic){(spmm_compute_t)dtype, is_tensor && dtype != SPMM_F32};
    snprintf(result->name, sizeof result->name, "%s", name);
    return result;
}
