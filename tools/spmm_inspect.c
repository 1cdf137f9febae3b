/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-inspect: makes a plan file from a matrix. */
#include <spmm/inspector.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/balance_text.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/families.h"
#include "tools/cli/inspect_help.h"
#include "tools/cli/listed_choices.h"
#include "tools/report/inspect_report.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/metadata_input.h"
#include "tools/cli/option_names.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_output.h"
#include "tools/cli/progress.h"
#include "tools/product/inspect_product.h"
#include "tools/tune/plan_device.h"
#include "tools/tune/tune_request.h"
#include "tools/tune/tuner.h"

#define N_MAX 64 /* maximum length of the list of --columns */

static struct {
    const char *output, *device, *kernel, *balance;
    int64_t n[N_MAX], threads, level, block_rows, stage_slots, segment_length, segment_min;
    double u_min, cv_max, segment_scale, blocks_per_sm;
    size_t n_count, dtype_count;
    spmm_dtype_t dtypes[LISTED_CHOICES_MAX];
    uint64_t budget;
    int b_type, c_type, compute, layouts, ops, schedule, reorder, long_rows, permuted_output;
    int symmetric_permutation, drop_zeros, pattern_only, force, json, quiet, explain, permutations;
    spmm_balance_t balance_mode;
    struct tune_request tune;
    struct metadata_input metadata;
} args = {.ops = SPMM_OPS_N};

static struct plan_device device; /* the devices that args.device names */
static struct cli_choice dtypes[LISTED_CHOICES_MAX], reorders[LISTED_CHOICES_MAX];
static char dtype_help[LISTED_HELP_BYTES], reorder_help[LISTED_HELP_BYTES], generators[4 * LISTED_HELP_BYTES];
static const struct cli_choice computes[] = {{"auto", 0},
                                             {"f32", SPMM_COMPUTE_F32},
                                             {"3xtf32", SPMM_COMPUTE_3XTF32},
                                             {"tf32", SPMM_COMPUTE_TF32},
                                             {NULL, 0}};
static const struct cli_choice layouts[] = {
    {"both", 0}, {"row", SPMM_LAYOUTS_ROW_MAJOR}, {"col", SPMM_LAYOUTS_COL_MAJOR}, {NULL, 0}};
static const struct cli_choice ops[] = {
    {"N", SPMM_OPS_N}, {"T", SPMM_OPS_T}, {"both", SPMM_OPS_N | SPMM_OPS_T}, {NULL, 0}};
static struct cli_choice schedules[FAMILIES_CHOICES];
static const struct cli_choice long_rows[] = {
    {"auto", SPMM_LONG_ROWS_AUTO}, {"keep", SPMM_LONG_ROWS_KEEP}, {NULL, 0}};
static const struct cli_choice long_rows_older[] = {
    {"auto", SPMM_LONG_ROWS_AUTO}, {"none", SPMM_LONG_ROWS_KEEP}, {NULL, 0}};

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, &args.output, .value = "FILE",
     .help = "write the plan to FILE, or - for standard output;\nwithout this only the report is made"},
    {'f', "force", CLI_FLAG, &args.force, .help = "overwrite FILE even if it is no plan"},
    {'n', "columns", CLI_INT_LIST, args.n, .value = "LIST", .count = &args.n_count, .capacity = N_MAX,
     .min = 1, .max = INT32_MAX,
     .help = "numbers of columns of B to choose for, such as 1,64;\ndefault: any (others still run)"},
    {0, "dtype", CLI_CHOICE_LIST, args.dtypes, .value = "LIST", .choices = dtypes, .help = dtype_help,
     .count = &args.dtype_count, .capacity = LISTED_CHOICES_MAX},
    {0, "b-type", CLI_CHOICE, &args.b_type, .value = "TYPE", .choices = dtypes,
     .help = "value type of B to choose for (default: that of A)"},
    {0, "c-type", CLI_CHOICE, &args.c_type, .value = "TYPE", .choices = dtypes,
     .help = "value type of C to choose for (default: that of B)"},
    {0, "compute", CLI_CHOICE, &args.compute, .value = "HOW", .choices = computes,
     .help = inspect_help[HELP_COMPUTE]},
    {0, "layout", CLI_CHOICE, &args.layouts, .value = "LAYOUT", .choices = layouts,
     .help = "layout of B and C: row, col (column-major) or both\n(default)"},
    {0, "op", CLI_CHOICE, &args.ops, .value = "OP", .choices = ops,
     .help = "N for A (default), T for its transpose, or both"},
    {0, "device", CLI_TEXT, &args.device, .value = "LIST", .choices = listed_devices,
     .help = "devices to choose for, with commas between them: any,\ncpu, a100, h100, h200 or profile files; "
             "others run the\nplan too. Default: any;\n"
             "on a machine without a GPU cpu, where --device any\nmakes a plan for GPUs"},
    {0, "schedule", CLI_CHOICE, &args.schedule, .value = "NAME", .choices = schedules,
     .help = inspect_help[HELP_SCHEDULE]},
    {0, "kernel", CLI_TEXT, &args.kernel, .value = "NAME", .choices = inspect_families,
     .help = inspect_help[HELP_KERNEL]},
    {0, "force-kernel", CLI_TEXT, &args.kernel, .value = "NAME", .help = "the same as --kernel"},
    {0, "balance", CLI_TEXT, &args.balance, .value = "HOW", .choices = balance_words,
     .help = inspect_help[HELP_BALANCE]},
    {0, "u-min", CLI_NUMBER, &args.u_min, .value = "U",
     .help = "chart: cut rows below U thread blocks per\nmultiprocessor; default 0.65"},
    {0, "cv-max", CLI_NUMBER, &args.cv_max, .value = "CV",
     .help = "chart: cut rows above this sigma / mu; default 1"},
    {0, "segment-scale", CLI_NUMBER, &args.segment_scale, .value = "X",
     .help = "chart: segments of X times its length; default 1"},
    {0, "segment-least", CLI_INT, &args.segment_min, .value = "L", .min = 1, .max = INT32_MAX / 2,
     .help = "chart: segments of at least L nonzeros; default 1"},
    {0, "reorder", CLI_CHOICE, &args.reorder, .value = "HOW", .choices = reorders, .help = reorder_help},
    {0, "symmetric-permutation", CLI_FLAG, &args.symmetric_permutation,
     .help = "plan PAP^T, for iterative methods: --reorder permutes\nrows and columns (auto: rcm or minhash, "
             "where that\nsaves blocks); callers permute B and C"},
    {0, "long-rows", CLI_CHOICE, &args.long_rows, .value = "HOW", .choices = long_rows,
     .help = inspect_help[HELP_LONG_ROWS]},
    {0, "peel", CLI_CHOICE, &args.long_rows, .value = "HOW", .choices = long_rows_older,
     .help = "older spelling of --long-rows: auto or none (keep)"},
    {0, "permuted-output", CLI_FLAG, &args.permuted_output, .help = "the plan permutes the rows of C"},
    {0, "panel-rows", CLI_INT, &args.block_rows, .value = "P", .min = 32, .max = 256,
     .help = inspect_help[HELP_BLOCK_ROWS]},
    {0, "blocks-per-sm", CLI_NUMBER, &args.blocks_per_sm, .value = "X", .help = inspect_help[HELP_BLOCKS]},
    {0, "stage-slots", CLI_INT, &args.stage_slots, .value = "S", .min = 32, .max = 4095,
     .help = inspect_help[HELP_STAGE_SLOTS]},
    {0, "tune", CLI_INT_IF, &args.tune.tune, .value = "[=K]", .min = 1, .max = TUNE_MAX,
     .if_alone = TUNE_DEFAULT,
     .help = "time the K best candidates (default 3) of each decision\non this machine and take the fastest"},
    {0, "time-limit", CLI_NUMBER, &args.tune.time_limit, .value = "SECONDS",
     .help = "time no further candidate after so many seconds;\ndefault 0: no limit"},
    {0, "effort", CLI_CHOICE, &args.tune.effort, .value = "HOW", .choices = tune_efforts,
     .help = "estimate: predictions decide (default without --tune);\nmeasure: as --tune; exhaustive: time "
             "every candidate"},
    {0, "expected-calls", CLI_NUMBER, &args.tune.expected_calls, .value = "N",
     .help =
         "products that the plan will run: work that they do\nnot pay back is left out; default: unknown"},
    {0, "drop-zeros", CLI_FLAG, &args.drop_zeros, .help = "leave out stored entries of value 0"},
    MATRIX_INPUT_OPTIONS,
    METADATA_INPUT_OPTIONS(&args.metadata, METADATA_INPUT_HELP),
    {0, "pattern-only", CLI_FLAG, &args.pattern_only,
     .help = "leave the values out: they are set at run time"},
    {0, "level", CLI_INT, &args.level, .value = "L", .min = 1, .max = 19,
     .help = "compression, 1 (fast) to 19 (small); default 3"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 1, .max = 4096,
     .help = "threads; default: all. The plan does not depend on it"},
    {0, "budget", CLI_BYTES, &args.budget, .value = "BYTES",
     .help =
         "maximum memory for reading the matrix, such as 500M;\ndefault: three quarters of the machine's"},
    {0, "explain", CLI_FLAG, &args.explain, .help = "show every candidate and why it was chosen or refused"},
    {0, "orders", CLI_FLAG, &args.permutations,
     .help = "make every row permutation and show its blocks, its\nreuse and the time it took"},
    INSPECT_PRODUCT_OPTIONS,
    CLI_JSON(&args.json, "print the report as JSON"),
    CLI_QUIET(&args.quiet, "no report and no progress"),
};

static const struct cli_program program = {
    .name = "spmm-inspect",
    .summary = "Analyse a sparse matrix once and write a plan for multiplying it with dense ones.",
    .usage = "[options] MATRIX.. [-o PLAN]",
    .details =
        "MATRIX is a Matrix Market, Rutherford-Boeing, MATLAB, PETSc, METIS, SciPy .npz or .smtx file, or a\n"
        "list of edges, also as .gz, .zst, .xz, .bz2 or in a .tar; - for standard input; or a synthetic\n"
        "matrix such as gen:band:1000:5.",
    .lists = generators,
    .examples = "  spmm-inspect A.mtx -o A.plan            a plan for f32, any n, this machine\n"
                "  spmm-inspect A.mtx -o A.plan --device any   for GPUs too, made without one\n"
                "  spmm-inspect A.mtx.gz -o A.plan -n 64   choose for 64 columns\n"
                "  spmm-inspect --explain gen:rmat:16:8    why this schedule? nothing is written\n"
                "  zcat A.mtx.gz | spmm-inspect - -o - | spmm-info -",
    CLI_TAKES(options, 1, 3),
};

static spmm_save_options_t save_options(void)
{
    return (spmm_save_options_t){.struct_size = sizeof(spmm_save_options_t),
                                 .level = (int)args.level,
                                 .pattern_only = args.pattern_only,
                                 .threads = (int)args.threads};
}

static spmm_read_options_t read_options(struct progress *progress)
{
    return (spmm_read_options_t){.struct_size = sizeof(spmm_read_options_t),
                                 .threads = (int)args.threads,
                                 .drop_zeros = args.drop_zeros,
                                 .budget_bytes = args.budget,
                                 .progress = progress_report,
                                 .progress_context = progress};
}

static int write_plan(const spmm_plan_t *plan, struct inspect_report *report)
{
    const spmm_save_options_t save = save_options();
    if (args.output == NULL)
        return EXIT_DONE;
    const double start = progress_seconds();
    const int result = plan_output_write(program.name, args.output, plan, &save, &report->plan_bytes);
    report->write_seconds = progress_seconds() - start;
    return result;
}

static spmm_status_t read_matrix(const char *path, struct progress *progress, spmm_matrix_t **matrix,
                                 struct inspect_report *report, spmm_diag_t *diag)
{
    const spmm_read_options_t read = read_options(progress);
    const double start = progress_seconds();
    const spmm_status_t status = matrix_input_open(path, &read, matrix, diag);
    report->read_seconds = progress_seconds() - start;
    report->matrix_bytes = matrix_input_bytes(path, &report->is_compressed);
    return status;
}

/* --panel-rows is for the family of --kernel, else for all families with this height (32: only tiled). */
static uint32_t block_rows_of(bool uses_tensor_cores)
{
    const bool is_named = args.kernel != NULL;
    const bool is_theirs = is_named ? families_of_kernel(args.kernel).uses_tensor_cores == uses_tensor_cores
                                    : !uses_tensor_cores || args.block_rows != 32;
    return is_theirs ? (uint32_t)args.block_rows : 0;
}

static spmm_tiled_options_t tiled_options(void)
{
    return (spmm_tiled_options_t){.struct_size = sizeof(spmm_tiled_options_t),
                                  .balance = args.balance_mode,
                                  .segment_length = (uint32_t)args.segment_length,
                                  .segment_min = (uint32_t)args.segment_min,
                                  .segment_scale = args.segment_scale,
                                  .u_min = args.u_min,
                                  .cv_max = args.cv_max,
                                  .block_rows = block_rows_of(false),
                                  .blocks_per_sm = args.blocks_per_sm,
                                  .stage_slots = (uint32_t)args.stage_slots};
}

static spmm_status_t make_plan(const spmm_matrix_t *matrix, struct progress *progress, struct tuner *tuner,
                               spmm_plan_t **plan, struct inspect_report *report, spmm_diag_t *diag)
{
    const spmm_tiled_options_t tiled = tiled_options();
    const spmm_tcblock_options_t tcblock = {.struct_size = sizeof tcblock,
                                            .block_rows = block_rows_of(true),
                                            .long_rows = (spmm_long_rows_t)args.long_rows};
    const spmm_tuning_options_t tuning = tune_request_options(&args.tune, tuner_measure, tuner);
    const spmm_inspect_options_t inspect = {.struct_size = sizeof inspect,
                                            .a_types = args.dtypes,
                                            .a_type_count = args.dtype_count,
                                            .b_type = (spmm_dtype_t)args.b_type,
                                            .c_type = (spmm_dtype_t)(args.c_type ? args.c_type : args.b_type),
                                            .compute = (spmm_compute_t)args.compute,
                                            .n = args.n,
                                            .n_count = (int)args.n_count,
                                            .layouts = (uint32_t)args.layouts,
                                            .ops = (uint32_t)args.ops,
                                            .targets = device.names,
                                            .target_count = device.count,
                                            .force_kernel = args.kernel,
                                            .reorder = (spmm_reorder_t)args.reorder,
                                            .permute_output = args.permuted_output,
                                            .symmetric_permutation = args.symmetric_permutation,
                                            .expected_calls = args.tune.expected_calls,
                                            .pattern_only = args.pattern_only,
                                            .threads = (int)args.threads,
                                            .progress = progress_report,
                                            .progress_context = progress,
                                            .tiled = &tiled,
                                            .tcblock = &tcblock,
                                            .tuning = &tuning,
                                            .metadata = args.metadata.pairs,
                                            .metadata_count = args.metadata.count};
    const double start = progress_seconds();
    const spmm_status_t status = spmm_inspect(matrix, &inspect, plan, diag);
    option_names_add(diag);
    report->inspect_seconds = progress_seconds() - start - tuner->summary.seconds;
    return status;
}

static int print_report(const spmm_plan_t *plan, struct inspect_report *report)
{
    spmm_diag_t diag = {0};
    if (args.quiet && !args.json)
        return EXIT_DONE;
    report->model.struct_size = sizeof report->model;
    const spmm_status_t status = spmm_plan_roofline(plan, device.names[0], &report->model, &diag);
    if (status != SPMM_OK)
        return exit_failure(program.name, device.names[0], status, &diag);
    report->plan_path = args.output;
    report->explain = args.explain;
    report->wants_symmetric = args.symmetric_permutation;
    report->wants_permuted = args.permuted_output;
    report->reorder = (spmm_reorder_t)args.reorder;
    if (args.json)
        inspect_report_json(plan, report);
    else
        inspect_report_text(plan_output_is_stdout(args.output) ? stderr : stdout, plan, report);
    return exit_flush(program.name);
}

/* Does everything that needs the matrix. */
static spmm_status_t analysis(const char *path, struct progress *progress, spmm_plan_t **plan,
                              struct inspect_report *report, spmm_diag_t *diag)
{
    struct tuner tuner = {.threads = (int)args.threads,
                          .progress = progress,
                          .summary.is_wanted = tune_request_measures(&args.tune)};
    spmm_matrix_t *matrix = NULL;
    spmm_status_t status = read_matrix(path, progress, &matrix, report, diag);
    if (status == SPMM_OK)
        status = spmm_matrix_info(matrix, &report->matrix);
    if (status == SPMM_OK)
        status = make_plan(matrix, progress, &tuner, plan, report, diag);
    if (status == SPMM_OK && args.permutations)
        status = permutation_report_make(matrix, (int)args.threads, &report->permutations, diag);
    tuner_close(&tuner);
    report->tuning = tuner.summary;
    report->tuning.expected_calls = args.tune.expected_calls;
    spmm_matrix_destroy(matrix); /* the plan has its own copy */
    return status;
}

static int inspect_file(const char *path)
{
    struct progress progress;
    struct inspect_report report = {.matrix = {.struct_size = sizeof report.matrix}, .device = &device};
    spmm_diag_t diag = {0};
    spmm_plan_t *plan = NULL;
    int result = EXIT_DONE;
    progress_start(&progress, args.quiet);
    const spmm_status_t status = analysis(path, &progress, &plan, &report, &diag);
    progress_end(&progress);
    if (status != SPMM_OK)
        result = exit_failure(program.name, path, status, &diag);
    if (result == EXIT_DONE)
        result = write_plan(plan, &report);
    if (result == EXIT_DONE)
        result = print_report(plan, &report);
    permutation_report_free(&report.permutations);
    spmm_plan_destroy(plan);
    return result;
}

static int run(const char *path)
{
    spmm_diag_t diag = {0};
    const char *what = NULL;
    const spmm_status_t status = metadata_input_read_of(&args.metadata, path, &what, &diag);
    const int result =
        status == SPMM_OK ? inspect_file(path) : exit_failure(program.name, what, status, &diag);
    metadata_input_free(&args.metadata);
    return result;
}

/* Runs --product and --triple, which make a plan of a sparse product. */
static int run_product(const struct cli_operands *operands)
{
    struct progress progress;
    const struct inspect_product_request request = {.program = program.name,
                                                    .output = args.output,
                                                    .operands = *operands,
                                                    .dtype = args.dtype_count > 0 ? args.dtypes[0] : SPMM_F32,
                                                    .read = read_options(&progress),
                                                    .save = save_options(),
                                                    .json = args.json,
                                                    .quiet = args.quiet};
    progress_start(&progress, args.quiet);
    return inspect_product_run(&request);
}

/* If candidates will be timed, checks that this machine has the devices of the plan. */
static int check_tuning(void)
{
    spmm_diag_t diag = {0};
    const bool measures = tune_request_measures(&args.tune);
    const spmm_status_t status = measures ? tuner_check_devices(&device, &diag) : SPMM_OK;
    return status == SPMM_OK ? EXIT_DONE : exit_failure(program.name, NULL, status, &diag);
}

static enum cli_result check_command(const struct cli_operands *operands)
{
    enum cli_result parsed = inspect_product_check(&program, operands, args.dtype_count);
    parsed = parsed == CLI_RUN
                 ? balance_text_check(&program, args.balance, &args.balance_mode, &args.segment_length)
                 : parsed;
    parsed = parsed == CLI_RUN ? families_join_check(&program, &args.kernel, args.schedule) : parsed;
    parsed = parsed == CLI_RUN ? plan_output_check(&program, args.output, args.json, args.force) : parsed;
    return parsed == CLI_RUN ? tune_request_check(&program, &args.tune) : parsed;
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    passive_wait(argv);
    listed_generators(generators, sizeof generators);
    listed_dtypes("value types, with commas between them: ", dtypes, dtype_help);
    listed_permutations("row permutation, in families that can have one: ", reorders, reorder_help);
    families_schedules(schedules);
    inspect_help_make();
    enum cli_result parsed = cli_parse(&program, argc, argv, &operands);
    if (parsed == CLI_RUN)
        parsed = check_command(&operands);
    if (parsed == CLI_RUN && !inspect_product_wanted())
        parsed = plan_device_read(&program, args.device, args.kernel, &device);
    if (parsed == CLI_DONE)
        return exit_flush(program.name);
    if (parsed == CLI_USAGE)
        return EXIT_USAGE;
    if (inspect_product_wanted())
        return run_product(&operands);
    const int checked = check_tuning();
    const int result = checked != EXIT_DONE ? checked : run(operands.list[0]);
    plan_device_free(&device);
    return result;
}
