/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of row blocks (docs/statistics.md "Sampled metrics"). */
#ifndef SPMMI_ROW_BLOCK_SAMPLE_H
#define SPMMI_ROW_BLOCK_SAMPLE_H

#include <stdbool.h>

#include "row_block_input.h"

struct spmmi_row_block_sample {
    int64_t *list;  /* count row blocks with nonzeros, ascending, including the one with the most nonzeros */
    double *weight; /* the weight of each row block in sums over all row blocks */
    int64_t count;
    int64_t most; /* maximum nonzeros of a row block */
    bool is_all;  /* whether the sample has all row blocks with nonzeros */
};

/* Draws a sample of at most row_blocks_max + 1 row blocks. If at most row_blocks_max row blocks have
 * nonzeros, the sample has all of them, with weight 1. The sample is the same on every machine. Errors:
 * MEMORY. Free with spmmi_row_block_sample_close, also after an error. */
spmm_status_t spmmi_row_block_sample_open(const struct spmmi_row_block_input *in, int64_t row_blocks_max,
                                          struct spmmi_row_block_sample *sample);
void spmmi_row_block_sample_close(struct spmmi_row_block_sample *sample);

#endif
