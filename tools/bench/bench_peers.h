/* SPDX-License-Identifier: Apache-2.0 */
/* The competitors of spmm-bench: cuSPARSE, cuBLAS and a kernel of merge paths on a GPU, oneMKL on the CPU, behind the
 * same functions. */
#ifndef SPMM_TOOLS_BENCH_PEERS_H
#define SPMM_TOOLS_BENCH_PEERS_H

#include "bench_site.h"

#define PEERS_MAX 40

struct bench_peers; /* a list of libraries */

struct bench_peers_options {
    const char *filter;   /* measure peers whose names contain this; NULL = all */
    const char *mkl_path; /* the library to load; NULL = look for it */
};

/* Open the libraries for the site's device. *peers is NULL, and note a sentence, when there is none: no error. */
spmm_status_t bench_peers_open(const struct bench_site *site, const struct bench_peers_options *options,
                               struct bench_peers **peers, char note[160], spmm_diag_t *diag);
void bench_peers_close(struct bench_peers *peers);

/* Do they multiply A and B of the first type with C of the second? No for peers = NULL. */
int bench_peers_take(const struct bench_peers *peers, spmm_dtype_t dtype, spmm_dtype_t c_type);

/* Take a problem: a is the matrix as it is, op_a is op(A); the same for op N. Borrowed until the next call. */
spmm_status_t bench_peers_problem(struct bench_peers *peers, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag);

/* Measure every peer in the site's case. The case may be laid out anew on the way: run it last. */
void bench_peers_run(struct bench_peers *peers, struct bench_site *site,
                     struct bench_result results[PEERS_MAX], int *count);

/* What a backend implements. */
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
    struct bench_peers *next; /* library, NULL after the last */
    const char *filter;
    int is_wide_only; /* the library multiplies f32 and f64 only */
};
int bench_peers_wants(const struct bench_peers *peers, const char *name);
/* Most bytes that A may take with its zeros or in blocks: 2 GiB, or a quarter of the free memory of the GPU. */
uint64_t bench_peers_room(void);
/* bench_site_measure; a peer that is far behind the best exact one of the case is timed by one call each. */
void bench_peers_measure(struct bench_site *site, timing_fn fn, void *context, struct bench_result *result);
/* Is a call that takes so long cold far behind? */
int bench_peers_is_far_behind(const struct bench_site *site, double ms);
/* The next result, of a product in arithmetic of the value type; with is_tensor perhaps on tensor cores. */
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
