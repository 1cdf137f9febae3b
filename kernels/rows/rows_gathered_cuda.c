/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_gathered_cuda.h. */
#include "rows_gathered_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "rows_copy_cuda.h"
#include "rows_gathered_kernel.h"
#include "rows_gathered_pack.h"

struct spmmi_rows_gathered_stream {
    struct spmmi_rows_copy copy;
    spmm_dtype_t dtype;
    struct spmmi_gathered_tables tables; /* 0 blocks: there are none */
    struct spmmi_cuda_rows rows;
    struct spmmi_allowed allowed;
};
_Static_assert(offsetof(struct spmmi_rows_gathered_stream, copy) == 0, "see struct spmmi_rows_copy");

static uint64_t sum_bytes_of(const struct spmmi_part_source *source)
{
    return spmmi_sum_bytes((int)source->plan->dtype);
}

static int have_room(const struct spmmi_device *device)
{
    return device->shared_max >= SPMMI_GATHERED_SHARED_MAX + SPMMI_GATHERED_SHARED_OWN;
}

int spmmi_rows_gathered_use(const struct spmmi_part_source *source)
{
    const struct spmmi_device *const device = source->device;
    const int64_t cols = source->part->op == SPMM_OP_N ? source->plan->cols : source->plan->rows;
    return !device->lacks_values && !device->spares_device && !device->spares_host && have_room(device) &&
           cols <= SPMMI_GATHERED_COLUMNS_MAX &&
           spmmi_gathered_tries(source->plan->nnz, sum_bytes_of(source)) &&
           spmmi_rows_run_one_column(source, SPMM_SCHEDULE_NONZERO_SPLIT);
}

/* Cuts the device arrays from the arena. */
static void cut(struct spmmi_arena *arena, const struct spmmi_part_source *source,
                struct spmmi_rows_gathered_stream *s)
{
    struct spmmi_gathered_tables *const t = &s->tables;
    spmmi_values_cut(arena, source->device, t->entries * spmm_dtype_size(s->dtype), &s->copy.new_values);
    t->local = spmmi_arena_cut(arena, t->entries, sizeof *t->local);
    t->list = spmmi_arena_cut(arena, t->columns, sizeof *t->list);
    t->first_rank =
        spmmi_arena_cut(arena, (uint64_t)t->count * SPMMI_GATHERED_THREADS, sizeof *t->first_rank);
    t->blocks = spmmi_arena_cut(arena, t->count, sizeof *t->blocks);
    t->starts = spmmi_arena_cut(arena, (uint64_t)t->count + 1, sizeof *t->starts);
}

static spmm_status_t upload(struct spmmi_gathered_host *host, const struct spmmi_gathered_tables *to,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_uploads uploads = {.count = 0};
    SPMM_TRY(spmmi_gathered_fill(host, diag));
    spmmi_cuda_table_add(&uploads, to->local, to->entries, NULL, host->local);
    spmmi_cuda_table_add(&uploads, to->list, to->columns, NULL, host->list);
    spmmi_cuda_table_add(&uploads, to->first_rank, (uint64_t)to->count * SPMMI_GATHERED_THREADS, NULL,
                         host->first_rank);
    spmmi_cuda_table_add(&uploads, to->blocks, to->count, NULL, host->blocks);
    spmmi_cuda_table_add(&uploads, to->starts, (uint64_t)to->count + 1, NULL, host->starts);
    SPMM_TRY(spmmi_cuda_upload_all(&uploads, diag));
cleanup:
    return status;
}

/* Creates the blocks on the device, or only counts their bytes. */
static spmm_status_t make(const struct spmmi_part_source *source, struct spmmi_gathered_host *host,
                          struct spmmi_rows_gathered_stream *s, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    void *rows = NULL;
    s->tables.count = host->count;
    s->tables.entries = (uint32_t)host->entries;
    s->tables.columns = host->columns;
    s->tables.shared_values_max = host->shared_values_max;
    cut(&arena, source, s);
    *bytes += arena.bytes;
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_rows_stream_kind, source->part->op, &rows, bytes, diag));
    s->rows = spmmi_rows_stream_part(rows, source->part);
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &s->copy.memory, diag));
    cut(&arena, source, s);
    SPMM_TRY(upload(host, &s->tables, diag));
cleanup:
    return status;
}

/* Makes the blocks of the pattern, if they pay or if a caller names the kernel. */
static spmm_status_t make_of_rows(const struct spmmi_part_source *source, int is_named,
                                  const struct spmmi_op_pattern *a, const struct spmmi_stream_host *rows,
                                  struct spmmi_rows_gathered_stream *s, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_gathered_host host = {.count = 0};
    const uint32_t nonzeros = spmmi_gathered_nonzeros(rows->nnz, sum_bytes_of(source));
    if (rows->nnz == 0)
        goto cleanup;
    SPMM_TRY(spmmi_gathered_build(rows, a->col_ind, a->cols, nonzeros, &host, diag));
    spmmi_scratch_is(source, spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_stream_host_bytes(a->rows) + spmmi_gathered_host_bytes(&host));
    if (is_named || spmmi_gathered_pays(host.columns, host.changes, rows->nnz))
        SPMM_TRY(make(source, &host, s, bytes, diag));
cleanup:
    spmmi_gathered_host_free(&host);
    return status;
}

static spmm_status_t create(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int is_named = spmmi_rows_copy_is_named(source, "gathered");
    struct spmmi_op_pattern a = {.map = NULL};
    struct spmmi_stream_host rows = {0};
    struct spmmi_rows_gathered_stream *s = NULL;
    SPMM_REQUIRE(!is_named || !source->device->lacks_values, SPMM_ERR_UNSUPPORTED, diag,
                 "all values of A are equal, for which there is no kernel %s: take another kernel",
                 source->suffix);
    SPMM_REQUIRE(
        !is_named || have_room(source->device), SPMM_ERR_UNSUPPORTED, diag,
        "the GPU has %u bytes of shared memory per thread block, too few for %s: take another kernel",
        source->device->shared_max, source->suffix);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_stream_ranks_build(a.rows, a.row_ptr, &rows, diag));
    SPMM_TRY_ALLOC(s = spmmi_alloc_zero(1, sizeof *s), diag);
    s->dtype = source->plan->dtype;
    s->copy.new_values.from = &source->device->memory;
    SPMM_TRY(make_of_rows(source, is_named, &a, &rows, s, bytes, diag));
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

/* Copies the values of the rows, which have been set before. */
static spmm_status_t set_values(void *object, const void *values, void *stream)
{
    const struct spmmi_rows_gathered_stream *s = object;
    (void)values;
    if (s->tables.count == 0 || s->copy.new_values.values == NULL)
        return SPMM_OK;
    return spmmi_cuda_status(spmmi_gathered_fill_cuda(&s->tables, s->rows.stream.nnz, *s->rows.values,
                                                      s->copy.new_values.values,
                                                      (uint32_t)spmm_dtype_size(s->dtype), stream));
}

int spmmi_rows_gathered_takes(const struct spmmi_rows_gathered_stream *gathered,
                              const struct spmmi_product *product)
{
    return gathered != NULL && gathered->tables.count > 0 && product->alpha != 0 && product->b.cols == 1 &&
           !product->a_is_uniform && product->b.type == gathered->dtype && product->c.type == gathered->dtype;
}

int spmmi_rows_gathered_run(struct spmmi_rows_gathered_stream *gathered, const struct spmmi_cuda_rows *rows,
                            const struct spmmi_product *product, int is_dependent, char *workspace,
                            void *stream)
{
    const uint64_t arrivals = ((uint64_t)gathered->tables.count * sizeof(uint64_t) + SPMMI_DEVICE_ALIGN - 1) /
                              SPMMI_DEVICE_ALIGN * SPMMI_DEVICE_ALIGN;
    struct spmmi_gathered_product args = {
        .tables = gathered->tables,
        .stream = rows->stream,
        .b = product->b.data,
        .c = product->c.data,
        .ldb = (uint32_t)spmmi_row_step(&product->b),
        .ldc = (uint64_t)spmmi_row_step(&product->c),
        .rows_of_b = (uint32_t)product->b.rows,
        .rows_of_c = (uint32_t)product->c.rows,
        .alpha = product->alpha,
        .beta = product->beta,
        .arrivals = (uint64_t *)(void *)workspace,
        .arrival_tag = rows->arrival_tag,
        .slots = workspace + arrivals,
        .allowed = &gathered->allowed,
        .cuda_stream = stream,
        .is_dependent = is_dependent,
    };
    args.stream.values = gathered->copy.new_values.values;
    return spmmi_gathered_run_cuda(&args, (int)gathered->dtype);
}

const struct spmmi_shared_kind spmmi_rows_gathered_kind = {.create = create,
                                                           .set_values = set_values,
                                                           .value_memory = spmmi_rows_copy_value_memory,
                                                           .destroy = spmmi_rows_copy_destroy};
