/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats the measurements of paper 001 with its CUDA baseline, cuSPARSE, the library's kernels and its
 * operators. */
#include <stdio.h>

#include "method_cublas.h"
#include "method_gimmik.h"
#include "specialised_measure.h"
#include "specialised_problem.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/listed_choices.h"
#include "tools/cli/progress.h"
#include "tools/compute/gpu.h"

#define PROGRAM "specialised_bench"
#define FAMILIES_SIDE_MAX 512 /* most rows and columns for which all families are measured */

static struct {
    int counts_calls, dtype;
    const char *cupti, *gimmik, *matrices;
    int64_t repeat;
    double max_seconds;
} args = {.dtype = SPMM_F32, .repeat = 15, .max_seconds = 0.2};

static int exit_status = EXIT_DONE;

static struct cli_choice dtypes[LISTED_CHOICES_MAX];

static const struct cli_option options[] = {
    {0, "type", CLI_CHOICE, &args.dtype, .value = "TYPE", .choices = dtypes,
     .help = "of A, B and C (default f32); the naive kernels are of f32 and f64"},
    {0, "write-matrices", CLI_TEXT, &args.matrices, .value = "FOLDER",
     .help = "write the matrices there, as NAME.mtx, and measure nothing; needs no GPU"},
    {0, "calls", CLI_FLAG, &args.counts_calls,
     .help = "count calls of CUDA's driver instead of measuring; needs CUPTI's library"},
    {0, "gimmik", CLI_TEXT, &args.gimmik, .value = "FOLDER",
     .help = "measure GiMMiK's kernels too, which gimmik_kernels.py left there"},
    {0, "cupti", CLI_TEXT, &args.cupti, .value = "FILE", .help = "libcupti.so, if it is not found by itself"},
    {0, "repeat", CLI_INT, &args.repeat, .value = "R", .min = 1, .max = TIMING_REPEATS_MAX,
     .help = "timed products, of which the median counts (default 15)"},
    {0, "max-seconds", CLI_NUMBER, &args.max_seconds, .value = "S",
     .help = "fewer of them where they would take longer (default 0.2)"},
};

static const struct cli_program program = {
    .name = PROGRAM,
    .summary = "Measure products by a naive kernel, cuSPARSE, cuBLAS and spmm on GPU 0.",
    .usage = "[options] NAME:N[,N]...",
    .details =
        "B and C have N columns and are row-major. NAME is A. ROWS:PERCENT: square, each element is stored\n"
        "with a probability of PERCENT %. quad:P, hex:P, tri:P, tet:P: an operator of finite elements of "
        "degree P.\n"
        "gen:...: a generator string of spmm-inspect.\n"
        "Prints lines of CSV: cold time of a product, with the caches flushed before it; "
        "time\n"
        "of the host for one call; time to make it ready, with all on the GPU, for the first time in the\n"
        "process and again, median; memory that A and what belongs to it take beside B and C, as asked for\n"
        "and as CUDA's free memory tells; and the error over its bound. Making ready is the upload, for\n"
        "cuSPARSE with its preprocessing, for spmm spmm_executor_create from a plan in memory and\n"
        "spmm_executor_prepare. ours-specialised is there where spmm makes an operator;\n"
        "where it does not, a line on stderr says why. cublas has one line per algorithm. ours is the choice "
        "of\n"
        "the plan, ours-FAMILY a forced family: rows for each A, others for A of at most 512 rows and "
        "columns.\n"
        "An empty folder as SPMM_CACHE_DIR and CUDA_CACHE_DISABLE=1 let the first time have a compiler in "
        "it.",
    .examples = "  " PROGRAM " 16384:0.1:128,2048\n  " PROGRAM " --calls 128:10:16384",
    CLI_TAKES(options, 1, 4096),
};

static const struct method *method_at(int i)
{
    if (i < method_peers_count)
        return &method_peers[i];
    i -= method_peers_count;
    return i < method_ours_count ? &method_ours[i] : NULL;
}

static void print_header(void)
{
    puts(args.counts_calls ? "rows,percent,nnz,n,method,setup_calls,setup_memory,setup_copies,setup_launches,"
                             "product_calls,product_launches,end_calls,end_memory"
                           : "rows,percent,nnz,n,method,kernel,cold_ms,host_us,first_ms,setup_ms,inspect_ms,"
                             "held_bytes,taken_bytes,error_ratio,verdict,type,matrix");
}

static void print_case(const struct problem *problem, int64_t n, const struct method *method)
{
    printf("%lld,%g,%lld,%lld,%s,", (long long)problem->a.rows, problem->percent, (long long)problem->a.nnz,
           (long long)n, method->name);
}

static void print_measured(const struct measured *m, const char *matrix, double inspect_ms, int is_right)
{
    printf("%s,%.6g,%.4g,%.4g,%.4g,%.4g,%llu,%llu,%.3g,%s,%s,%s\n", m->facts.kernel, m->result.ms_cold,
           m->host_us, m->first_ms, m->setup_ms, inspect_ms, (unsigned long long)m->facts.held_bytes,
           (unsigned long long)m->taken_bytes, m->result.error_ratio, is_right ? "right" : "WRONG",
           spmm_dtype_name((spmm_dtype_t)args.dtype), matrix);
}

static void print_counted(const struct counted *c)
{
    printf("%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld\n", (long long)c->setup.all, (long long)c->setup.memory,
           (long long)c->setup.copies, (long long)c->setup.launches, (long long)c->product.all,
           (long long)c->product.launches, (long long)c->end.all, (long long)c->end.memory);
}

/* Measures one method. If it fails or is wrong, the other methods still run. */
static void run_method(const struct method *method, const struct method_case *of,
                       const struct problem *problem, struct bench_site *site, double inspect_ms,
                       int is_shown)
{
    struct measured measured = {.first_ms = 0};
    struct counted counted = {.setup = {0}};
    spmm_diag_t diag = {.status = SPMM_OK};
    const spmm_status_t status = args.counts_calls ? count_method(method, of, &counted, &diag)
                                                   : measure_method(method, of, site, &measured, &diag);
    if (status != SPMM_OK) {
        const int code = exit_failure(PROGRAM, method->name, status, &diag);
        exit_status = status == SPMM_ERR_UNSUPPORTED ? exit_status : code;
    }
    if (status != SPMM_OK || !is_shown)
        return;
    print_case(problem, of->c->cols, method);
    if (args.counts_calls) {
        print_counted(&counted);
    } else {
        const int is_right = measured.result.error_ratio <= 1.0;
        print_measured(&measured, problem->name, inspect_ms, is_right);
        exit_status = is_right ? exit_status : EXIT_CHECK;
    }
    (void)fflush(stdout);
}

/* Measures cublasGemmEx and what cuBLASLt proposes. The reader of the rows selects the fastest. */
static void run_cublas(const struct method_case *of, const struct problem *problem, struct bench_site *site,
                       double inspect_ms, int is_shown)
{
    for (int i = 0; i < METHOD_CUBLAS_COUNT; i++) {
        const struct method method = method_cublas(i);
        run_method(&method, of, problem, site, inspect_ms, is_shown);
    }
}

/* Makes a plan for n columns. family: NULL for the choice of the inspector. *ms: the time that it takes. */
static spmm_status_t inspect_for(const struct problem *problem, int64_t n, const char *family,
                                 spmm_plan_t **plan, double *ms, spmm_diag_t *diag)
{
    spmm_inspect_options_t inspect = SPMM_INSPECT_OPTIONS_INIT;
    inspect.a_type = (spmm_dtype_t)args.dtype;
    inspect.n = &n;
    inspect.n_count = 1;
    inspect.layouts = SPMM_LAYOUTS_ROW_MAJOR;
    inspect.force_kernel = family;
    const double start = progress_seconds();
    const spmm_status_t status = spmm_inspect(problem->matrix, &inspect, plan, diag);
    *ms = 1e3 * (progress_seconds() - start);
    return status;
}

/* Measures forced families, so that a reader sees how far the choice is from the best. */
static void run_families(const struct method_case *of, const struct problem *problem, struct bench_site *site,
                         int is_shown)
{
    static const struct {
        const char *family, *method;
    } forced[] = {{"rows", "ours-rows"}, {"panel", "ours-panel"}, {"dense", "ours-dense"},
                  {"wide", "ours-wide"}, {"tiled", "ours-tiled"}, {"window", "ours-window"},
                  {"bcsr", "ours-bcsr"}};
    const int is_small = of->rows <= FAMILIES_SIDE_MAX && of->cols <= FAMILIES_SIDE_MAX;
    for (size_t i = 0; i < (is_small ? sizeof forced / sizeof *forced : 1); i++) {
        struct method method = method_ours[0];
        struct method_case by_family = *of;
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag = {.status = SPMM_OK};
        double ms = 0;
        method.name = forced[i].method;
        if (inspect_for(problem, of->b->cols, forced[i].family, &plan, &ms, &diag) == SPMM_OK) {
            by_family.plan = plan;
            run_method(&method, &by_family, problem, site, ms, is_shown);
        } else {
            (void)fprintf(stderr, PROGRAM ": %s: %s\n", method.name, diag.text);
        }
        spmm_plan_destroy(plan);
    }
}

/* Measures all kernels of GiMMiK for the case. The reader of the rows selects the fastest. */
static void run_gimmik(const struct method_case *of, const struct problem *problem, struct bench_site *site,
                       double inspect_ms, int is_shown)
{
    const int count = method_gimmik_count(of);
    for (int i = 0; i < count; i++) {
        const struct method method = method_gimmik(i);
        run_method(&method, of, problem, site, inspect_ms, is_shown);
    }
    if (count == 0 && is_shown && method_gimmik_is_open())
        (void)fprintf(stderr, PROGRAM ": gimmik: it has no kernel for %s:%lld\n", of->name,
                      (long long)of->b->cols);
}

static spmm_status_t run_n(const struct problem *problem, int64_t n, struct bench_site *site, int is_shown,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *plan = NULL;
    double inspect_ms = 0;
    const spmm_dtype_t dtype = (spmm_dtype_t)args.dtype;
    TRY(inspect_for(problem, n, NULL, &plan, &inspect_ms, diag));
    TRY(bench_site_problem(site, &problem->a, dtype, dtype, n, diag));
    TRY(bench_site_case(site, SPMM_ROW_MAJOR, n, 1, diag));
    const struct method_case of = {.plan = plan,
                                   .name = problem->name,
                                   .dtype = dtype,
                                   .rows = problem->a.rows,
                                   .cols = problem->a.cols,
                                   .nnz = problem->a.nnz,
                                   .row_ptr = problem->row_ptr,
                                   .col_ind = problem->a.col_ind,
                                   .values = problem->values,
                                   .b = &site->b_view,
                                   .c = &site->c_view};
    for (int i = 0; method_at(i) != NULL; i++)
        run_method(method_at(i), &of, problem, site, inspect_ms, is_shown);
    if (!args.counts_calls)
        run_families(&of, problem, site, is_shown);
    run_cublas(&of, problem, site, inspect_ms, is_shown);
    run_gimmik(&of, problem, site, inspect_ms, is_shown);
cleanup:
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t run_case(const char *text, struct bench_site *site, int is_shown, spmm_diag_t *diag)
{
    struct problem problem = {0};
    spmm_status_t status = SPMM_OK;
    TRY(problem_make(text, (spmm_dtype_t)args.dtype, &problem, diag));
    for (int i = 0; i < problem.n_count; i++)
        TRY(run_n(&problem, problem.n[i], site, is_shown, diag));
cleanup:
    problem_free(&problem);
    return status;
}

static spmm_status_t write_case(const char *text, spmm_diag_t *diag)
{
    struct problem problem = {0};
    spmm_status_t status = SPMM_OK;
    TRY(problem_make(text, (spmm_dtype_t)args.dtype, &problem, diag));
    TRY(problem_write(&problem, args.matrices, diag));
cleanup:
    problem_free(&problem);
    return status;
}

/* Runs the first case without output, because it loads libraries, kernels and the compiler. */
static spmm_status_t start(struct bench_site *site, spmm_diag_t *diag)
{
    const struct timing_rule rule = {.repeats = (int)args.repeat,
                                     .repeats_slow = (int)args.repeat,
                                     .repeats_min = 3,
                                     .slow_ms = 1e9,
                                     .max_seconds = 2 * args.max_seconds,
                                     .is_cold_only = 1};
    spmm_status_t status = SPMM_OK;
    TRY(gpu_require(0, diag));
    TRY(gpu_select(0, diag));
    TRY(bench_site_create(0, 0, &rule, site, diag));
    TRY(method_peers_open(diag));
    TRY(method_cublas_open(diag));
    if (args.counts_calls)
        TRY(api_calls_open(args.cupti, diag));
    TRY(run_case("48:20:64", site, 0, diag));
cleanup:
    return status;
}

static void run_cases(const struct cli_operands *operands, struct bench_site *site)
{
    for (int i = 0; i < operands->count; i++) {
        spmm_diag_t diag = {.status = SPMM_OK};
        const char *const text = operands->list[i];
        const spmm_status_t status =
            args.matrices != NULL ? write_case(text, &diag) : run_case(text, site, 1, &diag);
        if (status != SPMM_OK)
            exit_status = exit_failure(PROGRAM, text, status, &diag);
    }
}

/* Opens the kernels of GiMMiK. Without them, the other methods are measured. */
static void open_gimmik(void)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    if (args.gimmik != NULL && method_gimmik_open(args.gimmik, (spmm_dtype_t)args.dtype, &diag) != SPMM_OK)
        (void)fprintf(stderr, PROGRAM ": gimmik is not measured: %s\n", diag.text);
}

static void measure(const struct cli_operands *operands)
{
    struct bench_site site = {.device = 0};
    spmm_diag_t diag = {.status = SPMM_OK};
    const spmm_status_t started = start(&site, &diag);
    if (started == SPMM_OK) {
        open_gimmik();
        print_header();
        run_cases(operands, &site);
    } else {
        exit_status = exit_failure(PROGRAM, NULL, started, &diag);
    }
    api_calls_close();
    method_gimmik_close();
    method_cublas_close();
    method_peers_close();
    if (started == SPMM_OK)
        bench_site_destroy(&site);
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    char dtype_help[LISTED_HELP_BYTES];
    listed_dtypes("", dtypes, dtype_help);
    const enum cli_result result = cli_parse(&program, argc, argv, &operands);
    if (result != CLI_RUN)
        return result == CLI_DONE ? EXIT_DONE : EXIT_USAGE;
    if (args.matrices != NULL)
        run_cases(&operands, NULL);
    else
        measure(&operands);
    return exit_status != EXIT_DONE ? exit_status : exit_flush(PROGRAM);
}
