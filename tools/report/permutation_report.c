/* SPDX-License-Identifier: Apache-2.0 */
/* See permutation_report.h. */
#include "permutation_report.h"

#include <stdlib.h>
#include <time.h>

#include "plan_report.h"
#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"
#include "tools/cli/progress.h"

/* Makes the permutation again and measures its CPU time, which depends less than elapsed time on other
 * programs. */
static spmm_status_t make_again(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                double *cpu_seconds, spmm_diag_t *diag)
{
    spmm_csr_t a;
    spmm_status_t status = spmm_matrix_csr(matrix, &a);
    uint32_t *permutation = status == SPMM_OK ? malloc(((size_t)a.rows + 1) * sizeof *permutation) : NULL;
    if (permutation == NULL)
        return status == SPMM_OK ? SPMM_ERR_MEMORY : status;
    const clock_t start = clock();
    status = spmm_matrix_permutation(matrix, kind, threads, permutation, diag);
    *cpu_seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(permutation);
    return status;
}

/* Adds a line to the report, unless the permutation does not fit the matrix. */
static spmm_status_t add_line(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                              struct permutation_report *report, spmm_diag_t *diag)
{
    struct permutation_report_line *const line = &report->list[report->count];
    *line = (struct permutation_report_line){.kind = kind, .metrics = {.struct_size = sizeof line->metrics}};
    const double start = progress_seconds();
    spmm_status_t status = spmm_matrix_permutation_metrics(matrix, kind, threads, &line->metrics, diag);
    if (status == SPMM_ERR_ARGUMENT)
        return SPMM_OK;
    line->count_seconds = progress_seconds() - start - line->metrics.seconds;
    if (status == SPMM_OK)
        status = make_again(matrix, kind, threads, &line->cpu_seconds, diag);
    report->count += status == SPMM_OK;
    return status;
}

spmm_status_t permutation_report_make(const spmm_matrix_t *matrix, int threads,
                                      struct permutation_report *report, spmm_diag_t *diag)
{
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    spmm_status_t status = SPMM_OK;
    int known = 0;
    while (spmm_reorder_at(known, &info) == SPMM_OK)
        known++;
    *report = (struct permutation_report){.list = calloc((size_t)known, sizeof *report->list)};
    if (report->list == NULL)
        return fail_memory(diag, (uint64_t)known * sizeof *report->list, "the metrics of the permutations");
    for (int i = 0; i < known && status == SPMM_OK; i++) {
        spmm_reorder_at(i, &info);
        if (info.kind != SPMM_REORDER_AUTO)
            status = add_line(matrix, info.kind, threads, report, diag);
    }
    return status;
}

void permutation_report_free(struct permutation_report *report)
{
    free(report->list);
    *report = (struct permutation_report){0};
}

void permutation_report_text(FILE *out, const struct permutation_report *report)
{
    if (report->count == 0)
        return;
    permutation_text_head(out, "Row permutations");
    for (int i = 0; i < report->count; i++) {
        const spmm_permutation_metrics_t *f = &report->list[i].metrics;
        char time[PRINT_UNITS_BYTES], label[PRINT_UNITS_BYTES + 16];
        (void)snprintf(label, sizeof label, "%-8s %9s", spmm_reorder_name(report->list[i].kind),
                       print_seconds(time, f->seconds));
        permutation_text_line(out, label, f);
        fputs(i > 0 && f->is_identity ? "  (the order of A)\n" : "\n", out);
    }
}

void permutation_report_json(struct json *j, const struct permutation_report *report)
{
    if (report->count == 0)
        return;
    json_array(j, "orders");
    for (int i = 0; i < report->count; i++) {
        const spmm_permutation_metrics_t *f = &report->list[i].metrics;
        json_object(j, NULL);
        json_text(j, "order", spmm_reorder_name(report->list[i].kind));
        json_bool(j, "is_natural", f->is_identity);
        json_double(j, "seconds", f->seconds);
        json_double(j, "cpu_seconds", report->list[i].cpu_seconds);
        json_double(j, "count_seconds", report->list[i].count_seconds);
        permutation_json_metrics(j, f);
        json_end(j);
    }
    json_end(j);
}
