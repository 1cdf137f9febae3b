/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the row block with the largest working set. Its shared memory limits how many thread blocks
 * run at a time, and its stages take the longest time. */
#ifndef SPMMI_ROW_BLOCK_WIDEST_H
#define SPMMI_ROW_BLOCK_WIDEST_H

#include "row_block_input.h"

/* Returns the row block with the most distinct columns, estimated with a sketch of 16,384 bits per row block,
 * or 0 if there is no row block. Takes about one nanosecond per nonzero. The result does not depend on the
 * number of threads. */
int64_t spmmi_row_block_widest(const struct spmmi_row_block_input *in);

#endif
