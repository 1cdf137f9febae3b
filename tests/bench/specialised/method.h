/* SPDX-License-Identifier: Apache-2.0 */
/* A method to compute C = A B for one case: it prepares A from host memory, keeps the result on the GPU
 * and runs repeatedly. */
#ifndef SPMM_TESTS_METHOD_H
#define SPMM_TESTS_METHOD_H

#include <spmm/spmm.h>

#include "tools/cli/arithmetic.h"
#include "tools/compute/timing.h"

/* The input of every method. All pointers are borrowed. */
struct method_case {
    const spmm_plan_t *plan; /* for the library's own methods */
    const char *name;        /* of A, as in struct problem */
    spmm_dtype_t dtype;      /* type of A, B and C */
    int64_t rows, cols, nnz; /* of A; for the other methods, as CSR with 32-bit indices */
    const int32_t *row_ptr, *col_ind;
    const void *values;
    const spmm_dense_t *b, *c; /* on GPU 0, row-major */
};

/* Properties of a method that is ready to run. */
struct method_facts {
    char kernel[64]; /* name of the kernel, if the method has one; else empty */
    /* Bytes of A and of all else that the method keeps for the product, without B and C. */
    uint64_t held_bytes;
    struct arithmetic arithmetic; /* determines the error bound */
};

struct method {
    const char *name;
    int kind; /* distinguishes methods that share their functions */
    size_t state_bytes;
    /* Makes the method ready in a zeroed state. The caller calls drop even after a failure. UNSUPPORTED:
     * the method cannot run this case. */
    spmm_status_t (*make)(int kind, const struct method_case *of, void *state, spmm_diag_t *diag);
    timing_fn run; /* its context is the state */
    void (*describe)(const void *state, struct method_facts *facts);
    void (*drop)(void *state);
};

extern const struct method method_peers[], method_ours[];
extern const int method_peers_count, method_ours_count;

/* Open and close what a process needs once for peers: before the first and after the last use of a peer. */
spmm_status_t method_peers_open(spmm_diag_t *diag);
void method_peers_close(void);

#endif
