/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_staged_pack.h. */
#include "rows_staged_pack.h"

#define LONG_MEAN 256u

/* The first rank behind the block that begins with this one. */
static uint32_t block_end(const struct spmmi_stream_host *stream, uint32_t nonzeros, uint32_t rows_max,
                          uint32_t rank)
{
    const uint32_t start = stream->rank_start[rank];
    uint32_t high = stream->ranks - rank < rows_max ? stream->ranks : rank + rows_max;
    while (rank < high) { /* rows before `rank` fit, those from `high` on do not, or are too many */
        const uint32_t middle = rank + (high - rank) / 2;
        if (stream->rank_start[middle + 1] - start <= nonzeros)
            rank = middle + 1;
        else
            high = middle;
    }
    return rank;
}

uint32_t spmmi_staged_blocks_build(const struct spmmi_stream_host *stream, uint32_t nonzeros,
                                   uint32_t rows_max, struct spmmi_block *blocks)
{
    uint32_t count = 0, rank = 0, piece = 0; /* piece: nonzeros of the row that are in blocks already */
    while (rank < stream->ranks) {
        const uint32_t end = block_end(stream, nonzeros, rows_max, rank);
        const uint32_t length = stream->rank_start[rank + 1] - stream->rank_start[rank];
        if (blocks != NULL)
            blocks[count] = (struct spmmi_block){stream->rank_start[rank] + piece,
                                                 piece > 0 ? rank | SPMMI_ITEM_INSIDE : rank};
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
        /* There are no fewer than full ones: those of a large matrix need not be counted. */
        if ((stream->nnz + nonzeros - 1) / nonzeros <= enough &&
            spmmi_staged_blocks_build(stream, nonzeros, rows_max, NULL) <= enough)
            break;
        nonzeros *= 2;
    }
    return nonzeros;
}
