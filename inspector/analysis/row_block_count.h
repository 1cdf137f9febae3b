/* SPDX-License-Identifier: Apache-2.0 */
/* What single row blocks of a tiled schedule hold; docs/statistics.md defines the metrics. */
#ifndef SPMMI_ROW_BLOCK_COUNT_H
#define SPMMI_ROW_BLOCK_COUNT_H

#include "row_block_pattern.h"

#define SPMMI_ROW_BLOCK_LANES 32u /* units of a warp */
#define SPMMI_ROW_BLOCK_LINE_BYTES 64u
#define SPMMI_ROW_BLOCK_SECTOR_BYTES 32u

struct spmmi_row_block_count {
    int64_t working_set, stages, slices, runs, lines, sectors;
};

/* Row blocks the units make; the last one may be lower. */
int64_t spmmi_row_blocks_of(const struct spmmi_row_block_input *in);

/* Nonzeros of row block index. */
int64_t spmmi_row_block_nonzeros(const struct spmmi_row_block_input *in, int64_t index);

/* counts[i] of row block list[i], or of row block i where list is NULL. most: nonzeros that none of them exceeds.
 * Errors: MEMORY. */
spmm_status_t spmmi_row_blocks_count(const struct spmmi_row_block_pattern *p, const int64_t *list,
                                     int64_t count, int64_t most, struct spmmi_row_block_count *counts);

#endif
