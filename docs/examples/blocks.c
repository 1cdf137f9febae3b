/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: blocks of vectors. */
#include <stdlib.h>

#include "solver.h"

struct block block_make(struct solver *solver, int64_t rows, int64_t cols)
{
    if (solver->block_count == SOLVER_BLOCKS_MAX)
        solver_fail("there are too many blocks");
    double *data = solver->device->allocate((uint64_t)(rows * cols) * sizeof(double));
    solver->blocks[solver->block_count++] = data;
    return (struct block){data, rows, cols, cols};
}

struct block block_columns(const struct block *block, int64_t first, int64_t count)
{
    return (struct block){block->data + first, block->rows, count, block->ld};
}

static double random_number(uint64_t key)
{
    key = (key + 1) * UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((key ^ (key >> 31)) >> 11) * 0x1p-52 - 1;
}

void block_fill_random(const struct solver *solver, const struct block *block)
{
    double *host = malloc((size_t)(block->rows * block->cols) * sizeof *host);
    if (host == NULL)
        solver_fail("out of memory");
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t row = solver->permutation != NULL ? solver->permutation[i] : i;
        for (int64_t j = 0; j < block->cols; j++)
            host[i * block->cols + j] = random_number((uint64_t)(row * block->cols + j));
    }
    solver->device->write(block->data, host, block->rows * block->cols);
    free(host);
}
