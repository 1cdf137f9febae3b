/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan to device memory: the stream of each op, its value map, the items and blocks of each part. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "cuda_call.h"
#include "cuda_state.h"
#include "format/alloc.h"
#include "stream_layout.h"

/* Host copies of what one op uploads. */
struct staged_operand {
    struct spmmi_stream_host stream;
    int64_t *row_ptr, *map; /* op = T only, owned */
    int32_t *col_ind;
    void *values;
};

static void staged_operand_free(struct staged_operand *staged)
{
    spmmi_stream_host_free(&staged->stream);
    spmmi_free(staged->values);
    spmmi_free(staged->col_ind);
    spmmi_free(staged->map);
    spmmi_free(staged->row_ptr);
    memset(staged, 0, sizeof *staged);
}

static spmm_status_t copy_up(void *device, const void *host, uint64_t count, size_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (count > 0)
        SPMM_TRY_CUDA(cudaMemcpy(device, host, (size_t)count * size, cudaMemcpyHostToDevice), diag);
cleanup:
    return status;
}

/* The CSR of op(A): A's own arrays, or a transpose in staged. */
static spmm_status_t stage_pattern(const spmm_plan_t *plan, spmm_op_t op, struct staged_operand *staged,
                                   const int64_t **row_ptr, const int32_t **col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *row_ptr = plan->row_ptr;
    *col_ind = plan->col_ind;
    if (op == SPMM_OP_N)
        goto cleanup;
    staged->row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *staged->row_ptr);
    SPMM_TRY_ALLOC(staged->row_ptr, diag);
    staged->col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *staged->col_ind);
    SPMM_TRY_ALLOC(staged->col_ind, diag);
    staged->map = spmmi_alloc((uint64_t)plan->nnz, sizeof *staged->map);
    SPMM_TRY_ALLOC(staged->map, diag);
    if (spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, staged->row_ptr,
                        staged->col_ind, staged->map) != SPMM_OK)
        SPMM_FAIL(SPMM_ERR_MEMORY, diag, "out of memory while transposing the pattern");
    *row_ptr = staged->row_ptr;
    *col_ind = staged->col_ind;
cleanup:
    return status;
}

static spmm_status_t upload_map(const struct spmmi_operand *operand, const int64_t *map, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *narrow = spmmi_alloc(operand->stream.nnz, sizeof *narrow);
    SPMM_TRY_ALLOC(narrow, diag);
    for (uint32_t q = 0; q < operand->stream.nnz; q++)
        narrow[q] = (uint32_t)map[q];
    SPMM_TRY(copy_up(operand->map, narrow, operand->stream.nnz, sizeof *narrow, diag));
cleanup:
    spmmi_free(narrow);
    return status;
}

static spmm_status_t upload_blocks(const struct spmmi_cuda *cuda, uint32_t part,
                                   const struct spmmi_stream_host *stream,
                                   const struct spmmi_items_host *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_block *blocks = NULL;
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint32_t count = spmmi_cuda_block_count(cuda, part, grid);
        blocks = spmmi_alloc((uint64_t)count + 1, sizeof *blocks);
        SPMM_TRY_ALLOC(blocks, diag);
        const uint32_t nonzeros = spmmi_cuda_block_nonzeros(cuda, part, grid);
        spmmi_blocks_build(stream, items, cuda->parts[part].granule, nonzeros,
                           nonzeros / spmmi_rows_slack(grid), blocks);
        SPMM_TRY(copy_up((void *)(uintptr_t)cuda->blocks[part][grid], blocks, (uint64_t)count + 1,
                         sizeof *blocks, diag));
        spmmi_free(blocks);
        blocks = NULL;
    }
cleanup:
    spmmi_free(blocks);
    return status;
}

static spmm_status_t upload_items(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_op_t op,
                                  const int64_t *row_ptr, const struct spmmi_stream_host *stream,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_items_host host = {0, NULL, NULL};
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].op != op || plan->parts[i].family != SPMM_FAMILY_ROWS)
            continue;
        SPMM_TRY(spmmi_items_build(&plan->parts[i], cuda->operands[op].rows, row_ptr, &host, diag));
        SPMM_TRY(copy_up((void *)(uintptr_t)cuda->items[i].item_rank, host.item_rank, host.item_count + 1,
                         sizeof *host.item_rank, diag));
        if (host.item_start != NULL)
            SPMM_TRY(copy_up((void *)(uintptr_t)cuda->items[i].item_start, host.item_start,
                             host.item_count + 1, sizeof *host.item_start, diag));
        else
            SPMM_TRY(upload_blocks(cuda, i, stream, &host, diag));
        spmmi_items_host_free(&host);
    }
cleanup:
    spmmi_items_host_free(&host);
    return status;
}

static spmm_status_t upload_operand(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_op_t op,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct staged_operand staged;
    memset(&staged, 0, sizeof staged);
    const struct spmmi_operand *operand = &cuda->operands[op];
    const struct spmmi_stream *s = &operand->stream;
    const int64_t *row_ptr = NULL;
    const int32_t *col_ind = NULL;
    SPMM_TRY(stage_pattern(plan, op, &staged, &row_ptr, &col_ind, diag));
    SPMM_TRY(spmmi_stream_build(operand->rows, row_ptr, col_ind, &staged.stream, diag));
    SPMM_REQUIRE(staged.stream.ranks == s->ranks, SPMM_ERR_INTERNAL, diag,
                 "the stream has %u rows, its statistics said %u", staged.stream.ranks, s->ranks);
    SPMM_TRY(copy_up((void *)(uintptr_t)s->columns, staged.stream.columns,
                     (uint64_t)s->nnz + SPMMI_STREAM_PAD, sizeof *s->columns, diag));
    SPMM_TRY(copy_up((void *)(uintptr_t)s->rank_start, staged.stream.rank_start, (uint64_t)s->ranks + 1,
                     sizeof *s->rank_start, diag));
    if (s->empty_count > 0) {
        SPMM_TRY(copy_up((void *)(uintptr_t)s->row_of_rank, staged.stream.row_of_rank, (uint64_t)s->ranks + 1,
                         sizeof *s->row_of_rank, diag));
        SPMM_TRY(copy_up((void *)(uintptr_t)s->empty_rows, staged.stream.empty_rows, s->empty_count,
                         sizeof *s->empty_rows, diag));
    }
    if (op == SPMM_OP_T)
        SPMM_TRY(upload_map(operand, staged.map, diag));
    SPMM_TRY(upload_items(cuda, plan, op, row_ptr, &staged.stream, diag));
cleanup:
    staged_operand_free(&staged);
    return status;
}

spmm_status_t spmmi_cuda_upload(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int op = 0; op < SPMMI_OP_COUNT; op++) {
        if (cuda->operands[op].is_used)
            SPMM_TRY(upload_operand(cuda, plan, (spmm_op_t)op, diag));
    }
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].family == SPMM_FAMILY_TILED)
            SPMM_TRY(spmmi_cuda_tiled_upload(plan, i, &cuda->tiled[i], diag));
    }
cleanup:
    return status;
}
