/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of the bytes of plan files, and digests of matrices. */
#ifndef SPMMI_DIGEST_H
#define SPMMI_DIGEST_H

#include <spmm/common.h>
#include <stdint.h>

#define SPMMI_DIGEST_PATTERN_TAG UINT64_C(0x4e52545441504d53) /* the bytes "SMPATTRN" */
#define SPMMI_DIGEST_VALUES_TAG UINT64_C(0x5345554c41564d53)  /* the bytes "SMVALUES" */

/* Returns XXH3-64 with seed 0. */
uint64_t spmmi_hash64(const void *bytes, uint64_t size);
/* Writes XXH3-128 in the canonical (big-endian) byte order of xxHash. */
void spmmi_hash128(const void *bytes, uint64_t size, uint8_t hash[16]);

/* Write the XXH3-128 digests of a matrix in canonical CSR form (docs/plan-format.md, "Digests"). */
void spmmi_digest_pattern(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                          uint8_t digest[16]);
void spmmi_digest_values(int64_t nnz, spmm_dtype_t dtype, const void *values, uint8_t digest[16]);

#endif
