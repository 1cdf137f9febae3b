/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the tiled family (tiled_kernel.h), built on the host from a CSR pattern and a part. */
#ifndef SPMMI_TILED_PACK_H
#define SPMMI_TILED_PACK_H

#include "tiled_layout.h"

/* part is a tiled part of this pattern, as spmmi_plan_check wants it. The same arrays at any number of threads.
 * Scratch: 4 bytes a nonzero, 8 a unit, 12 a row block; for each thread up to 8 bytes a column, of all threads more
 * than of one as scratch.h allows; where there are more than 4 columns a nonzero, those without nonzeros do not
 * count, and 8 bytes a nonzero come on top. Padding makes the arrays up to 32 times as long as the nonzeros. Errors:
 * MEMORY; TOO_LARGE when nonzeros, entries with padding or units do not fit 32 bits. Free with spmmi_tiled_free. */
spmm_status_t spmmi_tiled_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled_layout *layout,
                                spmm_diag_t *diag);
void spmmi_tiled_free(struct spmmi_tiled_layout *layout);

/* The counts of that layout alone, whose pointers are NULL, and the bytes of scratch that it takes. Same errors. */
spmm_status_t spmmi_tiled_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled *counts, uint64_t *scratch,
                                spmm_diag_t *diag);

/* Bytes of all arrays of a layout with these counts: without values and value_map. */
uint64_t spmmi_tiled_bytes(const struct spmmi_tiled *counts);

#endif
