/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the peers from cuSPARSE's generic functions: a handle, A in several storage formats, a
 * buffer. */
#ifndef SPMM_TOOLS_BENCH_CUSPARSE_PEERS_H
#define SPMM_TOOLS_BENCH_CUSPARSE_PEERS_H

#include "bench_cusparse_store.h"
#include "bench_peers.h"
#include "cusparse_check.h"

#define CUSPARSE_STORAGES_MAX 8

struct cusparse_peers {
    struct bench_peers base;
    cusparseHandle_t handle;
    int device;
    const struct host_csr *a;                             /* op(A) of the problem */
    int is_stored;                                        /* the needed formats of a have been made */
    struct cusparse_stored stored[CUSPARSE_STORAGES_MAX]; /* index: enum storage of the peer file */
    struct device_block buffer;
};

spmm_status_t cusparse_peers_open(const struct bench_site *site, const struct bench_peers_backend *backend,
                                  struct bench_peers **peers, spmm_diag_t *diag);
/* Implements close of struct bench_peers_backend. */
void cusparse_peers_close(struct bench_peers *base);

/* Starts another problem, of which nothing is stored yet. */
void cusparse_peers_take(struct cusparse_peers *peers, const struct host_csr *op_a);
/* Returns 1 if there are too many nonzeros for 32-bit row pointers, or none. */
int cusparse_peers_cannot_store(const struct cusparse_peers *peers);

#endif
