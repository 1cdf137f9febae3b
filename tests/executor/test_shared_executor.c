/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share executors on the CPU, and threads that make their own executors of one plan and of one
 * file. Every product has the bits of a serial one. Each thread has its own B, C and workspace. Also runs
 * under ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "tests/support/family_cases.h"
#include "tests/support/products.h"

#define THREADS 4
#define ROUNDS 6
#define WORKSPACE_ALIGN 256

static const struct test_product products[] = {
    {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL},
    {.op = SPMM_OP_T, .n = 40, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL},
    {.n = 24, .b_layout = SPMM_COL_MAJOR, .c_layout = SPMM_COL_MAJOR, .alpha = 1, .values = TEST_VALUES_REAL},
};
#define PRODUCTS (sizeof products / sizeof products[0])
#define JOBS (TEST_FAMILY_CASES * PRODUCTS)

/* One product and its serial result. Threads only read them. */
struct job {
    spmm_executor_t *executor;
    const spmm_plan_t *plan;
    const char *path;
    struct test_product product;
    struct test_dense b, c, want;
};

static void *workspace_make(uint64_t bytes)
{
    const size_t size = ((size_t)bytes / WORKSPACE_ALIGN + 1) * WORKSPACE_ALIGN;
    void *workspace = aligned_alloc(WORKSPACE_ALIGN, size);
    if (workspace != NULL)
        memset(workspace, 0xff, size);
    return workspace;
}

/* Runs the job on an executor. Returns 1 if every call succeeded and C is right. cmocka's asserts are only
 * for the main thread. */
static int job_runs(const struct job *job, spmm_executor_t *executor)
{
    const struct test_product *p = &job->product;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    struct test_dense b = test_dense_copy(&job->b), c = test_dense_copy(&job->c);
    uint64_t bytes = 0;
    int is_good = spmm_executor_workspace_bytes(executor, p->op, &b.view, &c.view, &bytes, NULL) == SPMM_OK;
    void *workspace = workspace_make(bytes);
    is_good &= workspace != NULL;
    is_good &= spmm_executor_info(executor, p->op, &b.view, &c.view, &info, NULL) == SPMM_OK;
    is_good &= spmm_execute(executor, p->op, spmm_real(p->alpha), &b.view, spmm_real(p->beta), &c.view,
                            workspace, bytes, NULL, NULL) == SPMM_OK;
    is_good &= memcmp(c.block, job->want.block, c.block_bytes) == 0;
    free(workspace);
    test_dense_free(&b);
    test_dense_free(&c);
    return is_good;
}

struct worker {
    pthread_t thread;
    const struct job *jobs;
    size_t first; /* index of its first job */
    int failures;
};

static void *share(void *context)
{
    struct worker *w = context;
    for (size_t i = 0; i < ROUNDS * JOBS; i++) {
        const struct job *job = &w->jobs[(w->first + i) % JOBS];
        w->failures += !job_runs(job, job->executor);
    }
    return NULL;
}

/* Makes executors of a plan that other threads use at the same time, and of a plan loaded from a file. */
static void *make_own(void *context)
{
    struct worker *w = context;
    const spmm_load_options_t loading = {sizeof loading, 0, 1};
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    for (size_t i = 0; i < 2 * JOBS; i++) {
        const struct job *job = &w->jobs[(w->first + i) % JOBS];
        spmm_executor_t *executor = NULL;
        spmm_plan_t *loaded = NULL;
        options.threads = 1 + (int)(i % 2);
        if (i % 2 == 0)
            w->failures += spmm_plan_load(job->path, &loading, &loaded, NULL) != SPMM_OK;
        w->failures += spmm_executor_create(loaded != NULL ? loaded : job->plan, SPMM_DEVICE_CPU, &options,
                                            &executor, NULL) != SPMM_OK;
        spmm_plan_destroy(loaded);
        w->failures += executor == NULL || !job_runs(job, executor);
        spmm_executor_destroy(executor);
    }
    return NULL;
}

/* Makes all jobs of a case: the file of its plan, an executor, operands and serial results. */
static void jobs_make(const struct test_family_case *s, int threads, char *path, struct job jobs[PRODUCTS])
{
    struct test_matrix *a = test_matrix_named(s->matrix, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_family_plan(s, a);
    spmm_executor_t *serial = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, threads, NULL);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    for (size_t i = 0; i < PRODUCTS; i++) {
        struct job *job = &jobs[i];
        *job =
            (struct job){executor, plan, path, products[i], {{0}, NULL, 0}, {{0}, NULL, 0}, {{0}, NULL, 0}};
        job->b = test_product_b(a, s->options.dtype, &job->product);
        job->c = test_product_c(a, s->options.dtype, &job->product);
        job->want = test_dense_copy(&job->c);
        test_product_run(serial, &job->product, &job->b, &job->want);
    }
    spmm_executor_destroy(serial);
    test_matrix_free(a);
}

static void jobs_free(struct job jobs[PRODUCTS])
{
    for (size_t i = 0; i < PRODUCTS; i++) {
        test_dense_free(&jobs[i].b);
        test_dense_free(&jobs[i].c);
        test_dense_free(&jobs[i].want);
    }
    (void)unlink(jobs->path);
    spmm_executor_destroy(jobs->executor);
    spmm_plan_destroy((spmm_plan_t *)(uintptr_t)jobs->plan);
}

/* Runs all jobs on several threads: half of them run `one`, the others `other`. threads: of the shared
 * executors. */
static void run_threads(int threads, void *(*one)(void *), void *(*other)(void *))
{
    static struct job jobs[JOBS];
    static char paths[TEST_FAMILY_CASES][64];
    struct worker workers[THREADS];
    for (size_t s = 0; s < TEST_FAMILY_CASES; s++) {
        strcpy(paths[s], "/tmp/spmm-shared-XXXXXX");
        jobs_make(&test_family_cases[s], threads, paths[s], &jobs[s * PRODUCTS]);
    }
    const int64_t live = spmmi_alloc_live();
    for (size_t t = 0; t < THREADS; t++) {
        workers[t] = (struct worker){.jobs = jobs, .first = t * (JOBS / THREADS / 2)};
        assert_int_equal(pthread_create(&workers[t].thread, NULL, t < THREADS / 2 ? one : other, &workers[t]),
                         0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
        assert_int_equal(workers[t].failures, 0);
    }
    assert_int_equal(spmmi_alloc_live(), live);
    for (size_t s = 0; s < TEST_FAMILY_CASES; s++)
        jobs_free(&jobs[s * PRODUCTS]);
}

static void threads_share_serial_executors(void **state)
{
    (void)state;
    run_threads(1, share, share);
}

static void threads_share_executors_with_teams(void **state)
{
    (void)state;
    run_threads(2, share, share);
}

static void threads_make_their_own_while_others_run(void **state)
{
    (void)state;
    run_threads(2, make_own, share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_serial_executors),
        cmocka_unit_test(threads_share_executors_with_teams),
        cmocka_unit_test(threads_make_their_own_while_others_run),
    };
    return cmocka_run_group_tests_name("shared_executor", tests, NULL, NULL);
}
