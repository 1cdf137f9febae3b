/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-info: shows plans, checks them, and compares them with matrices or with each other. */
#include <spmm/product.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/listed_choices.h"
#include "tools/cli/machine_memory.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/report/plan_diff.h"
#include "tools/report/plan_head_text.h"
#include "tools/report/plan_list.h"
#include "tools/report/plan_page.h"
#include "tools/report/plan_report.h"
#include "tools/report/plan_targets.h"
#include "tools/product/costs_report.h"
#include "tools/product/product_report.h"
#include "tools/cli/print_text.h"
#include "tools/cli/progress.h"

#define SCREEN_LINES 30

static struct {
    const char *matches[SPMM_PRODUCT_FACTORS], *device;
    size_t matches_count;
    int64_t threads, products_max;
    uint64_t budget;
    int diff, drop_zeros, full, head, html, json, list, quiet, test, verify;
} args = {.products_max = INT64_C(100000000000)}; /* a few minutes on one core */

static const struct cli_option options[] = {
    {0, "verify", CLI_FLAG, &args.verify,
     .help = "say what was checked; every load checks everything,\nso a damaged plan is refused without this "
             "too"},
    {0, "products-max", CLI_INT, &args.products_max, .value = "N", .min = 1, .max = INT64_MAX,
     .help = "with --verify: refuse a sparse product of more\nmultiplications; default 10^11"},
    {0, "full", CLI_FLAG, &args.full,
     .help =
         "also show every candidate, the permutations, the row\nlengths, the row blocks and the sections"},
    {'t', "test", CLI_FLAG, &args.test,
     .help =
         "load every PLAN and print nothing but what is wrong with\nwhich; the status is the highest of all"},
    {'l', "list", CLI_FLAG, &args.list, .help = "print a line for every PLAN"},
    {0, "diff", CLI_FLAG, &args.diff,
     .help = "print what differs between two plans: matrix, values,\nvariants, sections; exit 4 if anything "
             "does"},
    {0, "head", CLI_FLAG, &args.head,
     .help = "show header, names and sections of a file that is not\nall there, or a large one: less than 1 "
             "MB is read,\nnothing else is checked"},
    {0, "html", CLI_FLAG, &args.html,
     .help = "print a page for a browser: where the nonzeros are, row\nlengths, the choice, times, a "
             "roofline, memory"},
    {0, "matches", CLI_TEXT_LIST, args.matches, .value = "MATRIX", .count = &args.matches_count,
     .capacity = SPMM_PRODUCT_FACTORS,
     .help =
         "compare with a matrix (file, - or gen:...), entry by\nentry; exit 4 if the plan is of another one. "
         "Of a product\nonce for each operand, in their order"},
    {0, "drop-zeros", CLI_FLAG, &args.drop_zeros, .help = "with --matches: leave zeros out of the matrix"},
    {0, "device", CLI_TEXT, &args.device, .value = "NAME|FILE", .choices = listed_devices,
     .help = "as --full, and beside the metrics of row blocks the\nroofline of any, cpu, a100, h100, h200 or "
             "a profile file"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 1, .max = 4096,
     .help = "threads; default: all of the machine"},
    MATRIX_INPUT_OPTIONS,
    CLI_PLAN_BUDGET(&args.budget),
    CLI_JSON(&args.json, "print everything as JSON"),
    CLI_QUIET(&args.quiet, "print nothing, or JSON alone: the exit status is the\nanswer"),
};

static const struct cli_program program = {
    .name = "spmm-info",
    .summary = "Show what a plan holds, and check it.",
    .usage = "[options] PLAN..",
    .details = "PLAN is a file, or - for standard input. Loading checks every byte and every index of it. Of "
               "several\nplans there are only --test, --list and --diff.",
    .examples = "  spmm-info A.plan                      metrics, variants and the choice\n"
                "  spmm-info --full A.plan | less        also candidates, row blocks and sections\n"
                "  spmm-info --json A.plan | jq .trace   the same for programs\n"
                "  spmm-info --html A.plan > A.html      a page to look at\n"
                "  spmm-info -t *.plan                   are they all sound?\n"
                "  spmm-info --diff A.plan B.plan        what differs\n"
                "  spmm-info -q --matches A.mtx A.plan   exit 0 if A.plan is of A.mtx, 4 if not",
    CLI_TAKES(options, 1, INT_MAX),
};

static void print_columns(FILE *out, const spmm_matrix_stats_t *s)
{
    char text[6][PRINT_UNITS_BYTES];
    fprintf(out, "%-*sfullest %s, empty %s\n", PLAN_REPORT_LABEL, "columns", print_count(text[0], s->col_max),
            print_count(text[1], s->cols_empty));
    fprintf(out, "%-*s%s below and %s above the diagonal, %s on it, %s stored zeros\n", PLAN_REPORT_LABEL,
            "band", print_count(text[2], s->band_lower), print_count(text[3], s->band_upper),
            print_count(text[4], s->diagonal), print_count(text[5], s->zeros));
}

static void print_main(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info,
                       const spmm_matrix_stats_t *stats)
{
    char bytes[PRINT_UNITS_BYTES], csr[PRINT_UNITS_BYTES], types[PLAN_TYPES_BYTES];
    const uint64_t csr_bytes = info->csr_bytes;
    plan_types_text(plan, types);
    fprintf(out, "%-*sformat %u.%u, %s, ", PLAN_REPORT_LABEL, "plan", info->format_major, info->format_minor,
            types);
    plan_text_values(out, plan, info);
    fputs(info->writer[0] != '\0' ? ", made by " : "", out);
    print_escaped(out, info->writer);
    fputc('\n', out);
    plan_text_metadata(out, plan, args.full);
    plan_text_matrix(out, info, stats);
    print_columns(out, stats);
    plan_text_symmetry(out, plan);
    plan_text_symmetric(out, plan);
    fprintf(out, "%-*s%s, %.3f of CSR (%s)\n", PLAN_REPORT_LABEL, "size",
            print_bytes(bytes, info->file_bytes), (double)info->file_bytes / (double)csr_bytes,
            print_bytes(csr, csr_bytes));
    plan_text_digest(out, "pattern", info->pattern_digest);
    if (info->has_values)
        plan_text_digest(out, "values", info->values_digest);
    plan_text_targets(out, plan);
    product_report_text(out, plan, PLAN_REPORT_LABEL);
    product_details_text(out, plan, machine_memory_budget(args.budget), PLAN_REPORT_LABEL);
    plan_text_streams(out, plan, machine_memory_budget(args.budget));
    plan_text_variants(out, plan, info);
    plan_text_trace(out, plan, info, args.full);
}

/* Prints as many of the first lines as fit on a screen. */
static void print_screen(const char *text)
{
    int lines = 0;
    const char *rest = text;
    for (; *rest != '\0' && lines < SCREEN_LINES - 1; lines++)
        rest += strcspn(rest, "\n") + 1;
    fwrite(text, 1, (size_t)(rest - text), stdout);
    printf("%-*s--full shows every %s, the permutations, the row lengths, the row blocks and the sections\n",
           PLAN_REPORT_LABEL, "more", *rest == '\0' ? "candidate" : "variant and candidate");
}

static void print_short(const spmm_plan_t *plan, const spmm_plan_info_t *info,
                        const spmm_matrix_stats_t *stats)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        print_main(out, plan, info, stats);
    if (out != NULL && fclose(out) == 0)
        print_screen(text);
    else
        print_main(stdout, plan, info, stats); /* memory is short: prints everything */
    free(text);
}

static void print_text(const spmm_plan_t *plan, const spmm_plan_info_t *info, const spmm_roofline_t *model)
{
    const spmm_matrix_stats_t stats = plan_matrix_stats(plan);
    if (!args.full) {
        print_short(plan, info, &stats);
        return;
    }
    print_main(stdout, plan, info, &stats);
    plan_text_permutations(stdout, plan, info);
    plan_text_histogram(stdout, &stats);
    plan_text_row_blocks(stdout, plan, model);
    plan_text_sections(stdout, plan, info);
}

static int print_json(const spmm_plan_t *plan, const spmm_plan_info_t *info, const spmm_roofline_t *model)
{
    const spmm_matrix_stats_t stats = plan_matrix_stats(plan);
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", program.name);
    json_text(&j, "version", spmm_version_string());
    json_int(&j, "format_major", info->format_major);
    json_int(&j, "format_minor", info->format_minor);
    plan_json_identity(&j, plan, info);
    plan_json_metadata(&j, plan);
    json_uint(&j, "file_bytes", info->file_bytes);
    plan_json_symmetry(&j, plan);
    plan_json_symmetric(&j, plan, true);
    plan_json_statistics(&j, info, &stats);
    plan_json_row_blocks(&j, plan, model);
    plan_json_targets(&j, plan);
    product_report_json(&j, plan);
    product_details_json(&j, plan, machine_memory_budget(args.budget));
    plan_json_variants(&j, plan, info, machine_memory_budget(args.budget));
    plan_json_trace(&j, plan, info);
    plan_json_permutations(&j, plan);
    plan_json_sections(&j, plan, info);
    json_bool(&j, "verified", true);
    if (args.matches_count > 0)
        json_text(&j, "matches", args.matches[0]);
    json_end(&j);
    json_finish(&j);
    return exit_flush(program.name);
}

/* Compares with the matrix of the plan or, for a sparse product, with its operand number `at`. */
static spmm_status_t compare_matrix(const spmm_plan_t *plan, const spmm_plan_info_t *info, int at,
                                    const spmm_read_options_t *read, spmm_diag_t *diag)
{
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    spmm_status_t status = matrix_input_open(args.matches[at], read, &matrix, diag);
    if (status == SPMM_OK)
        status = matrix_input_permute(plan, (int)args.threads, &matrix, diag);
    if (status == SPMM_OK)
        status = spmm_matrix_csr(matrix, &csr);
    if (status == SPMM_OK && product_report_operands(plan) > 0)
        status = spmm_plan_operand_matches(plan, at, &csr, diag);
    else if (status == SPMM_OK)
        status = spmm_plan_matches(plan, &csr, info->has_values, diag);
    spmm_matrix_destroy(matrix);
    return status;
}

static int compare(const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    struct progress progress;
    spmm_diag_t diag = {0};
    const int operands = product_report_operands(plan), expected = operands > 0 ? operands : 1;
    if ((int)args.matches_count != expected) {
        cli_complain(&program, "--matches: the plan is of %d %s, found %zu", expected,
                     expected == 1 ? "matrix" : "matrices", args.matches_count);
        return EXIT_USAGE;
    }
    progress_start(&progress, args.quiet);
    const spmm_read_options_t read = {.struct_size = sizeof read,
                                      .threads = (int)args.threads,
                                      .drop_zeros = args.drop_zeros,
                                      .budget_bytes = args.budget,
                                      .progress = progress_report,
                                      .progress_context = &progress};
    spmm_status_t status = SPMM_OK;
    int at = 0;
    for (; at < expected && status == SPMM_OK; at++)
        status = compare_matrix(plan, info, at, &read, &diag);
    progress_end(&progress);
    return status == SPMM_OK ? EXIT_DONE : exit_failure(program.name, args.matches[at - 1], status, &diag);
}

static spmm_load_options_t load_options(void)
{
    return (spmm_load_options_t){.struct_size = sizeof(spmm_load_options_t),
                                 .budget_bytes = args.budget,
                                 .threads = (int)args.threads};
}

/* Returns NULL after a failure and stores its exit status in *result. */
static spmm_plan_t *open_plan(const char *path, int *result)
{
    const spmm_load_options_t load = load_options();
    return plan_input_of(program.name, path, &load, result);
}

static int show_diff(char **files)
{
    spmm_diag_t diag = {0};
    int result = EXIT_DONE, differs = 0;
    spmm_plan_t *a = open_plan(files[0], &result);
    spmm_plan_t *b = a != NULL ? open_plan(files[1], &result) : NULL;
    if (b != NULL) {
        const spmm_status_t status = plan_diff(args.quiet ? NULL : stdout, a, b, &differs, &diag);
        result =
            status != SPMM_OK ? exit_failure(program.name, NULL, status, &diag) : exit_flush(program.name);
    }
    spmm_plan_destroy(b);
    spmm_plan_destroy(a);
    return result == EXIT_DONE && differs ? EXIT_NO_FIT : result;
}

/* Checks the pattern of a sparse product, which a load does not: see spmm_plan_product_verify. */
static int prove(const char *path, const spmm_plan_t *plan)
{
    spmm_diag_t diag = {0};
    const spmm_product_verify_options_t verify = {.struct_size = sizeof verify,
                                                  .threads = (int)args.threads,
                                                  .budget_bytes = machine_memory_budget(args.budget),
                                                  .products_max = (uint64_t)args.products_max};
    const spmm_status_t status = spmm_plan_product_verify(plan, &verify, &diag);
    return status == SPMM_OK ? EXIT_DONE : exit_failure(program.name, path, status, &diag);
}

static int show(const char *path)
{
    spmm_diag_t diag = {0};
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_roofline_t model = {.struct_size = sizeof model};
    int result = EXIT_DONE;
    spmm_plan_t *plan = open_plan(path, &result);
    if (plan == NULL)
        return result;
    (void)spmm_plan_info(plan, &info);
    const spmm_status_t status = spmm_plan_roofline(plan, args.device, &model, &diag);
    if (status != SPMM_OK)
        result = exit_failure(program.name, args.device, status, &diag);
    else if (args.verify && product_report_operands(plan) > 0)
        result = prove(path, plan);
    if (result == EXIT_DONE && args.matches_count > 0)
        result = compare(plan, &info);
    if (result == EXIT_DONE && args.json) {
        result = print_json(plan, &info, &model);
    } else if (result == EXIT_DONE && !args.quiet) {
        print_text(plan, &info, &model);
        if (args.verify)
            plan_text_checks(plan, &info);
        if (args.matches_count > 0)
            printf("\nMatches: pattern%s equal, entry by entry\n", info.has_values ? " and values" : "");
        result = exit_flush(program.name);
    }
    spmm_plan_destroy(plan);
    return result;
}

static int show_page(const char *path)
{
    spmm_diag_t diag = {0};
    spmm_plan_info_t info = {.struct_size = sizeof info};
    int result = EXIT_DONE;
    spmm_plan_t *plan = open_plan(path, &result);
    if (plan == NULL)
        return result;
    (void)spmm_plan_info(plan, &info);
    const struct plan_page page = {.plan = plan, .info = &info, .device = args.device};
    const spmm_status_t status = plan_page_print(args.quiet ? NULL : stdout, &page, &diag);
    result =
        status == SPMM_OK ? exit_flush(program.name) : exit_failure(program.name, args.device, status, &diag);
    spmm_plan_destroy(plan);
    return result;
}

static int stdin_count(const struct cli_operands *operands)
{
    int count = 0;
    for (int i = 0; i < operands->count; i++)
        count += strcmp(operands->list[i], "-") == 0;
    return count;
}

/* Complains about wrong combinations of modes, options and the number of plans. */
static enum cli_result check_operands(const struct cli_operands *operands)
{
    const int modes = args.test + args.list + args.diff + args.head + args.html;
    if (modes > 1)
        return cli_complain(&program, "expected one of --test, --list, --diff, --head and --html");
    if (modes > 0 && (args.full || args.json || args.verify || args.matches_count > 0 ||
                      (args.device != NULL && !args.html)))
        return cli_complain(&program, "--%s cannot be combined with --full, --json, --verify, --matches%s",
                            args.test   ? "test"
                            : args.list ? "list"
                            : args.diff ? "diff"
                            : args.head ? "head"
                                        : "html",
                            args.html ? "" : " and --device");
    if (args.diff && operands->count != 2)
        return cli_complain(&program, "--diff: expected two plans, found %d", operands->count);
    if (modes == args.head + args.html && operands->count > 1)
        return cli_complain(&program,
                            "one argument too many: '%s'; --test, --list and --diff take several plans",
                            operands->list[1]);
    if (stdin_count(operands) > 1)
        return cli_complain(&program, "only one plan can come from standard input");
    for (size_t i = 0; i < args.matches_count; i++)
        if (strcmp(args.matches[i], "-") == 0 && strcmp(operands->list[0], "-") == 0)
            return cli_complain(&program, "plan and matrix cannot both come from standard input");
    return CLI_RUN;
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    passive_wait(argv);
    enum cli_result parsed = cli_parse(&program, argc, argv, &operands);
    if (parsed == CLI_DONE)
        return exit_flush(program.name);
    if (parsed == CLI_RUN)
        parsed = check_operands(&operands);
    if (parsed == CLI_USAGE)
        return EXIT_USAGE;
    const spmm_load_options_t load = load_options();
    if (args.test || args.list)
        return plan_list(program.name, operands.list, operands.count, &load, args.list && !args.quiet);
    if (args.head)
        return plan_head_text(program.name, operands.list[0], args.quiet);
    if (args.diff)
        return show_diff(operands.list);
    if (args.html)
        return show_page(operands.list[0]);
    args.full |= args.device != NULL; /* the roofline of the device is printed with the row blocks */
    return show(operands.list[0]);
}
