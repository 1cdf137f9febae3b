/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows in the order of column panels: a nonzero split where B is larger than the L2 cache and long rows hold
 * many nonzeros.
 *
 * In the order of A, thread blocks that run at the same time read rows of B from everywhere, so that each is loaded
 * from DRAM again when the next long row needs it. Here the columns are cut into panels and rows into pieces at the
 * ends of panels; pieces come by panel, then by row. A piece of a row that was cut is stored in the workspace, and a
 * second kernel adds the pieces of a row in the order of its columns. */
#ifndef SPMMI_ROWS_PIECES_H
#define SPMMI_ROWS_PIECES_H

#include "rows_shape.h"

/* Measured on an H200 (docs/decisions/0048). */
#define SPMMI_ROWS_PANEL_COLUMNS 16384
#define SPMMI_ROWS_PIECE_NONZEROS 32 /* a piece has no fewer, unless its row has not */
#define SPMMI_ROWS_PIECE_GROUP_NONZEROS \
    32u                                 /* of a lane group: short blocks run in a small part of the panels */
#define SPMMI_ROWS_PIECE_ITEM 8u        /* item size of their stream */
#define SPMMI_ROWS_PIECES_ROW_BYTES 256 /* of a row of B, in a product that uses them, at least */
#define SPMMI_ROWS_TILE_BYTES 512       /* of a row of B in a column tile, at most */
/* The grids of such products: groups of 16 or 32 lanes. */
#define SPMMI_ROWS_PIECES_GRID_MIN 4
#define SPMMI_ROWS_PIECES_GRID_MAX 5

/* Are so many rows of B, with so many bytes in a column tile, more than the L2 cache keeps? */
static inline int spmmi_rows_pieces_exceed(uint64_t rows, uint64_t row_bytes, uint64_t l2_bytes)
{
    return rows * row_bytes > l2_bytes / 3 * 2;
}

/* On the device. */
struct spmmi_rows_pieces {
    uint32_t count, cut_rows; /* pieces of rows that were cut, and these rows; 0: there are none */
    uint32_t columns;         /* that have nonzeros: rows of B that are read */
    const uint32_t *first;    /* cut_rows + 1: the first piece of each; then count */
    const uint32_t *row;      /* cut_rows: rows of C */
};

/* Nonzeros of a block, before boundaries move, and how many blocks there are. */
static inline uint32_t spmmi_rows_piece_block(int grid)
{
    return (SPMMI_ROWS_THREADS >> grid) * SPMMI_ROWS_PIECE_GROUP_NONZEROS;
}

static inline uint32_t spmmi_rows_piece_blocks(uint32_t nnz, int grid)
{
    return (nnz - 1) / spmmi_rows_piece_block(grid) + 1;
}

#endif
