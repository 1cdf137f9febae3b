/* SPDX-License-Identifier: Apache-2.0 */
/* See long_rows_cuda.h. */
#include "long_rows_cuda.h"

#include <string.h>

#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "kernels/shared/arrival.h"
#include "kernels/shared/convert.h"

void spmmi_cuda_long_rows_describe(const struct spmmi_long_rows *a, int64_t cols, spmm_dtype_t dtype,
                                   const struct spmmi_device *device, struct spmmi_cuda_long_rows *long_rows)
{
    const uint32_t rows = (uint32_t)a->rows;
    *long_rows = (struct spmmi_cuda_long_rows){
        .rows = {.schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                 .dtype = dtype,
                 .row_count = rows,
                 .arrival_tag = device->random,
                 .stream = {.nnz = (uint32_t)a->nnz, .ranks = rows},
                 .items = {.item_count = (uint32_t)a->part.item_count, .item_size = a->part.item_size},
                 .values = &long_rows->values},
        .cols = cols,
        .device = device,
        .new_values.from = &device->memory,
    };
}

void spmmi_cuda_long_rows_cut(struct spmmi_arena *arena, struct spmmi_cuda_long_rows *p)
{
    struct spmmi_cuda_rows *r = &p->rows;
    struct spmmi_stream *s = &r->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD, ranks = (uint64_t)s->ranks + 1;
    if (r->row_count == 0)
        return;
    s->columns = spmmi_arena_cut(arena, padded, sizeof *s->columns);
    s->rank_start = spmmi_arena_cut(arena, ranks, sizeof *s->rank_start);
    s->row_of_rank = spmmi_arena_cut(arena, ranks, sizeof *s->row_of_rank);
    r->row_list = s->row_of_rank;
    r->items.item_rank =
        spmmi_arena_cut(arena, (uint64_t)r->items.item_count + 1, sizeof *r->items.item_rank);
    spmmi_cuda_blocks_cut(arena, s->nnz, s->ranks, p->device, r);
    p->values = spmmi_arena_cut(arena, padded, spmm_dtype_size(r->dtype));
}

/* No long row is empty, so row and rank are the same among them. */
spmm_status_t spmmi_cuda_long_rows_upload(struct spmmi_cuda_long_rows *long_rows, struct spmmi_long_rows *a,
                                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_stream_host host;
    struct spmmi_uploads uploads = {.count = 0};
    struct spmmi_cuda_rows *r = &long_rows->rows;
    const struct spmmi_stream *s = &r->stream;
    const struct spmmi_columns_source columns = {a->col_ind, &host};
    memset(&host, 0, sizeof host);
    if (r->row_count == 0)
        goto cleanup;
    SPMM_TRY(spmmi_stream_ranks_build(a->rows, a->row_ptr, &host, diag));
    SPMM_REQUIRE(host.empty_count == 0, SPMM_ERR_INTERNAL, diag, "%u long rows are empty", host.empty_count);
    spmmi_cuda_table_add(&uploads, s->columns, (uint64_t)s->nnz + SPMMI_STREAM_PAD, spmmi_columns_fill,
                         &columns);
    spmmi_cuda_table_add(&uploads, s->rank_start, (uint64_t)s->ranks + 1, spmmi_rank_starts_fill, &host);
    spmmi_cuda_table_add(&uploads, s->row_of_rank, s->ranks, NULL, a->row_of);
    SPMM_TRY(spmmi_value_map_take(&long_rows->new_values, spmmi_array_move(&a->map), s->nnz, diag));
    spmmi_cuda_table_add(&uploads, long_rows->new_values.map, s->nnz, NULL, long_rows->new_values.host_map);
    SPMM_TRY(spmmi_cuda_items_upload(r, NULL, &host, long_rows->device->multiprocessors, &uploads, diag));
cleanup:
    spmmi_stream_host_free(&host);
    return status;
}

int spmmi_cuda_long_rows_set_values(const struct spmmi_cuda_long_rows *long_rows, const void *values,
                                    uint32_t count, void *stream)
{
    return long_rows->rows.row_count == 0
               ? cudaSuccess
               : spmmi_gather_cuda((int)long_rows->rows.dtype, long_rows->rows.stream.nnz,
                                   long_rows->new_values.map, values, long_rows->values, count, stream);
}

static struct spmmi_rows_launch plan_launch(const struct spmmi_cuda_long_rows *p, const spmm_dense_t *b,
                                            const spmm_dense_t *c)
{
    struct spmmi_rows_launch launch;
    const struct spmmi_rows_problem problem = {
        .rows = p->rows.row_count,
        .cols = p->cols,
        .nnz = p->rows.stream.nnz,
        .ranks = p->rows.stream.ranks,
        .item_count = p->rows.items.item_count,
        .schedule = p->rows.schedule,
        .dtype = p->rows.dtype,
        .b = b,
        .c = c,
        .blocks = p->rows.blocks,
        .staged = p->rows.staged,
    };
    spmmi_rows_launch_plan(&problem, p->device, &launch);
    launch.is_early = 0; /* the kernel that overtakes this one needs all earlier work to be complete */
    return launch;
}

/* The alignment of B and C decides the shape of the kernel: lanes load words of 16 bytes, pairs or single
 * values. Returns the maximum over these cases. */
uint64_t spmmi_cuda_long_rows_slots(const struct spmmi_cuda_long_rows *p, int64_t n)
{
    uint64_t bytes = 0;
    for (int more = 0; more < 3 && p->rows.row_count > 0; more++) {
        const int64_t ld = (n + 7) / 8 * 8 + more;
        const spmm_dense_t b = {NULL, p->cols, n, ld, SPMM_ROW_MAJOR, p->rows.dtype};
        const spmm_dense_t c = {NULL, p->rows.row_count, n, ld, SPMM_ROW_MAJOR, p->rows.dtype};
        const struct spmmi_rows_launch launch = plan_launch(p, &b, &c);
        bytes = launch.workspace_bytes > bytes ? launch.workspace_bytes : bytes;
    }
    return bytes;
}

int spmmi_cuda_long_rows_run(const struct spmmi_cuda_long_rows *p, const struct spmmi_product *product,
                             char *workspace, void *stream)
{
    struct spmmi_product own = *product;
    own.c.rows = p->rows.row_count;
    const struct spmmi_rows_launch launch = plan_launch(p, &own.b, &own.c);
    return spmmi_cuda_rows_run(&p->rows, &launch, product, 0, workspace, stream);
}
