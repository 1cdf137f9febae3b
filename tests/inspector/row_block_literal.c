/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_literal.h. A row block is a table with one flag per column of the matrix: whether any unit of
 * the row block holds the column. All metrics are computed from such tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/matrix/units.h"
#include "inspector/analysis/random.h"
#include "row_block_literal.h"

static int64_t unit_at(const struct spmmi_row_block_input *in, int64_t position)
{
    return in->permutation == NULL ? position : (int64_t)in->permutation[position];
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Sets is_held[c] = 1 for each column c that the units at positions first .. end - 1 hold, else 0. Returns
 * the number of ones. */
static int64_t mark(const struct spmmi_row_block_input *in, int64_t first, int64_t end,
                    unsigned char *is_held)
{
    int64_t count = 0;
    memset(is_held, 0, (size_t)in->cols);
    for (int64_t position = first; position < end; position++)
        for (int64_t q = in->unit_ptr[unit_at(in, position)]; q < in->unit_ptr[unit_at(in, position) + 1];
             q++)
            is_held[in->col_ind[q]] = 1;
    for (int64_t c = 0; c < in->cols; c++)
        count += is_held[c];
    return count;
}

/* Returns the held column with this index, counted from 0; cols if there are not that many. */
static int64_t held_at(const struct spmmi_row_block_input *in, const unsigned char *is_held, int64_t index)
{
    for (int64_t c = 0; c < in->cols; c++)
        if (is_held[c] && index-- == 0)
            return c;
    return in->cols;
}

static int64_t entries_between(const struct spmmi_row_block_input *in, int64_t unit, int64_t low,
                               int64_t high)
{
    int64_t count = 0;
    for (int64_t q = in->unit_ptr[unit]; q < in->unit_ptr[unit + 1]; q++)
        count += in->col_ind[q] >= low && in->col_ind[q] < high;
    return count;
}

/* Returns the number of aligned memory blocks of `bytes` bytes that columns low .. high - 1 touch, with
 * `number` bytes per column. A held column counts unless an earlier held column is in its block. */
static int64_t blocks_touched(const unsigned char *is_held, int64_t low, int64_t high, int64_t number,
                              int64_t bytes)
{
    int64_t count = 0;
    for (int64_t c = low; c < high; c++) {
        int is_new = is_held[c];
        for (int64_t before = c - 1; before >= low && before * number / bytes == c * number / bytes; before--)
            is_new &= !is_held[before];
        count += is_new;
    }
    return count;
}

static void stage(const struct spmmi_row_block_input *in, int64_t first, int64_t end,
                  const unsigned char *is_held, int64_t low, int64_t high, spmm_row_block_metrics_t *out)
{
    for (int64_t warp = first; warp < end; warp += 32) {
        int64_t longest = 0;
        for (int64_t position = warp; position < end && position < warp + 32; position++) {
            const int64_t entries = entries_between(in, unit_at(in, position), low, high);
            longest = entries > longest ? entries : longest;
        }
        out->slices += longest;
    }
    for (int64_t c = low; c < high; c++)
        out->runs += is_held[c] && (c == low || !is_held[c - 1]);
    out->lines += blocks_touched(is_held, low, high, in->value_bytes, 64);
    out->sectors += blocks_touched(is_held, low, high, in->value_bytes, 32);
}

static void row_blocks(const struct spmmi_row_block_input *in, unsigned char *is_held,
                       spmm_row_block_metrics_t *out)
{
    for (int64_t first = 0; first < out->units; first += in->block_rows) {
        const int64_t end = first + in->block_rows < out->units ? first + in->block_rows : out->units;
        const int64_t working_set = mark(in, first, end, is_held);
        const int64_t stages =
            working_set <= 2 * in->stage_slots ? working_set > 0 : up(working_set, in->stage_slots);
        out->row_blocks++;
        out->working_set_sum += working_set;
        out->working_set_max = working_set > out->working_set_max ? working_set : out->working_set_max;
        out->stages += stages;
        out->stages_max = stages > out->stages_max ? stages : out->stages_max;
        for (int64_t s = 0; s < stages; s++) {
            const int64_t width = up(working_set, stages);
            stage(in, first, end, is_held, held_at(in, is_held, s * width),
                  held_at(in, is_held, (s + 1) * width), out);
        }
    }
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        for (int64_t first = 0; first < out->units; first += 8 << h)
            out->working_set[h] +=
                mark(in, first, first + (8 << h) < out->units ? first + (8 << h) : out->units, is_held);
}

static void columns(const struct spmmi_row_block_input *in, int64_t nnz, spmm_row_block_metrics_t *out)
{
    int64_t *degree = spmmi_alloc_zero((uint64_t)in->cols, sizeof *degree);
    for (int64_t q = 0; q < nnz; q++)
        degree[in->col_ind[q]]++;
    for (int64_t c = 0; c < in->cols; c++) {
        out->columns_used += degree[c] > 0;
        for (int b = 0; b < SPMM_COLUMN_BINS; b++) {
            const int is_in = degree[c] >= INT64_C(1) << b && degree[c] < INT64_C(2) << b;
            out->column_count[b] += is_in;
            out->column_sum[b] += is_in ? degree[c] : 0;
        }
    }
    spmmi_free(degree);
}

static void units(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out)
{
    double sum = 0, squares = 0;
    for (int64_t u = 0; u < out->units; u++) {
        const int64_t length = in->unit_ptr[u + 1] - in->unit_ptr[u];
        sum += (double)length;
        out->unit_max = length > out->unit_max ? length : out->unit_max;
        out->is_reordered |= unit_at(in, u) != u;
    }
    out->unit_mean = out->units > 0 ? sum / (double)out->units : 0;
    for (int64_t u = 0; u < out->units; u++) {
        const double distance = (double)(in->unit_ptr[u + 1] - in->unit_ptr[u]) - out->unit_mean;
        squares += distance * distance;
    }
    out->unit_stddev = out->units > 0 ? sqrt(squares / (double)out->units) : 0;
}

static double quotient(double a, double b)
{
    return b == 0 ? 0 : a / b;
}

void row_block_literal(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out)
{
    const int64_t nnz = in->unit_ptr[in->units];
    const double number = in->value_bytes, entries = (double)nnz;
    unsigned char *is_held = spmmi_alloc((uint64_t)in->cols, 1);
    memset(out, 0, sizeof *out);
    out->block_rows = in->block_rows;
    out->stage_slots = in->stage_slots;
    out->segment = in->segment;
    out->value_bytes = in->value_bytes;
    out->register_tile = in->register_tile;
    out->n = in->n;
    out->multiprocessors = in->multiprocessors;
    out->units = (int64_t)in->units;
    units(in, out);
    row_blocks(in, is_held, out);
    columns(in, nnz, out);
    out->thread_blocks = out->row_blocks * up(in->n, in->register_tile);
    out->utilization = quotient((double)out->thread_blocks, in->multiprocessors);
    out->working_set_mean = quotient((double)out->working_set_sum, (double)out->row_blocks);
    out->rho = quotient(entries, (double)out->working_set_sum);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        out->reuse[h] = quotient(entries, (double)out->working_set[h]);
    out->padding = quotient((double)out->slices * 32, entries);
    out->run_mean = quotient((double)out->working_set_sum, (double)out->runs);
    out->line_cost = quotient((double)out->lines * 64, (double)out->working_set_sum * number);
    out->sector_cost = quotient((double)out->sectors * 32, (double)out->working_set_sum * number);
    out->l2_reuse = quotient((double)out->working_set_sum, (double)out->columns_used);
    out->line_gamma = quotient(out->line_cost, out->l2_reuse);
    out->sector_gamma = quotient(out->sector_cost, out->l2_reuse);
    spmmi_free(is_held);
}

spmm_matrix_t *row_block_matrix(const char *spec)
{
    spmm_matrix_t *m = NULL;
    spmm_diag_t diag = {0};
    if (spmm_matrix_generate(spec, &m, &diag) != SPMM_OK)
        fail_msg("%s: %s", spec, diag.text);
    return m;
}

struct spmmi_row_block_input row_block_input_open(const spmm_matrix_t *m, uint32_t segment, bool is_shuffled)
{
    struct spmmi_row_block_input in = {
        .cols = m->cols, .col_ind = m->col_ind, .segment = segment, .n = 70, .threads = 1};
    in.units = spmmi_units_count(m->rows, m->row_ptr, segment);
    int64_t *unit_ptr = spmmi_alloc(in.units + 1, sizeof *unit_ptr);
    spmmi_units_cut(m->rows, m->row_ptr, segment, unit_ptr, NULL);
    in.unit_ptr = unit_ptr;
    if (!is_shuffled)
        return in;
    struct spmmi_random random = spmmi_random_stream(7, in.units);
    uint32_t *permutation = spmmi_alloc(in.units, sizeof *permutation);
    for (uint64_t i = 0; i < in.units; i++) {
        const uint64_t other = (uint64_t)spmmi_random_below(&random, (int64_t)i + 1);
        permutation[i] = other < i ? permutation[other] : 0;
        permutation[other] = (uint32_t)i;
    }
    in.permutation = permutation;
    return in;
}

void row_block_input_close(struct spmmi_row_block_input *in)
{
    spmmi_free((void *)(uintptr_t)in->permutation);
    spmmi_free((void *)(uintptr_t)in->unit_ptr);
}
