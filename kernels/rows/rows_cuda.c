/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family on a GPU, as the executor sees it. Parts of an op share the stream of op(A). Row-major operands go
 * straight to the kernel, column-major ones by way of row-major scratch in the workspace, a pass of columns at a
 * time. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "rows_run_cuda.h"
#include "rows_stream_cuda.h"

struct state {
    const struct spmmi_device *device;
    const struct spmmi_rows_stream *shared;
    struct spmmi_cuda_rows rows;
};

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct state *made = NULL;
    void *shared = NULL;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_stream_kind, source->part->op, &shared, bytes, diag));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    *made = (struct state){source->device, shared, spmmi_rows_stream_part(shared, source->part)};
    made->rows.arrival_tag = source->device->random;
    *state = made;
cleanup:
    return status;
}

static struct spmmi_rows_launch launch_of(const struct state *s, const struct spmmi_product *product)
{
    struct spmmi_rows_launch launch;
    const struct spmmi_rows_problem problem = {
        .rows = s->rows.row_count,
        .cols = product->b.rows,
        .nnz = s->rows.stream.nnz,
        .item_count = s->rows.items.item_count,
        .item_size = s->rows.items.item_size,
        .schedule = s->rows.schedule,
        .dtype = s->rows.dtype,
        .b = &product->b,
        .c = &product->c,
    };
    spmmi_rows_launch_plan(&problem, s->device, &launch);
    return launch;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    return launch_of(state, product).workspace_bytes;
}

static void shape_name(struct spmmi_rows_shape shape, char *text, size_t size)
{
    (void)snprintf(text, size, "v%ul%u%s", shape.vec, shape.lanes, shape.is_single ? "single" : "");
}

/* Shapes follow from the product: the name of any is taken. */
static int has_suffix(const char *suffix)
{
    int is_found = 0;
    for (uint32_t i = 0; i < 3 * 6 * 2; i++) {
        char text[24];
        shape_name((struct spmmi_rows_shape){1u << i % 3, 1u << i / 3 % 6, i / 18}, text, sizeof text);
        is_found |= strcmp(text, suffix) == 0;
    }
    return is_found;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct state *s = state;
    char shape[24];
    shape_name(launch_of(s, product).shape, shape, sizeof shape);
    (void)snprintf(text, size, "cuda/rows/%s/%s", spmm_schedule_name(s->rows.schedule), shape);
}

/* A single column is the same in both layouts: with ld = 1 it is row-major. */
static spmm_dense_t by_rows(spmm_dense_t dense)
{
    if (dense.layout == SPMM_COL_MAJOR) {
        dense.layout = SPMM_ROW_MAJOR;
        dense.ld = 1;
    }
    return dense;
}

static spmm_dense_t scratch_of(const spmm_dense_t *dense, void *data, const struct spmmi_rows_launch *launch,
                               int64_t n)
{
    return (spmm_dense_t){data, dense->rows, n, launch->pitch, SPMM_ROW_MAJOR, dense->type};
}

/* turn: the part of the product that the pass computes. */
static int run_pass(const struct state *s, const struct spmmi_product *turn, int is_single,
                    const struct spmmi_rows_launch *launch, char *workspace, void *stream)
{
    const int dtype = (int)s->rows.dtype;
    const int64_t n = turn->b.cols, vec = launch->shape.vec;
    struct spmmi_product pass = *turn;
    int error = cudaSuccess, is_dependent = 0;
    pass.b = by_rows(turn->b);
    if (is_single)
        pass.c = by_rows(turn->c);
    if (launch->converts_b && turn->alpha != 0) {
        pass.b = scratch_of(&turn->b, workspace + launch->b_offset, launch, n);
        is_dependent = s->device->can_overlap;
        error = spmmi_rows_from_columns_cuda(dtype, turn->b.rows, n, turn->b.data, turn->b.ld, pass.b.data,
                                             pass.b.ld, stream);
    }
    if (launch->converts_c) {
        pass.c = scratch_of(&turn->c, workspace + launch->c_offset, launch, n);
        pass.beta = 0;
        pass.b.cols = pass.c.cols = launch->converts_b ? (n + vec - 1) / vec * vec : n;
    }
    if (error == cudaSuccess)
        error = spmmi_cuda_rows_run(&s->rows, launch, &pass, is_dependent, workspace, stream);
    if (error == cudaSuccess && launch->converts_c)
        error = spmmi_columns_from_rows_cuda(dtype, turn->c.rows, n, pass.c.data, pass.c.ld, turn->c.data,
                                             turn->c.ld, turn->beta, stream, s->device->can_overlap);
    return error;
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct spmmi_rows_launch launch = launch_of(state, product);
    int error = cudaSuccess;
    if (!spmmi_has_short_rows(&product->b) || !spmmi_has_short_rows(&product->c))
        return SPMM_ERR_TOO_LARGE;
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += launch.n_pass) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, launch.n_pass);
        error = run_pass(state, &turn, product->c.cols == 1, &launch, workspace, stream);
    }
    return spmmi_cuda_status(error);
}

static void destroy(void *state)
{
    spmmi_free(state);
}

const struct spmmi_backend spmmi_rows_cuda = {.create = create,
                                              .destroy = destroy,
                                              .workspace = workspace,
                                              .run = run,
                                              .describe = describe,
                                              .has_suffix = has_suffix};
