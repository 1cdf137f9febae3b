/* SPDX-License-Identifier: Apache-2.0 */
/* Counts for single row blocks of a tiled schedule. docs/statistics.md defines the metrics. */
#ifndef SPMMI_ROW_BLOCK_COUNT_H
#define SPMMI_ROW_BLOCK_COUNT_H

#include "row_block_pattern.h"

#define SPMMI_ROW_BLOCK_LANES 32u /* units per warp */
#define SPMMI_ROW_BLOCK_LINE_BYTES 64u
#define SPMMI_ROW_BLOCK_SECTOR_BYTES 32u

struct spmmi_row_block_count {
    int64_t working_set, stages, slices, runs, lines, sectors;
};

/* Returns the number of row blocks. The last one may have fewer units. */
int64_t spmmi_row_blocks_of(const struct spmmi_row_block_input *in);

/* Returns the number of nonzeros of row block `index`. */
int64_t spmmi_row_block_nonzeros(const struct spmmi_row_block_input *in, int64_t index);

/* Counts `count` row blocks: counts[i] is for row block list[i], or for row block i if list is NULL. most is
 * an upper limit of the nonzeros of each of these row blocks. Errors: MEMORY. */
spmm_status_t spmmi_row_blocks_count(const struct spmmi_row_block_pattern *p, const int64_t *list,
                                     int64_t count, int64_t most, struct spmmi_row_block_count *counts);

#endif
