/* SPDX-License-Identifier: Apache-2.0 */
/* The row block with the largest working set: its shared memory limits how many thread blocks run at a time, and its
 * stages take longest. */
#ifndef SPMMI_ROW_BLOCK_WIDEST_H
#define SPMMI_ROW_BLOCK_WIDEST_H

#include "row_block_input.h"

/* The row block that needs the most columns, as far as a sketch of 16,384 bits a row block can tell; 0 where there is
 * none. About a nanosecond a nonzero; the same at any number of threads. */
int64_t spmmi_row_block_widest(const struct spmmi_row_block_input *in);

#endif
