/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices in NumPy's .npy files, format 1.0 and 2.0: little-endian float32, float64 and float16, one or two
 * dimensions, C or Fortran order. NumPy has no bf16: two raw bytes a number ('<V2') stand for it, which is how NumPy
 * saves and loads an array of ml_dtypes.bfloat16. A file is untrusted: nothing in it is believed before it was
 * compared with the size of the file. */
#ifndef SPMM_TOOLS_NPY_H
#define SPMM_TOOLS_NPY_H

#include <stddef.h>

#include <spmm/common.h>

/* Read a file. dense->data is owned by the caller, who frees it; ld is the least possible. One dimension makes one
 * column. Errors: IO; MATRIX_SYNTAX or MATRIX_UNSUPPORTED with one sentence; MEMORY. */
spmm_status_t npy_load(const char *path, spmm_dense_t *dense, spmm_diag_t *diag);

/* Write a file. Lines are written without the padding of ld. Errors: IO. */
spmm_status_t npy_save(const char *path, const spmm_dense_t *dense, spmm_diag_t *diag);

/* What the beginning of a file says. */
struct npy_header {
    size_t data_offset; /* of the first number */
    spmm_dtype_t type;
    spmm_layout_t layout;
    int64_t rows, cols;
    uint64_t data_bytes; /* of all numbers; offset and bytes do not overflow */
};
#define NPY_HEADER_BYTES_MAX 65536
/* Parse it from the first size bytes, at most NPY_HEADER_BYTES_MAX of which matter. */
spmm_status_t npy_header_parse(const void *bytes, size_t size, struct npy_header *header, spmm_diag_t *diag);

#endif
