/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a plan as text and as JSON, for spmm-inspect and spmm-info. */
#ifndef SPMM_TOOLS_PLAN_REPORT_H
#define SPMM_TOOLS_PLAN_REPORT_H

#include <spmm/inspector.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/cli/json.h"

#define PLAN_REPORT_LABEL 11 /* width of the label at the start of each line */

/* Returns the statistics of the plan's matrix. */
spmm_matrix_stats_t plan_matrix_stats(const spmm_plan_t *plan);

/* Returns true if the plan has values and all are equal; *value is then that value. */
bool plan_has_equal_values(const spmm_plan_t *plan, double *value);
/* Prints "with values", "with values, all 0.3" or "pattern only". */
void plan_text_values(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info);
void plan_text_matrix(FILE *out, const spmm_plan_info_t *info, const spmm_matrix_stats_t *stats);
/* Prints one line per pair. all = false: only the first few, with long values cut. Text of a plan is always
 * printable: plan-format.md 6.14. */
void plan_text_metadata(FILE *out, const spmm_plan_t *plan, bool all);
void plan_text_metadata_pair(FILE *out, int index, const char *key, const char *value, size_t width);
/* Prints nothing for a general matrix. */
void plan_text_symmetry(FILE *out, const spmm_plan_t *plan);
/* Prints nothing unless the plan is that of PAP^T. */
void plan_text_symmetric(FILE *out, const spmm_plan_t *plan);
/* The bins of the row-length histogram that are shown: from the first to the last nonempty bin. most is the
 * number of rows in the fullest bin, at least 1. */
struct plan_bins {
    int first, last;
    int64_t most;
};
struct plan_bins plan_row_bins(const spmm_matrix_stats_t *stats);
#define PLAN_BIN_BYTES 48
const char *plan_bin_text(char text[PLAN_BIN_BYTES], int bin); /* "8-15" */
void plan_text_histogram(FILE *out, const spmm_matrix_stats_t *stats);
/* Print the scope of a variant ("op N, f32, n in 2..8, row-major, any device") and its parts
 * ("rows/row-split, 12 items"). */
void plan_text_scope(FILE *out, const spmm_variant_info_t *variant);
void plan_text_parts(FILE *out, const spmm_plan_t *plan, const spmm_variant_info_t *variant);
/* Prints "rows/row-split", followed by the compute type if it differs from dtype, the type of the plan's
 * values. */
void plan_text_candidate(FILE *out, const spmm_trace_info_t *t, spmm_dtype_t dtype);
void plan_text_variants(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info);
/* Prints how executors on GPUs store op(A): one line per op that has parts of the rows family. */
void plan_text_streams(FILE *out, const spmm_plan_t *plan, uint64_t budget);
/* all = false: prints only the winners, and each decision once. */
void plan_text_trace(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info, bool all);
/* Prints nothing if the plan has no row-block metrics. model is the roofline of the plan. */
void plan_text_row_blocks(FILE *out, const spmm_plan_t *plan, const spmm_roofline_t *model);
/* Prints the metrics of the permutations that were considered, if there were any. */
void plan_text_permutations(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info);
#define PLAN_SECTION_BYTES 48
const char *plan_section_text(char text[PLAN_SECTION_BYTES], const spmm_section_info_t *section);
/* Print the table head, and one line per section. */
void plan_text_section_head(FILE *out);
void plan_text_section(FILE *out, const spmm_section_info_t *section);
void plan_text_digest(FILE *out, const char *name, const uint8_t digest[16]);
/* Prints on standard output the checks that a successful load has made, see docs/plan-format.md. */
void plan_text_checks(const spmm_plan_t *plan, const spmm_plan_info_t *info);
void plan_text_sections(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info);

void plan_json_identity(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info);
/* Writes an object of keys and values. */
void plan_json_metadata(struct json *j, const spmm_plan_t *plan);
/* Write the symmetry, and the symmetric permutation: the whole array if all is true, else whether there is
 * one. */
void plan_json_symmetry(struct json *j, const spmm_plan_t *plan);
void plan_json_symmetric(struct json *j, const spmm_plan_t *plan, bool all);
void plan_json_statistics(struct json *j, const spmm_plan_info_t *info, const spmm_matrix_stats_t *stats);
void plan_json_row_blocks(struct json *j, const spmm_plan_t *plan, const spmm_roofline_t *model);
void plan_json_variants(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info,
                        uint64_t budget);
void plan_json_trace(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info);
void plan_json_permutations(struct json *j, const spmm_plan_t *plan);
void plan_json_sections(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info);

/* Print the metrics of metric_list.def. */
void plan_json_matrix_metrics(struct json *j, const spmm_plan_info_t *m, const spmm_matrix_stats_t *s);
void plan_text_matrix_metrics(FILE *out, const spmm_plan_info_t *m, const spmm_matrix_stats_t *s);
void plan_json_row_block_metrics(struct json *j, const spmm_row_block_metrics_t *s);
void plan_text_row_block_metrics(FILE *out, const spmm_row_block_metrics_t *s);

/* Print the metrics of a permutation: the table head, and a line that starts with label and has no
 * newline. */
void permutation_text_head(FILE *out, const char *label);
void permutation_text_line(FILE *out, const char *label, const spmm_permutation_metrics_t *metrics);
void permutation_json_metrics(struct json *j, const spmm_permutation_metrics_t *metrics);

#endif
