/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU backend of the wide family. Row-major operands go straight to the kernel. Column-major operands are
 * converted to row-major scratch in the workspace, one pass of columns at a time. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "executor/backend.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/cuda/cuda_value_memory.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "kernels/shared/passes_shape.h"
#include "wide_pack.h"

#define PASS_MAX 524288  /* maximum columns of any pass: its tiles of 32 columns fit a grid's 65535 */
#define PASS_COLUMNS 256 /* minimum columns of a pass that converts */
#define ALIGN 256u

struct state {
    const struct spmmi_device *device;
    struct spmmi_wide layout;             /* device pointers */
    void *values;                         /* values of all entries; padding is 0 */
    struct spmmi_value_memory new_values; /* map with nnz elements: entry of each value of A */
    struct spmmi_device_block memory;     /* one allocation for layout and values */
    struct spmmi_allowed allowed;
    spmm_dtype_t dtype;
    uint32_t nnz;
};

/* ---- Packing ---- */

static uint64_t entries_of(const struct spmmi_wide *layout)
{
    return (uint64_t)layout->batch_count * SPMMI_WIDE_BATCH_ENTRIES;
}

/* Cuts the arrays of the layout, whose counts are known, from the arena. */
static void cut(struct spmmi_arena *arena, struct state *s)
{
    struct spmmi_wide *l = &s->layout;
    const uint64_t slices = l->slice_count;
    l->slice_start = spmmi_arena_cut(arena, slices + 1, sizeof *l->slice_start);
    l->phase_end = spmmi_arena_cut(arena, slices * l->panel_count, sizeof *l->phase_end);
    l->row_of = spmmi_arena_cut(arena, slices * SPMMI_WIDE_GROUPS * l->group_rows, sizeof *l->row_of);
    l->ring_row = spmmi_arena_cut(arena, entries_of(l), sizeof *l->ring_row);
    s->values = spmmi_arena_cut(arena, entries_of(l), spmm_dtype_size(s->dtype));
}

static struct state state_of(const struct spmmi_part_source *source)
{
    return (struct state){.device = source->device,
                          .dtype = source->plan->dtype,
                          .nnz = (uint32_t)source->plan->nnz,
                          .new_values.from = &source->device->memory};
}

static spmm_status_t count(const struct spmmi_part_source *source, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    struct state s = state_of(source);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_wide_count(a.rows, a.cols, a.row_ptr, a.col_ind, &s.layout, diag));
    cut(&arena, &s);
    *bytes += arena.bytes;
    spmmi_value_map_count(source, s.nnz, 0);
    spmmi_scratch_is(source, spmmi_wide_scratch(&s.layout) + spmmi_wide_bytes(&s.layout) +
                                 spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 s.nnz * sizeof *s.new_values.map);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t upload(const struct state *s, const struct spmmi_wide_layout *host,
                            struct spmmi_uploads *waiting, spmm_diag_t *diag)
{
    struct spmmi_uploads all = spmmi_uploads_take(waiting);
    const struct spmmi_wide *to = &s->layout;
    const uint64_t slices = to->slice_count, rows = slices * SPMMI_WIDE_GROUPS * to->group_rows;
    spmmi_cuda_table_add(&all, to->slice_start, slices + 1, NULL, host->slice_start);
    spmmi_cuda_table_add(&all, to->phase_end, slices * to->panel_count, NULL, host->phase_end);
    spmmi_cuda_table_add(&all, to->row_of, rows, NULL, host->row_of);
    spmmi_cuda_table_add(&all, to->ring_row, entries_of(to), NULL, host->ring_row);
    spmmi_cuda_table_add(&all, s->new_values.map, s->nnz, NULL, s->new_values.host_map);
    return spmmi_cuda_upload_all(&all, diag);
}

/* Allocates device memory, all zero, and uploads the layout. */
static spmm_status_t memory_fill(struct state *s, struct spmmi_wide_layout *host,
                                 struct spmmi_uploads *waiting, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    cut(&arena, s);
    *bytes += arena.bytes;
    SPMM_TRY(spmmi_arena_take(&arena, &s->device->memory, &s->memory, diag));
    cut(&arena, s);
    SPMM_TRY(spmmi_value_map_take(&s->new_values, spmmi_array_move(&host->value_map), s->nnz, diag));
    SPMM_TRY(upload(s, host, waiting, diag));
cleanup:
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a = {.map = NULL};
    struct spmmi_wide_layout host = {.value_map = NULL};
    struct state *s = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(s = spmmi_alloc(1, sizeof *s), diag);
    *state = s;
    *s = state_of(source);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_wide_build(a.rows, a.cols, a.row_ptr, a.col_ind, &host, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_op_pattern_map_from_a(&host.value_map, source->plan->nnz, a.map, diag));
    s->layout = host.view;
    SPMM_TRY(memory_fill(s, &host, source->waiting, bytes, diag));
cleanup:
    spmmi_wide_free(&host);
    spmmi_op_pattern_close(&a);
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    spmmi_value_memory_free(&s->new_values);
    spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static struct spmmi_value_memory *value_memory(void *state, int index)
{
    return index == 0 ? &((struct state *)state)->new_values : NULL;
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    const struct state *s = state;
    return spmmi_cuda_status(spmmi_scatter_cuda((int)s->dtype, s->nnz, s->new_values.map, values, s->values,
                                                (uint32_t)entries_of(&s->layout), stream));
}

/* ---- Products ---- */

/* How a product is cut into passes, and where their scratch is in the workspace. */
struct passes {
    int converts_b, converts_c;
    int64_t columns, pitch; /* columns per pass; leading dimension of scratch */
    uint64_t c_offset, bytes;
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static struct passes passes_of(const struct state *s, const struct spmmi_product *product)
{
    const uint64_t value_bytes = spmm_dtype_size(s->dtype), wide = 16 / value_bytes;
    const int64_t n = product->b.cols;
    struct passes p = {.converts_b = product->b.layout == SPMM_COL_MAJOR,
                       .converts_c = product->c.layout == SPMM_COL_MAJOR};
    p.columns = n < PASS_MAX ? n : PASS_MAX;
    if (p.converts_b || p.converts_c)
        p.columns =
            spmmi_pass_columns(n, (int64_t)s->layout.rows + s->layout.cols, value_bytes, PASS_COLUMNS);
    p.pitch = (int64_t)(((uint64_t)p.columns + wide - 1) / wide * wide);
    if (p.converts_b)
        p.c_offset = aligned((uint64_t)s->layout.cols * (uint64_t)p.pitch * value_bytes);
    p.bytes = p.c_offset;
    if (p.converts_c)
        p.bytes += aligned((uint64_t)s->layout.rows * (uint64_t)p.pitch * value_bytes);
    return p;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    return passes_of(state, product).bytes;
}

static int to_scratch(const spmm_dense_t *from, const spmm_dense_t *to, int is_wanted, void *stream)
{
    return is_wanted ? spmmi_rows_from_columns_cuda((int)from->type, from->rows, from->cols, from->data,
                                                    from->ld, to->data, to->ld, 0, stream)
                     : cudaSuccess;
}

static spmm_dense_t scratch_of(const spmm_dense_t *dense, void *data, const struct passes *p)
{
    return (spmm_dense_t){data, dense->rows, dense->cols, p->pitch, SPMM_ROW_MAJOR, dense->type};
}

static struct spmmi_wide_cuda launch_of(const struct state *s, const struct spmmi_product *pass, void *stream)
{
    struct spmmi_wide_cuda args = {
        .layout = s->layout,
        .values = s->values,
        .b = pass->b.data,
        .c = pass->c.data,
        .ldb = (uint64_t)pass->b.ld,
        .ldc = (uint64_t)pass->c.ld,
        .n = (uint32_t)pass->b.cols,
        .multiprocessors = s->device->multiprocessors,
        .has_tensor_maps = s->device->target >= 90,
        .alpha = pass->alpha,
        .beta = pass->beta,
        .cuda_stream = stream,
        .allowed = spmmi_allowed_of(&s->allowed),
    };
    if (pass->alpha == 0)
        args.layout.panel_count = args.layout.batch_count = 0;
    return args;
}

/* Runs one pass; turn is the product of its columns. If beta is not 0 the old values of C are converted to
 * scratch too, so that C is rounded only once. */
static int run_pass(const struct state *s, const struct passes *p, const struct spmmi_product *turn,
                    char *workspace, void *stream)
{
    struct spmmi_product pass = *turn;
    int error = cudaSuccess;
    if (p->converts_b)
        pass.b = scratch_of(&turn->b, workspace, p);
    if (p->converts_c)
        pass.c = scratch_of(&turn->c, workspace + p->c_offset, p);
    error = to_scratch(&turn->b, &pass.b, p->converts_b && turn->alpha != 0, stream);
    if (error == cudaSuccess)
        error = to_scratch(&turn->c, &pass.c, p->converts_c && turn->beta != 0, stream);
    if (p->converts_b && p->converts_c)
        pass.b.cols = p->pitch; /* whole words, for which scratch has space */
    const struct spmmi_wide_cuda args = launch_of(s, &pass, stream);
    if (error == cudaSuccess)
        error = spmmi_wide_cuda_f32(&args);
    if (error == cudaSuccess && p->converts_c)
        error = spmmi_columns_from_rows_cuda((int)turn->c.type, turn->c.rows, turn->c.cols, pass.c.data,
                                             pass.c.ld, turn->c.data, turn->c.ld, 0, stream, 0);
    return error;
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct state *s = state;
    const struct passes p = passes_of(s, product);
    int error = cudaSuccess;
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += p.columns) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, p.columns);
        error = run_pass(s, &p, &turn, workspace, stream);
    }
    return spmmi_cuda_status(error);
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state, (void)product;
    (void)snprintf(text, size, "cuda/wide/column-panels");
}

const struct spmmi_backend spmmi_wide_cuda = {.create = create,
                                              .destroy = destroy,
                                              .set_values = set_values,
                                              .value_memory = value_memory,
                                              .workspace = workspace,
                                              .run = run,
                                              .describe = describe};
