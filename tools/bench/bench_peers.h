/* SPDX-License-Identifier: Apache-2.0 */
/* The competitors of spmm-bench, with one interface: cuSPARSE, cuBLAS and a merge-path kernel on a GPU,
 * oneMKL on the CPU. */
#ifndef SPMM_TOOLS_BENCH_PEERS_H
#define SPMM_TOOLS_BENCH_PEERS_H

#include "bench_site.h"

#define PEERS_MAX 40

struct bench_peers; /* a list of libraries */

struct bench_peers_options {
    const char *filter;   /* measure only peers whose names contain this; NULL: all */
    const char *mkl_path; /* path of the library; NULL: search for it */
};

/* Opens the libraries for the site's device. If there are none, *peers becomes NULL and note a sentence; this
 * is not an error. */
spmm_status_t bench_peers_open(const struct bench_site *site, const struct bench_peers_options *options,
                               struct bench_peers **peers, char note[160], spmm_diag_t *diag);
void bench_peers_close(struct bench_peers *peers);

/* Returns 1 if the peers support A and B of type dtype with C of type c_type. Returns 0 if peers is NULL. */
int bench_peers_take(const struct bench_peers *peers, spmm_dtype_t dtype, spmm_dtype_t c_type);

/* Passes a problem to the peers: a is the matrix and op_a is op(A), the same matrix for op N. Both are
 * borrowed until the next call. */
spmm_status_t bench_peers_problem(struct bench_peers *peers, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag);

/* Measures every peer in the site's case. Run it last: it may change the layout of B and C in the case. */
void bench_peers_run(struct bench_peers *peers, struct bench_site *site,
                     struct bench_result results[PEERS_MAX], int *count);

/* The functions of a backend. */
struct bench_peers_backend {
    void (*close)(struct bench_peers *peers);
    spmm_status_t (*problem)(struct bench_peers *peers, spmm_op_t op, const struct host_csr *a,
                             const struct host_csr *op_a, spmm_diag_t *diag);
    void (*run)(struct bench_peers *peers, struct bench_site *site, struct bench_result results[PEERS_MAX],
                int *count);
};

/* The first member of every backend's struct. */
struct bench_peers {
    const struct bench_peers_backend *backend;
    struct bench_peers *next; /* next library; NULL in the last one */
    const char *filter;
    int is_wide_only; /* whether the library supports only f32 and f64 */
};
int bench_peers_wants(const struct bench_peers *peers, const char *name);
/* Returns the maximum bytes for A stored with its zeros or in blocks: 2 GiB, or a quarter of the free GPU
 * memory if that is less. */
uint64_t bench_peers_room(void);
/* Like bench_site_measure, but times a peer only once, cold and warm, if it is far behind the best exact peer
 * of the case. */
void bench_peers_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result);
/* Returns 1 if this cold time is far behind the best peer. */
int bench_peers_is_far_behind(const struct bench_site *site, double ms);
/* Returns the next result, initialized for products in the value type, on tensor cores if is_tensor is set
 * and the type has them. */
struct bench_result *bench_peers_result(struct bench_result results[PEERS_MAX], int *count, const char *name,
                                        spmm_dtype_t dtype, int is_tensor);

spmm_status_t bench_cusparse_open(const struct bench_site *site, struct bench_peers **peers,
                                  spmm_diag_t *diag);
spmm_status_t bench_cusparse_spmv_open(const struct bench_site *site, struct bench_peers **peers,
                                       spmm_diag_t *diag);
spmm_status_t bench_cublas_open(const struct bench_site *site, struct bench_peers **peers, spmm_diag_t *diag);
spmm_status_t bench_merge_open(const struct bench_site *site, struct bench_peers **peers, spmm_diag_t *diag);
spmm_status_t bench_mkl_open(const struct bench_site *site, const char *path, struct bench_peers **peers,
                             char note[160], spmm_diag_t *diag);

#endif
