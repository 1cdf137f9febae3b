/* SPDX-License-Identifier: Apache-2.0 */
/* A dense matrix as a file of another program: an array of Matrix Market where the name ends with .mtx, .mtx.gz or
 * .mtx.zst, else of NumPy (tools/compute/npy.h). */
#ifndef SPMM_TOOLS_EXPORT_DENSE_H
#define SPMM_TOOLS_EXPORT_DENSE_H

#include <stdbool.h>

#include <spmm/common.h>

bool export_dense_is_text(const char *path);

/* Write it, numbers of text with as few digits as read back to the same value; of a NaN not its bits. comment: whole
 * lines for text, or "". threads: 0 as many as the machine has. Errors: MEMORY, IO. */
spmm_status_t export_dense(const char *path, const spmm_dense_t *dense, const char *comment, int threads,
                           spmm_diag_t *diag);

#endif
