/* SPDX-License-Identifier: Apache-2.0 */
/* See order_report.h. */
#include "order_report.h"

#include <stdlib.h>
#include <time.h>

#include "plan_report.h"
#include "tools/cli/print_text.h"
#include "tools/cli/progress.h"

/* CPU time is what other work on the machine changes least. */
static spmm_status_t make_again(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                double *cpu_seconds, spmm_diag_t *diag)
{
    spmm_csr_t a;
    spmm_status_t status = spmm_matrix_csr(matrix, &a);
    uint32_t *order = status == SPMM_OK ? malloc(((size_t)a.rows + 1) * sizeof *order) : NULL;
    if (order == NULL)
        return status == SPMM_OK ? SPMM_ERR_MEMORY : status;
    const clock_t start = clock();
    status = spmm_matrix_order(matrix, kind, threads, order, diag);
    *cpu_seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(order);
    return status;
}

spmm_status_t order_report_make(const spmm_matrix_t *matrix, int threads, struct order_report *report,
                                spmm_diag_t *diag)
{
    static const spmm_reorder_t kinds[ORDER_REPORT_MAX] = {
        SPMM_REORDER_NONE, SPMM_REORDER_RADIX, SPMM_REORDER_JACCARD, SPMM_REORDER_MINHASH, SPMM_REORDER_RCM};
    report->count = 0;
    for (int i = 0; i < ORDER_REPORT_MAX; i++) {
        spmm_order_figures_t *const figures = &report->list[report->count].figures;
        figures->struct_size = sizeof *figures;
        const double start = progress_seconds();
        const spmm_status_t status = spmm_matrix_order_figures(matrix, kinds[i], threads, figures, diag);
        if (status == SPMM_ERR_ARGUMENT)
            continue; /* it does not fit the matrix */
        if (status != SPMM_OK)
            return status;
        report->list[report->count].count_seconds = progress_seconds() - start - figures->seconds;
        const spmm_status_t again =
            make_again(matrix, kinds[i], threads, &report->list[report->count].cpu_seconds, diag);
        if (again != SPMM_OK)
            return again;
        report->list[report->count++].kind = kinds[i];
    }
    return SPMM_OK;
}

void order_report_text(FILE *out, const struct order_report *report)
{
    if (report->count == 0)
        return;
    order_text_head(out, "Orders of the rows");
    for (int i = 0; i < report->count; i++) {
        const spmm_order_figures_t *f = &report->list[i].figures;
        char time[PRINT_UNITS_BYTES], label[PRINT_UNITS_BYTES + 16];
        (void)snprintf(label, sizeof label, "%-8s %9s", spmm_reorder_name(report->list[i].kind),
                       print_seconds(time, f->seconds));
        order_text_line(out, label, f->blocks, f->reuse);
        fputs(i > 0 && f->is_natural ? "  (as they are)\n" : "\n", out);
    }
}

void order_report_json(struct json *j, const struct order_report *report)
{
    if (report->count == 0)
        return;
    json_array(j, "orders");
    for (int i = 0; i < report->count; i++) {
        const spmm_order_figures_t *f = &report->list[i].figures;
        json_object(j, NULL);
        json_text(j, "order", spmm_reorder_name(report->list[i].kind));
        json_bool(j, "is_natural", f->is_natural);
        json_double(j, "seconds", f->seconds);
        json_double(j, "cpu_seconds", report->list[i].cpu_seconds);
        json_double(j, "count_seconds", report->list[i].count_seconds);
        order_json_figures(j, f->blocks, f->footprint, f->reuse);
        json_end(j);
    }
    json_end(j);
}
