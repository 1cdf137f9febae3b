/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_columns_pack.h. */
#include "tiled_columns_pack.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/many_columns.h"
#include "format/base/team.h"

#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)

void spmmi_tiled_columns_sort(uint32_t *list, uint32_t *spare, uint32_t count, uint32_t low, uint32_t high)
{
    uint32_t *from = list, *to = spare;
    for (uint32_t shift = 0; shift < 32 && (high - low) >> shift > 0; shift += DIGIT_BITS) {
        uint32_t positions[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < count; i++)
            positions[((from[i] - low) >> shift) % DIGITS + 1]++;
        for (uint32_t d = 1; d < DIGITS; d++)
            positions[d] += positions[d - 1];
        for (uint32_t i = 0; i < count; i++)
            to[positions[((from[i] - low) >> shift) % DIGITS]++] = from[i];
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, (size_t)count * sizeof *list);
}

/* Moves the distinct entries of a sorted list to its front. Returns their number. */
static uint32_t distinct_keep(uint32_t *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

/* Returns the position of a column in a sorted list that contains it. */
static uint32_t rank_of(const uint32_t *list, uint32_t count, uint32_t column)
{
    uint32_t low = 0;
    while (count > 1) {
        const uint32_t half = count / 2;
        low += list[low + half] <= column ? half : 0;
        count -= half;
    }
    return low;
}

spmm_status_t spmmi_tiled_columns_make(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                       struct spmmi_tiled_columns *columns, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *columns = (struct spmmi_tiled_columns){.count = cols, .col_ind = col_ind};
    if (!spmmi_columns_are_many(cols, nnz))
        goto cleanup;
    SPMM_TRY_ALLOC(columns->column_of = spmmi_alloc((uint64_t)nnz, sizeof *columns->column_of), diag);
    SPMM_TRY_ALLOC(columns->ranks = spmmi_alloc((uint64_t)nnz, sizeof *columns->ranks), diag);
    for (int64_t q = 0; q < nnz; q++)
        columns->column_of[q] = (uint32_t)col_ind[q];
    spmmi_tiled_columns_sort(columns->column_of, columns->ranks, (uint32_t)nnz, 0, (uint32_t)cols);
    const uint32_t count = distinct_keep(columns->column_of, (uint32_t)nnz);
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t q = 0; q < nnz; q++)
        columns->ranks[q] = rank_of(columns->column_of, count, (uint32_t)col_ind[q]);
    columns->count = count;
    columns->col_ind = (const int32_t *)columns->ranks; /* ranks are below 2^31, like the columns */
cleanup:
    return status;
}

void spmmi_tiled_columns_free(struct spmmi_tiled_columns *columns)
{
    spmmi_free(columns->ranks);
    spmmi_free(columns->column_of);
    memset(columns, 0, sizeof *columns);
}
