/* SPDX-License-Identifier: Apache-2.0 */
/* A way to compute C = A B of one case, from A in host memory to what is held on the GPU and run again and again. */
#ifndef SPMM_TESTS_METHOD_H
#define SPMM_TESTS_METHOD_H

#include <spmm/spmm.h>

#include "tools/cli/arithmetic.h"
#include "tools/compute/timing.h"

/* What every method starts from. All borrowed. */
struct method_case {
    const spmm_plan_t *plan; /* ours */
    const char *name;        /* ROWS:PERCENT */
    spmm_dtype_t dtype;      /* of A, B and C */
    int64_t rows, nnz;       /* and CSR of 32 bits, of the others; A is square */
    const int32_t *row_ptr, *col_ind;
    const void *values;
    const spmm_dense_t *b, *c; /* on GPU 0, row-major */
};

/* What is known once it is ready. */
struct method_facts {
    char kernel[64];              /* ours; else empty */
    uint64_t held_bytes;          /* of A and all else that it keeps for the product, but B and C */
    struct arithmetic arithmetic; /* that its bound follows from */
};

struct method {
    const char *name;
    int kind; /* for the functions: which of several */
    size_t state_bytes;
    /* Makes it ready in a zeroed state; drop that also after a failure. UNSUPPORTED: there is none for this case. */
    spmm_status_t (*make)(int kind, const struct method_case *of, void *state, spmm_diag_t *diag);
    timing_fn run; /* context is the state */
    void (*describe)(const void *state, struct method_facts *facts);
    void (*drop)(void *state);
};

extern const struct method method_peers[], method_ours[];
extern const int method_peers_count, method_ours_count;

/* Before the first and behind the last use of a peer: what a process has once. */
spmm_status_t method_peers_open(spmm_diag_t *diag);
void method_peers_close(void);

#endif
