/* SPDX-License-Identifier: Apache-2.0 */
/* Device tables that are damaged after all checks. No kernel may read or write outside of the plan's
 * arrays, B, C and the workspace, and each kernel ends (docs/decisions/0037). Results may be wrong.
 *
 *   test_cuda_hostile [--plain] [--uncovered] [--shard K/N]
 *
 * Each case runs in a child process, so that a fault or a hang is one finding. B, C and the workspace end
 * at unmapped memory. Accesses outside of the plan's own arrays are visible only under memcheck: --plain
 * uses ordinary allocations, which memcheck checks. --uncovered: includes the tables whose entries kernels
 * use without a check. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "guarded.h"
#include "hostile_tables.h"
#include "tests/support/edges.h"

#define MATRIX "dense row among empty ones"
#define CASE_SECONDS \
    60 /* A case takes milliseconds, or a second under memcheck; the first one loads the driver. */

/* Tables whose entries kernels use without a check: slots of the tiled family, with which its inner loop
 * reads shared memory. */
static const char *const uncovered[] = {"to->local"};
#define UNCOVERED_COUNT (sizeof uncovered / sizeof uncovered[0])
#define LEFT_OUT "local slots of tiled left out" /* describes `uncovered`; also in tests/gpu/sanitize */
/* The leading dimension of aligned columns is a multiple of this number of values. */
#define ALIGNED 16
/* Least number of cases in a whole run; fewer cases mean that tables were not noted. */
#define CASES_MIN 100

static struct {
    int is_plain, with_uncovered, shard, shards, from;
    int is_child;
} settings = {.shards = 1};

/* ---- A case, in the child ---- */

static struct test_guarded guarded_copy(const void *bytes, size_t count)
{
    struct test_guarded memory = test_guarded_make(count, settings.is_plain);
    TEST_CUDA(cudaMemcpy(memory.data, bytes, count, cudaMemcpyHostToDevice));
    return memory;
}

static size_t view_bytes(const spmm_dense_t *view)
{
    const int64_t lines = view->layout == SPMM_ROW_MAJOR ? view->rows : view->cols;
    return (size_t)(lines * view->ld) * spmm_dtype_size(view->type);
}

/* Runs a product and ignores its status, as launches may be refused. Checks afterwards that nothing around
 * B, C and the workspace has changed. */
static void product_run(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        const struct test_product *product, int is_nan)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    if (is_nan) /* kernels then compute sums again, for which they read other tables */
        test_dense_set(&b, 0, 0, (double)__builtin_nanf(""));
    struct test_guarded memory_b = guarded_copy(b.view.data, view_bytes(&b.view));
    struct test_guarded memory_c = guarded_copy(c.view.data, view_bytes(&c.view));
    spmm_dense_t view_b = b.view, view_c = c.view;
    view_b.data = memory_b.data;
    view_c.data = memory_c.data;
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(executor, product->op, &view_b, &view_c, &bytes, NULL),
                     SPMM_OK);
    struct test_guarded workspace = test_guarded_make(bytes, settings.is_plain);
    (void)spmm_execute(executor, product->op, spmm_real(product->alpha), &view_b, spmm_real(product->beta),
                       &view_c, workspace.data, bytes, NULL, NULL);
    TEST_CUDA(cudaDeviceSynchronize());
    assert_int_equal(test_guarded_changed(&memory_b), 0);
    assert_int_equal(test_guarded_changed(&memory_c), 0);
    assert_int_equal(test_guarded_changed(&workspace), 0);
    test_guarded_free(&workspace);
    test_guarded_free(&memory_c);
    test_guarded_free(&memory_b);
    test_dense_free(&c);
    test_dense_free(&b);
}

static void products_run(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                         spmm_op_t op)
{
    static const struct {
        int64_t n, layouts;
        int is_aligned; /* whether the columns of B and C are aligned */
        double beta;
    } cases[] = {{1, 0, 0, 0},   {8, 0, 0, 1},  {64, 0, 0, 0}, {33, 0, 0, 1},  {130, 0, 0, 0},
                 {40, 3, 0, 1},  {40, 3, 1, 0}, {2, 0, 0, 1},  {4, 0, 0, 0},   {7, 0, 0, 1},
                 {130, 3, 1, 0}, {72, 3, 0, 1}, {72, 3, 1, 1}, {136, 0, 0, 1}, {24, 3, 0, 1}};
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        struct test_product product = test_cuda_plain(cases[i].n, (int)cases[i].layouts);
        const int64_t b_rows = op == SPMM_OP_N ? a->cols : a->rows, c_rows = a->rows + a->cols - b_rows;
        product.op = op;
        product.beta = cases[i].beta;
        if (cases[i].is_aligned) {
            product.b_gap = (ALIGNED - b_rows % ALIGNED) % ALIGNED;
            product.c_gap = (ALIGNED - c_rows % ALIGNED) % ALIGNED;
        }
        product_run(executor, a, dtype, &product, i > 1);
    }
}

static spmm_executor_t *executor_make(const struct test_hostile_plan *of, const struct test_matrix *a,
                                      struct test_tables *tables)
{
    spmm_plan_t *plan = test_hostile_plan(of, a);
    spmm_executor_t *executor = test_hostile_executor(plan, of->kernel, tables);
    spmm_plan_destroy(plan);
    return executor;
}

static void case_run(const struct test_hostile_plan *of, const struct test_matrix *a, int table,
                     uint32_t field, enum test_damage damage)
{
    struct test_tables tables;
    spmm_executor_t *executor = executor_make(of, a, &tables);
    void *values = test_values_of(a, of->dtype);
    test_table_damage(&tables.list[table], field, damage);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    products_run(executor, a, of->dtype, of->op);
    spmm_executor_destroy(executor);
    free(values);
}

static int is_covered(const struct test_table *table)
{
    for (size_t i = 0; i < UNCOVERED_COUNT; i++)
        if (strcmp(table->name, uncovered[i]) == 0)
            return settings.with_uncovered;
    return 1;
}

/* Runs the cases of a table. *number counts all cases of all plans. */
static void cases_of_table(const struct test_hostile_plan *of, const struct test_matrix *a,
                           const struct test_tables *tables, int table, int *number)
{
    const struct test_table *t = &tables->list[table];
    for (uint32_t field = 0; field < t->fields; field++)
        for (int damage = 0; damage < TEST_DAMAGES; damage++, ++*number) {
            if (*number < settings.from || *number % settings.shards != settings.shard || !is_covered(t))
                continue;
            printf("case %d %s/%s %s %s[%u] = %s\n", *number, spmmi_family_of(of->family)->name,
                   spmm_schedule_name(of->schedule), spmm_dtype_name(of->dtype), t->name, field,
                   test_damage_names[damage]);
            (void)fflush(stdout);
            case_run(of, a, table, field, (enum test_damage)damage);
        }
}

static struct test_matrix *matrix_make(void)
{
    for (int m = 0; m < TEST_EDGES; m++) {
        struct test_matrix *a = test_edge_make(m, TEST_VALUES_REAL);
        if (strcmp(a->name, MATRIX) == 0)
            return a;
        test_matrix_free(a);
    }
    abort();
}

static void all_cases(void **state)
{
    (void)state;
    struct test_matrix *a = matrix_make();
    int number = 0;
    for (int p = 0; p < TEST_HOSTILE_PLANS; p++) {
        struct test_tables tables;
        spmm_executor_destroy(executor_make(&test_hostile_plans[p], a, &tables));
        for (int table = 0; table < tables.count; table++)
            cases_of_table(&test_hostile_plans[p], a, &tables, table, &number);
    }
    puts("end");
    test_matrix_free(a);
}

/* ---- The parent ---- */

struct child {
    pid_t id;
    FILE *output;
};

static struct child child_start(char **argv)
{
    static char from[16], shard[32];
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    (void)snprintf(from, sizeof from, "%d", settings.from);
    (void)snprintf(shard, sizeof shard, "%d/%d", settings.shard, settings.shards);
    char *const arguments[] = {argv[0],
                               "--child",
                               from,
                               "--shard",
                               shard,
                               settings.is_plain ? "--plain" : "--guarded",
                               settings.with_uncovered ? "--uncovered" : "--covered",
                               NULL};
    const pid_t id = fork();
    if (id == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)execv("/proc/self/exe", arguments);
        _exit(127);
    }
    (void)close(ends[1]);
    return (struct child){id, fdopen(ends[0], "r")};
}

/* Reads a line of the child. Returns 0 if the child ended, or printed nothing for CASE_SECONDS. The pipe
 * is read without buffering, so that poll sees every line. */
static int line_read(const struct child *child, char *line, int size)
{
    struct pollfd wait = {.fd = fileno(child->output), .events = POLLIN};
    if (poll(&wait, 1, 1000 * CASE_SECONDS) <= 0) {
        puts("HANG: a case did not end");
        (void)kill(child->id, SIGKILL);
        return 0;
    }
    for (int i = 0; i + 1 < size; i++) {
        if (read(wait.fd, &line[i], 1) != 1)
            return 0;
        if (line[i] == '\n') {
            line[i] = '\0';
            return 1;
        }
    }
    return 0;
}

/* Starts children until one reaches the last case. Returns the number of findings. *cases: number of cases
 * that began. */
static int run_children(char **argv, int *cases)
{
    int findings = 0, is_end = 0;
    while (!is_end) {
        char line[200], last[200] = "before the first case";
        struct child child = child_start(argv);
        int status = 0;
        settings.from = -1;
        /* Reads up to the end of the output: the child may still print after its last case. */
        while (line_read(&child, line, sizeof line)) {
            is_end |= strcmp(line, "end") == 0;
            if (sscanf(line, "case %d", &settings.from) == 1) {
                ++*cases;
                strcpy(last, line);
            }
        }
        (void)fclose(child.output);
        (void)waitpid(child.id, &status, 0);
        if (is_end && status == 0)
            break;
        findings++;
        printf("FINDING (status 0x%x): %s\n", (unsigned)status, last);
        if (settings.from++ < 0)
            break; /* the child never began a case */
    }
    return findings;
}

/* Returns false if a run without shards had too few cases to be meaningful. A shard may have none. */
static int is_enough(int cases)
{
    if (settings.shards == 1 && cases < CASES_MIN) {
        printf("FINDING: %d cases, expected %d or more: are tables noted?\n", cases, CASES_MIN);
        return 0;
    }
    return 1;
}

/* Prints the scorecard line of a run without --plain. tests/gpu/sanitize prints the line of memcheck. */
static void scorecard_print(int cases)
{
    if (settings.shards == 1 && !settings.is_plain)
        printf("scorecard: E15 %d cases of damaged GPU tables%s, 0 accesses out of bounds, 0 hangs\n", cases,
               settings.with_uncovered ? "" : " (" LEFT_OUT ")");
}

static int settings_read(int argc, char **argv)
{
    int is_good = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--child") == 0 && i + 1 < argc) {
            settings.is_child = 1;
            settings.from = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--shard") == 0 && i + 1 < argc) {
            is_good &= sscanf(argv[++i], "%d/%d", &settings.shard, &settings.shards) == 2 &&
                       settings.shard >= 0 && settings.shard < settings.shards;
        } else if (strcmp(argv[i], "--plain") == 0) {
            settings.is_plain = 1;
        } else if (strcmp(argv[i], "--uncovered") == 0) {
            settings.with_uncovered = 1;
        } else if (strcmp(argv[i], "--guarded") != 0 && strcmp(argv[i], "--covered") != 0) {
            is_good = 0;
        }
    }
    return is_good;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    int cases = 0;
    if (!settings_read(argc, argv)) {
        fprintf(stderr, "usage: test_cuda_hostile [--plain] [--uncovered] [--shard K/N]\n");
        return 2;
    }
    if (settings.is_child)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if (!test_cuda_begin(1, argv))
        return TEST_SKIPPED;
    const int findings = run_children(argv, &cases), is_good = is_enough(cases) && findings == 0;
    for (size_t i = 0; i < UNCOVERED_COUNT && !settings.with_uncovered; i++)
        printf("not covered: %s\n", uncovered[i]);
    printf("%d cases of damaged tables, %d findings\n", cases, findings);
    if (is_good)
        scorecard_print(cases);
    return !is_good;
}
