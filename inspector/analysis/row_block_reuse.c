/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the working sets of row blocks of six heights in one pass, and the histogram of nonzeros per
 * column.
 *
 * Row blocks of 8, 16, .. 256 units are nested. The position at which a column was last seen therefore tells
 * for all heights whether the column is new to its row block: positions a and b are in the same row block of
 * 2^h units if a ^ b has no bit set from bit h on. */
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "row_block_pattern.h"

#define BLOCK 256u   /* units of the highest row block, which a thread processes at a time */
#define LOWEST_BIT 3 /* log2 of the units of the lowest row block */

static int bit_length(uint32_t x)
{
    return x == 0 ? 0 : 32 - __builtin_clz(x);
}

/* Counts the nonzeros of block `first`. counts[b] is incremented if bit b - 1 is the highest bit in which the
 * position differs from the one at which the column was last seen, and counts[32] if it was never seen.
 * last[column] is 1 + the position at which the column was last seen, or 0. */
static void count_block(const struct spmmi_row_block_pattern *p, uint64_t first, uint32_t *last,
                        int64_t counts[33])
{
    const uint64_t end = first + BLOCK < p->in->units ? first + BLOCK : p->in->units;
    for (uint64_t position = first; position < end; position++) {
        const uint64_t unit = spmmi_row_block_unit(p->in, position);
        for (int64_t q = p->in->unit_ptr[unit]; q < p->in->unit_ptr[unit + 1]; q++) {
            uint32_t *met = &last[p->col_ind[q]];
            counts[*met == 0 ? 32 : bit_length((*met - 1) ^ (uint32_t)position)]++;
            *met = (uint32_t)position + 1;
        }
    }
}

static void count_heights(const struct spmmi_row_block_pattern *p, uint32_t *last,
                          spmm_row_block_metrics_t *out)
{
    int64_t sums[33] = {0};
    const int64_t blocks = (int64_t)(p->in->units / BLOCK + (p->in->units % BLOCK != 0));
#pragma omp parallel num_threads(spmmi_team(p->threads))
    {
        int64_t counts[33] = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < blocks; i++)
            count_block(p, (uint64_t)i * BLOCK, last + omp_get_thread_num() * p->cols, counts);
#pragma omp critical(spmmi_row_block_heights)
        for (int b = 0; b <= 32; b++)
            sums[b] += counts[b];
    }
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
        out->working_set[h] = 0;
        for (int b = LOWEST_BIT + h + 1; b <= 32; b++)
            out->working_set[h] += sums[b];
        out->reuse[h] = spmmi_quotient(p->nnz, out->working_set[h]);
    }
}

/* Computes the histogram of nonzeros per column. counters has threads x cols elements, all zero. */
static void count_columns(const struct spmmi_row_block_pattern *p, uint32_t *counters,
                          spmm_row_block_metrics_t *out)
{
#pragma omp parallel num_threads(spmmi_team(p->threads))
    {
        uint32_t *own = counters + omp_get_thread_num() * p->cols;
#pragma omp for schedule(static)
        for (int64_t q = 0; q < p->nnz; q++)
            own[p->col_ind[q]]++;
        int64_t count[SPMM_COLUMN_BINS] = {0}, sum[SPMM_COLUMN_BINS] = {0};
#pragma omp for schedule(static)
        for (int64_t c = 0; c < p->cols; c++) {
            uint32_t nonzeros = 0;
            for (int t = 0; t < p->threads; t++)
                nonzeros += counters[t * p->cols + c];
            if (nonzeros == 0)
                continue;
            count[bit_length(nonzeros) - 1]++;
            sum[bit_length(nonzeros) - 1] += nonzeros;
        }
#pragma omp critical(spmmi_row_block_columns)
        for (int b = 0; b < SPMM_COLUMN_BINS; b++) {
            out->column_count[b] += count[b];
            out->column_sum[b] += sum[b];
            out->columns_used += count[b];
        }
    }
}

spmm_status_t spmmi_row_block_reuse_count(const struct spmmi_row_block_pattern *p,
                                          spmm_row_block_metrics_t *out)
{
    const uint64_t length = (uint64_t)p->threads * (uint64_t)p->cols;
    uint32_t *numbers = spmmi_alloc_zero(length, sizeof *numbers);
    if (numbers == NULL)
        return SPMM_ERR_MEMORY;
    count_heights(p, numbers, out);
    memset(numbers, 0, length * sizeof *numbers);
    count_columns(p, numbers, out);
    spmmi_free(numbers);
    return SPMM_OK;
}
