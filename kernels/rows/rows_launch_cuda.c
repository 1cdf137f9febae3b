/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_launch_cuda.h. */
#include "rows_launch_cuda.h"

#include <string.h>

#define WORKSPACE_ALIGN 256u

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
}

static int is_aligned(const spmm_dense_t *dense, uint32_t vec, size_t value_bytes)
{
    return dense->ld % (int64_t)vec == 0 && (uintptr_t)dense->data % (vec * value_bytes) == 0;
}

/* A single column is the same in both layouts: with ld = 1 it is row-major. */
static int needs_conversion(const spmm_dense_t *dense)
{
    return dense->layout == SPMM_COL_MAJOR && dense->cols > 1;
}

static int stores_columns(const struct spmmi_rows_problem *problem)
{
    return spmmi_rows_stores_columns(problem->rows, problem->nnz, problem->b->cols);
}

/* Arrival counters and slots of rows that blocks share, for the column tiles of one launch, from `bytes` on. */
static uint64_t position_shared_rows(struct spmmi_rows_launch *launch, size_t value_bytes, uint64_t bytes)
{
    const uint64_t width = (uint64_t)launch->shape.lanes * launch->shape.vec;
    uint64_t tiles = ((uint64_t)launch->n_pass + width - 1) / width;
    tiles = tiles < SPMMI_ROWS_TILES_MAX ? tiles : SPMMI_ROWS_TILES_MAX;
    const uint64_t words = launch->block_count * tiles;
    launch->arrivals_offset = bytes;
    launch->slots_offset = align_up(bytes + words * sizeof(uint64_t));
    return align_up(launch->slots_offset + 2 * words * width * value_bytes);
}

void spmmi_rows_launch_plan(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                            struct spmmi_rows_launch *launch)
{
    const size_t value_bytes = spmm_dtype_size(problem->dtype);
    const uint32_t wide = (uint32_t)(16 / value_bytes);
    const int64_t n = problem->b->cols;
    memset(launch, 0, sizeof *launch);
    launch->converts_b = needs_conversion(problem->b);
    launch->converts_c = needs_conversion(problem->c) && !stores_columns(problem);
    launch->n_pass = n;
    if (launch->converts_b || launch->converts_c)
        launch->n_pass = n < SPMMI_ROWS_PASS_COLUMNS ? n : SPMMI_ROWS_PASS_COLUMNS;
    launch->pitch = (uint32_t)((launch->n_pass + wide - 1) / wide * wide);

    /* Scratch is padded to whole 16-byte words, so a wide lane may work on columns past n there; the caller's
     * matrices only let it do so when n itself is a multiple. */
    const int b_wide = launch->converts_b || is_aligned(problem->b, wide, value_bytes);
    const int c_rows = problem->c->layout == SPMM_ROW_MAJOR; /* written by whole words */
    const int c_wide = !c_rows || is_aligned(problem->c, wide, value_bytes);
    const int n_wide = (launch->converts_b && !c_rows) || n % wide == 0;
    launch->shape = spmmi_rows_shape_of(launch->n_pass, (uint32_t)value_bytes, b_wide && c_wide && n_wide,
                                        problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT, problem->item_size);
    launch->items_per_group = 1;
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        launch->block_nonzeros =
            spmmi_rows_block_nonzeros(problem->nnz, problem->item_size, problem->dtype,
                                      spmmi_rows_grid(launch->shape), device->multiprocessors);
        launch->block_count = (problem->nnz + launch->block_nonzeros - 1) / launch->block_nonzeros;
    } else {
        const uint32_t groups = SPMMI_ROWS_THREADS / launch->shape.lanes;
        launch->block_count = (problem->item_count + groups - 1) / groups;
    }

    uint64_t bytes = 0;
    launch->b_offset = bytes;
    if (launch->converts_b)
        bytes = align_up(bytes + (uint64_t)problem->cols * launch->pitch * value_bytes);
    launch->c_offset = bytes;
    if (launch->converts_c)
        bytes = align_up(bytes + (uint64_t)problem->rows * launch->pitch * value_bytes);
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        bytes = position_shared_rows(launch, value_bytes, bytes);
    launch->workspace_bytes = bytes;
}
