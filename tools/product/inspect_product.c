/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_product.h. */
#include "inspect_product.h"

#include <stdio.h>
#include <string.h>

#include "costs_report.h"
#include "product_files.h"
#include "product_report.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/machine_memory.h"
#include "tools/cli/plan_output.h"
#include "tools/cli/print_text.h"
#include "tools/cli/progress.h"

#define LABEL 12

struct inspect_product_options inspect_product_given;

bool inspect_product_wanted(void)
{
    return inspect_product_given.product || inspect_product_given.triple;
}

enum cli_result inspect_product_check(const struct cli_program *program, const struct cli_operands *operands,
                                      size_t dtype_count)
{
    const struct inspect_product_options *g = &inspect_product_given;
    if (!inspect_product_wanted()) {
        if (g->transpose_b || g->lower || g->diagonal || g->piece_products != 0)
            return cli_complain(program,
                                "--transpose-b, --lower, --diagonal and --piece-products are of --product "
                                "or --triple");
        return operands->count == 1
                   ? CLI_RUN
                   : cli_complain(
                         program,
                         "one argument too many: '%s', after '%s'; --product and --triple take several",
                         operands->list[1], operands->list[0]);
    }
    static const char *const known[] = {"product",        "triple", "transpose-b", "lower",    "diagonal",
                                        "piece-products", "output", "force",       "dtype",    "level",
                                        "threads",        "budget", "json",        "quiet",    "base",
                                        "vertices",       "abs",    "real-part",   "variable", "drop-zeros",
                                        "pattern-only",   NULL};
    const char *const other = cli_given_beside(program, known);
    if (other != NULL)
        return cli_complain(program, "--%s is for plans with a dense B, not for --%s", other,
                            g->product ? "product" : "triple");
    if (g->product && g->triple)
        return cli_complain(program, "expected one of --product and --triple");
    if (g->triple && (g->transpose_b || g->diagonal))
        return cli_complain(program, "--transpose-b and --diagonal are of --product");
    if (dtype_count > 1)
        return cli_complain(program, "--dtype: a product of sparse matrices has one type");
    if (g->product ? operands->count > 2 : operands->count < 2)
        return cli_complain(program, "--%s: expected %s, found %d", g->product ? "product" : "triple",
                            g->product ? "one or two matrices" : "two or three matrices", operands->count);
    return CLI_RUN;
}

/* Fills factors from the operands of the command line and returns their number. */
static int factors_of(const struct product_files *files, int given, spmm_product_factor_t *factors)
{
    const struct inspect_product_options *g = &inspect_product_given;
    const spmm_matrix_t *named[SPMM_PRODUCT_FACTORS] = {NULL};
    for (int i = 0; i < given; i++)
        named[i] = files->matrix[files->operand[i]];
    if (g->product) {
        factors[0] = (spmm_product_factor_t){named[0], SPMM_OP_N};
        factors[1] = (spmm_product_factor_t){named[given - 1], g->transpose_b ? SPMM_OP_T : SPMM_OP_N};
        return 2;
    }
    const int has_r = given == SPMM_PRODUCT_FACTORS; /* else R = P^T */
    factors[0] = (spmm_product_factor_t){has_r ? named[0] : named[1], has_r ? SPMM_OP_N : SPMM_OP_T};
    factors[1] = (spmm_product_factor_t){named[given - 2], SPMM_OP_N};
    factors[2] = (spmm_product_factor_t){named[given - 1], SPMM_OP_N};
    return SPMM_PRODUCT_FACTORS;
}

static spmm_status_t make_plan(const struct inspect_product_request *r, struct product_files *files,
                               spmm_plan_t **plan, const char **culprit, double *seconds, spmm_diag_t *diag)
{
    const struct inspect_product_options *g = &inspect_product_given;
    const spmm_product_options_t options = {.struct_size = sizeof options,
                                            .dtype = r->dtype,
                                            .lower = g->lower,
                                            .diagonal = g->diagonal,
                                            .piece_products = g->piece_products,
                                            .budget_bytes = machine_memory_budget(r->read.budget_bytes),
                                            .threads = r->read.threads};
    spmm_product_factor_t factors[SPMM_PRODUCT_FACTORS];
    spmm_status_t status =
        product_files_open(r->operands.list, r->operands.count, &r->read, files, culprit, diag);
    if (status != SPMM_OK)
        return status;
    *culprit = NULL;
    const double start = progress_seconds();
    status =
        spmm_product_inspect(factors, factors_of(files, r->operands.count, factors), &options, plan, diag);
    *seconds = progress_seconds() - start;
    return status;
}

static void report_text(FILE *out, const spmm_plan_t *plan, const struct inspect_product_request *r,
                        uint64_t bytes, double seconds)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES], text[PRINT_UNITS_BYTES];
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)spmm_plan_info(plan, &info);
    fprintf(out, "%-*s%s x %s, %s, %s\n", LABEL, "C", print_count(rows, info.rows),
            print_count(cols, info.cols), print_plural(nnz, info.nnz, "nonzero"),
            spmm_dtype_name(info.a_type));
    product_report_text(out, plan, LABEL);
    product_costs_text(out, plan, machine_memory_budget(r->read.budget_bytes), LABEL);
    fprintf(out, "%-*s%s\n", LABEL, "inspected", print_seconds(text, seconds));
    if (r->output == NULL)
        return;
    fprintf(out, "%-*s", LABEL, "plan");
    print_escaped(out, r->output);
    fprintf(out, ", %s\n", print_bytes(text, bytes));
}

static void report_json(const spmm_plan_t *plan, const struct inspect_product_request *r, uint64_t bytes,
                        double seconds)
{
    struct json j;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)spmm_plan_info(plan, &info);
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", r->program);
    json_text(&j, "version", spmm_version_string());
    json_text(&j, "plan", r->output);
    json_int(&j, "rows", info.rows);
    json_int(&j, "cols", info.cols);
    json_int(&j, "nnz", info.nnz);
    json_text(&j, "dtype", spmm_dtype_name(info.a_type));
    product_report_json(&j, plan);
    json_uint(&j, "plan_bytes", bytes);
    json_double(&j, "inspect_seconds", seconds);
    json_end(&j);
    json_finish(&j);
}

static int write_and_report(const struct inspect_product_request *r, const spmm_plan_t *plan, double seconds)
{
    uint64_t bytes = 0;
    int result = EXIT_DONE;
    if (r->output != NULL)
        result = plan_output_write(r->program, r->output, plan, &r->save, &bytes);
    if (result != EXIT_DONE)
        return result;
    if (r->json)
        report_json(plan, r, bytes, seconds);
    else if (!r->quiet)
        report_text(plan_output_is_stdout(r->output) ? stderr : stdout, plan, r, bytes, seconds);
    return exit_flush(r->program);
}

int inspect_product_run(const struct inspect_product_request *r)
{
    struct product_files files = {.count = 0};
    spmm_plan_t *plan = NULL;
    const char *culprit = NULL;
    spmm_diag_t diag = {0};
    double seconds = 0;
    const spmm_status_t status = make_plan(r, &files, &plan, &culprit, &seconds, &diag);
    product_files_close(&files);
    const int result = status == SPMM_OK ? write_and_report(r, plan, seconds)
                                         : exit_failure(r->program, culprit, status, &diag);
    spmm_plan_destroy(plan);
    return result;
}
