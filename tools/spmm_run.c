/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-run: runs a plan, checks the product and measures its time. */
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compute/check.h"
#include "tools/cli/cli.h"
#include "tools/cli/device_choice.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/jit_option.h"
#include "tools/cli/listed_choices.h"
#include "tools/cli/matrix_input.h"
#include "tools/compute/npy.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/progress.h"
#include "tools/compute/permuted_rows.h"
#include "tools/compute/run_certify.h"
#include "tools/compute/run_product.h"
#include "tools/export/dense_output.h"
#include "tools/export/export_dense.h"
#include "tools/product/run_sparse.h"
#include "tools/report/run_report.h"

#define PROGRAM "spmm-run"
#define CHECK_SELF "self"
#define LAYOUT_UNSET (-1)

static struct {
    int64_t n, threads, repeat, seed, vectors, certify_seed;
    uint64_t budget;
    const char *device_text, *kernel, *check, *b, *output, *diagonal;
    int force, dtype, product, jit, op, layout, b_type, c_type, unit_values, original_order, certify,
        drop_zeros, json, quiet;
    double alpha, beta;
    int device;
} args = {
    .repeat = -1, .seed = 1, .device_text = "auto", .op = SPMM_OP_N, .layout = LAYOUT_UNSET, .alpha = 1.0};

static const struct cli_choice op_choices[] = {{"N", SPMM_OP_N}, {"T", SPMM_OP_T}, {NULL, 0}};
static const struct cli_choice layout_choices[] = {
    {"row", SPMM_ROW_MAJOR}, {"col", SPMM_COL_MAJOR}, {NULL, 0}};
static const struct cli_choice check_words[] = {{CHECK_SELF, 0}, {NULL, 0}};
static struct cli_choice dtypes[LISTED_CHOICES_MAX];

static const struct cli_option options[] = {
    {'n', "columns", CLI_INT, &args.n, .value = "N", .min = 1, .max = INT32_MAX,
     .help = "columns of B and C (default 64, or those of -B)"},
    {0, "device", CLI_TEXT, &args.device_text, .value = DEVICE_CHOICE_VALUE, .choices = device_choice_words,
     .help = "where to run (default auto: GPU 0 if it runs the plan,\nelse the CPU)"},
    {0, "check", CLI_TEXT, &args.check, .value = "MATRIX", .choices = check_words,
     .help = "compare with the plan's matrix first (exit 4 if it is\n"
             "another), then check every element of C (exit 5 if one\n"
             "is wrong); a file, - , gen:..., or self for the matrix\n"
             "in the plan"},
    {0, "certify", CLI_FLAG, &args.certify,
     .help = "check C against the matrix in the plan, in about the\ntime of a few products: find silent "
             "corruption (exit 5\n"
             "if a row is wrong)"},
    {0, "vectors", CLI_INT, &args.vectors, .value = "V", .min = 1, .max = 64,
     .help = "with --certify: miss a wrong row with probability\n2^-V at most (default 16)"},
    {0, "certify-seed", CLI_INT, &args.certify_seed, .value = "S", .min = 0, .max = INT64_MAX,
     .help = "with --certify: seed of the vectors (default 0)"},
    {0, "product", CLI_FLAG, &args.product,
     .help = "without a plan: the sparse product C = A B of two files,\nor A A of one"},
    {0, "diagonal", CLI_TEXT, &args.diagonal, .value = "D.npy",
     .help = "the diagonal between the factors of a sparse product"},
    {'B', "input", CLI_TEXT, &args.b, .value = "B.npy",
     .help = "take B from a NumPy file; default: random in (-1, 1)"},
    {'o', "output", CLI_TEXT, &args.output, .value = "FILE",
     .help = "write C to a NumPy file, or as C.mtx; that of a sparse\nproduct to one of spmm-export, such as "
             "C.mtx"},
    {'f', "force", CLI_FLAG, &args.force, .help = "overwrite any file"},
    {0, "original-order", CLI_FLAG, &args.original_order,
     .help = "rows of -B and -o in the order of A, also where those\nof the plan are permuted"},
    {0, "op", CLI_CHOICE, &args.op, .value = "N|T", .choices = op_choices,
     .help = "multiply by A (default) or by its transpose"},
    {0, "layout", CLI_CHOICE, &args.layout, .value = "row|col", .choices = layout_choices,
     .help = "layout of B and C (default: that of -B, else row)"},
    {0, "dtype", CLI_CHOICE, &args.dtype, .value = "TYPE", .choices = dtypes,
     .help = "value type of A, one of those that the plan is for\n(default: that of its values), which are "
             "rounded once; with\n--product f32 (default) or f64"},
    {0, "b-type", CLI_CHOICE, &args.b_type, .value = "TYPE", .choices = dtypes,
     .help = "value type of B, where it is not that of A: f16 or bf16\nwith values of f32"},
    {0, "c-type", CLI_CHOICE, &args.c_type, .value = "TYPE", .choices = dtypes,
     .help = "value type of C (default: that of B); f32 also with f16\nand bf16"},
    {0, "unit-values", CLI_FLAG, &args.unit_values,
     .help = "every entry of A counts as 1, whatever the plan holds"},
    {0, "alpha", CLI_NUMBER, &args.alpha, .value = "X", .help = "factor of the product (default 1)"},
    {0, "beta", CLI_NUMBER, &args.beta, .value = "X",
     .help = "factor of the initial C, which is random (default 0)"},
    {0, "repeat", CLI_INT, &args.repeat, .value = "R", .min = 0, .max = TIMING_REPEATS_MAX,
     .help = "timed products (default: half a second of them, at\nleast 5); 0: no timing"},
    {0, "threads", CLI_INT, &args.threads, .value = "T", .min = 0, .max = 4096,
     .help = "CPU threads (default: all); C does not depend on it"},
    {0, "force-kernel", CLI_TEXT, &args.kernel, .value = "NAME",
     .help =
         "a kernel instead of the plan's choice, named\n[TARGET/]FAMILY[/SCHEDULE[/INSTANCE]]; of sparse\n"
         "products columns, positions, groups, pull or masks,\nwith --product hash, bitmap or merge (GPU)"},
    JIT_OPTION(&args.jit),
    {0, "seed", CLI_INT, &args.seed, .value = "S", .min = 0, .max = INT64_MAX,
     .help = "seed of the random B (default 1)"},
    {0, "drop-zeros", CLI_FLAG, &args.drop_zeros, .help = "with --check: leave zeros out of the matrix"},
    MATRIX_INPUT_OPTIONS,
    CLI_PLAN_BUDGET(&args.budget),
    CLI_JSON(&args.json, "print JSON"),
    CLI_QUIET(&args.quiet, "print nothing, or JSON alone: the exit status is the\nanswer"),
};

static const struct cli_program program = {
    .name = PROGRAM,
    .summary = "Run a plan: C = alpha op(A) B + beta C, on a GPU or on the CPU.",
    .usage = "[options] PLAN [MATRIX..]",
    .details =
        "PLAN is a file, or - for standard input. The product is computed once, checked and written if\n"
        "that was asked for, then timed back to back and with cold caches. A check compares every element\n"
        "with a reference in higher precision; the error ratio is error over error bound, and above 1 the\n"
        "product is wrong.",
    .examples = "  spmm-run A.plan -n 64 --check A.mtx        is it right, and how fast\n"
                "  spmm-run A.plan -B b.npy -o c.npy          C = A B with data of your own\n"
                "  spmm-run A.plan --json --device cpu | jq .gflops",
    CLI_TAKES(options, 1, 1 + SPMM_PRODUCT_FACTORS),
};

struct run {
    spmm_plan_t *plan;
    spmm_plan_info_t info;      /* with the types that --dtype selects */
    spmm_matrix_t *matrix;      /* the matrix of --check; NULL without the option */
    struct host_csr a;          /* the matrix that C is checked against; empty without --check */
    spmm_dense_t b;             /* the B of -B; data is NULL without the option */
    struct permuted_rows order; /* orders of the rows of B and C in the plan */
    struct run_product product;
    struct progress progress;
    const char *culprit; /* the input in use, which a failure message names */
};

static spmm_status_t open_plan(struct run *run, const char *name, spmm_diag_t *diag)
{
    spmm_load_options_t options_load = SPMM_LOAD_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    run->culprit = name;
    options_load.threads = (int)args.threads;
    options_load.budget_bytes = args.budget;
    TRY(plan_input_open(name, &options_load, &run->plan, diag));
    TRY(run_sparse_refuse(run->plan, diag));
    run->info.struct_size = sizeof run->info;
    TRY(spmm_plan_info(run->plan, &run->info));
    if (args.dtype != 0)
        run->info.a_type = run->info.b_type = run->info.c_type = (spmm_dtype_t)args.dtype;
    run->order = permuted_rows_of(run->plan, (spmm_op_t)args.op);
cleanup:
    return status;
}

/* Loads the matrix of --check, which must equal the plan's matrix. */
static spmm_status_t open_matrix(struct run *run, spmm_diag_t *diag)
{
    spmm_read_options_t options_read = SPMM_READ_OPTIONS_INIT;
    spmm_csr_t view;
    spmm_status_t status = SPMM_OK;
    if (args.check == NULL)
        return SPMM_OK;
    if (strcmp(args.check, CHECK_SELF) == 0) {
        TRY(spmm_plan_csr(run->plan, &view));
    } else {
        run->culprit = args.check;
        options_read.threads = (int)args.threads;
        options_read.budget_bytes = args.budget;
        options_read.drop_zeros = args.drop_zeros;
        options_read.progress = progress_report;
        options_read.progress_context = &run->progress;
        TRY(matrix_input_open(args.check, &options_read, &run->matrix, diag));
        TRY(matrix_input_permute(run->plan, (int)args.threads, &run->matrix, diag));
        TRY(spmm_matrix_csr(run->matrix, &view));
        TRY(spmm_plan_matches(run->plan, &view, run->info.has_values && !args.unit_values, diag));
    }
    if (args.dtype != 0 && run->info.has_values)
        TRY(spmm_plan_csr(run->plan,
                          &view)); /* the executor rounds the values of the plan, not those of the file */
    TRY(host_csr_make(&view, run->info.a_type, &run->a, diag));
    if (args.unit_values)
        host_csr_set_ones(&run->a);
cleanup:
    progress_end(&run->progress);
    return status;
}

static spmm_status_t open_b(struct run *run, spmm_diag_t *diag)
{
    const int64_t rows = args.op == SPMM_OP_N ? run->info.cols : run->info.rows;
    const spmm_dtype_t type = args.b_type != 0 ? (spmm_dtype_t)args.b_type : run->info.b_type;
    spmm_status_t status = SPMM_OK;
    if (args.b == NULL)
        return SPMM_OK;
    run->culprit = args.b;
    TRY(npy_load(args.b, &run->b, diag));
    if (run->b.type != type)
        status = fail(
            diag, SPMM_ERR_TYPE,
            "the file holds %s values, but the plan computes in %s; spmm-inspect --dtype %s makes a plan "
            "for them",
            spmm_dtype_name(run->b.type), spmm_dtype_name(type), spmm_dtype_name(run->b.type));
    else if (run->b.rows != rows)
        status = fail(diag, SPMM_ERR_SHAPE, "B has %lld rows, but op(A) has %lld columns",
                      (long long)run->b.rows, (long long)rows);
    else if (args.n != 0 && args.n != run->b.cols)
        status = fail(diag, SPMM_ERR_SHAPE, "B has %lld columns, but -n says %lld", (long long)run->b.cols,
                      (long long)args.n);
    else if (args.layout != LAYOUT_UNSET && args.layout != (int)run->b.layout && run->b.rows > 1 &&
             run->b.cols > 1)
        status = fail(diag, SPMM_ERR_ARGUMENT, "B is stored %s-major, but --layout says %s",
                      spmm_layout_name(run->b.layout), spmm_layout_name((spmm_layout_t)args.layout));
    else if (args.original_order)
        status = permuted_rows_make(&run->b, run->order.b, diag);
cleanup:
    return status;
}

/* Replaces the library's sentence about a missing op, because it cannot name an option of spmm-inspect. */
static spmm_status_t name_operation(spmm_status_t status, spmm_diag_t *diag)
{
    if (status != SPMM_ERR_NO_VARIANT)
        return status;
    return fail(diag, status,
                "the plan has no variant for op %s; spmm-inspect --op both makes a plan for N and T",
                spmm_op_name((spmm_op_t)args.op));
}

static spmm_status_t prepare(struct run *run, const char *plan_name, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct run_request request = {.device = args.device,
                                  .threads = (int)args.threads,
                                  .force_kernel = args.kernel,
                                  .op = (spmm_op_t)args.op,
                                  .alpha = args.alpha,
                                  .beta = args.beta,
                                  .a_type = (spmm_dtype_t)args.dtype,
                                  .b_type = (spmm_dtype_t)args.b_type,
                                  .c_type = (spmm_dtype_t)(args.c_type != 0 ? args.c_type : args.b_type),
                                  .has_unit_values = args.unit_values,
                                  .jit = (spmm_jit_level_t)args.jit,
                                  .seed = (uint64_t)args.seed,
                                  .is_checked = args.check != NULL,
                                  .is_certified = args.certify,
                                  .vectors = (int)args.vectors,
                                  .budget = args.budget};
    TRY(open_plan(run, plan_name, diag));
    TRY(open_matrix(run, diag));
    TRY(open_b(run, diag));
    run->culprit = plan_name;
    if (run->b.data != NULL)
        request.b = &run->b;
    request.n = run->b.data != NULL ? run->b.cols : args.n != 0 ? args.n : 64;
    request.layout = run->b.data != NULL           ? run->b.layout
                     : args.layout != LAYOUT_UNSET ? (spmm_layout_t)args.layout
                                                   : SPMM_ROW_MAJOR;
    TRY(name_operation(
        run_product_create(run->plan, run->matrix != NULL ? &run->a : NULL, &request, &run->product, diag),
        diag));
cleanup:
    return status;
}

/* Checks C. Its rows are those of the plan's matrix, unless the plan permutes only the rows of C. */
static spmm_status_t check(struct run *run, struct check_result *result, spmm_diag_t *diag)
{
    const uint32_t *const order = run->order.b == NULL ? run->order.c : NULL;
    if (order != NULL && args.op != SPMM_OP_N)
        return fail(diag, SPMM_ERR_UNSUPPORTED, "--check: the plan permutes the output of op %s",
                    spmm_op_name((spmm_op_t)args.op));
    return run_product_check(&run->product, &run->a, order, result, diag);
}

static spmm_status_t write_c(struct run *run, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *const before = run->culprit;
    run->culprit = args.output;
    if (args.original_order)
        TRY(permuted_rows_undo(&run->product.c_host, run->order.c, diag));
    TRY(export_dense(args.output, &run->product.c_host, "", (int)args.threads, diag));
    run->culprit = before;
cleanup:
    return status;
}

static spmm_status_t work(struct run *run, const char *plan_name, int *code, spmm_diag_t *diag)
{
    const struct timing_rule rule = timing_rule_of((int)args.repeat);
    struct check_result checked;
    struct run_certificate certificate;
    struct timing timing;
    struct run_outcome outcome = {.plan_name = plan_name, .output = args.output};
    spmm_status_t status = SPMM_OK;

    TRY(prepare(run, plan_name, diag));
    TRY(run_product_once(&run->product, diag));
    if (args.check != NULL) {
        TRY(check(run, &checked, diag));
        outcome.checked_against = args.check;
        outcome.check = &checked;
        *code = checked.ratio <= 1.0 ? EXIT_DONE : EXIT_CHECK;
    }
    if (args.certify) {
        TRY(run_product_certify(&run->product, run->plan, (uint64_t)args.certify_seed, args.repeat != 0,
                                &certificate, diag));
        outcome.certificate = &certificate;
        *code = certificate.found.passed ? *code : EXIT_CHECK;
    }
    if (args.output != NULL)
        TRY(write_c(run, diag));
    if (args.repeat != 0) {
        TRY(run_product_time(&run->product, &rule, &timing, diag));
        outcome.timing = &timing;
    }
    outcome.is_symmetric = run->order.b != NULL;
    outcome.permutes_output = run->order.c != NULL && run->order.b == NULL;
    outcome.is_original_order = args.original_order;
    outcome.is_auto_cpu = args.device == SPMM_DEVICE_AUTO && run->product.request.device == SPMM_DEVICE_CPU;
    if (args.json)
        (void)run_report_json(&run->product, &outcome);
    else if (!args.quiet)
        run_report_text(&run->product, &outcome);
cleanup:
    return status;
}

static enum cli_result check_files(void)
{
    if (args.beta != 0.0 && (args.output != NULL || args.b != NULL))
        return cli_complain(&program, "--beta adds to a random C, so it does not go with -B or -o");
    return args.output != NULL ? dense_output_check(&program, args.output, args.force) : CLI_RUN;
}

/* Makes the request of a sparse product, which is either a plan with operand files or --product without a
 * plan. */
static struct run_sparse_request sparse_request(const struct cli_operands *operands)
{
    struct run_sparse_request request = {.program = PROGRAM,
                                         .plan = args.product ? NULL : operands->list[0],
                                         .files = *operands,
                                         .dtype = (spmm_dtype_t)args.dtype,
                                         .diagonal = args.diagonal,
                                         .output = args.output,
                                         .kernel = args.kernel,
                                         .device = args.device,
                                         .threads = (int)args.threads,
                                         .repeat = (int)args.repeat,
                                         .alpha = args.alpha,
                                         .read = SPMM_READ_OPTIONS_INIT,
                                         .check = args.check,
                                         .force = args.force,
                                         .json = args.json,
                                         .quiet = args.quiet};
    request.files.list += !args.product;
    request.files.count -= !args.product;
    request.read.threads = (int)args.threads;
    request.read.budget_bytes = args.budget;
    request.read.drop_zeros = args.drop_zeros;
    return request;
}

int main(int argc, char **argv)
{
    static struct run run;
    struct cli_operands operands;
    spmm_diag_t diag = {.status = SPMM_OK};
    int code = EXIT_DONE;
    char dtype_help[LISTED_HELP_BYTES];
    passive_wait(argv);
    listed_dtypes("", dtypes, dtype_help);
    enum cli_result result = cli_parse(&program, argc, argv, &operands);
    if (result == CLI_RUN)
        result = device_choice_read(&program, args.device_text, &args.device);
    if (result != CLI_RUN)
        return result == CLI_DONE ? exit_flush(PROGRAM) : EXIT_USAGE;
    const struct run_sparse_request sparse = sparse_request(&operands);
    if (run_sparse_check(&program, &sparse) != CLI_RUN)
        return EXIT_USAGE;
    if (run_sparse_wanted(&sparse))
        return run_sparse(&sparse);
    if (check_files() != CLI_RUN)
        return EXIT_USAGE;
    progress_start(&run.progress, args.quiet != 0);
    const spmm_status_t status = work(&run, operands.list[0], &code, &diag);
    if (status != SPMM_OK)
        code = exit_failure(PROGRAM, run.culprit, status, &diag);
    run_product_destroy(&run.product);
    free(run.b.data);
    host_csr_free(&run.a);
    spmm_matrix_destroy(run.matrix);
    spmm_plan_destroy(run.plan);
    return code != EXIT_DONE ? code : exit_flush(PROGRAM);
}
