/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows (rows_pieces.h), built on the host from a CSR pattern. */
#ifndef SPMMI_ROWS_PIECES_PACK_H
#define SPMMI_ROWS_PIECES_PACK_H

#include "format/plan.h"
#include "rows_pack.h"
#include "rows_pieces.h"

/* Counts of the pieces of a matrix. */
struct spmmi_rows_pieces_size {
    uint32_t pieces;        /* number of pieces of all rows */
    uint32_t cut, cut_rows; /* number of pieces of rows that were cut, number of these rows */
};

/* A pattern whose rows are pieces. */
struct spmmi_rows_pieces_host {
    struct spmmi_rows_pieces_size size;
    int64_t *row_ptr; /* pieces + 1 */
    int32_t *col_ind;
    uint32_t *map;         /* position of each nonzero in A */
    uint32_t *target;      /* pieces + 1: row of C, or rows of C + number among the pieces of cut rows */
    uint32_t *first, *row; /* struct spmmi_rows_pieces */
};

/* Returns true if a GPU with this L2 cache multiplies the plan by pieces, for large n and op N. Then cut rows
 * hold at least a quarter of the nonzeros, and seven eighths of the nonzeros are in the panel of their piece.
 * *size is complete only if this is true. */
int spmmi_rows_pieces_pay(const spmm_plan_t *plan, uint64_t l2_bytes, struct spmmi_rows_pieces_size *size);
/* Builds the pieces. Free them with spmmi_rows_pieces_host_free. */
spmm_status_t spmmi_rows_pieces_build(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size,
                                      struct spmmi_rows_pieces_host *host, spmm_diag_t *diag);
void spmmi_rows_pieces_host_free(struct spmmi_rows_pieces_host *host);
/* Returns the most bytes that building takes. */
uint64_t spmmi_rows_pieces_host_bytes(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size);

#endif
