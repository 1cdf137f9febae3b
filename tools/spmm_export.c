/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-export: writes the matrix of a plan as a file of another program. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/json.h"
#include "tools/cli/overwrite.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/print_text.h"
#include "tools/export/export_matrix.h"
#include "tools/export/export_rhs.h"
#include "tools/export/original_matrix.h"

#define FORMS_MAX 16

static struct {
    const char *output, *rhs;
    int form; /* index + 1; 0: chosen by the ending of the output's name */
    int64_t threads;
    uint64_t budget;
    int force, pattern, all_entries, json, quiet;
} args;

static struct cli_choice forms[FORMS_MAX + 1];

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, &args.output, .value = "FILE",
     .help = "where to write, - for standard output; the ending says\nthe format, as those of --format"},
    {'f', "force", CLI_FLAG, &args.force, .help = "overwrite a file"},
    {0, "format", CLI_CHOICE, &args.form, .value = "FORMAT", .choices = forms,
     .help =
         "mtx (Matrix Market), mtx.gz, mtx.zst, npz (SciPy),\nsmtx (DLMC, no values), smtx.gz or smtx.zst; "
         "default: as\nthe output is named; of standard output mtx"},
    {0, "pattern", CLI_FLAG, &args.pattern, .help = "leave the values out"},
    {0, "all-entries", CLI_FLAG, &args.all_entries,
     .help = "Matrix Market: both triangles of a symmetric matrix"},
    {0, "rhs", CLI_TEXT, &args.rhs, .value = "FILE",
     .help = "write a right-hand side, too: A x for the x of ones, as\n.mtx, .mtx.gz, .mtx.zst or .npy"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 1, .max = 4096,
     .help = "threads; default: all of the machine"},
    CLI_PLAN_BUDGET(&args.budget),
    CLI_JSON(&args.json, "print what was written as JSON"),
    CLI_QUIET(&args.quiet, "print nothing but errors"),
};

static const struct cli_program program = {
    .name = "spmm-export",
    .summary = "Write the matrix of a plan as a file of another program.",
    .usage = "[options] PLAN -o FILE",
    .details = "PLAN is a file, or - for standard input. The matrix is the one that was inspected, in its "
               "own order;\n"
               "values are those of the plan, bit for bit, in text with the fewest digits that read back. In "
               "Matrix\n"
               "Market, metadata are comments.",
    .examples = "  spmm-export A.plan -o A.mtx.zst              Matrix Market, compressed\n"
                "  spmm-export A.plan -o A.npz                  for scipy.sparse.load_npz\n"
                "  spmm-export A.plan -o - | head               a look at the entries\n"
                "  spmm-export A.plan -o A.mtx --rhs b.mtx      a linear system whose solution is 1\n"
                "  spmm-export --pattern A.plan -o A.smtx       row pointers and columns",
    CLI_TAKES(options, 1, 1),
};

static void list_forms(void)
{
    for (int i = 0; i < FORMS_MAX && export_form_at(i) != NULL; i++)
        forms[i] = (struct cli_choice){export_form_at(i)->name, i + 1};
}

static bool to_stdout(void)
{
    return strcmp(args.output, "-") == 0;
}

/* Returns true if the path may be written without losing a file, which may be the only copy of a matrix. */
static bool may_write_to(const char *path)
{
    if (args.force || !overwrite_loses(path, "", 0))
        return true;
    cli_complain(&program, "%s exists; -f overwrites it", path);
    return false;
}

static bool may_write(void)
{
    return (to_stdout() || may_write_to(args.output)) && (args.rhs == NULL || may_write_to(args.rhs));
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Returns false after a complaint. */
static bool accept_rhs(const char *plan)
{
    if (args.rhs == NULL)
        return true;
    if (!export_rhs_has_form(args.rhs))
        cli_complain(&program, "--rhs %s: expected an ending .mtx, .mtx.gz, .mtx.zst or .npy", args.rhs);
    else if (is_same_file(args.rhs, plan))
        cli_complain(&program, "--rhs %s: this is the plan", args.rhs);
    else if (strcmp(args.rhs, args.output) == 0 || (!to_stdout() && is_same_file(args.rhs, args.output)))
        cli_complain(&program, "--rhs %s: this is the file of the matrix", args.rhs);
    else
        return true;
    return false;
}

/* Returns NULL after a complaint. */
static const struct export_form *choose_form(void)
{
    if (args.output == NULL) {
        cli_complain(&program, "-o FILE is missing");
        return NULL;
    }
    if (to_stdout() && args.json) {
        cli_complain(&program, "--json and -o - both write to standard output");
        return NULL;
    }
    if (args.form != 0 || to_stdout())
        return export_form_at(args.form != 0 ? args.form - 1 : 0);
    const struct export_form *form = export_form_of_file(args.output);
    if (form == NULL)
        cli_complain(
            &program,
            "%s: the name does not say the format: expected an ending such as .mtx, .mtx.zst, .npz or .smtx, "
            "or --format",
            args.output);
    return form;
}

/* Refuses values that the format cannot store unchanged. */
static spmm_status_t check_values(const struct export_form *form, const spmm_csr_t *a, spmm_diag_t *diag)
{
    if (form->is_pattern_only && a->values != NULL)
        return fail(diag, SPMM_ERR_ARGUMENT,
                    "the format %s has no values, the plan has: --pattern leaves them out", form->name);
    const int64_t lost = form->write == export_mtx ? export_value_lost(a) : a->nnz;
    return lost == a->nnz
               ? SPMM_OK
               : fail(diag, SPMM_ERR_UNSUPPORTED,
                      "value %lld is a NaN whose bits no text can hold: use the format npz, or --pattern",
                      (long long)lost + 1);
}

static spmm_status_t write_file(const struct export_form *form, const struct export_source *from,
                                uint64_t *bytes, spmm_diag_t *diag)
{
    struct output_file file;
    struct packed_stream stream = {
        .file = &file, .packing = form->packing, .threads = (int)args.threads, .diag = diag};
    spmm_status_t status = output_file_open(&file, args.output, diag);
    if (status == SPMM_OK)
        status = form->write(&stream, from);
    *bytes = stream.written;
    return output_file_close(&file, status);
}

static spmm_status_t write_matrix(const struct export_form *form, const struct export_source *from,
                                  uint64_t *bytes, spmm_diag_t *diag)
{
    struct packed_stream stream = {.packing = form->packing, .threads = (int)args.threads, .diag = diag};
    if (!to_stdout())
        return write_file(form, from, bytes, diag);
    const spmm_status_t status = form->write(&stream, from);
    *bytes = stream.written;
    return status;
}

/* Returns true if the file states the symmetry, which only Matrix Market can do. */
static bool says_symmetry(const struct export_form *form, spmm_symmetry_t symmetry)
{
    return form->write == export_mtx &&
           (symmetry == SPMM_SYMMETRY_SYMMETRIC || symmetry == SPMM_SYMMETRY_SKEW);
}

static void report_text(const struct export_form *form, const struct export_source *from, uint64_t bytes)
{
    const spmm_csr_t *const a = from->a;
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES], size[PRINT_UNITS_BYTES];
    FILE *out = to_stdout() ? stderr : stdout;
    print_escaped(out, args.output);
    fprintf(out, ": %s, %s%s%s x %s, %s, %s, %s\n", form->name,
            says_symmetry(form, from->symmetry) ? spmm_symmetry_name(from->symmetry) : "",
            says_symmetry(form, from->symmetry) ? ", " : "", print_count(rows, a->rows),
            print_count(cols, a->cols), print_plural(nnz, a->nnz, "nonzero"),
            a->values != NULL ? spmm_dtype_name(a->value_type) : "pattern only", print_bytes(size, bytes));
    if (args.rhs == NULL)
        return;
    print_escaped(out, args.rhs);
    fprintf(out, ": A x for x = 1, %s x 1, f64\n", rows);
}

static void report_json(const char *plan, const struct export_form *form, const struct export_source *from,
                        uint64_t bytes)
{
    const spmm_csr_t *const a = from->a;
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", program.name);
    json_text(&j, "version", spmm_version_string());
    json_text(&j, "plan", plan);
    json_text(&j, "output", args.output);
    json_text(&j, "format", form->name);
    json_text(
        &j, "symmetry",
        spmm_symmetry_name(says_symmetry(form, from->symmetry) ? from->symmetry : SPMM_SYMMETRY_GENERAL));
    json_int(&j, "rows", a->rows);
    json_int(&j, "cols", a->cols);
    json_int(&j, "nnz", a->nnz);
    json_text(&j, "dtype", spmm_dtype_name(a->value_type));
    json_bool(&j, "has_values", a->values != NULL);
    json_uint(&j, "bytes", bytes);
    if (args.rhs != NULL)
        json_text(&j, "rhs", args.rhs);
    json_end(&j);
    json_finish(&j);
}

/* Writes the matrix and then its right-hand side. *what names the file that is being written, NULL for
 * standard output. */
static spmm_status_t write_all(const struct export_form *form, const struct export_source *from,
                               uint64_t *bytes, const char **what, spmm_diag_t *diag)
{
    *what = to_stdout() ? NULL : args.output;
    const spmm_status_t status = write_matrix(form, from, bytes, diag);
    if (status != SPMM_OK || args.rhs == NULL)
        return status;
    *what = args.rhs;
    if (!to_stdout() && is_same_file(args.output, args.rhs))
        return fail(diag, SPMM_ERR_ARGUMENT, "--rhs %s: this is the file of the matrix", args.rhs);
    return export_rhs(args.rhs, from->a, (int)args.threads, diag);
}

static int export_plan(const char *path, const struct export_form *form, const spmm_plan_t *plan)
{
    spmm_diag_t diag = {0};
    struct original_matrix original;
    uint64_t bytes = 0;
    const char *what = path;
    char *comments = export_comments(plan);
    struct export_source from = {&original.csr, comments, SPMM_SYMMETRY_GENERAL};
    spmm_status_t status = original_matrix_of(plan, &original, &diag);
    if (status == SPMM_OK && comments == NULL)
        status = fail_memory(&diag, 0, "the metadata");
    if (status == SPMM_OK && !args.all_entries)
        status = spmm_plan_symmetry(plan, &from.symmetry, &diag);
    if (args.pattern) {
        original.csr.values = NULL;
        from.symmetry = from.symmetry == SPMM_SYMMETRY_GENERAL ? from.symmetry : SPMM_SYMMETRY_SYMMETRIC;
    }
    if (status == SPMM_OK)
        status = check_values(form, &original.csr, &diag);
    if (status == SPMM_OK)
        status = write_all(form, &from, &bytes, &what, &diag);
    if (status == SPMM_OK && args.json)
        report_json(path, form, &from, bytes);
    else if (status == SPMM_OK && !args.quiet)
        report_text(form, &from, bytes);
    original_matrix_free(&original);
    free(comments);
    return status == SPMM_OK ? exit_flush(program.name) : exit_failure(program.name, what, status, &diag);
}

static int run(const char *path, const struct export_form *form)
{
    int result = EXIT_DONE;
    const spmm_load_options_t load = {
        .struct_size = sizeof load, .budget_bytes = args.budget, .threads = (int)args.threads};
    spmm_plan_t *plan = plan_input_of(program.name, path, &load, &result);
    if (plan == NULL)
        return result;
    result = export_plan(path, form, plan);
    spmm_plan_destroy(plan);
    return result;
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    passive_wait(argv);
    list_forms();
    switch (cli_parse(&program, argc, argv, &operands)) {
    case CLI_DONE:
        return exit_flush(program.name);
    case CLI_USAGE:
        return EXIT_USAGE;
    case CLI_RUN:
        break;
    }
    const struct export_form *form = choose_form();
    return form == NULL || !accept_rhs(operands.list[0]) || !may_write() ? EXIT_USAGE
                                                                         : run(operands.list[0], form);
}
