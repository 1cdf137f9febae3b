/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix in the form in which the tools check and compare it: 64-bit row pointers, 32-bit columns,
 * and values as doubles that are already rounded to the value type of the product. */
#ifndef SPMM_TOOLS_HOST_CSR_H
#define SPMM_TOOLS_HOST_CSR_H

#include <spmm/common.h>

struct host_csr {
    int64_t rows, cols, nnz;
    spmm_dtype_t dtype;
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* nnz */
    double *values;   /* nnz */
};

/* Copies a CSR view and rounds its values to dtype. A view without values gets ones. */
spmm_status_t host_csr_make(const spmm_csr_t *view, spmm_dtype_t dtype, struct host_csr *csr,
                            spmm_diag_t *diag);
/* Sets the value of every entry to 1. */
void host_csr_set_ones(struct host_csr *csr);
spmm_status_t host_csr_transpose(const struct host_csr *a, struct host_csr *at, spmm_diag_t *diag);
/* Row i of permuted is row permutation[i] of a. */
spmm_status_t host_csr_permute(const struct host_csr *a, const uint32_t *permutation,
                               struct host_csr *permuted, spmm_diag_t *diag);
void host_csr_free(struct host_csr *csr);

/* Returns the values as a new array of type dtype, which the caller frees, or NULL if memory is short. */
void *host_csr_typed_values(const struct host_csr *csr);

/* The same matrix in dense b x b blocks. The last block row and block column are padded with zeros. */
struct host_bsr {
    int64_t block, block_rows, block_cols, blocks;
    int32_t *row_ptr; /* block_rows + 1 */
    int32_t *col_ind; /* blocks */
    void *values;     /* blocks * block * block of dtype, each block row-major */
};
/* Returns the number of nonempty blocks, so that the cost of blocking is known in advance; -1 if memory is
 * short. */
int64_t host_bsr_count(const struct host_csr *csr, int64_t block);
spmm_status_t host_bsr_make(const struct host_csr *csr, int64_t block, struct host_bsr *bsr,
                            spmm_diag_t *diag);
void host_bsr_free(struct host_bsr *bsr);

/* The same blocks in block rows of equal width, padded at the end with empty blocks of column -1. The values
 * are a row-major matrix with block_rows * block rows and width * block columns. */
struct host_ell {
    int64_t width;    /* blocks per block row */
    int32_t *col_ind; /* block_rows * width */
    void *values;
};
/* Returns the largest number of blocks in a block row, which is the width of the ELL form. */
int64_t host_ell_width(const struct host_bsr *bsr);
spmm_status_t host_ell_make(const struct host_bsr *bsr, spmm_dtype_t dtype, struct host_ell *ell,
                            spmm_diag_t *diag);
void host_ell_free(struct host_ell *ell);

#endif
