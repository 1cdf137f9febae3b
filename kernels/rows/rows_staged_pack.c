/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_staged_pack.h. */
#include "rows_staged_pack.h"

#define LONG_MEAN 256u

/* Returns the rank after the block that begins with `rank`. The search has no branch on data, which the
 * processor could not predict: each step adds half of what is left, or nothing. */
static uint32_t block_end(const struct spmmi_stream_host *stream, uint32_t nonzeros, uint32_t rows_max,
                          uint32_t rank)
{
    const uint32_t most = spmmi_rank_start(stream, rank) + nonzeros;
    uint32_t fitting = 0, left = stream->ranks - rank < rows_max ? stream->ranks - rank : rows_max;
    while (left > 0) { /* `fitting` rows fit, and up to `left` more may fit */
        const uint32_t half = left - left / 2;
        fitting += spmmi_rank_start(stream, rank + fitting + half) <= most ? half : 0;
        left /= 2;
    }
    return rank + fitting;
}

uint32_t spmmi_staged_blocks_build(const struct spmmi_stream_host *stream, uint32_t nonzeros,
                                   uint32_t rows_max, struct spmmi_block *blocks)
{
    uint32_t count = 0, rank = 0, piece = 0; /* piece: nonzeros of the row that are already in blocks */
    while (rank < stream->ranks) {
        const uint32_t end = block_end(stream, nonzeros, rows_max, rank);
        const uint32_t start = spmmi_rank_start(stream, rank),
                       length = spmmi_rank_start(stream, rank + 1) - start;
        if (blocks != NULL)
            blocks[count] = (struct spmmi_block){start + piece, piece > 0 ? rank | SPMMI_ITEM_INSIDE : rank};
        count++;
        piece = end > rank || length - piece <= nonzeros ? 0 : piece + nonzeros;
        if (piece == 0)
            rank = end > rank ? end : rank + 1;
    }
    if (blocks != NULL)
        blocks[count] = (struct spmmi_block){stream->nnz, stream->ranks};
    return count;
}

uint32_t spmmi_staged_nonzeros(const struct spmmi_stream_host *stream, uint32_t least, uint32_t most,
                               uint32_t rows_max, uint32_t wave)
{
    uint32_t nonzeros = least;
    while (nonzeros < most) {
        const int is_least = nonzeros == least;
        const uint32_t enough = is_least ? wave : wave + wave / 2;
        if (!is_least && stream->nnz / LONG_MEAN < stream->ranks)
            break;
        /* A block has at most `nonzeros` nonzeros, so large matrices are excluded without counting their
         * blocks. */
        if ((stream->nnz + nonzeros - 1) / nonzeros <= enough &&
            spmmi_staged_blocks_build(stream, nonzeros, rows_max, NULL) <= enough)
            break;
        nonzeros *= 2;
    }
    return nonzeros;
}
