/* SPDX-License-Identifier: Apache-2.0 */
/* See random_matrix.h. Random numbers give the distance between entries, so that there is one draw per
 * entry. */
#include "random_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "tools/cli/fail.h"
#include "tools/compute/dense_matrix.h"

#define SEED_POSITIONS 1u
#define SEED_VALUES 2u

/* A position in the list of all elements, row by row. */
struct positions {
    int64_t end; /* position after the last element */
    double per_gap;
    int64_t draws, at;
};

static struct positions positions_of(int64_t rows, double density)
{
    return (struct positions){rows * rows, 1.0 / log1p(-density), 0, -1};
}

/* Advances to the next entry. Returns 0 if there is none. */
static int next_position(struct positions *p)
{
    const double uniform = 0.5 * (1.0 - dense_random(SPMM_F64, SEED_POSITIONS, p->draws++, 0));
    const double gap = floor(log(uniform) * p->per_gap);
    if (!(gap < (double)(p->end - p->at - 1)))
        return 0;
    p->at += 1 + (int64_t)gap;
    return 1;
}

static void fill(int64_t rows, struct positions p, int64_t *row_ptr, int32_t *col_ind, double *values)
{
    int64_t count = 0;
    while (next_position(&p)) {
        row_ptr[p.at / rows + 1]++;
        col_ind[count] = (int32_t)(p.at % rows);
        values[count] = dense_random(SPMM_F32, SEED_VALUES, p.at / rows, p.at % rows);
        count++;
    }
    for (int64_t i = 0; i < rows; i++)
        row_ptr[i + 1] += row_ptr[i];
}

spmm_status_t random_matrix(int64_t rows, double density, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    int64_t nnz = 0;
    for (struct positions p = positions_of(rows, density); next_position(&p);)
        nnz++;
    int64_t *row_ptr = calloc((size_t)rows + 1, sizeof *row_ptr);
    int32_t *col_ind = malloc(((size_t)nnz + 1) * sizeof *col_ind);
    double *values = malloc(((size_t)nnz + 1) * sizeof *values);
    spmm_status_t status = SPMM_OK;
    if (row_ptr == NULL || col_ind == NULL || values == NULL) {
        status = fail_memory(diag, (uint64_t)nnz * 12, "a random matrix");
        goto cleanup;
    }
    fill(rows, positions_of(rows, density), row_ptr, col_ind, values);
    const spmm_csr_t view = {rows, rows, nnz, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    status = spmm_matrix_from_csr(&view, matrix, diag);
cleanup:
    free(values);
    free(col_ind);
    free(row_ptr);
    return status;
}
