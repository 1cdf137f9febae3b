/* SPDX-License-Identifier: Apache-2.0 */
/* The report of spmm-bench. */
#include "bench_report.h"

#include <string.h>
#include <sys/stat.h>

#include "tools/cli/fail.h"
#include "tools/cli/input_file.h"
#include "tools/cli/print_text.h"

#define CSV_HEADER                                                                                           \
    "date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops," \
    "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values\n"

/* Does a file that is not empty begin with these columns? Rows of others would be read wrong. */
static int has_our_header(const char *path)
{
    char line[sizeof CSV_HEADER] = "";
    FILE *file = input_file_open(path);
    const int is_read = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        (void)fclose(file);
    return is_read && strcmp(line, CSV_HEADER) == 0;
}

static int has_bytes(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && about.st_size > 0;
}

spmm_status_t bench_report_open(struct bench_report *report, const char *path, spmm_diag_t *diag)
{
    if (path == NULL)
        return SPMM_OK;
    const spmm_status_t status = append_file_open(&report->csv, path, diag);
    if (status != SPMM_OK)
        return status;
    if (!has_bytes(report->csv.file))
        fputs(CSV_HEADER, report->csv.stream);
    else if (!has_our_header(path))
        return fail(diag, SPMM_ERR_IO, "%.150s has other columns: its rows are of another version", path);
    return SPMM_OK;
}

/* A right product of finite time; a wrong one is no competitor. */
static int is_valid(const struct bench_result *result)
{
    return result->status == SPMM_OK && result->error_ratio <= 1.0;
}

/* Peers of one library are compared with each other: the first word of a name is the library. */
static int is_of_library(const struct bench_result *peer, const struct bench_result *first)
{
    const size_t length = strcspn(first->name, "-");
    return strncmp(peer->name, first->name, length) == 0 && strcspn(peer->name, "-") == length;
}

/* A peer that rounds its factors is no rival of a kernel that does not. */
static int is_rival(const struct bench_result *peer, const struct bench_result *ours)
{
    return is_valid(peer) &&
           (peer->arithmetic.compute != SPMM_COMPUTE_TF32 || ours->arithmetic.compute == SPMM_COMPUTE_TF32);
}

/* The fastest rival of one of ours, from the library of the peer first; NULL without one. */
static const struct bench_result *best_of_library(const struct bench_case *done,
                                                  const struct bench_result *ours, int first)
{
    const struct bench_result *best = NULL;
    for (int i = first; i < done->peers_count; i++) {
        const struct bench_result *peer = &done->peers[i];
        if (is_of_library(peer, &done->peers[first]) && is_rival(peer, ours) &&
            (best == NULL || peer->ms_cold < best->ms_cold))
            best = peer;
    }
    return best;
}

/* The first library is the one that ratios are of. */
static const struct bench_result *best_peer(const struct bench_case *done, const struct bench_result *ours)
{
    return done->peers_count > 0 ? best_of_library(done, ours, 0) : NULL;
}

static int is_first_of_library(const struct bench_case *done, int peer)
{
    for (int i = 0; i < peer; i++)
        if (is_of_library(&done->peers[peer], &done->peers[i]))
            return 0;
    return 1;
}

/* The best of its library for some kernel of ours: for the plan's choice with is_chosen. */
static int is_best(const struct bench_case *done, int peer, int is_chosen)
{
    int first = 0;
    while (!is_of_library(&done->peers[peer], &done->peers[first]))
        first++;
    for (int i = 0; i < done->ours_count; i++)
        if ((!is_chosen || done->ours[i].is_chosen) &&
            best_of_library(done, &done->ours[i].result, first) == &done->peers[peer])
            return 1;
    return 0;
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
    FILE *csv = report->csv.stream;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        csv_text(csv, texts[i]);
        fputc(',', csv);
    }
    fprintf(csv, "%lld,%lld,%lld,%lld,%s,%s,%s,", (long long)done->rows, (long long)done->cols,
            (long long)done->nnz, (long long)done->n, spmm_layout_name(done->layout),
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
    fprintf(csv, "%.6g,%llu,%s,", done->info->inspect_s, (unsigned long long)done->info->plan_bytes,
            spmm_compute_name(ours->result.arithmetic.compute));
    if (ours->ms_set_values > 0.0)
        fprintf(csv, "%.6g", ours->ms_set_values);
    fputc('\n', csv);
}

/* A row for the best peer of each library; that of the first library comes last, as the last row of a case counts where
 * a reader wants one. */
static void csv_rows(const struct bench_report *report, const struct bench_case *done,
                     const struct ours_result *ours)
{
    int count = 0;
    for (int i = done->peers_count - 1; i >= 0; i--) {
        const struct bench_result *peer =
            is_first_of_library(done, i) ? best_of_library(done, &ours->result, i) : NULL;
        if (peer != NULL)
            csv_row(report, done, ours, peer);
        count += peer != NULL;
    }
    if (count == 0)
        csv_row(report, done, ours, NULL);
}

static void json_result(struct json *json, const struct bench_result *result)
{
    json_text(json, "name", result->name);
    if (result->status != SPMM_OK) {
        json_text(json, "status", spmm_status_name(result->status));
        json_text(json, "note", result->note);
        return;
    }
    json_text(json, "compute", spmm_compute_name(result->arithmetic.compute));
    json_double(json, "ms_cold", result->ms_cold);
    json_double(json, "ms_warm", result->ms_warm);
    json_double(json, "error_ratio", result->error_ratio);
}

static void json_ours(struct json *json, const struct bench_case *done, const struct ours_result *ours)
{
    const struct bench_result *peer = best_peer(done, &ours->result);
    json_object(json, NULL);
    json_result(json, &ours->result);
    json_text(json, "family", ours->family);
    json_bool(json, "chosen", ours->is_chosen != 0);
    json_double(json, "gflops", gflops(done, ours->result.ms_cold));
    if (peer != NULL && is_valid(&ours->result))
        json_double(json, "ratio_cold", peer->ms_cold / ours->result.ms_cold);
    if (ours->ms_set_values > 0.0)
        json_double(json, "ms_set_values", ours->ms_set_values);
    json_end(json);
}

static void json_case(struct json *json, const struct bench_case *done)
{
    json_object(json, NULL);
    json_text(json, "device", done->info->device_name);
    json_text(json, "matrix", done->matrix);
    json_int(json, "rows", done->rows);
    json_int(json, "cols", done->cols);
    json_int(json, "nnz", done->nnz);
    json_int(json, "n", done->n);
    json_text(json, "layout", spmm_layout_name(done->layout));
    json_text(json, "dtype", spmm_dtype_name(done->dtype));
    json_text(json, "op", spmm_op_name(done->op));
    json_double(json, "inspect_s", done->info->inspect_s);
    json_uint(json, "plan_bytes", done->info->plan_bytes);
    json_array(json, "kernels");
    for (int i = 0; i < done->ours_count; i++)
        json_ours(json, done, &done->ours[i]);
    json_end(json);
    json_array(json, "peers");
    for (int i = 0; i < done->peers_count; i++) {
        json_object(json, NULL);
        json_result(json, &done->peers[i]);
        json_bool(json, "best", is_best(done, i, 1));
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

static void table_ours(const struct bench_report *report, const struct bench_case *done,
                       const struct ours_result *ours)
{
    const struct bench_result *result = &ours->result;
    const struct bench_result *peer = best_peer(done, result);
    table_result(result, ours->is_chosen ? "*" : " ");
    if (result->status == SPMM_OK) {
        printf(" %9.1f", gflops(done, result->ms_cold));
        if (peer != NULL)
            printf(" %10.2f", peer->ms_cold / result->ms_cold);
        else if (report->shows_set_values)
            printf(" %10s", "");
    }
    if (result->status == SPMM_OK && ours->ms_set_values > 0.0)
        printf(" %10.4f %8.2f", ours->ms_set_values, ours->ms_set_values / result->ms_cold);
    puts(is_valid(result) ? "" : "  WRONG OR FAILED");
}

static void table_case(struct bench_report *report, const struct bench_case *done)
{
    print_escaped(stdout, done->matrix);
    printf("  %lld x %lld, %lld nonzero%s, n = %lld, %s, %s, op %s\n", (long long)done->rows,
           (long long)done->cols, (long long)done->nnz, done->nnz == 1 ? "" : "s", (long long)done->n,
           spmm_layout_name(done->layout), spmm_dtype_name(done->dtype), spmm_op_name(done->op));
    if (!report->has_header)
        printf("  %-38s   %10s %10s %9s %9s %10s%s\n", "", "ms cold", "ms warm", "error", "gflops",
               "peer/ours", report->shows_set_values ? " set values products" : "");
    report->has_header = 1;
    for (int i = 0; i < done->ours_count; i++)
        table_ours(report, done, &done->ours[i]);
    for (int i = 0; i < done->peers_count; i++) {
        const struct bench_result *result = &done->peers[i];
        if (!report->lists_peers && is_valid(result) && !is_best(done, i, 0))
            continue;
        table_result(result, is_best(done, i, 1) ? "=" : " ");
        puts(result->status != SPMM_OK || result->error_ratio <= 1.0
                 ? (result->arithmetic.compute == SPMM_COMPUTE_TF32 ? "  tf32" : "")
                 : "  check failed: not counted");
    }
    fflush(stdout);
}

/* The line of --summary for a case in which there is no peer to compare with. */
static void short_case(const struct bench_case *done)
{
    for (int i = 0; i < done->ours_count; i++) {
        const struct bench_result *ours = &done->ours[i].result;
        if (!done->ours[i].is_chosen || !is_valid(ours) || best_peer(done, ours) != NULL)
            continue;
        print_escaped(stdout, done->matrix);
        printf(", n = %lld, %s, %s, op %s: %s, %.4g ms cold, %.4g ms warm, %.1f GFLOP/s cold, no peer\n",
               (long long)done->n, spmm_layout_name(done->layout), spmm_dtype_name(done->dtype),
               spmm_op_name(done->op), ours->name, ours->ms_cold, ours->ms_warm, gflops(done, ours->ms_cold));
    }
    fflush(stdout);
}

static spmm_status_t summarise(struct bench_report *report, const struct bench_case *done,
                               const struct bench_result *ours, const struct bench_result *peer,
                               spmm_diag_t *diag)
{
    const struct summary_row row = {done->dtype,
                                    done->layout,
                                    done->op,
                                    done->n,
                                    peer->ms_cold / ours->ms_cold,
                                    peer->ms_warm / ours->ms_warm};
    return bench_summary_add(&report->summary, &row, diag);
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
    spmm_status_t status = SPMM_OK;
    if (report->json != NULL)
        json_case(report->json, done);
    else if (!report->is_short || has_trouble(done))
        table_case(report, done);
    else
        short_case(done);
    for (int i = 0; i < done->ours_count && status == SPMM_OK; i++) {
        const struct bench_result *result = &done->ours[i].result;
        const struct bench_result *peer = best_peer(done, result);
        report->has_wrong |= !is_valid(result);
        if (result->status == SPMM_OK && report->csv.stream != NULL)
            csv_rows(report, done, &done->ours[i]);
        if (is_valid(result) && peer != NULL && done->ours[i].is_chosen)
            status = summarise(report, done, result, peer, diag);
    }
    if (report->csv.stream != NULL && status == SPMM_OK)
        status = append_file_flush(&report->csv, diag);
    return status;
}

spmm_status_t bench_report_close(struct bench_report *report, spmm_diag_t *diag)
{
    bench_summary_free(&report->summary);
    return append_file_close(&report->csv, diag);
}
