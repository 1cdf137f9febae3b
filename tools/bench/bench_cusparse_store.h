/* SPDX-License-Identifier: Apache-2.0 */
/* A in the storages of cuSPARSE, on the GPU: CSR, COO, slices (SELL), and blocks in BSR and Blocked-ELL. */
#ifndef SPMM_TOOLS_BENCH_CUSPARSE_STORE_H
#define SPMM_TOOLS_BENCH_CUSPARSE_STORE_H

#include "tools/compute/device_memory.h"
#include "tools/compute/host_csr.h"

/* All zero is an empty one. The blocks of memory stay for the next matrix. */
struct cusparse_stored {
    int is_there;
    int64_t rows, cols, nnz; /* of blocks, for storages of blocks */
    int64_t block, slice;    /* 0, or rows of a block; of a slice */
    int64_t width;  /* Blocked-ELL: blocks a block row; SELL: values with those that fill slices up */
    uint64_t bytes; /* of its arrays, whose blocks may be larger */
    struct device_block row_ptr, row_ind, col_ind, values;
};
void cusparse_stored_free(struct cusparse_stored *stored);

/* CSR, or COO with row indices instead of row pointers. */
spmm_status_t cusparse_store_entries(int device, const struct host_csr *csr, int is_coo,
                                     struct cusparse_stored *stored, spmm_diag_t *diag);

/* Blocks of this size in each of the two storages that is not NULL: BSR where it takes at most four times the bytes of
 * CSR, Blocked-ELL where it stores at most 64 values a nonzero and there is room for it. */
spmm_status_t cusparse_store_blocks(int device, const struct host_csr *csr, int64_t block,
                                    struct cusparse_stored *as_bsr, struct cusparse_stored *as_ell,
                                    spmm_diag_t *diag);

/* Slices of 32 rows, where they take at most four times the bytes of CSR. */
spmm_status_t cusparse_store_sell(int device, const struct host_csr *csr, struct cusparse_stored *stored,
                                  spmm_diag_t *diag);

#endif
