/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-update: gives a plan new values of the same matrix, or new metadata, without another inspection. */
#include <string.h>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/new_metadata.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/plan_output.h"
#include "tools/export/new_values.h"

static struct {
    const char *values, *output;
    int64_t level, threads;
    uint64_t budget;
    int drop_values, drop_zeros, force;
    struct metadata_input metadata;
} args;

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, &args.output, .value = "FILE",
     .help = "write the plan to FILE, - for standard output; it may be\nthe plan that is read"},
    {'f', "force", CLI_FLAG, &args.force, .help = "overwrite a file that is no plan"},
    {0, "values", CLI_TEXT, &args.values, .value = "FILE",
     .help = "the new values: a matrix of the same pattern (any file\nthat spmm-inspect reads, - or "
             "gen:...), or a "
             ".npy file\nof the values in CSR order"},
    {0, "drop-values", CLI_FLAG, &args.drop_values, .help = "leave the values out instead"},
    METADATA_INPUT_OPTIONS(&args.metadata, "set a pair of the metadata, such as doi=10.1000/1;\n"
                                           "KEY= takes the pair out; may be repeated"),
    {0, "drop-zeros", CLI_FLAG, &args.drop_zeros, .help = "leave zeros out of the matrix"},
    {0, "level", CLI_INT, &args.level, .value = "LEVEL", .min = 1, .max = 19,
     .help = "zstd level of the plan; default 3"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 1, .max = 4096,
     .help = "threads; default: all of the machine"},
    MATRIX_INPUT_OPTIONS,
    CLI_PLAN_BUDGET(&args.budget),
};

static const struct cli_program program = {
    .name = "spmm-update",
    .summary = "Give a plan other values of the same matrix, or other metadata.",
    .usage = "[options] PLAN [--values FILE] [--meta KEY=VALUE] -o FILE",
    .details = "PLAN is a file, or - for standard input. Nothing is inspected: pattern, kernels and "
               "permutations stay.",
    .examples =
        "  spmm-update A.plan --values new.mtx -o B.plan        the pattern is compared, entry by entry\n"
        "  spmm-update A.plan --values new.npy -o A.plan        values alone, in place\n"
        "  spmm-update A.plan --drop-values -o pattern.plan\n"
        "  spmm-update A.plan --meta doi=10.1000/1 -o A.plan    all else stays",
    CLI_TAKES(options, 1, 1),
};

static int has_metadata(void)
{
    return args.metadata.given_count > 0 || args.metadata.file != NULL;
}

static enum cli_result check_args(const char *plan)
{
    if (args.output == NULL)
        return cli_complain(&program, "-o FILE is missing");
    if (args.values == NULL && !args.drop_values && !has_metadata())
        return cli_complain(&program, "expected one of --values and --drop-values, or --meta");
    if (args.values != NULL && args.drop_values)
        return cli_complain(&program, "--values and --drop-values exclude each other");
    if (args.values == NULL && args.drop_zeros)
        return cli_complain(&program, "--drop-zeros needs the matrix of --values");
    if (args.values != NULL && strcmp(args.values, "-") == 0 && strcmp(plan, "-") == 0)
        return cli_complain(&program, "plan and values cannot both come from standard input");
    return plan_output_check(&program, args.output, 0, args.force);
}

static int write_plan(const spmm_plan_t *plan)
{
    uint64_t bytes = 0;
    const spmm_save_options_t save = {.struct_size = sizeof save,
                                      .level = (int)args.level,
                                      .pattern_only = args.drop_values,
                                      .threads = (int)args.threads};
    return plan_output_write(program.name, args.output, plan, &save, &bytes);
}

/* The update functions replace *plan if the user asked for it. *what names the file that a failure is
 * about. */
static spmm_status_t update_values(spmm_plan_t **plan, const char **what, spmm_diag_t *diag)
{
    spmm_plan_t *updated = NULL;
    const spmm_read_options_t read = {.struct_size = sizeof read,
                                      .threads = (int)args.threads,
                                      .drop_zeros = args.drop_zeros,
                                      .budget_bytes = args.budget};
    if (args.values == NULL)
        return SPMM_OK;
    *what = args.values;
    const spmm_status_t status = new_values_take(*plan, args.values, &read, &updated, diag);
    if (status == SPMM_OK) {
        spmm_plan_destroy(*plan);
        *plan = updated;
    }
    return status;
}

static spmm_status_t update_metadata(spmm_plan_t **plan, const char **what, spmm_diag_t *diag)
{
    spmm_plan_t *updated = NULL;
    if (!has_metadata())
        return SPMM_OK;
    spmm_status_t status = metadata_input_read(&args.metadata, what, diag);
    if (status == SPMM_OK)
        status = new_metadata_take(*plan, &args.metadata, &updated, diag);
    if (status == SPMM_OK) {
        spmm_plan_destroy(*plan);
        *plan = updated;
    }
    metadata_input_free(&args.metadata);
    return status;
}

static int run(const char *path)
{
    int result = EXIT_DONE;
    spmm_diag_t diag = {0};
    const char *what = NULL;
    const spmm_load_options_t load = {
        .struct_size = sizeof load, .budget_bytes = args.budget, .threads = (int)args.threads};
    spmm_plan_t *plan = plan_input_of(program.name, path, &load, &result);
    if (plan == NULL)
        return result;
    spmm_status_t status = update_values(&plan, &what, &diag);
    if (status == SPMM_OK)
        status = update_metadata(&plan, &what, &diag);
    result = status == SPMM_OK ? write_plan(plan) : exit_failure(program.name, what, status, &diag);
    spmm_plan_destroy(plan);
    return result;
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    passive_wait(argv);
    enum cli_result parsed = cli_parse(&program, argc, argv, &operands);
    if (parsed == CLI_DONE)
        return exit_flush(program.name);
    if (parsed == CLI_RUN)
        parsed = check_args(operands.list[0]);
    return parsed == CLI_USAGE ? EXIT_USAGE : run(operands.list[0]);
}
