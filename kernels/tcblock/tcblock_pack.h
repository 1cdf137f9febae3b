/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the window, panel and bcsr families, built on the host from CSR and a part. */
#ifndef SPMMI_TCBLOCK_PACK_H
#define SPMMI_TCBLOCK_PACK_H

#include "tcblock_layout.h"

struct spmmi_tcblock_kind;
/* part is a part of this pattern, of a family of this kind, as spmmi_plan_check wants it; dtype: the value type,
 * which says how many values fill 16 bytes. The same arrays at any number of threads. Scratch: 24 bytes a unit, for
 * each thread 13 bytes a nonzero of the largest unit (panel: 37, bcsr: 24) and 1 (panel: 5, bcsr: 2) for each of its
 * columns that are marked, which are 64 a nonzero (panel: 8), 2^18 or those of the matrix at most (tcblock_rows.h); of
 * all threads more than of one as scratch.h allows. What is kept between the passes (tcblock_store.h) comes on top, as
 * far as there is memory: 168 bytes a unit and 13 a nonzero (window: 40 and 9, bcsr: 32 and 8) and a quarter more, at
 * most 128 MiB and the bytes of the nonzeros' values, which the caller takes later. Errors: MEMORY; TOO_LARGE when
 * nonzeros, columns or values with padding do not fit 32 bits. Free with spmmi_tcblocks_free. */
spmm_status_t spmmi_tcblocks_build(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblock_layout *layout, spmm_diag_t *diag);
/* The same without a value map: a GPU finds the positions itself (tcblock_scatter.h). Keeps at most keep_most bytes. */
spmm_status_t spmmi_tcblocks_build_unmapped(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                            const int64_t *row_ptr, const int32_t *col_ind,
                                            const struct spmmi_part *part, spmm_dtype_t dtype,
                                            uint64_t keep_most, struct spmmi_tcblock_layout *layout,
                                            spmm_diag_t *diag);
void spmmi_tcblocks_free(struct spmmi_tcblock_layout *layout);

/* The counts of that layout alone, whose pointers are NULL, and the bytes of scratch that it takes,
 * without what is kept. Same errors. */
spmm_status_t spmmi_tcblocks_count(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblocks *counts, uint64_t *scratch, spmm_diag_t *diag);

/* Entries of each array but items and splits, padding included; 0: the family has no such array. locals are counted by
 * blocks, 8 bytes each. */
struct spmmi_tcblock_sizes {
    uint64_t row_of, columns, locals, block_first, masks, bitmaps, value_first;
};
struct spmmi_tcblock_sizes spmmi_tcblock_sizes_of(const struct spmmi_tcblocks *counts);

/* Bytes of all arrays of a layout with these counts, padding included: without values and value_map. */
uint64_t spmmi_tcblocks_bytes(const struct spmmi_tcblocks *counts);

#endif
