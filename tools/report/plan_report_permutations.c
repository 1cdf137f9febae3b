/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of row permutations: as a line of a table and as members of a JSON object, see plan_report.h. */
#include "plan_report.h"
#include "tools/cli/print_text.h"

static const char *const shapes[SPMM_BLOCK_SHAPES] = {"8x8", "16x8", "16x16"};

void permutation_text_head(FILE *out, const char *label)
{
    fprintf(out, "  %-18s %12s %12s %20s  %s\n", label, "blocks 8x8", "blocks 16x16", "16x8/16 rows, dev.",
            "rho of 8, 16, 32, 64, 128, 256 rows");
}

void permutation_text_line(FILE *out, const char *label, const spmm_permutation_metrics_t *metrics)
{
    char small[PRINT_UNITS_BYTES], large[PRINT_UNITS_BYTES];
    fprintf(out, "  %-18s %12s %12s %10.4g %9.4g ", label,
            print_count(small, metrics->block_count[SPMM_BLOCKS_8X8]),
            print_count(large, metrics->block_count[SPMM_BLOCKS_16X16]),
            metrics->block_mean[SPMM_BLOCKS_16X8], metrics->block_stddev[SPMM_BLOCKS_16X8]);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        fprintf(out, " %.4g", metrics->reuse[h]);
}

void permutation_json_metrics(struct json *j, const spmm_permutation_metrics_t *metrics)
{
    json_object(j, "blocks");
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
        json_object(j, shapes[shape]);
        json_int(j, "count", metrics->block_count[shape]);
        json_int(j, "most", metrics->block_max[shape]);
        json_double(j, "mean", metrics->block_mean[shape]);
        json_double(j, "stddev", metrics->block_stddev[shape]);
        json_end(j);
    }
    json_end(j);
    json_array(j, "footprint");
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        json_int(j, NULL, metrics->working_set[h]);
    json_end(j);
    json_array(j, "reuse");
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        json_double(j, NULL, metrics->reuse[h]);
    json_end(j);
}

/* Prints a heading such as "op N, 10,974 rows" above the permutations of these rows or segments. */
static void print_subject(FILE *out, const spmm_permutation_metrics_t *s, const spmm_plan_info_t *info)
{
    char count[PRINT_UNITS_BYTES];
    const int64_t rows = s->op == SPMM_OP_N ? info->rows : info->cols;
    fprintf(out, "Permutations of op %s, %s\n", spmm_op_name(s->op),
            print_plural(count, s->units, s->units == rows ? "row" : "segment"));
    permutation_text_head(out, "");
}

void plan_text_permutations(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    spmm_permutation_metrics_t s = {.struct_size = sizeof s}, last = {.units = -1};
    for (int i = 0; spmm_plan_permutation_metrics(plan, i, &s) == SPMM_OK; i++) {
        if (s.op != last.op || s.units != last.units)
            print_subject(out, &s, info);
        permutation_text_line(out, spmm_reorder_name(s.kind), &s);
        fputc('\n', out);
        last = s;
    }
}

void plan_json_permutations(struct json *j, const spmm_plan_t *plan)
{
    spmm_permutation_metrics_t s = {.struct_size = sizeof s};
    json_array(j, "order_stats");
    for (int i = 0; spmm_plan_permutation_metrics(plan, i, &s) == SPMM_OK; i++) {
        json_object(j, NULL);
        json_text(j, "op", spmm_op_name(s.op));
        json_text(j, "order", spmm_reorder_name(s.kind));
        json_int(j, "units", s.units);
        permutation_json_metrics(j, &s);
        json_end(j);
    }
    json_end(j);
}
