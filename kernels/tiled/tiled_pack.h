/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the packed layout of the tiled family (tiled_kernel.h) on the host from a CSR pattern and a part. */
#ifndef SPMMI_TILED_PACK_H
#define SPMMI_TILED_PACK_H

#include "tiled_layout.h"

/* Builds the layout of a tiled part, which must satisfy spmmi_plan_check. The result does not depend on the
 * number of threads. Scratch: 4 bytes per nonzero, 8 per unit, 12 per row block, and up to 8 bytes per column
 * for each thread. scratch.h limits the number of threads by their scratch. If there are more than 4 columns
 * per nonzero, columns without nonzeros do not count, and 8 bytes per nonzero are added. Padding makes the
 * arrays up to 32 times as long as the nonzeros. Errors: MEMORY; TOO_LARGE if nonzeros, entries with padding
 * or units do not fit 32 bits. Free with spmmi_tiled_free. */
spmm_status_t spmmi_tiled_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled_layout *layout,
                                spmm_diag_t *diag);
void spmmi_tiled_free(struct spmmi_tiled_layout *layout);

/* Computes only the counts of that layout, with NULL pointers, and its bytes of scratch. Same errors. */
spmm_status_t spmmi_tiled_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled *counts, uint64_t *scratch,
                                spmm_diag_t *diag);

/* Returns the bytes of all arrays of a layout with these counts, without values and value_map. */
uint64_t spmmi_tiled_bytes(const struct spmmi_tiled *counts);

#endif
