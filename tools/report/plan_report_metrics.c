/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_report.h: the metrics of metric_list.def as text and as JSON. */
#include "plan_report.h"

#define JSON_ROW(key, kind, value, text) json_##kind(j, #key, value);
#define TEXT_ROW(key, kind, value, text) print_metric(out, "", #key, (double)(value), text);
#define TEXT_ROW_INSIDE(key, kind, value, text) print_metric(out, "  ", #key, (double)(value), text);
#define NO_ROW(key, kind, value, text)

/* Prints a metric that has a sentence. Metrics without one are printed in other lines. */
static void print_metric(FILE *out, const char *indent, const char *key, double value, const char *text)
{
    if (text[0] != '\0')
        fprintf(out, "%s%-*s %.4g %s\n", indent, PLAN_REPORT_LABEL - 1, key, value, text);
}

#define ROW_BLOCK_METRIC NO_ROW
#define MATRIX_METRIC JSON_ROW
void plan_json_matrix_metrics(struct json *j, const spmm_plan_info_t *m, const spmm_matrix_stats_t *s)
{
    (void)m;
#include "metric_list.def"
}
#undef MATRIX_METRIC
#define MATRIX_METRIC TEXT_ROW

void plan_text_matrix_metrics(FILE *out, const spmm_plan_info_t *m, const spmm_matrix_stats_t *s)
{
    (void)m;
#include "metric_list.def"
}
#undef MATRIX_METRIC
#undef ROW_BLOCK_METRIC
#define MATRIX_METRIC NO_ROW
#define ROW_BLOCK_METRIC JSON_ROW

void plan_json_row_block_metrics(struct json *j, const spmm_row_block_metrics_t *s)
{
#include "metric_list.def"
}
#undef ROW_BLOCK_METRIC
#define ROW_BLOCK_METRIC TEXT_ROW_INSIDE

void plan_text_row_block_metrics(FILE *out, const spmm_row_block_metrics_t *s)
{
#include "metric_list.def"
}
