/* SPDX-License-Identifier: Apache-2.0 */
/* What permutations of the rows do: a line of a table, and members of a JSON object. */
#include "plan_report.h"
#include "tools/cli/print_text.h"

static const char *const shapes[SPMM_BLOCK_SHAPES] = {"8x8", "16x8", "16x16"};

void permutation_text_head(FILE *out, const char *label)
{
    fprintf(out, "  %-18s %12s %12s %20s  %s\n", label, "blocks 8x8", "blocks 16x16", "16x8 a strip, dev.",
            "rho of 8, 16, 32, 64, 128, 256 rows");
}

void permutation_text_line(FILE *out, const char *label, const spmm_block_count_t blocks[SPMM_BLOCK_SHAPES],
                           const double reuse[SPMM_ROW_BLOCK_HEIGHTS])
{
    char small[PRINT_UNITS_BYTES], large[PRINT_UNITS_BYTES];
    fprintf(out, "  %-18s %12s %12s %10.4g %9.4g ", label, print_count(small, blocks[SPMM_BLOCKS_8X8].blocks),
            print_count(large, blocks[SPMM_BLOCKS_16X16].blocks), blocks[SPMM_BLOCKS_16X8].mean,
            blocks[SPMM_BLOCKS_16X8].stddev);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        fprintf(out, " %.4g", reuse[h]);
}

void permutation_json_metrics(struct json *j, const spmm_block_count_t blocks[SPMM_BLOCK_SHAPES],
                              const int64_t working_set[SPMM_ROW_BLOCK_HEIGHTS],
                              const double reuse[SPMM_ROW_BLOCK_HEIGHTS])
{
    json_object(j, "blocks");
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
        json_object(j, shapes[shape]);
        json_int(j, "count", blocks[shape].blocks);
        json_int(j, "most", blocks[shape].most);
        json_double(j, "mean", blocks[shape].mean);
        json_double(j, "stddev", blocks[shape].stddev);
        json_end(j);
    }
    json_end(j);
    json_array(j, "footprint");
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        json_int(j, NULL, working_set[h]);
    json_end(j);
    json_array(j, "reuse");
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        json_double(j, NULL, reuse[h]);
    json_end(j);
}

/* "op N, 10,974 rows" above the orders of these. */
static void print_subject(FILE *out, const spmm_plan_permutation_metrics_t *s, const spmm_plan_info_t *info)
{
    char count[PRINT_UNITS_BYTES];
    const int64_t rows = s->op == SPMM_OP_N ? info->rows : info->cols;
    fprintf(out, "Orders of op %s, %s\n", spmm_op_name(s->op),
            print_plural(count, s->units, s->units == rows ? "row" : "segment"));
    permutation_text_head(out, "");
}

void plan_text_permutations(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    spmm_plan_permutation_metrics_t s, last = {.units = -1};
    for (int i = 0; spmm_plan_permutation_metrics(plan, i, &s) == SPMM_OK; i++) {
        if (s.op != last.op || s.units != last.units)
            print_subject(out, &s, info);
        permutation_text_line(out, spmm_reorder_name(s.permutation), s.blocks, s.reuse);
        fputc('\n', out);
        last = s;
    }
}

void plan_json_permutations(struct json *j, const spmm_plan_t *plan)
{
    spmm_plan_permutation_metrics_t s;
    json_array(j, "order_stats");
    for (int i = 0; spmm_plan_permutation_metrics(plan, i, &s) == SPMM_OK; i++) {
        json_object(j, NULL);
        json_text(j, "op", spmm_op_name(s.op));
        json_text(j, "order", spmm_reorder_name(s.permutation));
        json_int(j, "units", s.units);
        permutation_json_metrics(j, s.blocks, s.working_set, s.reuse);
        json_end(j);
    }
    json_end(j);
}
