/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of row blocks, see docs/statistics.md "Sampled metrics". */
#ifndef SPMMI_ROW_BLOCK_SAMPLE_H
#define SPMMI_ROW_BLOCK_SAMPLE_H

#include <stdbool.h>

#include "row_block_input.h"

struct spmmi_row_block_sample {
    int64_t *list;  /* count row blocks that hold nonzeros, ascending; among them the one with the most */
    double *weight; /* of the metrics of each in the sums of all row blocks */
    int64_t count;
    int64_t most; /* nonzeros of that row block */
    bool is_all;  /* that hold nonzeros */
};

/* At most row_blocks_max + 1 row blocks; all of them, with weight 1, where no more than row_blocks_max hold nonzeros.
 * The same on every machine. Errors: MEMORY. Free with spmmi_row_block_sample_close, also after an error. */
spmm_status_t spmmi_row_block_sample_open(const struct spmmi_row_block_input *in, int64_t row_blocks_max,
                                          struct spmmi_row_block_sample *sample);
void spmmi_row_block_sample_close(struct spmmi_row_block_sample *sample);

#endif
