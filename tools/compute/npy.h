/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices in NumPy's .npy files, format 1.0 and 2.0: little-endian float32, float64 and float16, one
 * or two dimensions, C or Fortran order. NumPy has no bf16. It is stored as two raw bytes per number ('<V2'),
 * which is how NumPy saves and loads an array of ml_dtypes.bfloat16. Files are untrusted: sizes in the header
 * are checked against the size of the file before they are used. */
#ifndef SPMM_TOOLS_NPY_H
#define SPMM_TOOLS_NPY_H

#include <stddef.h>

#include <spmm/common.h>

/* Reads a file. The caller owns dense->data and frees it. ld is the smallest possible. A file with one
 * dimension gives one column. Errors: IO; MATRIX_SYNTAX, MATRIX_UNSUPPORTED, MATRIX_TOO_LARGE; MEMORY. */
spmm_status_t npy_load(const char *path, spmm_dense_t *dense, spmm_diag_t *diag);

/* Writes a file, without the padding of ld. Errors: IO. */
spmm_status_t npy_save(const char *path, const spmm_dense_t *dense, spmm_diag_t *diag);

/* The contents of a file's header. */
struct npy_header {
    size_t data_offset; /* offset of the first number, in bytes */
    spmm_dtype_t type;
    spmm_layout_t layout;
    int64_t rows, cols;
    uint64_t data_bytes; /* bytes of all numbers; data_offset + data_bytes does not overflow */
};
#define NPY_HEADER_BYTES_MAX 65536
/* Parses the header from the first size bytes of a file. NPY_HEADER_BYTES_MAX bytes are always enough. */
spmm_status_t npy_header_parse(const void *bytes, size_t size, struct npy_header *header, spmm_diag_t *diag);

#endif
