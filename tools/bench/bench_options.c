/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_options.h. */
#include "bench_options.h"

#include <string.h>

#include <spmm/spmm.h>

#include "bench_plans.h"
#include "tools/cli/device_choice.h"
#include "tools/cli/listed_choices.h"
#include "tools/cli/matrix_input.h"
#include "tools/compute/timing.h"

struct bench_args bench_args = {.dtypes = SPMM_TYPES_F32,
                                .layouts = SPMM_LAYOUTS_ROW_MAJOR,
                                .ops = SPMM_OPS_N,
                                .device_text = "auto",
                                .repeat = 15,
                                .max_seconds = 2.0};

static struct cli_choice dtype_choices[LISTED_CHOICES_MAX];
static char dtype_help[LISTED_HELP_BYTES];
static struct cli_choice operand_choices[LISTED_CHOICES_MAX];
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
    {'n', "columns", CLI_INT_LIST, bench_args.n, .value = "LIST", .count = &bench_args.n_count,
     .capacity = BENCH_N_MAX_COUNT, .min = 1, .max = 65536,
     .help = "columns of B and C, such as 1,8,64 (default 1,8,32,64,128,256)"},
    {0, "columns-col", CLI_INT_LIST, bench_args.n_col, .value = "LIST", .count = &bench_args.n_col_count,
     .capacity = BENCH_N_MAX_COUNT, .min = 1, .max = 65536,
     .help = "the same for column-major cases (default: those of -n)"},
    {0, "dtype", CLI_CHOICE, &bench_args.dtypes, .value = "TYPE", .choices = dtype_choices,
     .help = dtype_help},
    {0, "b-type", CLI_CHOICE, &bench_args.b_type, .value = "TYPE", .choices = operand_choices,
     .help = "value type of B (default: that of A)"},
    {0, "c-type", CLI_CHOICE, &bench_args.c_type, .value = "TYPE", .choices = operand_choices,
     .help = "value type of C (default: that of B)"},
    {0, "unit-values", CLI_FLAG, &bench_args.unit_values, .help = "every entry of A counts as 1"},
    {0, "compute", CLI_CHOICE, &bench_args.compute, .value = "TYPE", .choices = compute_choices,
     .help = "least accurate compute type that plans of f32 may choose: f32, 3xtf32 (default)\nor tf32"},
    {0, "layout", CLI_CHOICE, &bench_args.layouts, .value = "row|col|both", .choices = layout_choices,
     .help = "layout of B and C: row-major (default), column-major or both"},
    {0, "op", CLI_CHOICE, &bench_args.ops, .value = "N|T|both", .choices = op_choices,
     .help = "multiply by A or by its transpose (default N)"},
    {0, "device", CLI_TEXT, &bench_args.device_text, .value = DEVICE_CHOICE_VALUE,
     .choices = device_choice_words,
     .help = "where to run (default auto: GPU 0 if this build can\nuse it, else the CPU)"},
    {0, "threads", CLI_INT, &bench_args.threads, .value = "T", .min = 0, .max = 4096,
     .help = "CPU threads of every competitor (default: all)"},
    {0, "repeat", CLI_INT, &bench_args.repeat, .value = "R", .min = 1, .max = TIMING_REPEATS_MAX,
     .help = "timed calls, cold and warm each, of which the median counts (default 15;\n"
             "a third of them for calls of more than 3 ms)"},
    {0, "max-seconds", CLI_NUMBER, &bench_args.max_seconds, .value = "S",
     .help = "time limit for one kernel in one case, in seconds, kept approximately (default 2)"},
    {0, "plans", CLI_CHOICE, &bench_args.plans, .value = "SET", .choices = plan_choices,
     .help = bench_plans_help},
    {0, "kernels", CLI_TEXT, &bench_args.kernels, .value = "TEXT",
     .help = "measure only kernels whose names contain TEXT, a part of a name such as\nwindow/ or 3xtf32, "
             "and the plan's choice (default: all)"},
    {0, "set-values", CLI_FLAG, &bench_args.set_values,
     .help = "also measure how long new values take, from the device's memory, in ms and in\n"
             "products of the case"},
    {0, "jit", CLI_FLAG, &bench_args.jit,
     .help = "on a GPU, also measure a kernel that is compiled for the matrix, if it is small"},
    {0, "peers", CLI_TEXT, &bench_args.peers, .value = "TEXT",
     .help = "measure only peers whose names contain TEXT (default: all)"},
    {0, "no-peers", CLI_FLAG, &bench_args.no_peers, .help = "measure no peers"},
    {0, "mkl", CLI_TEXT, &bench_args.mkl, .value = "FILE",
     .help = "oneMKL's libmkl_rt, if it is not found by itself"},
    MATRIX_INPUT_OPTIONS,
    {0, "csv", CLI_TEXT, &bench_args.csv, .value = "FILE",
     .help = "append one row for each kernel and case to FILE"},
    {0, "report", CLI_TEXT, &bench_args.report, .value = "FILE",
     .help = "write a page for a browser to FILE when all is measured: times as bars beside\nthe best peers"},
    {0, "date", CLI_TEXT, &bench_args.date, .value = "DATE",
     .help = "date of CSV and report (default: today, UTC)"},
    {0, "commit", CLI_TEXT, &bench_args.commit, .value = "ID",
     .help = "commit of CSV and report (default: $SPMM_COMMIT)"},
    {0, "list-peers", CLI_FLAG, &bench_args.lists_peers, .help = "show every peer, not only the best one"},
    {0, "summary", CLI_FLAG, &bench_args.only_summary,
     .help = "print the summary only; without a peer, one line for each case"},
    {0, "calibrate", CLI_FLAG, &bench_args.calibrate,
     .help = "measure the rates of the device instead and print them as a device profile\n"
             "(see --device of spmm-inspect); takes some seconds and no MATRIX"},
    {'o', "output", CLI_TEXT, &bench_args.output, .value = "FILE",
     .help = "write the profile to FILE (default: standard output)"},
    {0, "budget", CLI_BYTES, &bench_args.budget, .value = "BYTES",
     .help = "maximum memory for reading a matrix and, by itself, for B, C and the reference of a matrix,\n"
             "such as 500M or 2G; default: three quarters of the machine's"},
    CLI_JSON(&bench_args.json, "print JSON instead of a table"),
    CLI_QUIET(&bench_args.quiet, "no progress on the terminal"),
};

const struct cli_program bench_program = {
    .name = BENCH_PROGRAM,
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
    CLI_TAKES(options, 0, 4096), /* at least 1 without --calibrate */
};

enum cli_result bench_options_read(int argc, char **argv, struct cli_operands *operands)
{
    static const int64_t default_n[] = {1, 8, 32, 64, 128, 256};
    char operand_help[LISTED_HELP_BYTES];
    bench_plans_help_make();
    listed_dtypes("", operand_choices, operand_help);
    listed_dtype_masks("value type: ", dtype_choices, dtype_help);
    enum cli_result result = cli_parse(&bench_program, argc, argv, operands);
    if (result == CLI_RUN)
        result = device_choice_read(&bench_program, bench_args.device_text, &bench_args.device);
    if (result == CLI_RUN && (operands->count == 0) != (bench_args.calibrate != 0)) {
        cli_complain(&bench_program,
                     bench_args.calibrate ? "--calibrate takes no MATRIX" : "expected: " BENCH_PROGRAM " %s",
                     bench_program.usage);
        return CLI_USAGE;
    }
    if (result == CLI_RUN && bench_args.unit_values && bench_args.set_values)
        return cli_complain(&bench_program, "--set-values does not go with --unit-values");
    if (bench_args.n_count == 0) {
        memcpy(bench_args.n, default_n, sizeof default_n);
        bench_args.n_count = sizeof default_n / sizeof *default_n;
    }
    if (bench_args.n_col_count == 0) {
        memcpy(bench_args.n_col, bench_args.n, sizeof bench_args.n);
        bench_args.n_col_count = bench_args.n_count;
    }
    return result;
}
