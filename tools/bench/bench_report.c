/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_report.h. */
#include "bench_report.h"

#include "bench_csv.h"
#include "tools/cli/print_text.h"

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
    if (result->memory.a == 0)
        return;
    json_uint(json, "device_bytes", result->memory.a);
    json_uint(json, "workspace_bytes", result->memory.workspace);
}

static void json_ours(struct json *json, const struct bench_case *done, const struct ours_result *ours)
{
    const struct bench_result *peer = bench_best_peer(done, &ours->result);
    json_object(json, NULL);
    json_result(json, &ours->result);
    json_text(json, "family", ours->family);
    json_bool(json, "chosen", ours->is_chosen != 0);
    json_double(json, "gflops", bench_gflops(done, ours->result.ms_cold));
    if (peer != NULL && bench_is_valid(&ours->result))
        json_double(json, "ratio_cold", peer->ms_cold / ours->result.ms_cold);
    if (done->bound_us > 0.0)
        json_double(json, "bound_share", bench_bound_share(done, &ours->result));
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
    json_text(json, "b_type", spmm_dtype_name(done->b_type));
    json_text(json, "c_type", spmm_dtype_name(done->c_type));
    json_bool(json, "unit_values", done->has_unit_values != 0);
    json_text(json, "op", spmm_op_name(done->op));
    json_double(json, "inspect_s", done->info->inspect_s);
    json_uint(json, "plan_bytes", done->info->plan_bytes);
    if (done->bound_us > 0.0)
        json_double(json, "bound_us", done->bound_us);
    json_array(json, "kernels");
    for (int i = 0; i < done->ours_count; i++)
        json_ours(json, done, &done->ours[i]);
    json_end(json);
    json_array(json, "peers");
    for (int i = 0; i < done->peers_count; i++) {
        json_object(json, NULL);
        json_result(json, &done->peers[i]);
        json_bool(json, "best", bench_is_best(done, i, 1));
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
    if (result->memory.a > 0)
        printf(" %10.3f", 1e-6 * (double)bench_memory_bytes(&result->memory));
}

/* Returns 1 if the table has a column of megabytes. */
static int has_memory(const struct bench_case *done)
{
    return done->ours_count > 0 && done->ours[0].result.memory.a > 0;
}

static void table_ours(const struct bench_report *report, const struct bench_case *done,
                       const struct ours_result *ours)
{
    const struct bench_result *result = &ours->result;
    const struct bench_result *peer = bench_best_peer(done, result);
    table_result(result, ours->is_chosen ? "*" : " ");
    if (result->status == SPMM_OK) {
        printf(" %9.1f", bench_gflops(done, result->ms_cold));
        if (done->bound_us > 0.0)
            printf(" %6.2f", bench_bound_share(done, result));
        if (peer != NULL)
            printf(" %10.2f", peer->ms_cold / result->ms_cold);
        else if (report->shows_set_values)
            printf(" %10s", "");
    }
    if (result->status == SPMM_OK && ours->ms_set_values > 0.0)
        printf(" %10.4f %8.2f", ours->ms_set_values, ours->ms_set_values / result->ms_cold);
    puts(bench_is_valid(result) ? "" : "  WRONG OR FAILED");
}

/* Prints "f32", or "f32 ones, B f16, C f16" for a product with mixed types. */
static void table_types(const struct bench_case *done)
{
    printf("%s%s", spmm_dtype_name(done->dtype), done->has_unit_values ? " ones" : "");
    if (done->b_type != done->dtype || done->c_type != done->dtype)
        printf(", B %s, C %s", spmm_dtype_name(done->b_type), spmm_dtype_name(done->c_type));
}

static void table_case(struct bench_report *report, const struct bench_case *done)
{
    print_escaped(stdout, done->matrix);
    printf("  %lld x %lld, %lld nonzero%s, n = %lld, %s, ", (long long)done->rows, (long long)done->cols,
           (long long)done->nnz, done->nnz == 1 ? "" : "s", (long long)done->n,
           spmm_layout_name(done->layout));
    table_types(done);
    printf(", op %s\n", spmm_op_name(done->op));
    if (!report->has_header)
        printf("  %-38s   %10s %10s %9s%s %9s%s %10s%s\n", "", "ms cold", "ms warm", "error",
               has_memory(done) ? "         MB" : "", "gflops", done->bound_us > 0.0 ? "  bound" : "",
               "peer/ours", report->shows_set_values ? " set values products" : "");
    report->has_header = 1;
    for (int i = 0; i < done->ours_count; i++)
        table_ours(report, done, &done->ours[i]);
    for (int i = 0; i < done->peers_count; i++) {
        const struct bench_result *result = &done->peers[i];
        if (!report->lists_peers && bench_is_valid(result) && !bench_is_best(done, i, 0))
            continue;
        table_result(result, bench_is_best(done, i, 1) ? "=" : " ");
        puts(result->status != SPMM_OK || result->error_ratio <= 1.0
                 ? (result->arithmetic.compute == SPMM_COMPUTE_TF32 ? "  tf32" : "")
                 : "  check failed: not counted");
    }
    fflush(stdout);
}

/* Prints the line of --summary for a case without a peer. */
static void short_case(const struct bench_case *done)
{
    for (int i = 0; i < done->ours_count; i++) {
        const struct bench_result *ours = &done->ours[i].result;
        if (!done->ours[i].is_chosen || !bench_is_valid(ours) || bench_best_peer(done, ours) != NULL)
            continue;
        print_escaped(stdout, done->matrix);
        printf(", n = %lld, %s, %s, op %s: %s, %.4g ms cold, %.4g ms warm, %.1f GFLOP/s cold, no peer\n",
               (long long)done->n, spmm_layout_name(done->layout), spmm_dtype_name(done->dtype),
               spmm_op_name(done->op), ours->name, ours->ms_cold, ours->ms_warm,
               bench_gflops(done, ours->ms_cold));
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
                                    peer->ms_warm / ours->ms_warm,
                                    bench_memory_ratio(&peer->memory, &ours->memory)};
    return bench_summary_add(&report->summary, &row, diag);
}

static int has_trouble(const struct bench_case *done)
{
    for (int i = 0; i < done->ours_count; i++)
        if (!bench_is_valid(&done->ours[i].result))
            return 1;
    return 0;
}

spmm_status_t bench_report_case(struct bench_report *report, const struct bench_case *done, spmm_diag_t *diag)
{
    const struct csv_origin origin = {report->date, report->commit};
    spmm_status_t status = SPMM_OK;
    if (report->json != NULL)
        json_case(report->json, done);
    else if (!report->is_short || has_trouble(done))
        table_case(report, done);
    else
        short_case(done);
    bench_page_case(&report->page, done);
    for (int i = 0; i < done->ours_count && status == SPMM_OK; i++) {
        const struct bench_result *result = &done->ours[i].result;
        const struct bench_result *peer = bench_best_peer(done, result);
        report->has_wrong |= !bench_is_valid(result);
        if (result->status == SPMM_OK && report->csv.stream != NULL)
            bench_csv_rows(report->csv.stream, &origin, done, &done->ours[i]);
        if (bench_is_valid(result) && peer != NULL && done->ours[i].is_chosen)
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
