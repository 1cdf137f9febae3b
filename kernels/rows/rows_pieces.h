/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows in the order of column panels: a nonzero split for products in which B is larger than the L2
 * cache and long rows hold many nonzeros.
 *
 * In the order of A, thread blocks that run at the same time read rows of B from everywhere. Each row of B is
 * then loaded from DRAM again when the next long row needs it. Here the columns are divided into panels, and
 * rows are cut into pieces at the ends of panels. Pieces are ordered by panel, then by row. The sum of a
 * piece of a cut row is stored in the workspace, and a second kernel adds the pieces of a row in the order of
 * its columns. */
#ifndef SPMMI_ROWS_PIECES_H
#define SPMMI_ROWS_PIECES_H

#include "rows_shape.h"

/* Measured on an H200 (docs/decisions/0048). */
#define SPMMI_ROWS_PANEL_COLUMNS 16384
#define SPMMI_ROWS_PIECE_NONZEROS 32 /* least nonzeros of a piece, unless its row has fewer */
#define SPMMI_ROWS_PIECE_GROUP_NONZEROS \
    32u                                 /* per lane group: short blocks cover a small part of the panels */
#define SPMMI_ROWS_PIECE_ITEM 8u        /* item size of the stream of pieces */
#define SPMMI_ROWS_PIECES_ROW_BYTES 256 /* least bytes of a row of B in products that use pieces */
#define SPMMI_ROWS_TILE_BYTES 512       /* most bytes of a row of B in a column tile */
/* The grids of products that use pieces: groups of 16 or 32 lanes. */
#define SPMMI_ROWS_PIECES_GRID_MIN 4
#define SPMMI_ROWS_PIECES_GRID_MAX 5

/* Returns true if this number of rows of B, with row_bytes in a column tile, exceeds what the L2 cache
 * keeps. */
static inline int spmmi_rows_pieces_exceed(uint64_t rows, uint64_t row_bytes, uint64_t l2_bytes)
{
    return rows * row_bytes > l2_bytes / 3 * 2;
}

/* Pieces on the device. */
struct spmmi_rows_pieces {
    uint32_t count, cut_rows; /* pieces of rows that were cut, and the number of these rows; 0: none */
    uint32_t columns;         /* number of columns with nonzeros: rows of B that are read */
    const uint32_t *first;    /* cut_rows + 1: first piece of each cut row, then count */
    const uint32_t *row;      /* cut_rows: rows of C of the cut rows */
};

/* Return the nonzeros of a block before boundaries move, and the number of blocks. */
static inline uint32_t spmmi_rows_piece_block(int grid)
{
    return (SPMMI_ROWS_THREADS >> grid) * SPMMI_ROWS_PIECE_GROUP_NONZEROS;
}

static inline uint32_t spmmi_rows_piece_blocks(uint32_t nnz, int grid)
{
    return (nnz - 1) / spmmi_rows_piece_block(grid) + 1;
}

#endif
