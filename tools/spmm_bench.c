/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-bench: compares spmm's kernels with cuSPARSE or oneMKL, for matrices x types x ops x layouts x n, in
 * one run. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spmm/spmm.h>

#include "tools/bench/bench_bound.h"
#include "tools/bench/bench_csv.h"
#include "tools/bench/bench_name.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/bench_ours.h"
#include "tools/bench/bench_peers.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/bench_site.h"
#include "tools/calibrate/calibrate.h"
#include "tools/cli/cli.h"
#include "tools/cli/device_choice.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/compute/gpu.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/progress.h"

/* Data that is kept for all matrices. */
struct bench {
    struct bench_site site;
    struct bench_peers *peers;
    struct bench_report report;
    struct json json;
    struct progress progress;
    int64_t n_max;
    const char *file;  /* the current file, which a failure names */
    int first_failure; /* exit status of the first matrix that could not be measured */
};

static void tell(struct bench *bench, const char *name, const char *text)
{
    progress_end(&bench->progress);
    fprintf(stderr, BENCH_PROGRAM ": %s: %s\n", name, text);
}

static spmm_status_t run_case(struct bench *bench, struct bench_ours *ours, struct bench_peers *peers,
                              struct bench_case *done, spmm_diag_t *diag)
{
    struct ours_result ours_results[OURS_MAX];
    struct bench_result peer_results[PEERS_MAX];
    char stage[200];
    spmm_status_t status = SPMM_OK;

    snprintf(stage, sizeof stage, "%.100s %s %s %s n = %lld", done->matrix, spmm_dtype_name(done->dtype),
             spmm_op_name(done->op), spmm_layout_name(done->layout), (long long)done->n);
    progress_report(&bench->progress, stage, 0, 0);
    TRY(bench_site_case(&bench->site, done->layout, done->n, 1, diag));
    done->ours = ours_results;
    bench_ours_run(ours, &bench->site, ours_results, &done->ours_count);
    done->peers = peer_results;
    done->peers_count = 0;
    if (peers != NULL)
        bench_peers_run(peers, &bench->site, peer_results, &done->peers_count);
    progress_end(&bench->progress);
    TRY(bench_report_case(&bench->report, done, diag));
cleanup:
    return status;
}

/* The values of n for a layout; empty if the layout was not requested. */
struct n_list {
    const int64_t *n;
    size_t count;
};

static struct n_list n_list_of(int layout)
{
    if ((bench_args.layouts >> layout & 1) == 0)
        return (struct n_list){NULL, 0};
    return layout == (int)SPMM_COL_MAJOR ? (struct n_list){bench_args.n_col, bench_args.n_col_count}
                                         : (struct n_list){bench_args.n, bench_args.n_count};
}

static spmm_dtype_t b_type_of(spmm_dtype_t dtype)
{
    return bench_args.b_type != 0 ? (spmm_dtype_t)bench_args.b_type : dtype;
}

static spmm_dtype_t c_type_of(spmm_dtype_t dtype)
{
    return bench_args.c_type != 0 ? (spmm_dtype_t)bench_args.c_type : b_type_of(dtype);
}

/* Returns A in the form in which the peers multiply it. They need the same type for A and B; ones are exact
 * in every type, so they can have the type of B. */
static struct host_csr as_of_peers(const struct host_csr *a, spmm_dtype_t b_type)
{
    struct host_csr copy = *a;
    if (bench_args.unit_values)
        copy.dtype = b_type;
    return copy;
}

/* Gives the problem to the peers. *peers becomes NULL if they have no product of these types. */
static spmm_status_t take_peers(struct bench *bench, const char *name, spmm_op_t op, const struct host_csr *a,
                                const struct host_csr *op_a, struct bench_peers **peers, spmm_diag_t *diag)
{
    const spmm_dtype_t b_type = bench->site.b_type;
    *peers = bench->peers;
    if (bench->peers == NULL)
        return SPMM_OK;
    if (a->dtype == b_type && bench_peers_take(bench->peers, b_type, bench->site.c_type))
        return bench_peers_problem(bench->peers, op, a, op_a, diag);
    tell(bench, name, "the peers have no products of this value type: none is measured beside ours");
    *peers = NULL;
    return SPMM_OK;
}

static spmm_status_t load_ours(struct bench *bench, const spmm_matrix_t *matrix, const char *name,
                               const struct host_csr *a, spmm_op_t op, struct bench_ours **ours,
                               struct ours_info *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct ours_options options = {.kernels = bench_args.kernels,
                                         .plans = (enum bench_plans)bench_args.plans,
                                         .compute = (spmm_compute_t)bench_args.compute,
                                         .layouts = (uint32_t)bench_args.layouts,
                                         .n = bench_args.n,
                                         .n_count = (int)bench_args.n_count,
                                         .b_type = b_type_of(a->dtype),
                                         .c_type = c_type_of(a->dtype),
                                         .has_unit_values = bench_args.unit_values,
                                         .has_operator = bench_args.jit,
                                         .values = bench_args.set_values ? a : NULL};
    TRY(bench_ours_load(matrix, a->dtype, op, &options, &bench->site, ours, info, diag));
    if (info->left_out > 0) {
        char text[80];
        snprintf(text, sizeof text, "%d plans found no memory and are left out", info->left_out);
        tell(bench, name, text);
    }
cleanup:
    return status;
}

/* Runs all layouts and n of op(A) in one value type. */
static spmm_status_t run_problem(struct bench *bench, const spmm_matrix_t *matrix, const char *name,
                                 const struct host_csr *a, const struct host_csr *op_a, spmm_op_t op,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct bench_ours *ours = NULL;
    struct ours_info info = {0};
    struct bench_peers *peers = NULL;
    const spmm_dtype_t b_type = b_type_of(a->dtype), c_type = c_type_of(a->dtype);
    const struct host_csr peers_a = as_of_peers(a, b_type), peers_op_a = as_of_peers(op_a, b_type);

    TRY(load_ours(bench, matrix, name, a, op, &ours, &info, diag));
    TRY(bench_site_problem(&bench->site, op_a, b_type, c_type, bench->n_max, diag));
    TRY(take_peers(bench, name, op, &peers_a, &peers_op_a, &peers, diag));
    const struct bound_rates *rates = bench_bound_rates(info.device_name);
    const struct bound_matrix bound = bench_bound_matrix(op_a, !bench_args.unit_values);
    for (int layout = 0; layout < 2; layout++) {
        const struct n_list list = n_list_of(layout);
        for (size_t i = 0; i < list.count; i++) {
            struct bench_case done = {.matrix = name,
                                      .rows = a->rows,
                                      .cols = a->cols,
                                      .nnz = a->nnz,
                                      .n = list.n[i],
                                      .layout = (spmm_layout_t)layout,
                                      .dtype = a->dtype,
                                      .b_type = b_type,
                                      .c_type = c_type,
                                      .has_unit_values = bench_args.unit_values,
                                      .op = op,
                                      .info = &info};
            if (rates != NULL)
                done.bound_us = bench_bound_us(rates, &bound, done.n, (int)spmm_dtype_size(b_type),
                                               (int)spmm_dtype_size(c_type));
            TRY(run_case(bench, ours, peers, &done, diag));
        }
    }
cleanup:
    bench_ours_destroy(ours);
    return status;
}

static spmm_status_t run_type(struct bench *bench, const spmm_matrix_t *matrix, const char *name,
                              spmm_dtype_t dtype, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct host_csr a = {0};
    struct host_csr at = {0};
    spmm_csr_t view;

    TRY(spmm_matrix_csr(matrix, &view));
    TRY(host_csr_make(&view, dtype, &a, diag));
    if (bench_args.unit_values)
        host_csr_set_ones(&a);
    if ((bench_args.ops & (int)SPMM_OPS_N) != 0)
        TRY(run_problem(bench, matrix, name, &a, &a, SPMM_OP_N, diag));
    if ((bench_args.ops & (int)SPMM_OPS_T) != 0) {
        TRY(host_csr_transpose(&a, &at, diag));
        TRY(run_problem(bench, matrix, name, &a, &at, SPMM_OP_T, diag));
    }
cleanup:
    host_csr_free(&at);
    host_csr_free(&a);
    return status;
}

/* Measures a matrix. If it cannot be read or measured, reports that and continues with the next one. */
static void run_matrix(struct bench *bench, const char *argument)
{
    spmm_read_options_t read_options = SPMM_READ_OPTIONS_INIT;
    spmm_dtype_info_t type = {.struct_size = sizeof type};
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_matrix_t *matrix = NULL;
    spmm_status_t status = SPMM_OK;
    char name[128];

    bench_name(argument, name, sizeof name);
    read_options.budget_bytes = bench_args.budget;
    read_options.progress = progress_report;
    read_options.progress_context = &bench->progress;
    TRY(matrix_input_open(argument, &read_options, &matrix, &diag));
    for (int i = 0; spmm_dtype_at(i, &type) == SPMM_OK; i++)
        if ((bench_args.dtypes >> type.dtype & 1) != 0)
            TRY(run_type(bench, matrix, name, type.dtype, &diag));
cleanup:
    progress_end(&bench->progress);
    if (status != SPMM_OK) {
        const int code = exit_failure(BENCH_PROGRAM, argument, status, &diag);
        bench_page_left_out(&bench->report.page);
        if (bench->first_failure == EXIT_DONE)
            bench->first_failure = code;
    }
    spmm_matrix_destroy(matrix);
}

static spmm_status_t start(struct bench *bench, char *today, size_t size, spmm_diag_t *diag)
{
    const struct timing_rule rule = {.repeats = (int)bench_args.repeat,
                                     .repeats_slow = (int)(bench_args.repeat + 2) / 3,
                                     .repeats_min = 1,
                                     .slow_ms = 3.0,
                                     .max_seconds = bench_args.max_seconds};
    const struct bench_peers_options peers_options = {bench_args.peers, bench_args.mkl};
    const time_t now = time(NULL);
    struct tm utc;
    char note[160];
    spmm_status_t status = SPMM_OK;

    if (bench_args.device >= 0) {
        TRY(gpu_require(bench_args.device, diag));
        TRY(gpu_select(bench_args.device, diag));
    }
    strftime(today, size, "%Y-%m-%d", gmtime_r(&now, &utc));
    bench->report.date = bench_args.date != NULL ? bench_args.date : today;
    bench->report.commit = bench_args.commit != NULL ? bench_args.commit : getenv("SPMM_COMMIT");
    if (bench->report.commit == NULL)
        bench->report.commit = "unknown";
    TRY(bench_site_create(bench_args.device, (int)bench_args.threads, &rule, &bench->site, diag));
    bench->site.budget = bench_args.budget;
    if (!bench_args.no_peers) {
        TRY(bench_peers_open(&bench->site, &peers_options, &bench->peers, note, diag));
        if (bench->peers == NULL)
            tell(bench, "peers", note);
    }
    bench->file = bench_args.csv;
    TRY(bench_csv_open(&bench->report.csv, bench_args.csv, diag));
    bench->file = bench_args.report;
    TRY(bench_page_open(&bench->report.page, bench_args.report, diag));
cleanup:
    return status;
}

/* Returns the largest n of all cases. */
static int64_t widest(void)
{
    int64_t n_max = 0;
    for (int layout = 0; layout < 2; layout++) {
        const struct n_list list = n_list_of(layout);
        for (size_t i = 0; i < list.count; i++)
            n_max = list.n[i] > n_max ? list.n[i] : n_max;
    }
    return n_max;
}

/* Closes the page and the CSV file. Reports a failure and returns an exit status. */
static int finish(struct bench *bench, spmm_status_t status, spmm_diag_t *diag)
{
    const struct csv_origin origin = {bench->report.date, bench->report.commit};
    status = bench_page_close(&bench->report.page, &origin, &bench->report.summary, status, diag);
    if (status == SPMM_OK) {
        bench->file = bench_args.csv;
        status = bench_report_close(&bench->report, diag);
    }
    return status == SPMM_OK ? EXIT_DONE : exit_failure(BENCH_PROGRAM, bench->file, status, diag);
}

static int run(const struct cli_operands *operands)
{
    static struct bench bench;
    char today[16];
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    int code = EXIT_DONE;

    progress_start(&bench.progress, bench_args.quiet != 0);
    bench.n_max = widest();
    bench.report.lists_peers = bench_args.lists_peers;
    bench.report.shows_set_values = bench_args.set_values;
    bench.report.is_short = bench_args.only_summary;
    TRY(start(&bench, today, sizeof today, &diag));
    if (bench_args.json) {
        json_start(&bench.json, stdout);
        json_object(&bench.json, NULL);
        json_array(&bench.json, "cases");
        bench.report.json = &bench.json;
    }
    for (int i = 0; i < operands->count; i++)
        run_matrix(&bench, operands->list[i]);
    if (bench_args.json)
        json_end(&bench.json);
    bench_summary_print(&bench.report.summary, bench.report.json);
    if (bench_args.json) {
        json_end(&bench.json);
        code = json_finish(&bench.json) ? EXIT_DONE : EXIT_RUNTIME;
    }
cleanup:;
    const int finished = finish(&bench, status, &diag);
    if (code == EXIT_DONE)
        code = finished;
    bench_peers_close(bench.peers);
    bench_site_destroy(&bench.site);
    if (code == EXIT_DONE)
        code = bench.first_failure;
    if (code == EXIT_DONE && bench.report.has_wrong)
        code = EXIT_CHECK;
    return code != EXIT_DONE ? code : exit_flush(BENCH_PROGRAM);
}

static int run_calibration(void)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    if (bench_args.device >= 0)
        TRY(gpu_require(bench_args.device, &diag));
    TRY(calibrate(bench_args.device, (int)bench_args.threads, bench_args.output, &diag));
cleanup:
    return status != SPMM_OK ? exit_failure(BENCH_PROGRAM, NULL, status, &diag) : exit_flush(BENCH_PROGRAM);
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    spmm_diag_t diag = {.status = SPMM_OK};
    const enum cli_result result = bench_options_read(argc, argv, &operands);
    if (result != CLI_RUN)
        return result == CLI_DONE ? exit_flush(BENCH_PROGRAM) : EXIT_USAGE;
    if (device_choice_auto(&bench_args.device, &diag) != SPMM_OK)
        return exit_failure(BENCH_PROGRAM, NULL, diag.status, &diag);
    return bench_args.calibrate ? run_calibration() : run(&operands);
}
