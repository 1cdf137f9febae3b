/* SPDX-License-Identifier: Apache-2.0 */
/* A nonzero split of one column whose thread blocks have lists of columns: a second arrangement of op(A). A
 * block has whole rows or a piece of a long row, and the sorted list of the columns in them. It loads each
 * value of B of its list once, into a slot of shared memory. A nonzero has a local index: the slot of its
 * column.
 *
 * Each thread has consecutive nonzeros of its block. They are stored in words of four entries: first the
 * first word of each thread, then the second, and so on. The last threads may have none, and the last word
 * may have padding, with value 0 and index 0. */
#ifndef SPMMI_ROWS_GATHERED_SHAPE_H
#define SPMMI_ROWS_GATHERED_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_GATHERED_THREADS 512u
#define SPMMI_GATHERED_BLOCKS_PER_SM 2u
#define SPMMI_GATHERED_WORD 4u
#define SPMMI_GATHERED_ROW_END 0x8000u /* flag in a local index: the last nonzero of its row in the block */
#define SPMMI_GATHERED_NONZEROS_MAX 16384u
#define SPMMI_GATHERED_COLUMNS_MAX (1 << 22) /* of op(A): to pack a block, the host visits a bit for each */

struct spmmi_gathered_block {
    uint32_t entry;          /* its first value and local index */
    uint32_t list;           /* first entry of its list of columns */
    uint32_t columns;        /* length of the list */
    uint32_t rank;           /* its first row */
    uint32_t ranks;          /* number of rows; a piece: number of pieces of the row */
    uint32_t piece;          /* block with the first piece of the row; SPMMI_NONE: whole rows */
    uint32_t threads, words; /* threads that have entries, and words of each */
};

/* Returns the most nonzeros of a block. Blocks of 16,384 load fewer values of B, but with sums of 8 bytes
 * they leave too little L1 cache, and small matrices have too few of them (docs/decisions/0134). */
static inline uint32_t spmmi_gathered_nonzeros(uint32_t nnz, uint64_t sum_bytes)
{
    return sum_bytes == 4 && nnz >= 1u << 20 ? SPMMI_GATHERED_NONZEROS_MAX : SPMMI_GATHERED_NONZEROS_MAX / 2;
}
/* Returns the most rows of such a block. */
static inline uint32_t spmmi_gathered_rows(uint32_t nonzeros)
{
    return nonzeros / 2;
}

/* Returns the slot of position p of a list, which is also the number of slots of p positions. Each 32 slots a
 * slot stays free: adjacent threads read values that are up to 32 positions apart, for a full row exactly 32,
 * which would all be in one bank of shared memory (docs/decisions/0138). */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_gathered_slot(uint32_t p)
{
    return p + p / 32;
}
/* Returns the most positions that have no more than this number of slots. */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_gathered_positions(uint32_t slots)
{
    return slots / 33 * 32 + (slots % 33 < 32 ? slots % 33 : 31);
}
/* The most bytes of shared memory of a block, which has the slots of its list and a sum for each of its rows:
 * 98 KiB for every type. */
#define SPMMI_GATHERED_SHARED_MAX (SPMMI_GATHERED_NONZEROS_MAX / 32 * 49 * 4)
#define SPMMI_GATHERED_SHARED_OWN 1024u /* at least the bytes of other variables */

/* Return true if blocks with lists of columns are tried, and if they are used once the lists are counted:
 * columns is the length of all lists, changes the number of nonzeros whose column is in another group of 8
 * columns than that of the nonzero before in their block. rows_staged.cuh is faster with fewer nonzeros, with
 * values of B that are hardly used again in a block (docs/decisions/0134), and with neighbouring columns, whose
 * values adjacent threads load from the same sectors (docs/decisions/0138). */
static inline int spmmi_gathered_tries(int64_t nnz, uint64_t sum_bytes)
{
    return nnz >= (sum_bytes == 4 ? 1 << 19 : 1 << 20);
}
static inline int spmmi_gathered_pays(uint64_t columns, uint64_t changes, uint64_t nnz)
{
    return columns * 5 <= nnz * 4 && changes * 4 >= nnz;
}

/* Return the position of nonzero e of a thread, and of nonzero p of a block, from its first entry on. */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_gathered_place(uint32_t threads, uint32_t thread, uint32_t e)
{
    return (e / SPMMI_GATHERED_WORD * threads + thread) * SPMMI_GATHERED_WORD + e % SPMMI_GATHERED_WORD;
}
SPMMI_HOST_DEVICE static inline uint32_t spmmi_gathered_at(uint32_t threads, uint32_t words, uint32_t p)
{
    const uint32_t own = words * SPMMI_GATHERED_WORD;
    return spmmi_gathered_place(threads, p / own, p % own);
}

#endif
