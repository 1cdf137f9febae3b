/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_case.h. */
#include "bench_case.h"

#include <math.h>
#include <string.h>

int bench_is_valid(const struct bench_result *result)
{
    return result->status == SPMM_OK && result->error_ratio <= 1.0;
}

/* Returns 1 if both peers are from one library: the first word of a peer's name is its library. */
static int is_of_library(const struct bench_result *peer, const struct bench_result *first)
{
    const size_t length = strcspn(first->name, "-");
    return strncmp(peer->name, first->name, length) == 0 && strcspn(peer->name, "-") == length;
}

/* Returns 1 if ours may be compared with the peer: a peer that rounds its factors is no rival of a kernel
 * that does not. */
static int is_rival(const struct bench_result *peer, const struct bench_result *ours)
{
    return bench_is_valid(peer) &&
           (peer->arithmetic.compute != SPMM_COMPUTE_TF32 || ours->arithmetic.compute == SPMM_COMPUTE_TF32);
}

const struct bench_result *bench_best_of_library(const struct bench_case *done,
                                                 const struct bench_result *ours, int first)
{
    const struct bench_result *best = NULL;
    for (int i = first; i < done->peers_count; i++) {
        const struct bench_result *peer = &done->peers[i];
        if (is_of_library(peer, &done->peers[first]) && is_rival(peer, ours) &&
            (best == NULL || peer->ms_cold < best->ms_cold))
            best = peer;
    }
    return best;
}

double bench_least_warm(const struct bench_case *done, const struct bench_result *ours, int first)
{
    double least = (double)INFINITY;
    for (int i = first; i < done->peers_count; i++) {
        const struct bench_result *peer = &done->peers[i];
        if (is_of_library(peer, &done->peers[first]) && is_rival(peer, ours) && peer->ms_warm < least)
            least = peer->ms_warm;
    }
    return least;
}

const struct bench_result *bench_best_peer(const struct bench_case *done, const struct bench_result *ours)
{
    return done->peers_count > 0 ? bench_best_of_library(done, ours, 0) : NULL;
}

int bench_is_first_of_library(const struct bench_case *done, int peer)
{
    for (int i = 0; i < peer; i++)
        if (is_of_library(&done->peers[peer], &done->peers[i]))
            return 0;
    return 1;
}

int bench_is_best(const struct bench_case *done, int peer, int is_chosen)
{
    int first = 0;
    while (!is_of_library(&done->peers[peer], &done->peers[first]))
        first++;
    for (int i = 0; i < done->ours_count; i++)
        if ((!is_chosen || done->ours[i].is_chosen) &&
            bench_best_of_library(done, &done->ours[i].result, first) == &done->peers[peer])
            return 1;
    return 0;
}

double bench_memory_ratio(const struct bench_memory *peer, const struct bench_memory *ours)
{
    if (peer->a == 0 || ours->a == 0)
        return 0.0;
    return (double)bench_memory_bytes(peer) / (double)bench_memory_bytes(ours);
}

double bench_gflops(const struct bench_case *done, double ms)
{
    return ms > 0.0 ? 2.0 * (double)done->nnz * (double)done->n / (ms * 1e6) : 0.0;
}

double bench_bound_share(const struct bench_case *done, const struct bench_result *ours)
{
    return ours->ms_cold > 0.0 ? 1e-3 * done->bound_us / ours->ms_cold : 0.0;
}
