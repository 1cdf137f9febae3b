/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows (rows_pieces.h), built on the host from a CSR pattern. */
#ifndef SPMMI_ROWS_PIECES_PACK_H
#define SPMMI_ROWS_PIECES_PACK_H

#include "format/plan.h"
#include "rows_pack.h"
#include "rows_pieces.h"

/* What cutting gives. */
struct spmmi_rows_pieces_size {
    uint32_t pieces;        /* of all rows */
    uint32_t cut, cut_rows; /* pieces of rows that were cut, and these rows */
};

/* A pattern whose rows are pieces. */
struct spmmi_rows_pieces_host {
    struct spmmi_rows_pieces_size size;
    int64_t *row_ptr; /* pieces + 1 */
    int32_t *col_ind;
    uint32_t *map;         /* the nonzero of A that each is */
    uint32_t *target;      /* pieces + 1: row of C, or rows of C + number among the pieces of cut rows */
    uint32_t *first, *row; /* struct spmmi_rows_pieces */
};

/* Does a GPU with such an L2 cache multiply this plan by pieces, where n is large, op N? Cut rows hold a quarter of the
 * nonzeros or more, and seven of eight nonzeros are in the panel of their piece. *size is whole if it does. */
int spmmi_rows_pieces_pay(const spmm_plan_t *plan, uint64_t l2_bytes, struct spmmi_rows_pieces_size *size);
/* Free with spmmi_rows_pieces_host_free. */
spmm_status_t spmmi_rows_pieces_build(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size,
                                      struct spmmi_rows_pieces_host *host, spmm_diag_t *diag);
void spmmi_rows_pieces_host_free(struct spmmi_rows_pieces_host *host);
/* Most bytes that it takes. */
uint64_t spmmi_rows_pieces_host_bytes(const spmm_plan_t *plan, const struct spmmi_rows_pieces_size *size);

#endif
