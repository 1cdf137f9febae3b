/* SPDX-License-Identifier: Apache-2.0 */
/* The toy family on a GPU, as the executor sees it: stores op(A) in CSR and reads the values from the
 * executor. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "executor/backend.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "toy_kernel.h"
#include "toy_shape.h"

struct state {
    const struct spmmi_device *device;
    struct spmmi_toy_launch args;
    uint32_t *map;
    struct spmmi_device_block memory;
};

static void cut(struct spmmi_arena *arena, const struct spmmi_op_pattern *a, struct state *s)
{
    const uint64_t nnz = (uint64_t)a->row_ptr[a->rows];
    s->args.rows = a->rows;
    s->args.row_ptr = spmmi_arena_cut(arena, (uint64_t)a->rows + 1, sizeof *s->args.row_ptr);
    s->args.col_ind = spmmi_arena_cut(arena, nnz, sizeof *s->args.col_ind);
    s->map = a->map != NULL ? spmmi_arena_cut(arena, nnz, sizeof *s->map) : NULL;
    s->args.map = s->map;
}

static spmm_status_t fill(const struct spmmi_op_pattern *a, const struct state *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t nnz = (uint64_t)a->row_ptr[a->rows];
    uint32_t *map = NULL;
    SPMM_TRY(
        spmmi_cuda_copy_up(s->args.row_ptr, a->row_ptr, (uint64_t)a->rows + 1, sizeof *a->row_ptr, diag));
    SPMM_TRY(spmmi_cuda_copy_up(s->args.col_ind, a->col_ind, nnz, sizeof *a->col_ind, diag));
    if (a->map == NULL)
        goto cleanup;
    SPMM_TRY_ALLOC(map = spmmi_alloc(nnz, sizeof *map), diag);
    for (uint64_t q = 0; q < nnz; q++)
        map[q] = (uint32_t)a->map[q];
    SPMM_TRY(spmmi_cuda_copy_up(s->map, map, nnz, sizeof *map, diag));
cleanup:
    spmmi_free(map);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    struct state made = {.device = source->device, .args.is_f64 = source->plan->dtype == SPMM_F64},
                 *kept = NULL;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    cut(&arena, &a, &made);
    *bytes += arena.bytes;
    *source->reads_values = 1;
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(*state = kept = spmmi_alloc_zero(1, sizeof *kept), diag);
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &kept->memory, diag));
    made.memory = kept->memory;
    cut(&arena, &a, &made);
    *kept = made;
    SPMM_TRY(fill(&a, kept, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    if (s != NULL)
        spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    (void)state, (void)product;
    return 0;
}

static spmm_status_t run(const void *state, const struct spmmi_product *p, void *workspace_, void *stream)
{
    const struct state *s = state;
    struct spmmi_toy_launch args = s->args;
    (void)workspace_;
    args.n = p->c.cols;
    args.values = s->device->values;
    args.b = p->b.data;
    args.c = p->c.data;
    args.b_row_step = spmmi_row_step(&p->b), args.b_column_step = spmmi_column_step(&p->b);
    args.c_row_step = spmmi_row_step(&p->c), args.c_column_step = spmmi_column_step(&p->c);
    args.alpha = p->alpha, args.beta = p->beta;
    return spmmi_cuda_status(spmmi_toy_cuda_launch(&args, stream));
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state, (void)product;
    (void)snprintf(text, size, "cuda/toy/plain");
}

const struct spmmi_backend spmmi_toy_cuda = {
    .create = create, .destroy = destroy, .workspace = workspace, .run = run, .describe = describe};
