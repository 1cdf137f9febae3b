/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers of cuSPARSE's generic functions share: a handle, A in several storages, a buffer. */
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
    int is_stored;                                        /* all storages of a are made that will be */
    struct cusparse_stored stored[CUSPARSE_STORAGES_MAX]; /* by the numbers of those who use them */
    struct device_block buffer;
};

spmm_status_t cusparse_peers_open(const struct bench_site *site, const struct bench_peers_backend *backend,
                                  struct bench_peers **peers, spmm_diag_t *diag);
/* close of struct bench_peers_backend. */
void cusparse_peers_close(struct bench_peers *base);

/* Another problem: nothing of it is stored. */
void cusparse_peers_take(struct cusparse_peers *peers, const struct host_csr *op_a);
/* More nonzeros than 32-bit row pointers count, or none to compare. */
int cusparse_peers_cannot_store(const struct cusparse_peers *peers);

#endif
