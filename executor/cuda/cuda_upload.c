/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family from a plan to device memory: the stream of each op, its value map, items and blocks of parts. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "cuda_call.h"
#include "cuda_state.h"
#include "format/base/alloc.h"
#include "executor/pack/op_pattern.h"

static spmm_status_t upload_map(const struct spmmi_operand *operand, const int64_t *map, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *narrow = spmmi_alloc(operand->stream.nnz, sizeof *narrow);
    SPMM_TRY_ALLOC(narrow, diag);
    for (uint32_t q = 0; q < operand->stream.nnz; q++)
        narrow[q] = (uint32_t)map[q];
    SPMM_TRY(spmmi_cuda_copy_up(operand->map, narrow, operand->stream.nnz, sizeof *narrow, diag));
cleanup:
    spmmi_free(narrow);
    return status;
}

static spmm_status_t upload_items(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_op_t op,
                                  const int64_t *row_ptr, const struct spmmi_stream_host *stream,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_items_host host = {0, NULL, NULL};
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (!cuda->part_is_used[i] || plan->parts[i].op != op || plan->parts[i].family != SPMM_FAMILY_ROWS)
            continue;
        SPMM_TRY(spmmi_items_build(&plan->parts[i], cuda->operands[op].rows, row_ptr, &host, diag));
        SPMM_TRY(spmmi_cuda_copy_up(cuda->items[i].item_rank, host.item_rank, host.item_count + 1,
                                    sizeof *host.item_rank, diag));
        if (host.item_start != NULL)
            SPMM_TRY(spmmi_cuda_copy_up(cuda->items[i].item_start, host.item_start, host.item_count + 1,
                                        sizeof *host.item_start, diag));
        else
            SPMM_TRY(spmmi_cuda_blocks_upload(cuda->blocks[i], stream, &host, cuda->parts[i].granule,
                                              cuda->dtype, cuda->figures.sm_count, diag));
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
    struct spmmi_stream_host host;
    struct spmmi_op_pattern a;
    memset(&host, 0, sizeof host);
    const struct spmmi_operand *operand = &cuda->operands[op];
    const struct spmmi_stream *s = &operand->stream;
    SPMM_TRY(spmmi_op_pattern_open(plan, op, &a, diag));
    SPMM_TRY(spmmi_stream_build(a.rows, a.row_ptr, a.col_ind, &host, diag));
    SPMM_REQUIRE(host.ranks == s->ranks, SPMM_ERR_INTERNAL, diag,
                 "the stream has %u rows, its statistics said %u", host.ranks, s->ranks);
    SPMM_TRY(spmmi_cuda_copy_up(s->columns, host.columns, (uint64_t)s->nnz + SPMMI_STREAM_PAD,
                                sizeof *s->columns, diag));
    SPMM_TRY(spmmi_cuda_copy_up(s->rank_start, host.rank_start, (uint64_t)s->ranks + 1, sizeof *s->rank_start,
                                diag));
    if (s->empty_count > 0) {
        SPMM_TRY(spmmi_cuda_copy_up(s->row_of_rank, host.row_of_rank, (uint64_t)s->ranks + 1,
                                    sizeof *s->row_of_rank, diag));
        SPMM_TRY(
            spmmi_cuda_copy_up(s->empty_rows, host.empty_rows, s->empty_count, sizeof *s->empty_rows, diag));
    }
    if (op == SPMM_OP_T)
        SPMM_TRY(upload_map(operand, a.map, diag));
    SPMM_TRY(upload_items(cuda, plan, op, a.row_ptr, &host, diag));
cleanup:
    spmmi_op_pattern_close(&a);
    spmmi_stream_host_free(&host);
    return status;
}

spmm_status_t spmmi_cuda_upload(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int op = 0; op < SPMMI_OP_COUNT; op++) {
        if (cuda->operands[op].is_used)
            SPMM_TRY(upload_operand(cuda, plan, (spmm_op_t)op, diag));
    }
cleanup:
    return status;
}
