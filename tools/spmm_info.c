/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-info: shows a plan, checks it, and compares it with a matrix. */
#include <spmm/inspector.h>
#include <stdio.h>
#include <string.h>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/report/plan_report.h"
#include "tools/cli/print_text.h"
#include "tools/cli/progress.h"

#define SHORT_VARIANTS 10 /* of more the choice is left to --full: a screen has some 30 lines */

static struct {
    const char *matches, *device;
    int64_t threads;
    uint64_t budget;
    int drop_zeros, full, json, quiet, verify;
} args;

static const struct cli_option options[] = {
    {0, "verify", CLI_FLAG, &args.verify,
     .help = "say what was checked; every load checks everything,\nso a damaged plan is refused without this "
             "too"},
    {0, "full", CLI_FLAG, &args.full,
     .help =
         "also show every candidate, the permutations, the row\nlengths, the row blocks and the sections"},
    {0, "matches", CLI_TEXT, &args.matches, .value = "MATRIX",
     .help =
         "compare with a matrix (file, - or gen:...), entry by\nentry; exit 4 if the plan is of another one"},
    {0, "drop-zeros", CLI_FLAG, &args.drop_zeros, .help = "with --matches: leave zeros out of the matrix"},
    {0, "device", CLI_TEXT, &args.device, .value = "NAME|FILE",
     .help = "as --full, and beside the metrics of row blocks the\nroofline of any, cpu, a100, h100, h200 or "
             "a profile file"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 1, .max = 4096,
     .help = "threads; default: all of the machine"},
    MATRIX_INPUT_OPTIONS,
    CLI_PLAN_BUDGET(&args.budget),
    CLI_JSON(&args.json, "print everything as JSON"),
    CLI_QUIET(&args.quiet, "print nothing: the exit status is the answer"),
};

static const struct cli_program program = {
    .name = "spmm-info",
    .summary = "Show what a plan holds, and check it.",
    .usage = "[options] PLAN",
    .details = "PLAN is a file, or - for standard input. Loading checks every byte and every index of it.",
    .examples = "  spmm-info A.plan                      metrics, variants and the choice\n"
                "  spmm-info --full A.plan | less        also candidates, row blocks and sections\n"
                "  spmm-info --json A.plan | jq .trace   the same for programs\n"
                "  spmm-info -q --matches A.mtx A.plan   exit 0 if A.plan is of A.mtx, 4 if not",
    CLI_TAKES(options, 1, 1),
};

static void print_digest(const char *name, const uint8_t digest[16])
{
    printf("%-*s", PLAN_REPORT_LABEL, name);
    for (int i = 0; i < 16; i++)
        printf("%02x", digest[i]);
    putchar('\n');
}

static void print_columns(const spmm_matrix_stats_t *s)
{
    char longest[PRINT_UNITS_BYTES], empty[PRINT_UNITS_BYTES], diagonal[PRINT_UNITS_BYTES],
        zeros[PRINT_UNITS_BYTES];
    printf("%-*sfullest %s, empty %s\n", PLAN_REPORT_LABEL, "columns", print_count(longest, s->col_max),
           print_count(empty, s->cols_empty));
    printf("%-*s%lld below and %lld above the diagonal, %s on it, %s stored zeros\n", PLAN_REPORT_LABEL,
           "band", (long long)s->band_lower, (long long)s->band_upper, print_count(diagonal, s->diagonal),
           print_count(zeros, s->zeros));
}

/* Instead of what is longer than a screen. */
static void print_short(const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    if (info->variant_count <= SHORT_VARIANTS)
        plan_text_trace(stdout, plan, info, false);
    printf("%-*s--full shows every candidate, the permutations, the row lengths, the row blocks and the "
           "sections\n",
           PLAN_REPORT_LABEL, "more");
}

static void print_text(const spmm_plan_t *plan, const spmm_plan_info_t *info, const spmm_roofline_t *model)
{
    char bytes[PRINT_UNITS_BYTES], csr[PRINT_UNITS_BYTES];
    const uint64_t csr_bytes = plan_csr_bytes(info);
    const spmm_matrix_stats_t stats = plan_matrix_stats(plan);
    printf("%-*sformat %u.%u, %s, %s", PLAN_REPORT_LABEL, "plan", info->format_major, info->format_minor,
           spmm_dtype_name(info->a_type), info->has_values ? "with values" : "pattern only");
    fputs(info->writer[0] != '\0' ? ", made by " : "", stdout);
    print_escaped(stdout, info->writer);
    putchar('\n');
    plan_text_matrix(stdout, info, &stats);
    print_columns(&stats);
    plan_text_symmetric(stdout, plan);
    printf("%-*s%s, %.3f of CSR (%s)\n", PLAN_REPORT_LABEL, "size", print_bytes(bytes, info->file_bytes),
           (double)info->file_bytes / (double)csr_bytes, print_bytes(csr, csr_bytes));
    print_digest("pattern", info->pattern_digest);
    if (info->has_values)
        print_digest("values", info->values_digest);
    plan_text_variants(stdout, plan, info);
    if (!args.full) {
        print_short(plan, info);
        return;
    }
    plan_text_trace(stdout, plan, info, true);
    plan_text_permutations(stdout, plan, info);
    plan_text_histogram(stdout, &stats);
    plan_text_row_blocks(stdout, plan, model);
    plan_text_sections(stdout, plan, info);
}

/* What a successful load has established, see docs/plan-format.md. */
static void print_checks(const spmm_plan_info_t *info)
{
    char variants[PRINT_UNITS_BYTES], parts[PRINT_UNITS_BYTES], sections[PRINT_UNITS_BYTES];
    char candidates[PRINT_UNITS_BYTES];
    printf("\nVerified\n");
    printf("  container   header, section table, %s without gap or overlap, every checksum, every frame\n",
           print_plural(sections, info->section_count, "section"));
    printf("  matrix      row pointers ascend, columns ascend in each row and are in range, digest of the "
           "pattern%s\n",
           info->has_values ? ",\n              digest of the values" : "");
    printf("  metrics     recomputed from the matrix and equal\n");
    printf("  work        %s, %s; the items of each part cover every nonzero once\n",
           print_plural(variants, info->variant_count, "variant"),
           print_plural(parts, info->part_count, "part"));
    printf("  text        trace of %s, names of source and writer\n",
           print_plural(candidates, info->trace_count, "candidate"));
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
    plan_json_identity(&j, info);
    json_uint(&j, "file_bytes", info->file_bytes);
    plan_json_symmetric(&j, plan, true);
    plan_json_statistics(&j, info, &stats);
    plan_json_row_blocks(&j, plan, model);
    plan_json_variants(&j, plan, info);
    plan_json_trace(&j, plan, info);
    plan_json_permutations(&j, plan);
    plan_json_sections(&j, plan, info);
    json_bool(&j, "verified", true);
    if (args.matches != NULL)
        json_text(&j, "matches", args.matches);
    json_end(&j);
    json_finish(&j);
    return exit_flush(program.name);
}

static int compare(const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    struct progress progress;
    spmm_diag_t diag = {0};
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    progress_start(&progress, args.quiet);
    const spmm_read_options_t read = {.struct_size = sizeof read,
                                      .threads = (int)args.threads,
                                      .drop_zeros = args.drop_zeros,
                                      .budget_bytes = args.budget,
                                      .progress = progress_report,
                                      .progress_context = &progress};
    spmm_status_t status = matrix_input_open(args.matches, &read, &matrix, &diag);
    progress_end(&progress);
    if (status == SPMM_OK)
        status = matrix_input_permute(plan, (int)args.threads, &matrix, &diag);
    if (status == SPMM_OK)
        status = spmm_matrix_csr(matrix, &csr);
    if (status == SPMM_OK)
        status = spmm_plan_matches(plan, &csr, info->has_values, &diag);
    spmm_matrix_destroy(matrix);
    return status == SPMM_OK ? EXIT_DONE : exit_failure(program.name, args.matches, status, &diag);
}

static int show(const char *path)
{
    spmm_diag_t diag = {0};
    spmm_plan_t *plan = NULL;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_roofline_t model = {.struct_size = sizeof model};
    const spmm_load_options_t load = {
        .struct_size = sizeof load, .budget_bytes = args.budget, .threads = (int)args.threads};
    spmm_status_t status = plan_input_open(path, &load, &plan, &diag);
    if (status == SPMM_OK)
        status = spmm_plan_info(plan, &info);
    if (status != SPMM_OK)
        return exit_failure(program.name, path, status, &diag);

    int result = EXIT_DONE;
    status = spmm_plan_roofline(plan, args.device, &model, &diag);
    if (status != SPMM_OK)
        result = exit_failure(program.name, args.device, status, &diag);
    else if (args.matches != NULL)
        result = compare(plan, &info);
    if (result == EXIT_DONE && args.json) {
        result = print_json(plan, &info, &model);
    } else if (result == EXIT_DONE && !args.quiet) {
        print_text(plan, &info, &model);
        if (args.verify)
            print_checks(&info);
        if (args.matches != NULL)
            printf("\nMatches: pattern%s equal, entry by entry\n", info.has_values ? " and values" : "");
        result = exit_flush(program.name);
    }
    spmm_plan_destroy(plan);
    return result;
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    passive_wait(argv);
    switch (cli_parse(&program, argc, argv, &operands)) {
    case CLI_DONE:
        return exit_flush(program.name);
    case CLI_USAGE:
        return EXIT_USAGE;
    case CLI_RUN:
        break;
    }
    if (args.matches != NULL && strcmp(args.matches, "-") == 0 && strcmp(operands.list[0], "-") == 0) {
        cli_complain(&program, "plan and matrix cannot both come from standard input");
        return EXIT_USAGE;
    }
    args.full |= args.device != NULL; /* whose roofline stands with the row blocks */
    return show(operands.list[0]);
}
