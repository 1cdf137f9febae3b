/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the kernel for few columns (rows_staged.cuh), built on the host. */
#ifndef SPMMI_ROWS_STAGED_PACK_H
#define SPMMI_ROWS_STAGED_PACK_H

#include "rows_pack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in order: whole ones, of `nonzeros` and rows_max rows together at most, or one piece of a longer row, which
 * has its blocks for itself: as many nonzeros each, the rest in the last. Returns how many blocks there are and
 * writes them, and what is behind the last, to blocks unless it is NULL. */
uint32_t spmmi_staged_blocks_build(const struct spmmi_stream_host *stream, uint32_t nonzeros,
                                   uint32_t rows_max, struct spmmi_block *blocks);
/* Most nonzeros of a block, from `least` on by doubling to `most`: as few as make one wave of so many blocks; twice
 * that only where rows are long, of 256 nonzeros, and fill one and a half. Measured on an H200 over 40 matrices,
 * n = 1. */
uint32_t spmmi_staged_nonzeros(const struct spmmi_stream_host *stream, uint32_t least, uint32_t most,
                               uint32_t rows_max, uint32_t wave);

#ifdef __cplusplus
}
#endif
#endif
