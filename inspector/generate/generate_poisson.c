/* SPDX-License-Identifier: Apache-2.0 */
/* Laplacians of grids that are surrounded by zeros: -1 for each of the 4 or 6 neighbours, and 4 or 6 on the
 * diagonal. They are symmetric positive definite, and their eigenvalues are known: the sum over the sides of
 * 2 - 2 cos(pi j / (n + 1)), for a side of n points and j = 1 .. n. */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "generate.h"

#define STENCIL_MAX 7
#define PARALLEL_ROWS_MIN 4096 /* below this many rows one thread is faster */

struct grid {
    int64_t nx, ny, nz;
    int diagonal; /* twice the dimension */
};

/* Writes the neighbours of a grid point in ascending order: from the previous plane, the previous line, the
 * same line, and so on. */
static int64_t grid_row(const void *context, int64_t row, int32_t *out)
{
    const struct grid *g = context;
    const int64_t plane = g->nx * g->ny, x = row % g->nx, y = row / g->nx % g->ny, z = row / plane;
    const struct {
        int64_t step;
        int is_inside;
    } neighbours[STENCIL_MAX] = {{-plane, z > 0},    {-g->nx, y > 0},        {-1, x > 0},           {0, 1},
                                 {1, x + 1 < g->nx}, {g->nx, y + 1 < g->ny}, {plane, z + 1 < g->nz}};
    int64_t count = 0;
    for (int i = 0; i < STENCIL_MAX; i++)
        if (neighbours[i].is_inside)
            out[count++] = (int32_t)(row + neighbours[i].step);
    return count;
}

static spmm_status_t values_fill(const struct grid *grid, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_ALLOC(matrix->values = spmmi_alloc((uint64_t)matrix->nnz, sizeof *matrix->values), diag);
#pragma omp parallel for num_threads(spmmi_team(matrix->rows > PARALLEL_ROWS_MIN ? 0 : 1)) schedule(static)
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t p = matrix->row_ptr[i]; p < matrix->row_ptr[i + 1]; p++)
            matrix->values[p] = matrix->col_ind[p] == i ? grid->diagonal : -1;
cleanup:
    return status;
}

static spmm_status_t build_grid(struct grid grid, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = grid.nx * grid.ny * grid.nz; /* sides are at most 2^16 */
    const struct spmmi_row_source source = {.rows = rows,
                                            .cols = rows,
                                            .nnz_bound = rows * (grid.diagonal + 1),
                                            .row_bound = STENCIL_MAX,
                                            .fill = grid_row,
                                            .context = &grid};
    SPMM_TRY(spmmi_generate_rows(&source, matrix, diag));
    SPMM_TRY(values_fill(&grid, matrix, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_generate_poisson2(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_grid((struct grid){args[0], args[1], 1, 4}, matrix, diag);
}

spmm_status_t spmmi_generate_poisson3(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_grid((struct grid){args[0], args[1], args[2], 6}, matrix, diag);
}
