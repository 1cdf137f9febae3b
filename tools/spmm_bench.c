/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-bench: spmm's kernels beside cuSPARSE or oneMKL, on matrices x types x ops x layouts x n, in one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spmm/spmm.h>

#include "tools/bench/bench_name.h"
#include "tools/bench/bench_ours.h"
#include "tools/bench/bench_peers.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/bench_site.h"
#include "tools/calibrate/calibrate.h"
#include "tools/cli/cli.h"
#include "tools/cli/device_choice.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/listed_choices.h"
#include "tools/compute/gpu.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/progress.h"

#define PROGRAM "spmm-bench"
#define N_MAX_COUNT 64

static struct {
    int64_t n[N_MAX_COUNT];
    size_t n_count;
    int dtypes, layouts, ops; /* masks: SPMM_TYPES_*, SPMM_LAYOUTS_*, SPMM_OPS_* */
    int plans;                /* enum bench_plans */
    int compute;              /* spmm_compute_t of f32 plans, 0: the default's */
    const char *device_text;
    int device;
    int64_t threads, repeat;
    uint64_t budget;
    double max_seconds;
    const char *kernels, *peers, *mkl, *csv, *date, *commit;
    const char *output;
    int no_peers, lists_peers, only_summary, json, quiet, calibrate, set_values;
} args = {.dtypes = SPMM_TYPES_F32,
          .layouts = SPMM_LAYOUTS_ROW_MAJOR,
          .ops = SPMM_OPS_N,
          .device_text = "auto",
          .repeat = 15,
          .max_seconds = 2.0};

static struct cli_choice dtype_choices[LISTED_CHOICES_MAX];
static char dtype_help[LISTED_HELP_BYTES];
static const struct cli_choice layout_choices[] = {{"row", SPMM_LAYOUTS_ROW_MAJOR},
                                                   {"col", SPMM_LAYOUTS_COL_MAJOR},
                                                   {"both", SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR},
                                                   {NULL, 0}};
static const struct cli_choice op_choices[] = {
    {"N", SPMM_OPS_N}, {"T", SPMM_OPS_T}, {"both", SPMM_OPS_N | SPMM_OPS_T}, {NULL, 0}};

static const struct cli_choice plan_choices[] = {{"default", BENCH_PLANS_DEFAULT},
                                                 {"all", BENCH_PLANS_ALL},
                                                 {"tiles", BENCH_PLANS_TILES},
                                                 {"tensor", BENCH_PLANS_TENSOR},
                                                 {"tensor-plain", BENCH_PLANS_TENSOR_PLAIN},
                                                 {NULL, 0}};

static const struct cli_choice compute_choices[] = {
    {"f32", SPMM_COMPUTE_F32}, {"3xtf32", SPMM_COMPUTE_3XTF32}, {"tf32", SPMM_COMPUTE_TF32}, {NULL, 0}};

static const struct cli_option options[] = {
    {'n', "columns", CLI_INT_LIST, args.n, .value = "LIST", .count = &args.n_count, .capacity = N_MAX_COUNT,
     .min = 1, .max = 65536, .help = "columns of B and C, such as 1,8,64 (default 1,8,32,64,128,256)"},
    {0, "dtype", CLI_CHOICE, &args.dtypes, .value = "TYPE", .choices = dtype_choices, .help = dtype_help},
    {0, "compute", CLI_CHOICE, &args.compute, .value = "TYPE", .choices = compute_choices,
     .help = "least accurate compute type that plans of f32 may choose: f32, 3xtf32 (default)\nor tf32"},
    {0, "layout", CLI_CHOICE, &args.layouts, .value = "row|col|both", .choices = layout_choices,
     .help = "layout of B and C: row-major (default), column-major or both"},
    {0, "op", CLI_CHOICE, &args.ops, .value = "N|T|both", .choices = op_choices,
     .help = "multiply by A or by its transpose (default N)"},
    {0, "device", CLI_TEXT, &args.device_text, .value = DEVICE_CHOICE_VALUE,
     .help = "where to run (default auto: GPU 0 if this build can\nuse it, else the CPU)"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 0, .max = 4096,
     .help = "CPU threads of every competitor (default: all)"},
    {0, "repeat", CLI_INT, &args.repeat, .value = "R", .min = 1, .max = TIMING_REPEATS_MAX,
     .help = "timed calls, cold and warm each, of which the median counts (default 15;\n"
             "a third of them for calls of more than 3 ms)"},
    {0, "max-seconds", CLI_NUMBER, &args.max_seconds, .value = "S",
     .help = "time limit for one kernel in one case, in seconds, kept approximately (default 2)"},
    {0, "plans", CLI_CHOICE, &args.plans, .value = "SET", .choices = plan_choices, .help = bench_plans_help},
    {0, "kernels", CLI_TEXT, &args.kernels, .value = "TEXT",
     .help = "measure only kernels whose names contain TEXT, a part of a name such as\nwindow/ or 3xtf32, "
             "and the plan's choice (default: all)"},
    {0, "set-values", CLI_FLAG, &args.set_values,
     .help = "also measure how long new values take, from the device's memory, in ms and in\n"
             "products of the case"},
    {0, "peers", CLI_TEXT, &args.peers, .value = "TEXT",
     .help = "measure only peers whose names contain TEXT (default: all)"},
    {0, "no-peers", CLI_FLAG, &args.no_peers, .help = "measure no peers"},
    {0, "mkl", CLI_TEXT, &args.mkl, .value = "FILE",
     .help = "oneMKL's libmkl_rt, if it is not found by itself"},
    MATRIX_INPUT_OPTIONS,
    {0, "csv", CLI_TEXT, &args.csv, .value = "FILE",
     .help = "append one row for each kernel and case to FILE"},
    {0, "date", CLI_TEXT, &args.date, .value = "DATE", .help = "date column (default: today, UTC)"},
    {0, "commit", CLI_TEXT, &args.commit, .value = "ID", .help = "commit column (default: $SPMM_COMMIT)"},
    {0, "list-peers", CLI_FLAG, &args.lists_peers, .help = "show every peer, not only the best one"},
    {0, "summary", CLI_FLAG, &args.only_summary,
     .help = "print the summary only; without a peer, one line for each case"},
    {0, "calibrate", CLI_FLAG, &args.calibrate,
     .help = "measure the rates of the device instead and print them as a device profile\n"
             "(see --device of spmm-inspect); takes some seconds and no MATRIX"},
    {'o', "output", CLI_TEXT, &args.output, .value = "FILE",
     .help = "write the profile to FILE (default: standard output)"},
    {0, "budget", CLI_BYTES, &args.budget, .value = "BYTES",
     .help = "maximum memory for reading a matrix and, by itself, for B, C and the reference of a matrix,\n"
             "such as 500M or 2G; default: three quarters of the machine's"},
    CLI_JSON(&args.json, "print JSON instead of a table"),
    CLI_QUIET(&args.quiet, "no progress on the terminal"),
};

static const struct cli_program program = {
    .name = PROGRAM,
    .summary = "Compare spmm's kernels with each other and with vendor libraries.",
    .usage = "[options] MATRIX...",
    .details =
        "Each MATRIX is a file, as for spmm-inspect, or a synthetic matrix such as\n"
        "gen:fem3:9:9:257. In each case (type, op, layout, n) every kernel of spmm and every algorithm of\n"
        "cuSPARSE (on a GPU) or oneMKL (on the CPU, if it is found) computes the same product, is checked\n"
        "against a reference in higher precision, and is timed: cold, with the caches flushed between\n"
        "calls, and warm, back to back. * marks the plan's choice, = the best peer; inspection, buffer\n"
        "sizes and preprocessing are outside the timing.\n"
        "An error (ratio of error and bound) above 1 fails: exit code 5 if it is spmm's, else the peer\n"
        "does not count.",
    .examples = "  spmm-bench gen:fem3:9:9:257                     one mesh, f32, row-major, six n\n"
                "  spmm-bench -n 32,128 --layout both *.mtx.zst    two n, both layouts\n"
                "  spmm-bench --csv results.csv --dtype both A.mtx keep the times\n"
                "  spmm-bench --calibrate --device cuda -o my.profile   rates of this GPU\n",
    CLI_TAKES(options, 0, 4096), /* 1 without --calibrate */
};

/* What outlives a matrix. */
struct bench {
    struct bench_site site;
    struct bench_peers *peers;
    struct bench_report report;
    struct json json;
    struct progress progress;
    int64_t n_max;
    int first_failure; /* exit code of the first matrix that could not be measured */
};

static void tell(struct bench *bench, const char *name, const char *text)
{
    progress_end(&bench->progress);
    fprintf(stderr, PROGRAM ": %s: %s\n", name, text);
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

/* All layouts and n of one op(A) of one value type. */
static spmm_status_t run_problem(struct bench *bench, const spmm_matrix_t *matrix, const char *name,
                                 const struct host_csr *a, const struct host_csr *op_a, spmm_op_t op,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct bench_ours *ours = NULL;
    struct ours_info info = {0};
    const struct ours_options ours_options = {.kernels = args.kernels,
                                              .plans = (enum bench_plans)args.plans,
                                              .compute = (spmm_compute_t)args.compute,
                                              .layouts = (uint32_t)args.layouts,
                                              .n = args.n,
                                              .n_count = (int)args.n_count,
                                              .values = args.set_values ? a : NULL};
    struct bench_peers *peers = bench_peers_take(bench->peers, a->dtype) ? bench->peers : NULL;

    if (peers == NULL && bench->peers != NULL)
        tell(bench, name, "the peers have no products of this value type: none is measured beside ours");
    TRY(bench_ours_load(matrix, a->dtype, op, &ours_options, &bench->site, &ours, &info, diag));
    if (info.left_out > 0) {
        char text[80];
        snprintf(text, sizeof text, "%d plans found no memory and are left out", info.left_out);
        tell(bench, name, text);
    }
    TRY(bench_site_problem(&bench->site, op_a, bench->n_max, diag));
    if (peers != NULL)
        TRY(bench_peers_problem(peers, op, a, op_a, diag));
    for (int layout = 0; layout < 2; layout++) {
        for (size_t i = 0; i < args.n_count; i++) {
            struct bench_case done = {.matrix = name,
                                      .rows = a->rows,
                                      .cols = a->cols,
                                      .nnz = a->nnz,
                                      .n = args.n[i],
                                      .layout = (spmm_layout_t)layout,
                                      .dtype = a->dtype,
                                      .op = op,
                                      .info = &info};
            if ((args.layouts >> layout & 1) != 0)
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
    if ((args.ops & (int)SPMM_OPS_N) != 0)
        TRY(run_problem(bench, matrix, name, &a, &a, SPMM_OP_N, diag));
    if ((args.ops & (int)SPMM_OPS_T) != 0) {
        TRY(host_csr_transpose(&a, &at, diag));
        TRY(run_problem(bench, matrix, name, &a, &at, SPMM_OP_T, diag));
    }
cleanup:
    host_csr_free(&at);
    host_csr_free(&a);
    return status;
}

/* A matrix that cannot be read or measured is reported and left out. */
static void run_matrix(struct bench *bench, const char *argument)
{
    spmm_read_options_t read_options = SPMM_READ_OPTIONS_INIT;
    spmm_dtype_info_t type = {.struct_size = sizeof type};
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_matrix_t *matrix = NULL;
    spmm_status_t status = SPMM_OK;
    char name[128];

    bench_name(argument, name, sizeof name);
    read_options.budget_bytes = args.budget;
    read_options.progress = progress_report;
    read_options.progress_context = &bench->progress;
    TRY(matrix_input_open(argument, &read_options, &matrix, &diag));
    for (int i = 0; spmm_dtype_at(i, &type) == SPMM_OK; i++)
        if ((args.dtypes >> type.dtype & 1) != 0)
            TRY(run_type(bench, matrix, name, type.dtype, &diag));
cleanup:
    progress_end(&bench->progress);
    if (status != SPMM_OK) {
        const int code = exit_failure(PROGRAM, argument, status, &diag);
        if (bench->first_failure == EXIT_DONE)
            bench->first_failure = code;
    }
    spmm_matrix_destroy(matrix);
}

static spmm_status_t start(struct bench *bench, char *today, size_t size, spmm_diag_t *diag)
{
    const struct timing_rule rule = {.repeats = (int)args.repeat,
                                     .repeats_slow = (int)(args.repeat + 2) / 3,
                                     .repeats_min = 1,
                                     .slow_ms = 3.0,
                                     .max_seconds = args.max_seconds};
    const struct bench_peers_options peers_options = {args.peers, args.mkl};
    const time_t now = time(NULL);
    struct tm utc;
    char note[160];
    spmm_status_t status = SPMM_OK;

    if (args.device >= 0) {
        TRY(gpu_require(args.device, diag));
        TRY(gpu_select(args.device, diag));
    }
    strftime(today, size, "%Y-%m-%d", gmtime_r(&now, &utc));
    bench->report.date = args.date != NULL ? args.date : today;
    bench->report.commit = args.commit != NULL ? args.commit : getenv("SPMM_COMMIT");
    if (bench->report.commit == NULL)
        bench->report.commit = "unknown";
    TRY(bench_site_create(args.device, (int)args.threads, &rule, &bench->site, diag));
    bench->site.budget = args.budget;
    if (!args.no_peers) {
        TRY(bench_peers_open(&bench->site, &peers_options, &bench->peers, note, diag));
        if (bench->peers == NULL)
            tell(bench, "peers", note);
    }
    TRY(bench_report_open(&bench->report, args.csv, diag));
cleanup:
    return status;
}

static int run(const struct cli_operands *operands)
{
    static struct bench bench;
    char today[16];
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    int code = EXIT_DONE;

    progress_start(&bench.progress, args.quiet != 0);
    for (size_t i = 0; i < args.n_count; i++)
        bench.n_max = args.n[i] > bench.n_max ? args.n[i] : bench.n_max;
    bench.report.lists_peers = args.lists_peers;
    bench.report.shows_set_values = args.set_values;
    bench.report.is_short = args.only_summary;
    TRY(start(&bench, today, sizeof today, &diag));
    if (args.json) {
        json_start(&bench.json, stdout);
        json_object(&bench.json, NULL);
        json_array(&bench.json, "cases");
        bench.report.json = &bench.json;
    }
    for (int i = 0; i < operands->count; i++)
        run_matrix(&bench, operands->list[i]);
    if (args.json)
        json_end(&bench.json);
    bench_summary_print(&bench.report.summary, bench.report.json);
    if (args.json) {
        json_end(&bench.json);
        code = json_finish(&bench.json) ? EXIT_DONE : EXIT_RUNTIME;
    }
    TRY(bench_report_close(&bench.report, &diag));
cleanup:
    if (status != SPMM_OK)
        code = exit_failure(PROGRAM, args.csv, status, &diag);
    bench_peers_close(bench.peers);
    bench_site_destroy(&bench.site);
    if (code == EXIT_DONE)
        code = bench.first_failure;
    if (code == EXIT_DONE && bench.report.has_wrong)
        code = EXIT_CHECK;
    return code != EXIT_DONE ? code : exit_flush(PROGRAM);
}

static int run_calibration(void)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_status_t status = SPMM_OK;
    if (args.device >= 0)
        TRY(gpu_require(args.device, &diag));
    TRY(calibrate(args.device, (int)args.threads, args.output, &diag));
cleanup:
    return status != SPMM_OK ? exit_failure(PROGRAM, NULL, status, &diag) : exit_flush(PROGRAM);
}

int main(int argc, char **argv)
{
    static const int64_t default_n[] = {1, 8, 32, 64, 128, 256};
    struct cli_operands operands;
    spmm_diag_t diag = {.status = SPMM_OK};
    bench_plans_help_make();
    listed_dtype_masks("value type: ", dtype_choices, dtype_help);
    enum cli_result result = cli_parse(&program, argc, argv, &operands);
    if (result == CLI_RUN)
        result = device_choice_read(&program, args.device_text, &args.device);
    if (result != CLI_RUN)
        return result == CLI_DONE ? EXIT_DONE : EXIT_USAGE;
    if ((operands.count == 0) != (args.calibrate != 0)) {
        cli_complain(&program, args.calibrate ? "--calibrate takes no MATRIX" : "expected: " PROGRAM " %s",
                     program.usage);
        return EXIT_USAGE;
    }
    if (device_choice_auto(&args.device, &diag) != SPMM_OK)
        return exit_failure(PROGRAM, NULL, diag.status, &diag);
    if (args.calibrate)
        return run_calibration();
    if (args.n_count == 0) {
        memcpy(args.n, default_n, sizeof default_n);
        args.n_count = sizeof default_n / sizeof *default_n;
    }
    return run(&operands);
}
