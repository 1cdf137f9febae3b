/* SPDX-License-Identifier: Apache-2.0 */
/* Writes dense matrices as files of other programs: an array in Matrix Market format if the name ends with
 * .mtx, .mtx.gz or .mtx.zst, else a NumPy file (tools/compute/npy.h). export_dense_is_text returns true for
 * Matrix Market. */
#ifndef SPMM_TOOLS_EXPORT_DENSE_H
#define SPMM_TOOLS_EXPORT_DENSE_H

#include <stdbool.h>

#include <spmm/common.h>

bool export_dense_is_text(const char *path);

/* Writes the matrix. Text has the fewest digits that read back to the same value, but does not keep the bits
 * of a NaN. comment: whole lines for text, or "". threads: 0 for all of the machine. Errors: MEMORY, IO. */
spmm_status_t export_dense(const char *path, const spmm_dense_t *dense, const char *comment, int threads,
                           spmm_diag_t *diag);

#endif
