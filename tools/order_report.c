/* SPDX-License-Identifier: Apache-2.0 */
/* See order_report.h. */
#include "order_report.h"

#include <stdlib.h>
#include <time.h>

#include "print_text.h"
#include "progress.h"

static const char *const shapes[SPMM_BLOCK_SHAPES] = {"8x8", "16x8", "16x16"};

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
    fputs("Orders of the rows\n", out);
    fprintf(out, "  %-8s %10s %14s %14s %20s %28s\n", "", "time", "blocks 8x8", "blocks 16x16",
            "a strip, deviation", "rho of 8, 64, 256 rows");
    for (int i = 0; i < report->count; i++) {
        const spmm_order_figures_t *f = &report->list[i].figures;
        const spmm_block_count_t *small = &f->blocks[SPMM_BLOCKS_8X8], *large = &f->blocks[SPMM_BLOCKS_16X16];
        char time[PRINT_UNITS_BYTES], blocks[PRINT_UNITS_BYTES], aligned[PRINT_UNITS_BYTES];
        fprintf(out, "  %-8s %10s %14s %14s %10.4g %9.4g %10.4g %8.4g %8.4g%s\n",
                spmm_reorder_name(report->list[i].kind), print_seconds(time, f->seconds),
                print_count(blocks, small->blocks), print_count(aligned, large->blocks), large->mean,
                large->stddev, f->reuse[0], f->reuse[3], f->reuse[5],
                i > 0 && f->is_natural ? "  (as they are)" : "");
    }
}

static void write_blocks(struct json *j, const spmm_block_count_t *blocks)
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
        write_blocks(j, f->blocks);
        json_array(j, "footprint");
        for (int h = 0; h < SPMM_PANEL_HEIGHTS; h++)
            json_int(j, NULL, f->footprint[h]);
        json_end(j);
        json_array(j, "reuse");
        for (int h = 0; h < SPMM_PANEL_HEIGHTS; h++)
            json_double(j, NULL, f->reuse[h]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}
