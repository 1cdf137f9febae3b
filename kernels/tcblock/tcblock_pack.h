/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the packed layout of the window, panel and bcsr families on the host from CSR and a part. */
#ifndef SPMMI_TCBLOCK_PACK_H
#define SPMMI_TCBLOCK_PACK_H

#include "tcblock_layout.h"

struct spmmi_tcblock_kind;
/* Builds the layout of a part, which must satisfy spmmi_plan_check and be of a family of this kind.
 * dtype is the value type, which determines how many values fill 16 bytes. The result does not depend
 * on the number of threads.
 *
 * Scratch: 24 bytes per unit. Each thread also needs 13 bytes per nonzero of the largest unit (panel: 37,
 * bcsr: 24), and 1 byte (panel: 5, bcsr: 2) per marked column of the unit. The number of marked columns is at
 * most 64 per nonzero (panel: 8), 2^18, and the columns of the matrix (tcblock_rows.h). scratch.h limits the
 * number of threads by their scratch. Units that are kept between the passes (tcblock_store.h) take more if
 * there is memory: 168 bytes per unit and 13 per nonzero (window: 40 and 9, bcsr: 32 and 8) and a quarter
 * more, at most 128 MiB and at most the bytes of the values, which the caller allocates later.
 *
 * Errors: MEMORY; TOO_LARGE if nonzeros, columns or values with padding do not fit 32 bits. Free
 * with spmmi_tcblocks_free. */
spmm_status_t spmmi_tcblocks_build(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblock_layout *layout, spmm_diag_t *diag);
/* Builds the same layout without a value map; a GPU finds the positions itself (tcblock_scatter.h). Keeps at
 * most keep_most bytes of units. */
spmm_status_t spmmi_tcblocks_build_unmapped(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                            const int64_t *row_ptr, const int32_t *col_ind,
                                            const struct spmmi_part *part, spmm_dtype_t dtype,
                                            uint64_t keep_most, struct spmmi_tcblock_layout *layout,
                                            spmm_diag_t *diag);
void spmmi_tcblocks_free(struct spmmi_tcblock_layout *layout);

/* Computes only the counts of that layout, with NULL pointers, and its bytes of scratch
 * without kept units. Same errors. */
spmm_status_t spmmi_tcblocks_count(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblocks *counts, uint64_t *scratch, spmm_diag_t *diag);

/* Entries of each array except items and splits, padding included. 0: the family does not have the array.
 * Entries of locals are blocks of 8 bytes. */
struct spmmi_tcblock_sizes {
    uint64_t row_of, columns, locals, block_first, masks, bitmaps, value_first;
};
struct spmmi_tcblock_sizes spmmi_tcblock_sizes_of(const struct spmmi_tcblocks *counts);

/* Returns the bytes of all arrays of a layout with these counts, padding included,
 * without values and value_map. */
uint64_t spmmi_tcblocks_bytes(const struct spmmi_tcblocks *counts);

#endif
