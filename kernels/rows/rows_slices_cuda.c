/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_slices_cuda.h. */
#include "rows_slices_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "rows_copy_cuda.h"
#include "rows_slices_kernel.h"
#include "rows_slices_pack.h"

struct spmmi_rows_slices_stream {
    struct spmmi_rows_copy copy;
    spmm_dtype_t dtype;
    struct spmmi_row_slices size; /* 0 entries: there are no slices */
    enum spmmi_slice_index index;
    struct spmmi_cuda_rows rows; /* the rows of the slices; alone: only the tables of ranks */
    int is_alone;
    struct spmmi_stream stream; /* of the slices */
    const struct spmmi_slice *slices;
};
_Static_assert(offsetof(struct spmmi_rows_slices_stream, copy) == 0, "see struct spmmi_rows_copy");

int spmmi_rows_slices_use(const struct spmmi_part_source *source)
{
    return spmmi_rows_run_one_column(source, SPMM_SCHEDULE_ROW_SPLIT);
}

/* Returns the number of column indices, with padding after the last. */
static uint64_t columns_of(const struct spmmi_rows_slices_stream *s)
{
    return spmmi_slices_columns(&s->size, s->index) + SPMMI_STREAM_PAD;
}

/* Cuts the device arrays from the arena. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_slices_stream *s)
{
    const uint64_t padded = (uint64_t)s->size.entries + SPMMI_STREAM_PAD;
    const uint64_t count = spmmi_slices_count((uint32_t)s->size.rows);
    s->stream = (struct spmmi_stream){.nnz = (uint32_t)s->size.entries};
    spmmi_values_cut(arena, source->device, padded * spmm_dtype_size(s->dtype), &s->copy.new_values);
    if (s->index != SPMMI_INDEX_32)
        s->stream.narrow = spmmi_arena_cut(arena, columns_of(s), sizeof *s->stream.narrow);
    if (spmmi_slice_has_high(s->index))
        s->stream.columns =
            spmmi_arena_cut(arena, spmmi_slices_high_words(&s->size, s->index), sizeof *s->stream.columns);
    if (s->index == SPMMI_INDEX_32)
        s->stream.columns = spmmi_arena_cut(arena, columns_of(s), sizeof *s->stream.columns);
    s->stream.row_ends = spmmi_arena_cut(arena, count, SPMMI_SLICE_ROWS);
    s->slices = spmmi_arena_cut(arena, count + 1, sizeof *s->slices);
    if (s->is_alone)
        spmmi_rows_ranks_cut(arena, &s->rows.stream);
}

static void columns_add(const struct spmmi_rows_slices_stream *s, const struct spmmi_slices_host *host,
                        struct spmmi_uploads *uploads)
{
    const struct spmmi_stream *to = &s->stream;
    if (to->narrow != NULL)
        spmmi_cuda_table_add(uploads, to->narrow, columns_of(s), spmmi_slices_narrow_fill, host);
    if (spmmi_slice_has_high(s->index))
        spmmi_cuda_table_add(uploads, to->columns, spmmi_slices_high_words(&s->size, s->index),
                             spmmi_slices_high_fill, host);
    if (s->index == SPMMI_INDEX_32)
        spmmi_cuda_table_add(uploads, to->columns, columns_of(s), spmmi_slices_columns_fill, host);
}

static spmm_status_t upload(const struct spmmi_stream_host *rows, const int32_t *col_ind,
                            const struct spmmi_rows_slices_stream *s, struct spmmi_uploads *waiting,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_slices_host host = {.slices = NULL};
    struct spmmi_uploads uploads = spmmi_uploads_take(waiting);
    const uint64_t count = spmmi_slices_count((uint32_t)s->size.rows);
    const uint8_t *const padding = s->stream.row_ends;
    SPMM_TRY(spmmi_slices_build(rows, col_ind, &s->size, s->index, &host, diag));
    spmmi_cuda_table_add(&uploads, s->slices, count + 1, NULL, host.slices);
    spmmi_cuda_table_add(&uploads, padding, count * SPMMI_SLICE_ROWS, NULL, host.padding);
    columns_add(s, &host, &uploads);
    if (s->is_alone)
        spmmi_rows_ranks_add(&s->rows.stream, rows, &uploads);
    SPMM_TRY(spmmi_cuda_upload_all(&uploads, diag));
cleanup:
    spmmi_slices_host_free(&host);
    return status;
}

static void scratch_count(const struct spmmi_part_source *source, const struct spmmi_op_pattern *a)
{
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_stream_host_bytes(a->rows) +
                                 spmmi_slices_host_bytes((uint32_t)a->rows));
}

/* Returns the rows of op N as if they had a stream. */
static struct spmmi_cuda_rows lone_rows(const struct spmmi_part_source *source,
                                        const struct spmmi_stream_host *host)
{
    const spmm_plan_t *plan = source->plan;
    return (struct spmmi_cuda_rows){
        .schedule = source->part->schedule,
        .dtype = plan->dtype,
        .row_count = (uint32_t)plan->rows,
        .values = &source->device->values,
        .stream = {.nnz = (uint32_t)plan->nnz, .ranks = host->ranks, .empty_count = host->empty_count},
        .arrival_tag = source->device->random,
    };
}

/* Creates the slices of a pattern on the device, or only counts their bytes. */
static spmm_status_t make(const struct spmmi_part_source *source, const struct spmmi_stream_host *host,
                          const int32_t *col_ind, struct spmmi_rows_slices_stream *s, uint64_t *bytes,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    void *rows = NULL;
    if (s->is_alone)
        s->rows = lone_rows(source, host);
    cut(&arena, source, s);
    *bytes += arena.bytes;
    if (source->only_counts)
        goto cleanup;
    if (!s->is_alone) {
        SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_stream_kind, source->part->op, &rows, bytes, diag));
        s->rows = spmmi_rows_stream_part(rows, source->part);
    }
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &s->copy.memory, diag));
    cut(&arena, source, s);
    SPMM_TRY(upload(host, col_ind, s, s->is_alone ? source->waiting : NULL, diag));
cleanup:
    return status;
}

/* is_alone: without rows. The caller then names no kernel, because n_max is set. */
static spmm_status_t create_for(int is_alone, const struct spmmi_part_source *source, void **object,
                                uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int is_named = spmmi_rows_copy_is_named(source, "sliced");
    struct spmmi_op_pattern a;
    struct spmmi_stream_host rows = {0};
    struct spmmi_rows_slices_stream *s = NULL;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_stream_ranks_build(a.rows, a.row_ptr, &rows, diag));
    scratch_count(source, &a);
    SPMM_TRY_ALLOC(s = spmmi_alloc_zero(1, sizeof *s), diag);
    s->dtype = source->plan->dtype;
    s->is_alone = is_alone;
    s->copy.new_values.from = &source->device->memory;
    s->size = spmmi_slices_size(&rows, a.col_ind);
    s->index = spmmi_slices_index(&s->size, (uint32_t)spmm_dtype_size(s->dtype));
    const int fits = spmmi_slices_fit(source->plan->nnz, s->size.entries, s->size.padding_max, is_named);
    SPMM_REQUIRE(
        fits || !is_named, SPMM_ERR_UNSUPPORTED, diag,
        "slices of 32 rows have %lld entries for %lld nonzeros, up to %lld more in a row: too many; choose "
        "a kernel other than %s",
        (long long)s->size.entries, (long long)source->plan->nnz, (long long)s->size.padding_max,
        source->suffix);
    if (fits)
        SPMM_TRY(make(source, &rows, a.col_ind, s, bytes, diag));
    if (!source->only_counts) {
        *object = s;
        s = NULL;
    }
cleanup:
    spmmi_stream_host_free(&rows);
    spmmi_op_pattern_close(&a);
    spmmi_rows_copy_destroy(s);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    return create_for(0, source, object, bytes, diag);
}

static spmm_status_t create_alone(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                                  spmm_diag_t *diag)
{
    return create_for(1, source, object, bytes, diag);
}

/* Copies the values of the rows, which have been set before, in the order of the rows. */
static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_slices_stream *s = object;
    (void)values;
    if (s->slices == NULL || s->copy.new_values.values == NULL)
        return SPMM_OK;
    const struct spmmi_slices_fill args = {
        .nnz = s->rows.stream.nnz,
        .ranks = s->rows.stream.ranks,
        .entries = s->stream.nnz,
        .index = s->index,
        .slices = s->slices,
        .rank_start = s->rows.stream.rank_start,
        .from = *s->rows.values,
        .to = s->copy.new_values.values,
        .cuda_stream = stream,
    };
    return spmmi_cuda_status(spmmi_slices_fill_cuda(&args, (uint32_t)spmm_dtype_size(s->dtype)));
}

struct spmmi_cuda_rows spmmi_rows_slices_part(const struct spmmi_rows_slices_stream *slices,
                                              const struct spmmi_cuda_rows *rows)
{
    struct spmmi_cuda_rows part = *rows;
    part.stream.nnz = slices->stream.nnz;
    part.stream.columns = slices->stream.columns;
    part.stream.narrow = slices->stream.narrow;
    part.stream.row_ends = slices->stream.row_ends;
    part.values = &slices->copy.new_values.values;
    part.slices = slices->slices;
    part.slice_index = slices->index;
    return part;
}

struct spmmi_cuda_rows spmmi_rows_lone_slices_part(const struct spmmi_rows_slices_stream *slices)
{
    return spmmi_rows_slices_part(slices, &slices->rows);
}

const struct spmmi_shared_kind spmmi_rows_slices_kind = {.create = create,
                                                         .set_values = set_values,
                                                         .value_memory = spmmi_rows_copy_value_memory,
                                                         .destroy = spmmi_rows_copy_destroy};
const struct spmmi_shared_kind spmmi_rows_lone_slices_kind = {.create = create_alone,
                                                              .set_values = set_values,
                                                              .value_memory = spmmi_rows_copy_value_memory,
                                                              .destroy = spmmi_rows_copy_destroy};
