/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_stream_cuda.h. */
#include "rows_stream_cuda.h"

#include <assert.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/cuda/cuda_value_memory.h"
#include "executor/pack/op_pattern.h"
#include "executor/pack/pack_threads.h"
#include "executor/wanted.h"
#include "format/base/alloc.h"
#include "format/base/team.h"
#include "kernels/shared/convert.h"

_Static_assert(SPMMI_VALUES_PAD == SPMMI_STREAM_PAD, "the values of A are padded as streams are");

struct stream_part {
    const struct spmmi_part *part; /* its key */
    struct spmmi_cuda_rows rows;
};

struct spmmi_rows_stream {
    struct spmmi_stream stream;
    spmm_dtype_t dtype;
    struct spmmi_value_memory
        new_values; /* op T: map with the position of each nonzero in A; and the values */
    struct spmmi_device_block memory;
    uint32_t part_count;
    struct stream_part parts[];
};

/* Returns the part after `part`, or the first one if it is NULL, that has the op of source->part. */
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

/* Creates an object with its parts and with the metrics that sizes depend on. */
static spmm_status_t describe(const struct spmmi_part_source *source, uint32_t ranks,
                              struct spmmi_rows_stream **out, spmm_diag_t *diag)
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
    s->stream.ranks = ranks;
    s->stream.empty_count = rows - s->stream.ranks;
    s->new_values.from = &source->device->memory;
    void *const *const values = op == SPMM_OP_N ? &source->device->values : &s->new_values.values;
    for (const struct spmmi_part *p = next_of_op(source, NULL); p != NULL; p = next_of_op(source, p))
        s->parts[s->part_count++] = (struct stream_part){
            p,
            {.schedule = p->schedule,
             .dtype = plan->dtype,
             .row_count = rows,
             .longest = (uint32_t)(op == SPMM_OP_N ? plan->stats.row_max : plan->stats.col_max),
             .values = values,
             .items = {.item_count = (uint32_t)p->item_count, .item_size = p->item_size}}};
    *out = s;
cleanup:
    return status;
}

int spmmi_rows_run_one_column(const struct spmmi_part_source *source, spmm_schedule_t schedule)
{
    static const struct spmmi_wanted one = {.n_min = 1, .n_max = 1};
    const spmm_plan_t *plan = source->plan;
    int reached[SPMMI_VARIANT_MAX], is_used = 0;
    spmmi_wanted_reach(plan, source->device->target, &one, reached);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        const struct spmmi_part *part = &plan->parts[v->part_first];
        is_used |= reached[i] && v->op == source->part->op && v->n_min <= 1 &&
                   part->family == SPMM_FAMILY_ROWS && part->schedule == schedule;
    }
    return is_used && source->part->schedule == schedule;
}

/* Returns true if the columns of op(A) fit 16 bits. */
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

void spmmi_rows_ranks_cut(struct spmmi_arena *arena, struct spmmi_stream *s)
{
    const uint64_t ranks = (uint64_t)s->ranks + 1;
    s->rank_start = spmmi_arena_cut(arena, ranks, sizeof *s->rank_start);
    if (s->empty_count > 0) {
        s->row_of_rank = spmmi_arena_cut(arena, ranks, sizeof *s->row_of_rank);
        s->empty_rows = spmmi_arena_cut(arena, s->empty_count, sizeof *s->empty_rows);
    }
}

void spmmi_rows_ranks_add(const struct spmmi_stream *s, const struct spmmi_stream_host *host,
                          struct spmmi_uploads *uploads)
{
    const uint64_t ranks = (uint64_t)s->ranks + 1;
    spmmi_cuda_table_add(uploads, s->rank_start, ranks, spmmi_rank_starts_fill, host);
    if (s->empty_count > 0) {
        spmmi_cuda_table_add(uploads, s->row_of_rank, ranks, NULL, host->row_of_rank);
        spmmi_cuda_table_add(uploads, s->empty_rows, s->empty_count, NULL, host->empty_rows);
    }
}

/* Cuts the device arrays from the arena. Sizes follow from the metrics alone. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_stream *shared)
{
    struct spmmi_stream *s = &shared->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD;
    if (source->part->op == SPMM_OP_T)
        spmmi_values_cut(arena, source->device, padded * spmm_dtype_size(shared->dtype), &shared->new_values);
    if (has_narrow_columns(source)) {
        s->narrow = spmmi_arena_cut(arena, padded, sizeof *s->narrow);
        s->row_ends = spmmi_arena_cut(arena, padded / 8 + 1, sizeof *s->row_ends);
    } else {
        s->columns = spmmi_arena_cut(arena, padded, sizeof *s->columns);
    }
    spmmi_rows_ranks_cut(arena, s);
    for (uint32_t i = 0; i < shared->part_count; i++)
        cut_part(arena, source, s, &shared->parts[i].rows);
}

static void stream_add(const struct spmmi_stream *s, const struct spmmi_columns_source *source,
                       struct spmmi_uploads *uploads)
{
    const struct spmmi_stream_host *const host = source->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD;
    if (s->narrow != NULL) {
        spmmi_cuda_table_add(uploads, s->narrow, padded, spmmi_narrow_fill, source);
        spmmi_cuda_table_add(uploads, s->row_ends, padded / 8 + 1, spmmi_row_ends_fill, host);
    } else {
        spmmi_cuda_table_add(uploads, s->columns, padded, spmmi_columns_fill, source);
    }
    spmmi_rows_ranks_add(s, host, uploads);
}

/* Returns true if positions in A are needed: for op T, unless there are no values at all. */
static int has_map(const struct spmmi_part_source *source)
{
    const struct spmmi_device *const device = source->device;
    return source->part->op == SPMM_OP_T && (!device->lacks_values || device->has_new_values);
}

/* Makes the map of positions in A. It is uploaded to the device with the other arrays, unless values are
 * lacking. */
static spmm_status_t map_make(const int64_t *from, struct spmmi_rows_stream *shared,
                              struct spmmi_uploads *uploads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_value_memory *const new_values = &shared->new_values;
    const uint32_t nnz = shared->stream.nnz;
    uint32_t *const map = spmmi_alloc(nnz, sizeof *map);
    SPMM_TRY_ALLOC(map, diag);
#pragma omp parallel for schedule(static) \
    num_threads(spmmi_team(spmmi_pack_threads((uint64_t)nnz * sizeof *from)))
    for (uint32_t q = 0; q < nnz; q++)
        map[q] = (uint32_t)from[q];
    SPMM_TRY(spmmi_value_map_take(new_values, map, nnz, diag));
    if (new_values->lacked_bytes == 0)
        spmmi_cuda_table_add(uploads, new_values->map, nnz, NULL, new_values->host_map);
cleanup:
    return status;
}

/* Uploads the arrays of the stream together with those of its first part. */
static spmm_status_t upload(const struct spmmi_part_source *source, const struct spmmi_op_pattern *a,
                            const struct spmmi_stream_host *host, struct spmmi_rows_stream *shared,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_columns_source columns = {a->col_ind, host};
    struct spmmi_uploads uploads = spmmi_uploads_take(source->waiting);
    stream_add(&shared->stream, &columns, &uploads);
    if (has_map(source))
        SPMM_TRY(map_make(a->map, shared, &uploads, diag));
    for (uint32_t i = 0; i < shared->part_count; i++) {
        shared->parts[i].rows.stream = shared->stream;
        SPMM_TRY(spmmi_cuda_items_upload(&shared->parts[i].rows, shared->parts[i].part->items, host,
                                         source->device->multiprocessors, &uploads, diag));
    }
    assert(uploads.count == 0); /* the values of A that waited are uploaded, too */
cleanup:
    return status;
}

static void destroy(void *object)
{
    struct spmmi_rows_stream *shared = object;
    if (shared != NULL) {
        spmmi_value_memory_free(&shared->new_values);
        spmmi_device_release(&shared->memory);
    }
    spmmi_free(shared);
}

static struct spmmi_value_memory *value_memory(void *object, int index)
{
    return index == 0 ? &((struct spmmi_rows_stream *)object)->new_values : NULL;
}

/* Reports the host memory that creation needs. */
static void scratch_count(const struct spmmi_part_source *source, const struct spmmi_stream *s)
{
    const int64_t rows = (int64_t)s->ranks + s->empty_count;
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_stream_host_bytes(rows) + spmmi_blocks_host_bytes(s->nnz, rows));
}

/* Creates the stream from its tables on the host. If host is NULL, only bytes are counted. */
static spmm_status_t create_from(const struct spmmi_part_source *source, const struct spmmi_op_pattern *a,
                                 const struct spmmi_stream_host *host, void **object, uint64_t *bytes,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_rows_stream *shared = NULL;
    struct spmmi_arena arena = {NULL, 0};
    const uint32_t ranks = host != NULL ? host->ranks : ranks_of(source->plan, source->part->op);
    SPMM_TRY(describe(source, ranks, &shared, diag));
    cut(&arena, source, shared);
    *bytes += arena.bytes;
    if (has_map(source))
        spmmi_value_map_count(source, shared->stream.nnz, source->device->lacks_values);
    scratch_count(source, &shared->stream);
    if (host == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &shared->memory, diag));
    cut(&arena, source, shared);
    SPMM_TRY(upload(source, a, host, shared, diag));
    *object = shared;
    shared = NULL;
cleanup:
    destroy(shared);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_stream_host host;
    struct spmmi_op_pattern a;
    if (source->only_counts)
        return create_from(source, NULL, NULL, object, bytes, diag);
    memset(&host, 0, sizeof host);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_stream_ranks_build(a.rows, a.row_ptr, &host, diag));
    SPMM_TRY(create_from(source, &a, &host, object, bytes, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    spmmi_stream_host_free(&host);
    return status;
}

static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_stream *s = object;
    const struct spmmi_value_memory *const to = &s->new_values;
    return to->map == NULL ? SPMM_OK
                           : spmmi_cuda_status(spmmi_gather_cuda((int)s->dtype, s->stream.nnz, to->map,
                                                                 values, to->values, s->stream.nnz, stream));
}

struct spmmi_cuda_rows spmmi_rows_stream_part(const struct spmmi_rows_stream *stream,
                                              const struct spmmi_part *part)
{
    const struct stream_part *p = stream->parts;
    while (p->part != part)
        p++;
    return p->rows;
}

const struct spmmi_shared_kind spmmi_rows_stream_kind = {
    .create = create, .set_values = set_values, .value_memory = value_memory, .destroy = destroy};
