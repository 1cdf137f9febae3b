/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU backend of the rows family. Parts of an op share the stream of op(A). Kernels access row-major
 * operands directly. Column-major operands are in general copied to row-major workspace and back, one pass of
 * columns at a time. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "rows_gathered_cuda.h"
#include "rows_pieces_cuda.h"
#include "rows_run_cuda.h"
#include "rows_slices_cuda.h"
#include "rows_stream_cuda.h"

struct state {
    const struct spmmi_device *device;
    struct spmmi_cuda_rows rows, pieces;         /* pieces: if there are any, products with wide B use them */
    struct spmmi_cuda_rows slices;               /* one column, if there are slices */
    struct spmmi_rows_gathered_stream *gathered; /* nonzero split of one column, or NULL */
    int has_slices_alone;                        /* there are no rows; slices multiply columns one by one */
    struct spmmi_rows_shape forced;              /* row split: how rows are shared; 0 lanes: not forced */
};

static void shape_name(struct spmmi_rows_shape shape, int has_pieces, char *text, size_t size)
{
    static const char *const ways[] = {"", "staged", "shared", "sliced", "", "short", "gathered"};
    char share[16] = "";
    if (shape.share > 1)
        (void)snprintf(share, sizeof share, "x%u", shape.share);
    (void)snprintf(text, size, "v%ul%u%s%s", shape.vec, shape.lanes, share,
                   has_pieces ? "pieces" : ways[shape.way]);
}

/* Returns true for a row split of one column, in which lanes share rows. With several columns, groups share
 * rows. */
static int lanes_share_rows(struct spmmi_rows_shape shape)
{
    return shape.way == SPMMI_ROWS_LANES || shape.way == SPMMI_ROWS_SLICED;
}

/* Returns true if the shape has a name. Shapes of one column have limits of their own. */
static int is_shape(struct spmmi_rows_shape shape)
{
    const uint32_t most = shape.way == SPMMI_ROWS_LANES      ? SPMMI_ROWS_THREADS
                          : shape.way == SPMMI_ROWS_SLICED   ? SPMMI_SLICE_WARPS_MAX
                          : shape.way == SPMMI_ROWS_GATHERED ? 1
                                                             : 32;
    const int has_one_column = lanes_share_rows(shape) || shape.way == SPMMI_ROWS_GATHERED;
    return shape.lanes <= most && (!has_one_column || shape.vec == 1) &&
           (shape.share > 1) == (shape.way == SPMMI_ROWS_TEAMS);
}

/* Returns the shape that a suffix such as "v1l32shared" names, or one with 0 lanes if there is no such
 * shape. */
static struct spmmi_rows_shape named_shape(const char *suffix, int has_pieces)
{
    static const uint32_t vecs[] = {1, SPMMI_ROWS_PAIR, SPMMI_ROWS_APART, 4, 8};
    for (int way = SPMMI_ROWS_COLUMNS; suffix[0] != '\0' && way <= SPMMI_ROWS_GATHERED; way++)
        for (uint32_t i = 0; i < 5 * 9 * 6; i++) { /* vecs, lanes, shares up to SPMMI_ROWS_SHARE_MAX */
            const struct spmmi_rows_shape shape = {vecs[i % 5], 1u << i / 5 % 9, (enum spmmi_rows_way)way,
                                                   1u << i / 45};
            char text[32];
            if (!is_shape(shape))
                continue;
            shape_name(shape, has_pieces, text, sizeof text);
            if (strcmp(text, suffix) == 0)
                return shape;
        }
    return (struct spmmi_rows_shape){0, 0, SPMMI_ROWS_COLUMNS, 0};
}

/* Creates slices without rows, if only products of one column of op N are wanted, no other part reads the
 * rows, and the rows fit slices. */
static spmm_status_t create_slices(const struct spmmi_part_source *source, struct state *made,
                                   uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t before = *bytes;
    void *slices = NULL;
    if (source->n_max != 1 || source->part->op != SPMM_OP_N || !spmmi_rows_slices_use(source) ||
        spmmi_parts_next(source, NULL) != source->part || spmmi_parts_next(source, source->part) != NULL)
        goto cleanup;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_lone_slices_kind, SPMM_OP_N, &slices, bytes, diag));
    made->has_slices_alone = *bytes > before;
    if (slices != NULL)
        made->rows = made->slices = spmmi_rows_lone_slices_part(slices);
cleanup:
    return status;
}

/* Creates the second arrangement of a part for one column, if it pays or if the caller names its kernel:
 * slices of a row split, blocks with lists of columns of a nonzero split. */
static spmm_status_t create_second(const struct spmmi_part_source *source, enum spmmi_rows_way forced,
                                   int is_forced, void **slices, void **gathered, uint64_t *bytes,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_op_t op = source->part->op;
    if (source->part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        if (forced == SPMMI_ROWS_GATHERED || (!is_forced && spmmi_rows_gathered_use(source)))
            SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_gathered_kind, op, gathered, bytes, diag));
    } else {
        if (forced == SPMMI_ROWS_SLICED || (forced != SPMMI_ROWS_LANES && spmmi_rows_slices_use(source)))
            SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_slices_kind, op, slices, bytes, diag));
    }
cleanup:
    return status;
}

/* Creates the rows, and also pieces and a second arrangement if they pay. */
static spmm_status_t create_rows(const struct spmmi_part_source *source, struct state *made, uint64_t *bytes,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *shared = NULL, *pieces = NULL, *slices = NULL, *gathered = NULL;
    const struct spmmi_rows_shape forced = named_shape(source->suffix, 0);
    *source->reads_values |= source->part->op == SPMM_OP_N && !source->device->lacks_values;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_stream_kind, source->part->op, &shared, bytes, diag));
    if (spmmi_rows_pieces_use(source))
        SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_pieces_kind, SPMM_OP_N, &pieces, bytes, diag));
    SPMM_TRY(create_second(source, forced.way, forced.lanes > 0, &slices, &gathered, bytes, diag));
    if (source->only_counts)
        goto cleanup;
    made->rows = spmmi_rows_stream_part(shared, source->part);
    made->rows.arrival_tag = source->device->random;
    made->forced = forced;
    made->gathered = gathered;
    if (pieces != NULL)
        made->pieces = spmmi_rows_pieces_part(pieces, &made->rows);
    if (slices != NULL)
        made->slices = spmmi_rows_slices_part(slices, &made->rows);
cleanup:
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct state *kept = NULL;
    struct state made = {.device = source->device};
    SPMM_TRY(create_slices(source, &made, bytes, diag));
    if (!made.has_slices_alone)
        SPMM_TRY(create_rows(source, &made, bytes, diag));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(kept = spmmi_alloc(1, sizeof *kept), diag);
    *kept = made;
    *state = kept;
cleanup:
    return status;
}

/* Returns the rows, pieces or slices that a product uses. */
static const struct spmmi_cuda_rows *rows_of(const struct state *s, const struct spmmi_product *product)
{
    if (s->slices.slices != NULL && (product->b.cols == 1 || s->has_slices_alone))
        return &s->slices;
    return spmmi_rows_pieces_fit(&s->pieces, product, s->device) ? &s->pieces : &s->rows;
}

/* Returns the part of a product that runs at a time: one column if there are only slices, else all of it. */
static struct spmmi_product pass_of(const struct state *s, const struct spmmi_product *product)
{
    return s->has_slices_alone && product->b.cols > 1 ? spmmi_product_columns(product, 0, 1) : *product;
}

static struct spmmi_rows_launch launch_of(const struct state *s, const struct spmmi_product *product)
{
    struct spmmi_rows_launch launch;
    const struct spmmi_product pass = pass_of(s, product);
    const struct spmmi_cuda_rows *rows = rows_of(s, &pass);
    const struct spmmi_rows_problem problem = {
        .rows = rows->row_count,
        .cols = pass.b.rows,
        .nnz = rows->stream.nnz,
        .ranks = rows->stream.ranks,
        .item_count = rows->items.item_count,
        .item_size = rows->items.item_size,
        .schedule = rows->schedule,
        .dtype = rows->dtype,
        .piece_count = rows->pieces.count,
        .b = &pass.b,
        .c = &pass.c,
        .blocks = rows->blocks,
        .staged = rows->staged,
        .is_sliced = rows->slices != NULL,
        .longest = rows->longest,
        .forced_lanes = lanes_share_rows(s->forced) ? s->forced.lanes : 0,
        .forced_share = lanes_share_rows(s->forced) ? 0 : s->forced.share,
        .forces_short = s->forced.way == SPMMI_ROWS_SHORT,
    };
    spmmi_rows_launch_plan(&problem, s->device, &launch);
    return launch;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    return launch_of(state, product).workspace_bytes;
}

/* Returns true for the name of any shape. A name only decides how rows are shared; the rest follows from the
 * product. */
static int has_suffix(const char *suffix)
{
    return named_shape(suffix, 0).lanes > 0 || named_shape(suffix, 1).lanes > 0;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct state *s = state;
    char shape[32];
    const struct spmmi_rows_shape gathered = {1, 1, SPMMI_ROWS_GATHERED, 1};
    const int takes_gathered = spmmi_rows_gathered_takes(s->gathered, product);
    shape_name(takes_gathered ? gathered : launch_of(s, product).shape, rows_of(s, product)->pieces.count > 0,
               shape, sizeof shape);
    (void)snprintf(text, size, "cuda/rows/%s/%s", spmm_schedule_name(s->rows.schedule), shape);
}

/* Returns a single column in row-major layout: with ld = 1 it is the same in both layouts. */
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

/* Makes the kernel write C to row-major workspace, from which it is converted afterwards. Each value is
 * rounded once: for 16-bit types the kernel adds beta * C, so the old C is converted to the workspace
 * first. */
static int scratch_c(const struct spmmi_product *turn, const struct spmmi_rows_launch *launch,
                     char *workspace, void *stream, struct spmmi_product *pass)
{
    const int64_t n = turn->c.cols;
    pass->c = scratch_of(&turn->c, workspace + launch->c_offset, launch, n);
    if (spmm_dtype_size(turn->c.type) == 2 && turn->beta != 0)
        return spmmi_rows_from_columns_cuda((int)turn->c.type, turn->c.rows, n, turn->c.data, turn->c.ld,
                                            pass->c.data, pass->c.ld, 0, stream);
    pass->beta = 0;
    return cudaSuccess;
}

/* Runs one pass. turn: the columns of the product that the pass computes. Returns a cudaError_t. */
static int run_pass(const struct state *s, const struct spmmi_cuda_rows *rows,
                    const struct spmmi_product *turn, int has_one_column,
                    const struct spmmi_rows_launch *launch, char *workspace, void *stream)
{
    const int64_t n = turn->b.cols, vec = launch->shape.vec;
    struct spmmi_product pass = *turn;
    int error = cudaSuccess, is_dependent = 0;
    pass.b = by_rows(turn->b);
    if (has_one_column)
        pass.c = by_rows(turn->c);
    if (launch->converts_c)
        error = scratch_c(turn, launch, workspace, stream, &pass);
    if (error == cudaSuccess && launch->converts_b && turn->alpha != 0) {
        pass.b = scratch_of(&turn->b, workspace + launch->b_offset, launch, n);
        is_dependent = s->device->can_overlap;
        error = spmmi_rows_from_columns_cuda((int)turn->b.type, turn->b.rows, n, turn->b.data, turn->b.ld,
                                             pass.b.data, pass.b.ld, launch->before_bytes, stream);
    }
    if (launch->converts_c)
        pass.b.cols = pass.c.cols = launch->converts_b ? (n + vec - 1) / vec * vec : n;
    if (error == cudaSuccess)
        error = spmmi_cuda_rows_run(rows, launch, &pass, is_dependent, workspace, stream);
    if (error == cudaSuccess && rows->pieces.count > 0 && pass.alpha != 0)
        error = spmmi_rows_pieces_finish(rows, launch, &pass, s->device->can_overlap, workspace, stream);
    if (error == cudaSuccess && launch->converts_c)
        error = spmmi_columns_from_rows_cuda((int)turn->c.type, turn->c.rows, n, pass.c.data, pass.c.ld,
                                             turn->c.data, turn->c.ld, pass.beta == 0 ? turn->beta : 0,
                                             stream, s->device->can_overlap);
    return error;
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct state *s = state;
    const struct spmmi_rows_launch launch = launch_of(s, product);
    const struct spmmi_cuda_rows *rows = rows_of(s, product);
    int error = cudaSuccess;
    if (!spmmi_has_short_rows(&product->b) || !spmmi_has_short_rows(&product->c))
        return SPMM_ERR_TOO_LARGE;
    if (spmmi_rows_gathered_takes(s->gathered, product))
        return spmmi_cuda_status(spmmi_rows_gathered_run(s->gathered, &s->rows, product,
                                                         s->device->can_overlap, workspace, stream));
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += launch.n_pass) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, launch.n_pass);
        error =
            run_pass(s, rows, &turn, product->c.cols == 1 || s->has_slices_alone, &launch, workspace, stream);
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
                                              .has_suffix = has_suffix,
                                              .may_lack_values = 1};
