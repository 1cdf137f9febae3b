/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the kernel for few columns (rows_staged.cuh), built on the host. */
#ifndef SPMMI_ROWS_STAGED_PACK_H
#define SPMMI_ROWS_STAGED_PACK_H

#include "rows_pack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cuts the rows, in order, into blocks. A block has whole rows, together at most `nonzeros` nonzeros and
 * rows_max rows, or one piece of a longer row. The pieces of a row have `nonzeros` nonzeros each, the last
 * one the rest. Returns the number of blocks. Writes them, and the end of the last one, to blocks unless it
 * is NULL. */
uint32_t spmmi_staged_blocks_build(const struct spmmi_stream_host *stream, uint32_t nonzeros,
                                   uint32_t rows_max, struct spmmi_block *blocks);
/* Returns the most nonzeros of a block: `least`, doubled while it is less than `most`. It is doubled once if
 * the blocks exceed a wave of `wave` blocks, and again only while they exceed one and a half waves and the
 * mean row has at least 256 nonzeros. Measured on an H200 over 40 matrices, n = 1. */
uint32_t spmmi_staged_nonzeros(const struct spmmi_stream_host *stream, uint32_t least, uint32_t most,
                               uint32_t rows_max, uint32_t wave);

#ifdef __cplusplus
}
#endif
#endif
