/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_widest.h. */
#include "row_block_widest.h"

#include <string.h>

#include "format/base/team.h"
#include "row_block_count.h"
#include "row_block_pattern.h"

#define SKETCH_LOG 14 /* log2 of the bits of a sketch */
#define SKETCH_WORDS ((1 << SKETCH_LOG) / 64)
#define SPREADER 2654435761u /* 2^32 / golden ratio (Fibonacci hashing): neighbours hash far apart */

/* Returns the number of bits that the hashed columns of a row block set. This estimates its distinct columns:
 * it is smaller only because of hash collisions. */
static int64_t sketch(const struct spmmi_row_block_input *in, int64_t index)
{
    uint64_t bits[SKETCH_WORDS] = {0};
    const uint64_t first = (uint64_t)index * in->block_rows;
    int64_t set = 0;
    for (uint64_t position = first; position < first + in->block_rows && position < in->units; position++) {
        const uint64_t unit = spmmi_row_block_unit(in, position);
        for (int64_t q = in->unit_ptr[unit]; q < in->unit_ptr[unit + 1]; q++) {
            const uint32_t bit = ((uint32_t)in->col_ind[q] * SPREADER) >> (32 - SKETCH_LOG);
            bits[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
    for (int w = 0; w < SKETCH_WORDS; w++)
        set += __builtin_popcountll(bits[w]);
    return set;
}

int64_t spmmi_row_block_widest(const struct spmmi_row_block_input *in)
{
    int64_t widest = 0, most = -1;
#pragma omp parallel for num_threads(spmmi_team(in->threads)) schedule(dynamic, 16)
    for (int64_t i = 0; i < spmmi_row_blocks_of(in); i++) {
        const int64_t set = spmmi_row_block_nonzeros(in, i) > 0 ? sketch(in, i) : 0;
#pragma omp critical(spmmi_row_block_widest)
        if (set > most || (set == most && i < widest)) {
            most = set;
            widest = i;
        }
    }
    return widest;
}
