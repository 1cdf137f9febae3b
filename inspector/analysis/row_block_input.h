/* SPDX-License-Identifier: Apache-2.0 */
/* The input of row-block metrics: a pattern and its row blocks. */
#ifndef SPMMI_ROW_BLOCK_INPUT_H
#define SPMMI_ROW_BLOCK_INPUT_H

#include "format/plan.h"

/* A pattern and its row blocks. */
struct spmmi_row_block_input {
    int64_t cols;                /* columns of op(A) */
    uint64_t units;              /* rows, or segments of rows (format/matrix/units.h); at most UINT32_MAX */
    const int64_t *unit_ptr;     /* units + 1; for whole rows, these are the row pointers */
    const int32_t *col_ind;      /* ascending and unique in each unit */
    const uint32_t *permutation; /* the processing order of the units; NULL: the order of A */
    int64_t segment;             /* the argument of spmmi_units_cut; it is only copied to the metrics */
    uint32_t block_rows;         /* a multiple of 32, at most SPMMI_BLOCK_ROWS_MAX */
    uint32_t stage_slots;        /* SPMMI_STAGE_SLOTS_MIN .. SPMMI_STAGE_SLOTS_MAX */
    uint32_t value_bytes;        /* B_T: 2, 4 or 8 */
    uint32_t register_tile;      /* R, at least 1 */
    int64_t n;                   /* columns of B, at least 0 */
    int multiprocessors;         /* 0: unknown; utilization is then 0 */
    int threads;                 /* at least 1; does not change the metrics */
};

/* Returns the unit at a position of the permutation. */
static inline uint64_t spmmi_row_block_unit(const struct spmmi_row_block_input *in, uint64_t position)
{
    return in->permutation == NULL ? position : in->permutation[position];
}

/* Returns dividend / divisor, or 0 if divisor is 0. */
static inline double spmmi_quotient(int64_t dividend, int64_t divisor)
{
    return divisor == 0 ? 0.0 : (double)dividend / (double)divisor;
}

#endif
