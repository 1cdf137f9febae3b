/* SPDX-License-Identifier: Apache-2.0 */
/* The report of spmm-bench. */
#include "bench_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "print_text.h"

#define CSV_HEADER                                                                                           \
    "date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops," \
    "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes\n"

spmm_status_t bench_report_open(struct bench_report *report, const char *path, spmm_diag_t *diag)
{
    if (path == NULL)
        return SPMM_OK;
    report->csv = fopen(path, "a");
    if (report->csv == NULL)
        return fail(diag, SPMM_ERR_IO, "%.150s cannot be opened: %s", path, strerror(errno));
    if (ftell(report->csv) == 0 || (fseek(report->csv, 0, SEEK_END) == 0 && ftell(report->csv) == 0))
        fputs(CSV_HEADER, report->csv);
    return SPMM_OK;
}

/* A right product of finite time; a wrong one is no competitor. */
static int is_valid(const struct bench_result *result)
{
    return result->status == SPMM_OK && result->error_ratio <= 1.0;
}

static const struct bench_result *best_peer(const struct bench_case *done)
{
    const struct bench_result *best = NULL;
    for (int i = 0; i < done->peers_count; i++)
        if (is_valid(&done->peers[i]) && (best == NULL || done->peers[i].ms_cold < best->ms_cold))
            best = &done->peers[i];
    return best;
}

static double gflops(const struct bench_case *done, double ms)
{
    return ms > 0.0 ? 2.0 * (double)done->nnz * (double)done->n / (ms * 1e6) : 0.0;
}

/* A field of the CSV file: quoted when it holds what would end it. */
static void csv_text(FILE *csv, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, csv);
        return;
    }
    fputc('"', csv);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, csv);
    }
    fputc('"', csv);
}

static void csv_row(const struct bench_report *report, const struct bench_case *done,
                    const struct ours_result *ours, const struct bench_result *peer)
{
    const char *const texts[] = {report->date, report->commit, done->info->device_name, done->matrix};
    FILE *csv = report->csv;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        csv_text(csv, texts[i]);
        fputc(',', csv);
    }
    fprintf(csv, "%lld,%lld,%lld,%lld,%s,%s,%s,", (long long)done->rows, (long long)done->cols,
            (long long)done->nnz, (long long)done->n, spmm_order_name(done->order),
            spmm_dtype_name(done->dtype), spmm_op_name(done->op));
    csv_text(csv, ours->family);
    fputc(',', csv);
    csv_text(csv, ours->result.name);
    fprintf(csv, ",%d,%.6g,%.6g,%.5g,%.4g,", ours->is_chosen, ours->result.ms_cold, ours->result.ms_warm,
            gflops(done, ours->result.ms_cold), ours->result.error_ratio);
    if (peer != NULL)
        fprintf(csv, "%s,%.6g,%.6g,%.4g,", peer->name, peer->ms_cold, peer->ms_warm,
                peer->ms_cold / ours->result.ms_cold);
    else
        fputs(",,,,", csv);
    fprintf(csv, "%.6g,%llu\n", done->info->inspect_s, (unsigned long long)done->info->plan_bytes);
}

static void json_result(struct json *json, const struct bench_result *result)
{
    json_text(json, "name", result->name);
    if (result->status != SPMM_OK) {
        json_text(json, "status", spmm_status_name(result->status));
        json_text(json, "note", result->note);
        return;
    }
    json_double(json, "ms_cold", result->ms_cold);
    json_double(json, "ms_warm", result->ms_warm);
    json_double(json, "error_ratio", result->error_ratio);
}

static void json_case(struct json *json, const struct bench_case *done, const struct bench_result *peer)
{
    json_object(json, NULL);
    json_text(json, "device", done->info->device_name);
    json_text(json, "matrix", done->matrix);
    json_int(json, "rows", done->rows);
    json_int(json, "cols", done->cols);
    json_int(json, "nnz", done->nnz);
    json_int(json, "n", done->n);
    json_text(json, "layout", spmm_order_name(done->order));
    json_text(json, "dtype", spmm_dtype_name(done->dtype));
    json_text(json, "op", spmm_op_name(done->op));
    json_double(json, "inspect_s", done->info->inspect_s);
    json_uint(json, "plan_bytes", done->info->plan_bytes);
    json_array(json, "kernels");
    for (int i = 0; i < done->ours_count; i++) {
        const struct ours_result *ours = &done->ours[i];
        json_object(json, NULL);
        json_result(json, &ours->result);
        json_text(json, "family", ours->family);
        json_bool(json, "chosen", ours->is_chosen != 0);
        json_double(json, "gflops", gflops(done, ours->result.ms_cold));
        if (peer != NULL && is_valid(&ours->result))
            json_double(json, "ratio_cold", peer->ms_cold / ours->result.ms_cold);
        json_end(json);
    }
    json_end(json);
    json_array(json, "peers");
    for (int i = 0; i < done->peers_count; i++) {
        json_object(json, NULL);
        json_result(json, &done->peers[i]);
        json_bool(json, "best", &done->peers[i] == peer);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void table_result(const struct bench_result *result, const char *mark)
{
    if (result->status != SPMM_OK) {
        printf("  %-38s %s failed: ", result->name, mark);
        print_escaped(stdout, result->note);
        return;
    }
    printf("  %-38s %s %10.4f %10.4f %9.2g", result->name, mark, result->ms_cold, result->ms_warm,
           result->error_ratio);
}

static void table_case(struct bench_report *report, const struct bench_case *done,
                       const struct bench_result *peer)
{
    print_escaped(stdout, done->matrix);
    printf("  %lld x %lld, %lld nonzeros, n = %lld, %s, %s, op %s\n", (long long)done->rows,
           (long long)done->cols, (long long)done->nnz, (long long)done->n, spmm_order_name(done->order),
           spmm_dtype_name(done->dtype), spmm_op_name(done->op));
    if (!report->has_header)
        printf("  %-38s   %10s %10s %9s %9s %10s\n", "", "ms cold", "ms warm", "error", "gflops",
               "peer/ours");
    report->has_header = 1;
    for (int i = 0; i < done->ours_count; i++) {
        const struct bench_result *result = &done->ours[i].result;
        table_result(result, done->ours[i].is_chosen ? "*" : " ");
        if (result->status == SPMM_OK)
            printf(" %9.1f", gflops(done, result->ms_cold));
        if (result->status == SPMM_OK && peer != NULL)
            printf(" %10.2f", peer->ms_cold / result->ms_cold);
        puts(result->status == SPMM_OK && result->error_ratio <= 1.0 ? "" : "  WRONG OR FAILED");
    }
    for (int i = 0; i < done->peers_count; i++) {
        const struct bench_result *result = &done->peers[i];
        if (!report->lists_peers && result != peer && is_valid(result))
            continue;
        table_result(result, result == peer ? "=" : " ");
        puts(result->status != SPMM_OK || result->error_ratio <= 1.0 ? "" : "  check failed: not counted");
    }
    fflush(stdout);
}

static spmm_status_t remember(struct bench_report *report, const struct bench_case *done,
                              const struct bench_result *ours, const struct bench_result *peer,
                              spmm_diag_t *diag)
{
    if (report->summary_count == report->summary_capacity) {
        const size_t capacity = 2 * report->summary_capacity + 64;
        struct summary_row *grown = realloc(report->summary, capacity * sizeof *grown);
        if (grown == NULL)
            return fail_memory(diag, capacity * sizeof *grown, "the summary");
        report->summary = grown;
        report->summary_capacity = capacity;
    }
    report->summary[report->summary_count++] = (struct summary_row){done->dtype,
                                                                    done->order,
                                                                    done->op,
                                                                    done->n,
                                                                    peer->ms_cold / ours->ms_cold,
                                                                    peer->ms_warm / ours->ms_warm};
    return SPMM_OK;
}

static int has_trouble(const struct bench_case *done)
{
    for (int i = 0; i < done->ours_count; i++)
        if (!is_valid(&done->ours[i].result))
            return 1;
    return 0;
}

spmm_status_t bench_report_case(struct bench_report *report, const struct bench_case *done, spmm_diag_t *diag)
{
    const struct bench_result *peer = best_peer(done);
    spmm_status_t status = SPMM_OK;
    if (report->json != NULL)
        json_case(report->json, done, peer);
    else if (!report->is_short || has_trouble(done))
        table_case(report, done, peer);
    for (int i = 0; i < done->ours_count && status == SPMM_OK; i++) {
        const struct bench_result *result = &done->ours[i].result;
        report->has_wrong |= !is_valid(result);
        if (result->status == SPMM_OK && report->csv != NULL)
            csv_row(report, done, &done->ours[i], peer);
        if (is_valid(result) && peer != NULL && done->ours[i].is_chosen)
            status = remember(report, done, result, peer, diag);
    }
    if (report->csv != NULL && fflush(report->csv) != 0)
        return fail(diag, SPMM_ERR_IO, "the CSV file could not be written: %s", strerror(errno));
    return status;
}

static int compare_rows(const void *left, const void *right)
{
    const struct summary_row *a = left;
    const struct summary_row *b = right;
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

struct mean {
    double log_cold, log_warm;
    size_t count, below_one;
    double least;
};

static void add_row(struct mean *mean, const struct summary_row *row)
{
    mean->log_cold += log(row->ratio_cold);
    mean->log_warm += log(row->ratio_warm);
    mean->least = mean->count == 0 || row->ratio_cold < mean->least ? row->ratio_cold : mean->least;
    mean->count++;
    mean->below_one += row->ratio_cold < 1.0;
}

static void print_mean(struct json *json, const char *dtype, const char *order, const char *op, int64_t n,
                       const struct mean *mean)
{
    const double cold = exp(mean->log_cold / (double)mean->count);
    const double warm = exp(mean->log_warm / (double)mean->count);
    char columns[24] = "all";
    if (n > 0)
        snprintf(columns, sizeof columns, "%lld", (long long)n);
    if (json == NULL) {
        printf("  %-5s %-6s %-3s %6s %6zu %12.3f %12.3f %8.3f %10zu\n", dtype, order, op, columns,
               mean->count, cold, warm, mean->least, mean->below_one);
        return;
    }
    json_object(json, NULL);
    json_text(json, "dtype", dtype);
    json_text(json, "layout", order);
    json_text(json, "op", op);
    json_text(json, "n", columns);
    json_uint(json, "cases", mean->count);
    json_double(json, "ratio_cold_mean", cold);
    json_double(json, "ratio_warm_mean", warm);
    json_double(json, "ratio_cold_least", mean->least);
    json_uint(json, "below_one", mean->below_one);
    json_end(json);
}

/* Print the groups in which the rows agree in type, layout, op and (by_n) n. */
static void print_groups(const struct bench_report *report, int by_n)
{
    size_t first = 0;
    while (first < report->summary_count) {
        const struct summary_row *head = &report->summary[first];
        struct mean mean = {0};
        size_t end = first;
        for (; end < report->summary_count; end++) {
            const struct summary_row *row = &report->summary[end];
            if (row->dtype != head->dtype || row->order != head->order || row->op != head->op ||
                (by_n && row->n != head->n))
                break;
            add_row(&mean, row);
        }
        print_mean(report->json, spmm_dtype_name(head->dtype), spmm_order_name(head->order),
                   spmm_op_name(head->op), by_n ? head->n : 0, &mean);
        first = end;
    }
}

void bench_report_summary(struct bench_report *report)
{
    struct mean all = {0};
    if (report->json != NULL) {
        json_end(report->json);
        json_array(report->json, "summary");
    }
    if (report->summary_count > 0)
        qsort(report->summary, report->summary_count, sizeof *report->summary, compare_rows);
    for (size_t i = 0; i < report->summary_count; i++)
        add_row(&all, &report->summary[i]);
    if (report->json == NULL && all.count > 0)
        printf("\nbest peer's time over the time of the plan's choice (geometric means)\n"
               "  %-5s %-6s %-3s %6s %6s %12s %12s %8s %10s\n",
               "dtype", "layout", "op", "n", "cases", "cold", "warm", "least", "below 1.0");
    print_groups(report, 1);
    print_groups(report, 0);
    if (all.count > 0)
        print_mean(report->json, "all", "all", "all", 0, &all);
    if (report->json != NULL)
        json_end(report->json);
}

spmm_status_t bench_report_close(struct bench_report *report, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (report->csv != NULL && fclose(report->csv) != 0)
        status = fail(diag, SPMM_ERR_IO, "the CSV file could not be written: %s", strerror(errno));
    free(report->summary);
    report->csv = NULL;
    report->summary = NULL;
    return status;
}
