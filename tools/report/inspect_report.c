/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_report.h. */
#include "inspect_report.h"

#include "plan_report.h"
#include "plan_targets.h"
#include "tools/cli/print_text.h"
#include "tools/compute/permuted_rows.h"

/* Returns the number of values that are zero in the plan but not in the matrix: too small for the value
 * type. */
static int64_t rounded_to_zero(const spmm_matrix_info_t *m, const spmm_plan_info_t *info,
                               const spmm_matrix_stats_t *stats)
{
    return info->has_values ? stats->zeros - m->zeros_kept : 0;
}

/* Prints facts about the matrix file that its owner may not know, each only if its count is not 0. */
static void print_notes(FILE *out, const spmm_matrix_info_t *m, const spmm_plan_info_t *info,
                        const spmm_matrix_stats_t *stats)
{
    const struct {
        int64_t count;
        const char *one, *many;
    } notes[] = {
        {m->duplicates_summed, "duplicate entry was summed", "duplicate entries were summed"},
        {m->zeros_dropped, "entry of value 0 was dropped", "entries of value 0 were dropped"},
        {m->zeros_kept, "entry of value 0 was kept (--drop-zeros leaves it out)",
         "entries of value 0 were kept (--drop-zeros leaves them out)"},
        {m->not_finite, "value is NaN or infinite", "values are NaN or infinite"},
        {m->integers_inexact, "integer does not fit a double exactly and was rounded",
         "integers do not fit a double exactly and were rounded"},
        {rounded_to_zero(m, info, stats), "value is too small for the value type and was rounded to 0",
         "values are too small for the value type and were rounded to 0"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char count[PRINT_UNITS_BYTES];
        if (notes[i].count > 0)
            fprintf(out, "%-*s%s %s\n", PLAN_REPORT_LABEL, "note", print_count(count, notes[i].count),
                    notes[i].count == 1 ? notes[i].one : notes[i].many);
    }
}

/* Reports a permutation that the user asked for and that the plan does not have. */
static void print_refused_permutation(FILE *out, const spmm_plan_t *plan, const struct inspect_report *report)
{
    const struct permuted_rows order = permuted_rows_of(plan, SPMM_OP_N);
    if (report->wants_permuted && order.c == NULL)
        fprintf(out, "%-*srefused: no permutation of the rows was chosen; C is in the order of A\n",
                PLAN_REPORT_LABEL, "output");
    if (!report->wants_symmetric || order.b != NULL)
        return;
    fprintf(out, "%-*srefused: ", PLAN_REPORT_LABEL, "symmetric");
    if (report->reorder == SPMM_REORDER_AUTO)
        fputs("no permutation reduces the number of 16 x 16 blocks by a tenth", out);
    else
        fprintf(out, "%s gives the order that A has", spmm_reorder_name(report->reorder));
    fputs("; the plan is that of A\n", out);
}

/* Reports that the plan is for the CPU of this machine: users who make plans for other machines need to
 * know. */
static void print_device(FILE *out, const struct plan_device *device)
{
    if (device->reason != NULL)
        fprintf(out, "%-*sthe CPU, as %s; --device any, a100, h100 or h200 makes plans for GPUs\n",
                PLAN_REPORT_LABEL, "device", device->reason);
}

static void print_times(FILE *out, const struct inspect_report *r, int64_t nnz, uint64_t csr_bytes)
{
    char text[PRINT_UNITS_BYTES];
    fprintf(out, "%-*sread %s", PLAN_REPORT_LABEL, "time", print_seconds(text, r->read_seconds));
    if (r->matrix_bytes > 0 && r->read_seconds > 0)
        fprintf(out, " (%.3g MB/s of the %sfile)", (double)r->matrix_bytes / r->read_seconds * 1e-6,
                r->is_compressed ? "compressed " : "");
    fprintf(out, ", inspect %s", print_seconds(text, r->inspect_seconds));
    if (r->inspect_seconds > 0)
        fprintf(out, " (%.0f million nonzeros/s)", (double)nnz / r->inspect_seconds * 1e-6);
    if (r->plan_path != NULL) {
        fprintf(out, ", write %s", print_seconds(text, r->write_seconds));
        if (r->write_seconds > 0)
            fprintf(out, " (%.0f MB/s of CSR)", (double)csr_bytes / r->write_seconds * 1e-6);
    }
    fputc('\n', out);
}

void inspect_report_text(FILE *out, const spmm_plan_t *plan, const struct inspect_report *report)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    char text[PRINT_UNITS_BYTES];
    if (spmm_plan_info(plan, &info) != SPMM_OK)
        return;
    const spmm_matrix_info_t *m = &report->matrix;
    const uint64_t csr_bytes = info.csr_bytes;
    const spmm_matrix_stats_t stats = plan_matrix_stats(plan);
    plan_text_matrix(out, &info, &stats);
    fprintf(out, "%-*s%s, %s, %s, ", PLAN_REPORT_LABEL, "input", m->format, m->field, m->symmetry);
    fprintf(out, "%s %s stored\n", print_count(text, m->entries_stored),
            m->entries_stored == 1 ? "entry" : "entries");
    print_notes(out, m, &info, &stats);
    plan_text_metadata(out, plan, report->explain);
    print_device(out, report->device);
    plan_text_symmetric(out, plan);
    print_refused_permutation(out, plan, report);
    plan_text_variants(out, plan, &info);
    plan_text_trace(out, plan, &info, report->explain);
    tune_report_text(out, &report->tuning);
    if (report->explain) {
        plan_text_permutations(out, plan, &info);
        plan_text_row_blocks(out, plan, &report->model);
    }
    permutation_report_text(out, &report->permutations);
    if (report->plan_path != NULL) {
        fprintf(out, "%-*s", PLAN_REPORT_LABEL, "plan");
        print_escaped(out, report->plan_path);
        fprintf(out, ": %s, ", print_bytes(text, report->plan_bytes));
        fprintf(out, "%.3f of CSR (%s)\n", (double)report->plan_bytes / (double)csr_bytes,
                print_bytes(text, csr_bytes));
    }
    print_times(out, report, info.nnz, csr_bytes);
}

static void write_matrix(struct json *j, const struct inspect_report *report, const spmm_plan_info_t *info,
                         const spmm_matrix_stats_t *stats)
{
    const spmm_matrix_info_t *m = &report->matrix;
    json_object(j, "input");
    json_text(j, "format", m->format);
    json_text(j, "field", m->field);
    json_text(j, "symmetry", m->symmetry);
    json_uint(j, "file_bytes", report->matrix_bytes);
    json_int(j, "entries_stored", m->entries_stored);
    json_int(j, "duplicates_summed", m->duplicates_summed);
    json_int(j, "zeros_dropped", m->zeros_dropped);
    json_int(j, "zeros_kept", m->zeros_kept);
    json_int(j, "not_finite", m->not_finite);
    json_int(j, "integers_inexact", m->integers_inexact);
    json_int(j, "rounded_to_zero", rounded_to_zero(m, info, stats));
    json_end(j);
}

void inspect_report_json(const spmm_plan_t *plan, const struct inspect_report *report)
{
    struct json j;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    if (spmm_plan_info(plan, &info) != SPMM_OK)
        return;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", "spmm-inspect");
    json_text(&j, "version", spmm_version_string());
    plan_json_identity(&j, plan, &info);
    plan_json_metadata(&j, plan);
    const spmm_matrix_stats_t stats = plan_matrix_stats(plan);
    write_matrix(&j, report, &info, &stats);
    json_text(&j, "device", report->device->text);
    json_text(&j, "device_reason", report->device->reason);
    plan_json_symmetric(&j, plan, false);
    plan_json_statistics(&j, &info, &stats);
    plan_json_row_blocks(&j, plan, &report->model);
    plan_json_targets(&j, plan);
    plan_json_variants(&j, plan, &info, 0);
    plan_json_trace(&j, plan, &info);
    plan_json_permutations(&j, plan);
    permutation_report_json(&j, &report->permutations);
    tune_report_json(&j, &report->tuning);
    json_text(&j, "plan", report->plan_path);
    if (report->plan_path != NULL)
        json_uint(&j, "plan_bytes", report->plan_bytes);
    else
        json_null(&j, "plan_bytes");
    json_double(&j, "read_seconds", report->read_seconds);
    json_double(&j, "inspect_seconds", report->inspect_seconds);
    json_double(&j, "write_seconds", report->write_seconds);
    json_end(&j);
    json_finish(&j);
}
