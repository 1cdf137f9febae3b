/* SPDX-License-Identifier: Apache-2.0 */
/* What an order of the rows does for tensor cores: blocks that hold nonzeros, and columns that rows share. */
#ifndef SPMMI_ROW_FIGURES_H
#define SPMMI_ROW_FIGURES_H

#include <spmm/plan.h>

/* Rows of the order are taken 8 or 16 at a time, from the first one on: a strip, the last one may be lower. */
enum spmmi_block_shape {
    SPMMI_BLOCKS_8X8,   /* strips of 8: 8 of the union of their columns are a block: ceil(|union| / 8) */
    SPMMI_BLOCKS_16X8,  /* strips of 16: aligned columns 8 c .. 8 c + 7 that hold a nonzero are one */
    SPMMI_BLOCKS_16X16, /* strips of 16: aligned columns 16 c .. 16 c + 15 */
    SPMMI_BLOCK_SHAPES
};

struct spmmi_block_count {
    int64_t blocks;
    int64_t most;        /* blocks of the strip that has most */
    double mean, stddev; /* blocks a strip; the deviation is that of the population */
};

/* All exact, and the same at any number of threads. */
struct spmmi_row_figures {
    struct spmmi_block_count blocks[SPMMI_BLOCK_SHAPES];
    int64_t footprint
        [SPMM_PANEL_HEIGHTS]; /* sum over the panels of 8, 16, .. 256 rows of their distinct columns */
    double reuse[SPMM_PANEL_HEIGHTS]; /* rho: nnz / footprint */
};

/* order[rows]; NULL: as they are. Columns ascend in each row. O(nnz + rows + cols) time; each thread holds 4 bytes a
 * column and 3 for every 4 columns, and there are fewer threads where that is much for the nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_row_figures_count(int64_t rows, int64_t cols, const int64_t *row_ptr,
                                      const int32_t *col_ind, const uint32_t *order, int threads,
                                      struct spmmi_row_figures *figures);

#endif
