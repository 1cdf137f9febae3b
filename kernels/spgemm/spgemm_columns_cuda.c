/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_columns_cuda.h. */
#include "spgemm_columns_cuda.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_limits.h"
#include "spgemm_ranges.h"

static uint64_t entries_of(const struct spmmi_csr_pattern *a)
{
    return (uint64_t)a->row_ptr[a->rows];
}

/* Returns true if both factors have the columns of one operand, which is then stored once. */
static int is_one_operand(const struct spmmi_spgemm_task *task)
{
    return task->left.col_ind == task->right.col_ind;
}

static void cut_tables(const struct spmmi_spgemm_task *task, const struct spmmi_spgemm_ranges *ranges,
                       struct spmmi_arena *arena, struct spmmi_spgemm_column_tables *t)
{
    t->ranges = spmmi_arena_cut(arena, ranges->count, sizeof *t->ranges);
    t->cuts = spmmi_arena_cut(arena, ranges->cut_count, sizeof *t->cuts);
    t->ends = spmmi_arena_cut(arena, ranges->end_count, sizeof *t->ends);
    t->words = spmmi_arena_cut(arena, ranges->word_count, sizeof *t->words);
    t->right_row_ptr = spmmi_arena_cut(arena, (uint64_t)task->right.rows + 1, sizeof *t->right_row_ptr);
    t->right_columns = spmmi_arena_cut(arena, entries_of(&task->right), sizeof *t->right_columns);
    t->left_columns = is_one_operand(task)
                          ? t->right_columns
                          : spmmi_arena_cut(arena, entries_of(&task->left), sizeof *t->left_columns);
}

/* Converts row pointers of 64 bits, whose values fit in 32 bits. */
static void fill_row_ptr(const void *source, uint64_t first, uint64_t count, void *to)
{
    const int64_t *const from = source;
    uint32_t *const out = to;
    for (uint64_t i = 0; i < count; i++)
        out[i] = (uint32_t)from[first + i];
}

static spmm_status_t upload_tables(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_ranges *ranges,
                                   const struct spmmi_spgemm_column_tables *t, spmm_diag_t *diag)
{
    struct spmmi_uploads uploads = {.count = 0};
    spmmi_cuda_table_add(&uploads, t->ranges, ranges->count, NULL, ranges->ranges);
    spmmi_cuda_table_add(&uploads, t->cuts, ranges->cut_count, NULL, ranges->cuts);
    spmmi_cuda_table_add(&uploads, t->ends, ranges->end_count, NULL, ranges->ends);
    spmmi_cuda_table_add(&uploads, t->words, ranges->word_count, NULL, ranges->words);
    spmmi_cuda_table_add(&uploads, t->right_row_ptr, (uint64_t)task->right.rows + 1, fill_row_ptr,
                         task->right.row_ptr);
    spmmi_cuda_table_add(&uploads, t->right_columns, entries_of(&task->right), NULL, task->right.col_ind);
    if (!is_one_operand(task))
        spmmi_cuda_table_add(&uploads, t->left_columns, entries_of(&task->left), NULL, task->left.col_ind);
    return spmmi_cuda_upload_all(&uploads, diag);
}

spmm_status_t spmmi_spgemm_gpu_columns_make(const struct spmmi_spgemm_table_source *source,
                                            struct spmmi_spgemm_gpu_columns *columns, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_task *task = &source->stage->task;
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_spgemm_ranges ranges;
    memset(columns, 0, sizeof *columns);
    SPMM_TRY(spmmi_spgemm_ranges_make(source->stage, source->host_left, &ranges, diag));
    memcpy(columns->spans, ranges.spans, sizeof columns->spans);
    cut_tables(task, &ranges, &arena, &columns->tables);
    SPMM_TRY(spmmi_spgemm_budget(source->device_left, source->used, arena.bytes, diag));
    SPMM_TRY(spmmi_arena_take(&arena, source->memory, &columns->memory, diag));
    cut_tables(task, &ranges, &arena, &columns->tables);
    SPMM_TRY(upload_tables(task, &ranges, &columns->tables, diag));
cleanup:
    spmmi_spgemm_ranges_free(&ranges);
    return status;
}

int spmmi_spgemm_gpu_columns_run(const struct spmmi_spgemm_gpu_columns *columns,
                                 const struct spmmi_spgemm_operands *operands, int can_overlap,
                                 int is_dependent, void *stream)
{
    int error = cudaSuccess;
    /* Launches the classes that take longest first. */
    for (int i = SPMMI_SPGEMM_SPANS; i-- > 0 && error == cudaSuccess;) {
        if (columns->spans[i].count == 0)
            continue;
        error =
            spmmi_spgemm_span_cuda(&columns->tables, i, columns->spans[i], operands, is_dependent, stream);
        is_dependent = can_overlap;
    }
    return error;
}
