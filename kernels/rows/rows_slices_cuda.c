/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_slices_cuda.h. */
#include "rows_slices_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "executor/wanted.h"
#include "format/base/alloc.h"
#include "rows_slices_kernel.h"
#include "rows_slices_pack.h"

struct spmmi_rows_slices_stream {
    spmm_dtype_t dtype;
    struct spmmi_row_slices size; /* no entries: there are no slices */
    struct spmmi_stream rows;     /* that the slices are of */
    struct spmmi_stream stream;   /* theirs */
    const struct spmmi_slice *slices;
    void *values; /* those of the stream, to write */
    struct spmmi_device_block memory;
};

/* Does a product of one column run a row split of this op? */
int spmmi_rows_slices_use(const struct spmmi_part_source *source)
{
    static const struct spmmi_wanted one = {.n_min = 1, .n_max = 1};
    const spmm_plan_t *plan = source->plan;
    int reached[SPMMI_VARIANT_MAX], is_used = 0;
    spmmi_wanted_reach(plan, source->device->target, &one, reached);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *v = &plan->variants[i];
        const struct spmmi_part *part = &plan->parts[v->part_first];
        is_used |= reached[i] && v->op == source->part->op && v->n_min <= 1 &&
                   part->family == SPMM_FAMILY_ROWS && part->schedule == SPMM_SCHEDULE_ROW_SPLIT;
    }
    return is_used && source->part->schedule == SPMM_SCHEDULE_ROW_SPLIT;
}

/* Device addresses. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_slices_stream *s)
{
    const uint64_t padded = (uint64_t)s->size.entries + SPMMI_STREAM_PAD;
    const uint64_t count = spmmi_slices_count((uint32_t)s->size.rows);
    const enum spmmi_slice_index index = spmmi_slices_index(&s->size);
    s->stream = (struct spmmi_stream){.nnz = (uint32_t)s->size.entries};
    if (!source->device->lacks_values)
        s->stream.values = s->values = spmmi_arena_cut(arena, padded, spmm_dtype_size(s->dtype));
    if (index != SPMMI_INDEX_32)
        s->stream.narrow = spmmi_arena_cut(arena, padded, sizeof *s->stream.narrow);
    if (index == SPMMI_INDEX_20)
        s->stream.columns =
            spmmi_arena_cut(arena, spmmi_slices_high_words(&s->size), sizeof *s->stream.columns);
    if (index == SPMMI_INDEX_32)
        s->stream.columns = spmmi_arena_cut(arena, padded, sizeof *s->stream.columns);
    s->stream.row_ends = spmmi_arena_cut(arena, count, SPMMI_SLICE_ROWS);
    s->slices = spmmi_arena_cut(arena, count + 1, sizeof *s->slices);
}

static void columns_add(const struct spmmi_rows_slices_stream *s, const struct spmmi_slices_host *host,
                        struct spmmi_uploads *uploads)
{
    const struct spmmi_stream *to = &s->stream;
    const uint64_t padded = (uint64_t)s->size.entries + SPMMI_STREAM_PAD;
    if (to->narrow != NULL)
        spmmi_cuda_table_add(uploads, to->narrow, padded, spmmi_slices_narrow_fill, host);
    if (host->index == SPMMI_INDEX_20)
        spmmi_cuda_table_add(uploads, to->columns, spmmi_slices_high_words(&s->size), spmmi_slices_high_fill,
                             host);
    if (host->index == SPMMI_INDEX_32)
        spmmi_cuda_table_add(uploads, to->columns, padded, spmmi_slices_columns_fill, host);
}

static spmm_status_t upload(const struct spmmi_stream_host *rows, const int32_t *col_ind,
                            const struct spmmi_rows_slices_stream *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_slices_host host = {.slices = NULL};
    struct spmmi_uploads uploads = {.count = 0};
    const uint64_t count = spmmi_slices_count((uint32_t)s->size.rows);
    const uint8_t *const lacks = s->stream.row_ends;
    SPMM_TRY(spmmi_slices_build(rows, col_ind, &s->size, &host, diag));
    spmmi_cuda_table_add(&uploads, s->slices, count + 1, NULL, host.slices);
    spmmi_cuda_table_add(&uploads, lacks, count * SPMMI_SLICE_ROWS, NULL, host.lacks);
    columns_add(s, &host, &uploads);
    SPMM_TRY(spmmi_cuda_upload_all(&uploads, diag));
cleanup:
    spmmi_slices_host_free(&host);
    return status;
}

static void destroy(void *object)
{
    struct spmmi_rows_slices_stream *s = object;
    if (s != NULL)
        spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static void scratch_count(const struct spmmi_part_source *source, const struct spmmi_op_pattern *a)
{
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_stream_host_bytes(a->rows) +
                                 spmmi_slices_host_bytes((uint32_t)a->rows));
}

/* Slices of a pattern on the device, if they have entries. */
static spmm_status_t make(const struct spmmi_part_source *source, const struct spmmi_stream_host *host,
                          const int32_t *col_ind, struct spmmi_rows_slices_stream *s, uint64_t *bytes,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    void *rows = NULL;
    cut(&arena, source, s);
    *bytes += arena.bytes;
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_stream_kind, source->part->op, &rows, bytes, diag));
    s->rows = spmmi_rows_stream_part(rows, source->part).stream;
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &s->memory, diag));
    cut(&arena, source, s);
    SPMM_TRY(upload(host, col_ind, s, diag));
cleanup:
    return status;
}

static spmm_status_t create_if(const struct spmmi_part_source *source, int is_named, void **object,
                               uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_stream_host rows = {0};
    struct spmmi_rows_slices_stream *s = NULL;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_stream_ranks_build(a.rows, a.row_ptr, &rows, diag));
    scratch_count(source, &a);
    SPMM_TRY_ALLOC(s = spmmi_alloc_zero(1, sizeof *s), diag);
    s->dtype = source->plan->dtype;
    s->size = spmmi_slices_size(&rows, a.col_ind);
    const int fits = spmmi_slices_fit(source->plan->nnz, s->size.entries, s->size.lacks, is_named);
    SPMM_REQUIRE(
        fits || !is_named, SPMM_ERR_UNSUPPORTED, diag,
        "slices of 32 rows have %lld entries for %lld nonzeros, and a row lacks up to %lld: too many, take "
        "another kernel than %s",
        (long long)s->size.entries, (long long)source->plan->nnz, (long long)s->size.lacks, source->suffix);
    if (fits)
        SPMM_TRY(make(source, &rows, a.col_ind, s, bytes, diag));
    if (!source->only_counts) {
        *object = s;
        s = NULL;
    }
cleanup:
    spmmi_stream_host_free(&rows);
    spmmi_op_pattern_close(&a);
    destroy(s);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    return create_if(source, 0, object, bytes, diag);
}

static spmm_status_t create_named(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                                  spmm_diag_t *diag)
{
    return create_if(source, 1, object, bytes, diag);
}

/* The rows have theirs by now, in their order. */
static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_slices_stream *s = object;
    const struct spmmi_slices_fill args = {
        .nnz = s->rows.nnz,
        .ranks = s->rows.ranks,
        .entries = s->stream.nnz,
        .slices = s->slices,
        .rank_start = s->rows.rank_start,
        .from = s->rows.values,
        .to = s->values,
        .cuda_stream = stream,
    };
    (void)values;
    return s->slices == NULL
               ? SPMM_OK
               : spmmi_cuda_status(spmmi_slices_fill_cuda(&args, (uint32_t)spmm_dtype_size(s->dtype)));
}

struct spmmi_cuda_rows spmmi_rows_slices_part(const struct spmmi_rows_slices_stream *slices,
                                              const struct spmmi_cuda_rows *rows)
{
    struct spmmi_cuda_rows part = *rows;
    part.stream.nnz = slices->stream.nnz;
    part.stream.columns = slices->stream.columns;
    part.stream.narrow = slices->stream.narrow;
    part.stream.row_ends = slices->stream.row_ends;
    part.stream.values = slices->stream.values;
    part.slices = slices->slices;
    return part;
}

const struct spmmi_shared_kind spmmi_rows_slices_kind = {
    .create = create, .set_values = set_values, .destroy = destroy};
const struct spmmi_shared_kind spmmi_rows_named_slices_kind = {
    .create = create_named, .set_values = set_values, .destroy = destroy};
