/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_count.h. */
#include "row_block_count.h"

#include <string.h>

#include <omp.h>

#include "format/matrix/column_set.h"
#include "format/base/alloc.h"
#include "format/base/team.h"

/* The memory of a thread, which counts one row block after the other. */
struct worker {
    struct spmmi_column_set set;
    uint32_t *columns; /* columns of the row block, ascending */
    uint32_t *longest; /* maximum entries of a unit, for each warp in each stage; zero between row blocks */
};

struct row_block {
    uint64_t first, end;                 /* positions in the permutation */
    uint32_t working_set, stages, width; /* width: columns per stage; the last stage may have fewer */
};

int64_t spmmi_row_blocks_of(const struct spmmi_row_block_input *in)
{
    return (int64_t)(in->units / in->block_rows + (in->units % in->block_rows != 0));
}

/* Returns the first position of row block `index`, or units after the last row block. */
static uint64_t first_position(const struct spmmi_row_block_input *in, int64_t index)
{
    const uint64_t first = (uint64_t)index * in->block_rows;
    return first < in->units ? first : in->units;
}

int64_t spmmi_row_block_nonzeros(const struct spmmi_row_block_input *in, int64_t index)
{
    const uint64_t first = first_position(in, index), end = first_position(in, index + 1);
    int64_t nonzeros = 0;
    if (in->permutation == NULL)
        return in->unit_ptr[end] - in->unit_ptr[first];
    for (uint64_t position = first; position < end; position++) {
        const uint64_t unit = spmmi_row_block_unit(in, position);
        nonzeros += in->unit_ptr[unit + 1] - in->unit_ptr[unit];
    }
    return nonzeros;
}

/* Collects the columns of a row block and divides them into
 * the smallest possible number of stages of equal width. */
static void row_block_open(const struct spmmi_row_block_pattern *p, int64_t index, struct worker *w,
                           struct row_block *row_block)
{
    const struct spmmi_row_block_input *in = p->in;
    row_block->first = first_position(in, index);
    row_block->end = first_position(in, index + 1);
    for (uint64_t position = row_block->first; position < row_block->end; position++) {
        const uint64_t unit = spmmi_row_block_unit(in, position);
        const int64_t begin = in->unit_ptr[unit], count = in->unit_ptr[unit + 1] - begin;
        if (count > 0) /* without nonzeros, col_ind may be NULL */
            spmmi_column_set_add(&w->set, p->col_ind + begin, count);
    }
    row_block->working_set = spmmi_column_set_drain(&w->set, w->columns);
    row_block->stages = spmmi_row_block_stages(row_block->working_set, in->stage_slots);
    row_block->width = row_block->stages == 0 ? 0 : (row_block->working_set - 1) / row_block->stages + 1;
}

/* Computes w->longest: for each warp and stage, the maximum number of entries of a unit. */
static void count_longest(const struct spmmi_row_block_pattern *p, const struct worker *w,
                          const struct row_block *row_block)
{
    const struct spmmi_row_block_input *in = p->in;
    const uint32_t warps = in->block_rows / SPMMI_ROW_BLOCK_LANES;
    for (uint64_t position = row_block->first; position < row_block->end; position++) {
        const uint64_t unit = spmmi_row_block_unit(in, position);
        const int64_t end = in->unit_ptr[unit + 1];
        uint32_t *longest = w->longest + (position - row_block->first) / SPMMI_ROW_BLOCK_LANES;
        for (int64_t q = in->unit_ptr[unit], from = q; q < end; longest += warps, from = q) {
            const uint32_t stage = (uint32_t)((longest - w->longest) / warps);
            const uint32_t last = (stage + 1) * row_block->width;
            if (last >= row_block->working_set)
                q = end;
            while (q < end && p->col_ind[q] < (int32_t)w->columns[last])
                q++;
            const uint32_t length = (uint32_t)(q - from);
            *longest = length > *longest ? length : *longest;
        }
    }
}

/* Adds the runs of consecutive columns, the cache lines and the sectors of one stage to out. The sizes of
 * lines, sectors and values are powers of two. */
static void count_access(const struct spmmi_row_block_pattern *p, const uint32_t *columns, uint32_t count,
                         struct spmmi_row_block_count *out)
{
    const int line = __builtin_ctz(SPMMI_ROW_BLOCK_LINE_BYTES / p->in->value_bytes);
    const int sector = __builtin_ctz(SPMMI_ROW_BLOCK_SECTOR_BYTES / p->in->value_bytes);
    int64_t runs = 0, lines = 0, sectors = 0;
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = p->column == NULL ? columns[i] : (uint32_t)p->column[columns[i]];
        const uint32_t differs = i == 0 ? UINT32_MAX : column ^ before;
        runs += i == 0 || column != before + 1;
        lines += differs >> line != 0;
        sectors += differs >> sector != 0;
        before = column;
    }
    out->runs += runs;
    out->lines += lines;
    out->sectors += sectors;
}

static struct spmmi_row_block_count count_row_block(const struct spmmi_row_block_pattern *p, int64_t index,
                                                    struct worker *w)
{
    struct row_block row_block;
    row_block_open(p, index, w, &row_block);
    count_longest(p, w, &row_block);
    struct spmmi_row_block_count out = {.working_set = row_block.working_set, .stages = row_block.stages};
    const size_t cells = (size_t)row_block.stages * (p->in->block_rows / SPMMI_ROW_BLOCK_LANES);
    for (size_t i = 0; i < cells; i++)
        out.slices += w->longest[i];
    memset(w->longest, 0, cells * sizeof *w->longest);
    for (uint32_t first = 0; first < row_block.working_set; first += row_block.width) {
        const uint32_t left = row_block.working_set - first;
        count_access(p, w->columns + first, left < row_block.width ? left : row_block.width, &out);
    }
    return out;
}

/* Allocates the memory of a worker. bound is an upper limit of the working set of any row block. */
static spmm_status_t worker_open(const struct spmmi_row_block_pattern *p, int64_t bound, struct worker *w)
{
    const uint64_t stages = (uint64_t)bound / p->in->stage_slots + 1;
    w->columns = spmmi_alloc((uint64_t)bound, sizeof *w->columns);
    w->longest = spmmi_alloc_zero(stages * (p->in->block_rows / SPMMI_ROW_BLOCK_LANES), sizeof *w->longest);
    if (w->columns == NULL || w->longest == NULL)
        return SPMM_ERR_MEMORY;
    return spmmi_column_set_new(&w->set, p->cols);
}

static void worker_close(struct worker *w)
{
    spmmi_column_set_free(&w->set);
    spmmi_free(w->longest);
    spmmi_free(w->columns);
}

spmm_status_t spmmi_row_blocks_count(const struct spmmi_row_block_pattern *p, const int64_t *list,
                                     int64_t count, int64_t most, struct spmmi_row_block_count *counts)
{
    spmm_status_t status = SPMM_OK;
    const int64_t bound = most < p->cols ? most : p->cols;
    struct worker *workers = spmmi_alloc_zero((uint64_t)p->threads, sizeof *workers);
    if (workers == NULL)
        return SPMM_ERR_MEMORY;
    for (int t = 0; t < p->threads && status == SPMM_OK; t++)
        status = worker_open(p, bound, &workers[t]);
    if (status == SPMM_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(spmmi_team(p->threads))
        for (int64_t i = 0; i < count; i++)
            counts[i] = count_row_block(p, list == NULL ? i : list[i], &workers[omp_get_thread_num()]);
    }
    for (int t = 0; t < p->threads; t++)
        worker_close(&workers[t]);
    spmmi_free(workers);
    return status;
}
