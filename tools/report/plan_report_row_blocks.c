/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_report.h: row-block metrics (docs/statistics.md) and their roofline (docs/model.md), as text and
 * as JSON. */
#include <math.h>
#include <stdarg.h>

#include "plan_report.h"
#include "tools/cli/print_text.h"

#define HEIGHT(h) (8 << (h)) /* units of row blocks of the h-th height */

__attribute__((format(printf, 3, 4))) static void line(FILE *out, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, "  %-11s ", name);
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
}

static bool row_blocks_of(const spmm_plan_t *plan, spmm_row_block_metrics_t *s)
{
    s->struct_size = sizeof *s;
    return spmm_plan_row_block_metrics(plan, s) == SPMM_OK && s->block_rows > 0;
}

static void text_schedule(FILE *out, const spmm_row_block_metrics_t *s)
{
    char units[PRINT_UNITS_BYTES], row_blocks[PRINT_UNITS_BYTES], blocks[PRINT_UNITS_BYTES];
    char longest[PRINT_UNITS_BYTES], cut[48] = "whole rows";
    if (s->segment > 0)
        snprintf(cut, sizeof cut, "segments of at most %lld", (long long)s->segment);
    line(out, "schedule", "%lld units a row block, %lld columns a stage, %s, %s", (long long)s->block_rows,
         (long long)s->stage_slots, cut, s->is_reordered ? "reordered" : "in the order of A");
    line(out, "units", "%s: mu* = %.4g nonzeros, sigma* = %.4g, longest %s", print_count(units, s->units),
         s->unit_mean, s->unit_stddev, print_count(longest, s->unit_max));
    print_plural(row_blocks, s->row_blocks, "row block");
    print_plural(blocks, s->thread_blocks, "thread block");
    if (s->multiprocessors > 0)
        line(out, "work", "%s, %s for n = %lld and R = %lld: U = %.4g on %lld multiprocessors", row_blocks,
             blocks, (long long)s->n, (long long)s->register_tile, s->utilization,
             (long long)s->multiprocessors);
    else
        line(out, "work", "%s, %s for n = %lld and R = %lld", row_blocks, blocks, (long long)s->n,
             (long long)s->register_tile);
}

static void text_reuse(FILE *out, const spmm_row_block_metrics_t *s)
{
    char sum[PRINT_UNITS_BYTES], maximum[PRINT_UNITS_BYTES], stages[PRINT_UNITS_BYTES];
    char stages_max[PRINT_UNITS_BYTES];
    line(out, "working set", "%s in all row blocks, %.4g a row block, %s in the largest",
         print_plural(sum, s->working_set_sum, "column"), s->working_set_mean,
         print_count(maximum, s->working_set_max));
    fprintf(out, "  %-11s rho = %.4g; by height of row blocks:", "reuse", s->rho);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        fprintf(out, "%s %d: %.4g", h == 0 ? "" : ",", HEIGHT(h), s->reuse[h]);
    fputc('\n', out);
    line(out, "stages", "%s, at most %s a row block", print_count(stages, s->stages),
         print_count(stages_max, s->stages_max));
    line(out, "padding", "Z = %.4g stored entries a nonzero", s->padding);
}

static void text_access(FILE *out, const spmm_row_block_metrics_t *s)
{
    line(out, "access", "C = %.4g with lines of 64 bytes, %.4g with sectors of 32; runs of %.4g columns",
         s->line_cost, s->sector_cost, s->run_mean);
    line(out, "", "L = %.4g; Gamma = C / L = %.4g with lines, %.4g with sectors", s->l2_reuse, s->line_gamma,
         s->sector_gamma);
}

static void text_columns(FILE *out, const spmm_row_block_metrics_t *s)
{
    const char *name = "popularity";
    for (int b = 0; b < SPMM_COLUMN_BINS; b++) {
        char columns[PRINT_UNITS_BYTES], nonzeros[PRINT_UNITS_BYTES], range[48] = "1";
        if (s->column_count[b] == 0)
            continue;
        if (b > 0)
            snprintf(range, sizeof range, "%lld-%lld", 1LL << b, (2LL << b) - 1);
        line(out, name, "%s of %s hold %s", print_plural(columns, s->column_count[b], "column"), range,
             print_plural(nonzeros, s->column_sum[b], "nonzero"));
        name = "";
    }
}

static void text_bound(FILE *out, const char *name, const spmm_roofline_t *m, int equation, const char *bound,
                       const spmm_roofline_point_t *r)
{
    char rate[48] = "";
    if (m->device[0] != '\0')
        snprintf(rate, sizeof rate, ", %.1f GFLOP/s", r->gflops);
    line(out, name, "Eq. %d, %s: %.4g flop/byte%s", equation, bound, r->intensity, rate);
}

static void text_model(FILE *out, const spmm_row_block_metrics_t *s, const spmm_roofline_t *m)
{
    char algorithmic[64];
    snprintf(algorithmic, sizeof algorithmic, "R = %lld, algorithmic", (long long)s->register_tile);
    text_bound(out, "intensity", m, 2, "naive", &m->naive);
    text_bound(out, "", m, m->equation, algorithmic, &m->algorithmic);
    text_bound(out, "", m, m->equation, "all misses (Gamma = C)", &m->all_miss);
    text_bound(out, "", m, m->equation, "cold misses (Gamma = C / L)", &m->cold_miss);
    if (m->device[0] != '\0')
        line(out, "roofline", "of %s: %.4g GB/s, at most %.1f GFLOP/s", m->device, m->peak_gbs,
             m->peak_gflops);
}

void plan_text_row_blocks(FILE *out, const spmm_plan_t *plan, const spmm_roofline_t *model)
{
    spmm_row_block_metrics_t s;
    if (!row_blocks_of(plan, &s))
        return;
    fputs("\nRow blocks\n", out);
    text_schedule(out, &s);
    text_reuse(out, &s);
    text_access(out, &s);
    plan_text_row_block_metrics(out, &s);
    text_model(out, &s, model);
    text_columns(out, &s);
}

static void json_ints(struct json *j, const char *key, const int64_t *values, int count)
{
    json_array(j, key);
    for (int i = 0; i < count; i++)
        json_int(j, NULL, values[i]);
    json_end(j);
}

static void json_heights(struct json *j, const spmm_row_block_metrics_t *s)
{
    json_array(j, "heights");
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
        json_object(j, NULL);
        json_int(j, "panel_rows", HEIGHT(h));
        json_int(j, "footprint", s->working_set[h]);
        json_double(j, "rho", s->reuse[h]);
        json_end(j);
    }
    json_end(j);
}

static void json_bound(struct json *j, const char *key, const spmm_roofline_t *m,
                       const spmm_roofline_point_t *r)
{
    json_object(j, key);
    json_double(j, "intensity", r->intensity);
    json_double(j, "gflops", m->device[0] != '\0' ? r->gflops : (double)NAN);
    json_end(j);
}

static void json_model(struct json *j, const spmm_roofline_t *m)
{
    const bool has_device = m->device[0] != '\0';
    json_object(j, "model");
    json_int(j, "equation", m->equation);
    json_text(j, "device", has_device ? m->device : NULL);
    json_double(j, "peak_gbs", has_device ? m->peak_gbs : (double)NAN);
    json_double(j, "peak_gflops", has_device ? m->peak_gflops : (double)NAN);
    json_bound(j, "naive", m, &m->naive);
    json_bound(j, "algorithmic", m, &m->algorithmic);
    json_bound(j, "all_miss", m, &m->all_miss);
    json_bound(j, "cold_miss", m, &m->cold_miss);
    json_end(j);
}

void plan_json_row_blocks(struct json *j, const spmm_plan_t *plan, const spmm_roofline_t *model)
{
    spmm_row_block_metrics_t s;
    if (!row_blocks_of(plan, &s))
        return;
    json_object(j, "panels");
    plan_json_row_block_metrics(j, &s);
    json_heights(j, &s);
    json_model(j, model);
    json_ints(j, "column_count", s.column_count, SPMM_COLUMN_BINS);
    json_ints(j, "column_sum", s.column_sum, SPMM_COLUMN_BINS);
    json_end(j);
}
