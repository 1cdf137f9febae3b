/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_stream_cuda.h. */
#include "rows_stream_cuda.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"

_Static_assert(SPMMI_VALUES_PAD == SPMMI_STREAM_PAD, "the values of A are padded as streams are");

struct stream_part {
    const struct spmmi_part *part; /* its key */
    struct spmmi_cuda_rows rows;
};

struct spmmi_rows_stream {
    struct spmmi_stream stream;
    spmm_dtype_t dtype;
    void *values;  /* op = T: those of stream, to write; else NULL */
    uint32_t *map; /* op = T: position in A's order of each nonzero */
    struct spmmi_device_block memory;
    uint32_t part_count;
    struct stream_part parts[];
};

/* The next part of the op that the source is of. */
static const struct spmmi_part *next_of_op(const struct spmmi_part_source *source,
                                           const struct spmmi_part *part)
{
    do
        part = spmmi_parts_next(source, part);
    while (part != NULL && part->op != source->part->op);
    return part;
}

static uint32_t ranks_of(const spmm_plan_t *plan, spmm_op_t op)
{
    return op == SPMM_OP_T ? (uint32_t)(plan->cols - plan->stats.cols_empty)
                           : spmmi_ranks_count(plan->rows, plan->row_ptr);
}

/* The parts, and the metrics that sizes depend on. */
static spmm_status_t describe(const struct spmmi_part_source *source, struct spmmi_rows_stream **out,
                              spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = source->plan;
    const spmm_op_t op = source->part->op;
    const uint32_t rows = (uint32_t)(op == SPMM_OP_N ? plan->rows : plan->cols);
    uint32_t count = 0;
    for (const struct spmmi_part *p = next_of_op(source, NULL); p != NULL; p = next_of_op(source, p))
        count++;
    struct spmmi_rows_stream *s = spmmi_alloc_zero(1, sizeof *s + count * sizeof *s->parts);
    SPMM_TRY_ALLOC(s, diag);
    s->dtype = plan->dtype;
    s->stream.nnz = (uint32_t)plan->nnz;
    s->stream.ranks = ranks_of(plan, op);
    s->stream.empty_count = rows - s->stream.ranks;
    for (const struct spmmi_part *p = next_of_op(source, NULL); p != NULL; p = next_of_op(source, p))
        s->parts[s->part_count++] = (struct stream_part){
            p,
            {.schedule = p->schedule,
             .dtype = plan->dtype,
             .row_count = rows,
             .items = {.item_count = (uint32_t)p->item_count, .item_size = p->item_size}}};
    *out = s;
cleanup:
    return status;
}

/* Do the columns of op(A) fit 16 bits? */
static int has_narrow_columns(const struct spmmi_part_source *source)
{
    return (source->part->op == SPMM_OP_N ? source->plan->cols : source->plan->rows) <= SPMMI_NARROW_COLUMNS;
}

static void cut_part(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                     const struct spmmi_stream *s, struct spmmi_cuda_rows *rows)
{
    struct spmmi_stream_items *items = &rows->items;
    const uint64_t count = (uint64_t)items->item_count + 1;
    items->item_rank = spmmi_arena_cut(arena, count, sizeof *items->item_rank);
    if (rows->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        spmmi_cuda_blocks_cut(arena, s->nnz, s->ranks, source->device, rows);
    else
        items->item_start = spmmi_arena_cut(arena, count, sizeof *items->item_start);
}

/* Device addresses; sizes follow from the metrics alone. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_stream *shared)
{
    struct spmmi_stream *s = &shared->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD, ranks = (uint64_t)s->ranks + 1;
    s->values = source->device->values;
    if (source->part->op == SPMM_OP_T && !source->device->lacks_values) {
        shared->values = spmmi_arena_cut(arena, padded, spmm_dtype_size(shared->dtype));
        shared->map = spmmi_arena_cut(arena, s->nnz, sizeof *shared->map);
        s->values = shared->values;
    }
    if (has_narrow_columns(source)) {
        s->narrow = spmmi_arena_cut(arena, padded, sizeof *s->narrow);
        s->row_ends = spmmi_arena_cut(arena, padded / 8 + 1, sizeof *s->row_ends);
    } else {
        s->columns = spmmi_arena_cut(arena, padded, sizeof *s->columns);
    }
    s->rank_start = spmmi_arena_cut(arena, ranks, sizeof *s->rank_start);
    if (s->empty_count > 0) {
        s->row_of_rank = spmmi_arena_cut(arena, ranks, sizeof *s->row_of_rank);
        s->empty_rows = spmmi_arena_cut(arena, s->empty_count, sizeof *s->empty_rows);
    }
    for (uint32_t i = 0; i < shared->part_count; i++)
        cut_part(arena, source, s, &shared->parts[i].rows);
}

static spmm_status_t upload_stream(const struct spmmi_stream *s, const struct spmmi_stream_host *host,
                                   const int32_t *col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD, ranks = (uint64_t)s->ranks + 1;
    SPMM_REQUIRE(host->ranks == s->ranks, SPMM_ERR_INTERNAL, diag,
                 "the stream has %u rows, its statistics said %u", host->ranks, s->ranks);
    const struct spmmi_columns_source columns = {col_ind, host};
    if (s->narrow != NULL) {
        SPMM_TRY(spmmi_cuda_fill_up(s->narrow, padded, sizeof *s->narrow, spmmi_narrow_fill, &columns, diag));
        SPMM_TRY(spmmi_cuda_fill_up(s->row_ends, padded / 8 + 1, sizeof *s->row_ends, spmmi_row_ends_fill,
                                    host, diag));
    } else {
        SPMM_TRY(
            spmmi_cuda_fill_up(s->columns, padded, sizeof *s->columns, spmmi_columns_fill, &columns, diag));
    }
    SPMM_TRY(spmmi_cuda_copy_up(s->rank_start, host->rank_start, ranks, sizeof *s->rank_start, diag));
    if (s->empty_count > 0) {
        SPMM_TRY(spmmi_cuda_copy_up(s->row_of_rank, host->row_of_rank, ranks, sizeof *s->row_of_rank, diag));
        SPMM_TRY(
            spmmi_cuda_copy_up(s->empty_rows, host->empty_rows, s->empty_count, sizeof *s->empty_rows, diag));
    }
cleanup:
    return status;
}

static spmm_status_t upload_part(struct stream_part *to, const struct spmmi_op_pattern *a,
                                 const struct spmmi_stream_host *stream, const struct spmmi_device *device,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_items_host host = {0, NULL, NULL};
    const struct spmmi_stream_items *items = &to->rows.items;
    SPMM_TRY(spmmi_items_build(to->part, a->rows, a->row_ptr, &host, diag));
    SPMM_TRY(spmmi_cuda_copy_up(items->item_rank, host.item_rank, (uint64_t)host.item_count + 1,
                                sizeof *host.item_rank, diag));
    if (host.item_start != NULL)
        SPMM_TRY(spmmi_cuda_copy_up(items->item_start, host.item_start, (uint64_t)host.item_count + 1,
                                    sizeof *host.item_start, diag));
    else
        SPMM_TRY(spmmi_cuda_blocks_upload(&to->rows, stream, &host, device->multiprocessors, diag));
cleanup:
    spmmi_items_host_free(&host);
    return status;
}

static spmm_status_t upload_map(const struct spmmi_rows_stream *shared, const int64_t *map, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *narrow = spmmi_alloc(shared->stream.nnz, sizeof *narrow);
    SPMM_TRY_ALLOC(narrow, diag);
    for (uint32_t q = 0; q < shared->stream.nnz; q++)
        narrow[q] = (uint32_t)map[q];
    SPMM_TRY(spmmi_cuda_copy_up(shared->map, narrow, shared->stream.nnz, sizeof *narrow, diag));
cleanup:
    spmmi_free(narrow);
    return status;
}

static spmm_status_t upload(const struct spmmi_part_source *source, struct spmmi_rows_stream *shared,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_stream_host host;
    struct spmmi_op_pattern a;
    memset(&host, 0, sizeof host);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_stream_ranks_build(a.rows, a.row_ptr, &host, diag));
    SPMM_TRY(upload_stream(&shared->stream, &host, a.col_ind, diag));
    if (a.map != NULL && shared->map != NULL)
        SPMM_TRY(upload_map(shared, a.map, diag));
    for (uint32_t i = 0; i < shared->part_count; i++)
        SPMM_TRY(upload_part(&shared->parts[i], &a, &host, source->device, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    spmmi_stream_host_free(&host);
    return status;
}

static void destroy(void *object)
{
    struct spmmi_rows_stream *shared = object;
    if (shared != NULL)
        spmmi_device_release(&shared->memory);
    spmmi_free(shared);
}

/* What upload takes of the host: items of one part at a time. */
static void scratch_count(const struct spmmi_part_source *source, const struct spmmi_rows_stream *shared)
{
    const struct spmmi_stream *s = &shared->stream;
    uint64_t items = 0;
    for (uint32_t i = 0; i < shared->part_count; i++) {
        const uint64_t bytes =
            spmmi_items_host_bytes(shared->parts[i].part, s->nnz, (int64_t)s->ranks + s->empty_count);
        items = bytes > items ? bytes : items;
    }
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_stream_host_bytes(s->nnz, (int64_t)s->ranks + s->empty_count) + items);
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_rows_stream *shared = NULL;
    struct spmmi_arena arena = {NULL, 0};
    SPMM_TRY(describe(source, &shared, diag));
    cut(&arena, source, shared);
    *bytes += arena.bytes;
    scratch_count(source, shared);
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &shared->memory, diag));
    cut(&arena, source, shared);
    SPMM_TRY(upload(source, shared, diag));
    *object = shared;
    shared = NULL;
cleanup:
    destroy(shared);
    return status;
}

static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_stream *s = object;
    return s->map == NULL ? SPMM_OK
                          : spmmi_cuda_status(spmmi_gather_cuda((int)s->dtype, s->stream.nnz, s->map, values,
                                                                s->values, s->stream.nnz, stream));
}

struct spmmi_cuda_rows spmmi_rows_stream_part(const struct spmmi_rows_stream *stream,
                                              const struct spmmi_part *part)
{
    const struct stream_part *p = stream->parts;
    while (p->part != part)
        p++;
    struct spmmi_cuda_rows rows = p->rows;
    rows.stream = stream->stream;
    return rows;
}

const struct spmmi_shared_kind spmmi_rows_stream_kind = {
    .create = create, .set_values = set_values, .destroy = destroy};
