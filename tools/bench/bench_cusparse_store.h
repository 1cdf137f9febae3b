/* SPDX-License-Identifier: Apache-2.0 */
/* A in the storage formats of cuSPARSE, on the GPU: CSR, COO, slices (SELL), and blocks in BSR and
 * Blocked-ELL. */
#ifndef SPMM_TOOLS_BENCH_CUSPARSE_STORE_H
#define SPMM_TOOLS_BENCH_CUSPARSE_STORE_H

#include "tools/compute/device_memory.h"
#include "tools/compute/host_csr.h"

/* An all-zero struct is empty. Its memory blocks are reused for the next matrix. */
struct cusparse_stored {
    int is_there;
    int64_t rows, cols, nnz; /* in blocks for blocked formats */
    int64_t block, slice;    /* number of rows of a block and of a slice; 0 if the format has none */
    int64_t width;           /* Blocked-ELL: blocks per block row; SELL: stored values including padding */
    uint64_t bytes;          /* bytes of its arrays; the memory blocks may be larger */
    struct device_block row_ptr, row_ind, col_ind, values;
};
void cusparse_stored_free(struct cusparse_stored *stored);

/* Stores CSR, or COO, which has row indices instead of row pointers. */
spmm_status_t cusparse_store_entries(int device, const struct host_csr *csr, int is_coo,
                                     struct cusparse_stored *stored, spmm_diag_t *diag);

/* Stores blocks in each of the two formats that is not NULL: BSR if it needs at most four times the bytes
 * of CSR, Blocked-ELL if it stores at most 64 values per nonzero and fits in memory. Otherwise is_there
 * stays 0. */
spmm_status_t cusparse_store_blocks(int device, const struct host_csr *csr, int64_t block,
                                    struct cusparse_stored *as_bsr, struct cusparse_stored *as_ell,
                                    spmm_diag_t *diag);

/* Stores slices of 32 rows, if they need at most four times the bytes of CSR. */
spmm_status_t cusparse_store_sell(int device, const struct host_csr *csr, struct cusparse_stored *stored,
                                  spmm_diag_t *diag);

#endif
