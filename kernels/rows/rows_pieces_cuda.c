/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_pieces_cuda.h. */
#include "rows_pieces_cuda.h"

#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "rows_copy_cuda.h"
#include "rows_pieces_kernel.h"
#include "rows_pieces_pack.h"

struct spmmi_rows_pieces_stream {
    struct spmmi_rows_copy copy; /* its map: position of each nonzero in A */
    struct spmmi_cuda_rows rows; /* its stream has no rows without nonzeros */
    struct spmmi_rows_pieces_size size;
};
_Static_assert(offsetof(struct spmmi_rows_pieces_stream, copy) == 0, "see struct spmmi_rows_copy");

int spmmi_rows_pieces_use(const struct spmmi_part_source *source)
{
    struct spmmi_rows_pieces_size size;
    const uint64_t row = (uint64_t)source->n_max * spmm_dtype_size(source->plan->dtype); /* of B, at most */
    return (source->n_max == 0 || row >= SPMMI_ROWS_PIECES_ROW_BYTES) && source->part->op == SPMM_OP_N &&
           source->part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT &&
           spmmi_rows_pieces_pay(source->plan, source->device->l2_bytes, &size);
}

static void blocks_cut(struct spmmi_arena *arena, uint32_t nnz, int grid, struct spmmi_grid_blocks *to)
{
    to->nonzeros = spmmi_rows_piece_block(grid);
    to->count = spmmi_rows_piece_blocks(nnz, grid);
    to->blocks = spmmi_arena_cut(arena, (uint64_t)to->count + 1, sizeof *to->blocks);
}

/* Cuts the device arrays from the arena. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_pieces_stream *p)
{
    struct spmmi_cuda_rows *rows = &p->rows;
    struct spmmi_stream *s = &rows->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD, ranks = (uint64_t)s->ranks + 1;
    spmmi_values_cut(arena, source->device, padded * spmm_dtype_size(rows->dtype), &p->copy.new_values);
    s->columns = spmmi_arena_cut(arena, padded, sizeof *s->columns);
    s->rank_start = spmmi_arena_cut(arena, ranks, sizeof *s->rank_start);
    s->row_of_rank = spmmi_arena_cut(arena, ranks, sizeof *s->row_of_rank);
    rows->items.item_rank =
        spmmi_arena_cut(arena, (uint64_t)rows->items.item_count + 1, sizeof *rows->items.item_rank);
    for (int grid = SPMMI_ROWS_PIECES_GRID_MIN; grid <= SPMMI_ROWS_PIECES_GRID_MAX; grid++)
        blocks_cut(arena, s->nnz, grid, &rows->blocks[grid]);
    rows->pieces.first = spmmi_arena_cut(arena, (uint64_t)p->size.cut_rows + 1, sizeof *rows->pieces.first);
    rows->pieces.row = spmmi_arena_cut(arena, p->size.cut_rows, sizeof *rows->pieces.row);
}

/* Adds the blocks of each grid to the uploads. The sources must live until the upload ends. */
static void blocks_add(const struct spmmi_rows_pieces_stream *p, const struct spmmi_stream_host *stream,
                       struct spmmi_blocks_source *sources, struct spmmi_uploads *uploads)
{
    const struct spmmi_grid_blocks *blocks = p->rows.blocks;
    for (int grid = SPMMI_ROWS_PIECES_GRID_MIN; grid <= SPMMI_ROWS_PIECES_GRID_MAX; grid++) {
        const uint32_t nonzeros = blocks[grid].nonzeros;
        const uint64_t count = blocks[grid].count;
        sources[grid] = (struct spmmi_blocks_source){stream, nonzeros, nonzeros / spmmi_rows_slack(grid)};
        spmmi_cuda_table_add(uploads, blocks[grid].blocks, count + 1, spmmi_blocks_fill, &sources[grid]);
    }
}

/* Uploads the stream of the pieces, its items and blocks, and everything already in the list. */
static spmm_status_t upload_stream(const struct spmmi_rows_pieces_stream *p,
                                   const struct spmmi_rows_pieces_host *pieces, struct spmmi_uploads *uploads,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_stream *s = &p->rows.stream;
    const struct spmmi_stream_items *to = &p->rows.items;
    struct spmmi_stream_host host = {0};
    const struct spmmi_columns_source columns = {pieces->col_ind, &host};
    const struct spmmi_items_source items = {&host, to->item_count, to->item_size, NULL};
    struct spmmi_blocks_source blocks[SPMMI_ROWS_GRIDS];
    SPMM_TRY(spmmi_stream_ranks_build(pieces->size.pieces, pieces->row_ptr, &host, diag));
    spmmi_cuda_table_add(uploads, s->columns, (uint64_t)s->nnz + SPMMI_STREAM_PAD, spmmi_columns_fill,
                         &columns);
    spmmi_cuda_table_add(uploads, s->rank_start, (uint64_t)s->ranks + 1, spmmi_rank_starts_fill, &host);
    spmmi_cuda_table_add(uploads, to->item_rank, (uint64_t)to->item_count + 1, spmmi_item_ranks_fill, &items);
    blocks_add(p, &host, blocks, uploads);
    SPMM_TRY(spmmi_cuda_upload_all(uploads, diag));
cleanup:
    spmmi_stream_host_free(&host);
    return status;
}

static spmm_status_t upload(const spmm_plan_t *plan, struct spmmi_rows_pieces_stream *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_rows_pieces_host host;
    struct spmmi_uploads uploads = {.count = 0};
    const uint32_t *const targets = p->rows.stream.row_of_rank;
    const struct spmmi_rows_pieces *const to = &p->rows.pieces;
    struct spmmi_value_memory *const new_values = &p->copy.new_values;
    SPMM_TRY(spmmi_rows_pieces_build(plan, &p->size, &host, diag));
    spmmi_cuda_table_add(&uploads, targets, (uint64_t)p->size.pieces + 1, NULL, host.target);
    SPMM_TRY(spmmi_value_map_take(new_values, spmmi_array_move(&host.map), (uint32_t)plan->nnz, diag));
    if (new_values->lacked_bytes == 0)
        spmmi_cuda_table_add(&uploads, new_values->map, (uint64_t)plan->nnz, NULL, new_values->host_map);
    spmmi_cuda_table_add(&uploads, to->first, (uint64_t)to->cut_rows + 1, NULL, host.first);
    spmmi_cuda_table_add(&uploads, to->row, to->cut_rows, NULL, host.row);
    SPMM_TRY(upload_stream(p, &host, &uploads, diag));
cleanup:
    spmmi_rows_pieces_host_free(&host);
    return status;
}

/* Returns an object that has sizes only. */
static struct spmmi_rows_pieces_stream describe(const struct spmmi_part_source *source)
{
    const spmm_plan_t *plan = source->plan;
    struct spmmi_rows_pieces_stream p = {.rows = {.schedule = source->part->schedule,
                                                  .dtype = plan->dtype,
                                                  .row_count = (uint32_t)plan->rows}};
    (void)spmmi_rows_pieces_pay(plan, source->device->l2_bytes, &p.size);
    p.rows.stream = (struct spmmi_stream){.nnz = (uint32_t)plan->nnz, .ranks = p.size.pieces};
    p.rows.items =
        (struct spmmi_stream_items){.item_count = ((uint32_t)plan->nnz - 1) / SPMMI_ROWS_PIECE_ITEM + 1,
                                    .item_size = SPMMI_ROWS_PIECE_ITEM};
    p.rows.pieces = (struct spmmi_rows_pieces){.count = p.size.cut,
                                               .cut_rows = p.size.cut_rows,
                                               .columns = (uint32_t)(plan->cols - plan->stats.cols_empty)};
    return p;
}

/* Reports the host memory that the upload needs. */
static void scratch_count(const struct spmmi_part_source *source, const struct spmmi_rows_pieces_stream *p)
{
    spmmi_scratch_is(source, spmmi_rows_pieces_host_bytes(source->plan, &p->size) +
                                 spmmi_stream_host_bytes(p->size.pieces));
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_rows_pieces_stream *made = NULL, p = describe(source);
    struct spmmi_arena arena = {NULL, 0};
    cut(&arena, source, &p);
    *bytes += arena.bytes;
    spmmi_value_map_count(source, p.rows.stream.nnz, source->device->lacks_values);
    scratch_count(source, &p);
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(made = spmmi_alloc(1, sizeof *made), diag);
    *made = p;
    made->copy.new_values.from = &source->device->memory;
    made->rows.values = &made->copy.new_values.values;
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &made->copy.memory, diag));
    cut(&arena, source, made);
    SPMM_TRY(upload(source->plan, made, diag));
    *object = made;
    made = NULL;
cleanup:
    spmmi_rows_copy_destroy(made);
    return status;
}

static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_pieces_stream *p = object;
    const struct spmmi_value_memory *const to = &p->copy.new_values;
    const uint32_t nnz = p->rows.stream.nnz;
    return to->map == NULL ? SPMM_OK
                           : spmmi_cuda_status(spmmi_gather_cuda((int)p->rows.dtype, nnz, to->map, values,
                                                                 to->values, nnz, stream));
}

struct spmmi_cuda_rows spmmi_rows_pieces_part(const struct spmmi_rows_pieces_stream *stream,
                                              const struct spmmi_cuda_rows *rows)
{
    struct spmmi_cuda_rows pieces = stream->rows;
    pieces.stream.empty_count = rows->stream.empty_count;
    pieces.stream.empty_rows = rows->stream.empty_rows;
    pieces.arrival_tag = rows->arrival_tag;
    return pieces;
}

int spmmi_rows_pieces_fit(const struct spmmi_cuda_rows *pieces, const struct spmmi_product *product,
                          const struct spmmi_device *device)
{
    const uint64_t row = (uint64_t)product->b.cols * spmm_dtype_size(product->b.type);
    const uint64_t tile = row < SPMMI_ROWS_TILE_BYTES ? row : SPMMI_ROWS_TILE_BYTES;
    return pieces->pieces.count > 0 && row >= SPMMI_ROWS_PIECES_ROW_BYTES &&
           spmmi_rows_pieces_exceed(pieces->pieces.columns, tile, device->l2_bytes);
}

int spmmi_rows_pieces_finish(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                             const struct spmmi_product *product, int is_dependent, char *workspace,
                             void *stream)
{
    const struct spmmi_rows_pieces_cuda args = {
        .pieces = rows->pieces,
        .sums = workspace + launch->pieces_offset,
        .c = product->c.data,
        .pitch = launch->piece_pitch,
        .ldc = (uint64_t)product->c.ld,
        .n = (uint32_t)product->c.cols,
        .rows_of_c = (uint32_t)product->c.rows,
        .alpha = product->alpha,
        .beta = product->beta,
        .cuda_stream = stream,
        .is_dependent = is_dependent,
    };
    return spmmi_rows_pieces_sum(&args, (int)product->c.type);
}

const struct spmmi_shared_kind spmmi_rows_pieces_kind = {.create = create,
                                                         .set_values = set_values,
                                                         .value_memory = spmmi_rows_copy_value_memory,
                                                         .destroy = spmmi_rows_copy_destroy};
