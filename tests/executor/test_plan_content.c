/* SPDX-License-Identifier: Apache-2.0 */
/* Plans whose content was changed and whose digests and counts were made consistent again. Each plan either
 * is refused with a message or runs as it says. Each check of the loader refuses some of them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/content_check.h"
#include "tests/support/content_matrix.h"
#include "tests/support/content_mutate.h"
#include "tests/support/content_plan.h"
#include "tests/support/content_values.h"
#include "tests/support/scale.h"

#define FILES 10000
#define FILES_OF_A_PLAN 8
#define CALLS 1000
#define HANG_SECONDS 120

/* ---- The current file, saved if the program ends unexpectedly ---- */

static uint64_t seed_now;
static const uint8_t *file_now;
static size_t file_now_bytes;

static void keep_file(void)
{
    FILE *out = file_now == NULL ? NULL : fopen("plan_content_failed.plan", "wb");
    fprintf(stderr, "seed %llu%s\n", (unsigned long long)seed_now,
            out == NULL ? "" : ", its plan is plan_content_failed.plan");
    if (out != NULL) {
        (void)fwrite(file_now, 1, file_now_bytes, out);
        (void)fclose(out);
    }
}

static void on_signal(int number)
{
    keep_file();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void catch_ends(void)
{
    (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
    (void)signal(SIGABRT, on_signal);
    (void)signal(SIGALRM, on_signal);
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(keep_file);
    else
        (void)signal(SIGSEGV, on_signal);
}

/* ---- Which checks refuse ---- */

static struct refusal {
    spmm_status_t status;
    const char *words; /* part of its message; the first row that matches counts */
    uint64_t count;
} refusals[] = {
    {SPMM_ERR_PLAN_ROW_PTR, "spans nonzeros", 0},
    {SPMM_ERR_PLAN_ROW_PTR, "the rows hold", 0},
    {SPMM_ERR_PLAN_ROW_PTR, "entries, at most", 0},
    {SPMM_ERR_PLAN_ROW_PTR, "the rows of the triangle", 0},
    {SPMM_ERR_PLAN_COL_IND, "of the triangle are not ascending", 0},
    {SPMM_ERR_PLAN_COL_IND, "does not make", 0},
    {SPMM_ERR_PLAN_COL_IND, "are not ascending", 0},
    {SPMM_ERR_PLAN_DIGEST, "the pattern does not have", 0},
    {SPMM_ERR_PLAN_DIGEST, "the values do not have", 0},
    {SPMM_ERR_PLAN_STATS, "are not those of the matrix", 0},
    {SPMM_ERR_PLAN_PART, "reserved byte", 0},
    {SPMM_ERR_PLAN_PART, "has op", 0},
    {SPMM_ERR_PLAN_PART, "has family", 0},
    {SPMM_ERR_PLAN_PART, "has item size", 0},
    {SPMM_ERR_PLAN_PART, "has row blocks", 0},
    {SPMM_ERR_PLAN_PART, "has flags", 0},
    {SPMM_ERR_PLAN_PART, "has long rows", 0},
    {SPMM_ERR_PLAN_PART, "needs a feature", 0},
    {SPMM_ERR_PLAN_VARIANT, "reserved byte", 0},
    {SPMM_ERR_PLAN_VARIANT, "has layouts", 0},
    {SPMM_ERR_PLAN_VARIANT, "has target", 0},
    {SPMM_ERR_PLAN_VARIANT, "is for n from", 0},
    {SPMM_ERR_PLAN_VARIANT, "parts from part", 0},
    {SPMM_ERR_PLAN_VARIANT, "have different ops", 0},
    {SPMM_ERR_PLAN_VARIANT, "has compute type", 0},
    {SPMM_ERR_PLAN_VARIANT, "needs a feature", 0},
    {SPMM_ERR_PLAN_TRACE, "reserved byte", 0},
    {SPMM_ERR_PLAN_TRACE, "is about variant", 0},
    {SPMM_ERR_PLAN_TRACE, "has family", 0},
    {SPMM_ERR_PLAN_TRACE, "has choice", 0},
    {SPMM_ERR_PLAN_TRACE, "has compute type", 0},
    {SPMM_ERR_PLAN_TRACE, "is about permutation", 0},
    {SPMM_ERR_PLAN_TRACE, "not finite or a negative time", 0},
    {SPMM_ERR_PLAN_TRACE, "needs a feature", 0},
    {SPMM_ERR_PLAN_ITEMS, "items, expected", 0},
    {SPMM_ERR_PLAN_ITEMS, "which does not hold", 0},
    {SPMM_ERR_PLAN_ITEMS, "items for", 0},
    {SPMM_ERR_PLAN_ITEMS, "spans rows", 0},
    {SPMM_ERR_PLAN_ITEMS, "does not close at", 0},
    {SPMM_ERR_PLAN_ITEMS, "there twice or not of", 0},
    {SPMM_ERR_PLAN_ITEMS, "and its long rows have", 0},
    {SPMM_ERR_PLAN_ITEMS, "the long rows of part", 0},
    {SPMM_ERR_PLAN_ITEMS, "the rows of part", 0},
    {SPMM_ERR_PLAN_ITEMS, "but the part is not reordered", 0},
    {SPMM_ERR_PLAN_ITEMS, "do not have every row once", 0},
    {SPMM_ERR_PLAN_ITEMS, "is split off and has no", 0},
    {SPMM_ERR_PLAN_META, "is not printable", 0},
    {SPMM_ERR_PLAN_META, "holds a zero byte", 0},
    {SPMM_ERR_PLAN_WRITER, "is not printable", 0},
    {SPMM_ERR_PLAN_WRITER, "holds a zero byte", 0},
    {SPMM_ERR_PLAN_METADATA, "do not end", 0},
    {SPMM_ERR_PLAN_METADATA, "invalid key", 0},
    {SPMM_ERR_PLAN_METADATA, "does not follow", 0},
    {SPMM_ERR_PLAN_METADATA, "has no value", 0},
    {SPMM_ERR_PLAN_METADATA, "is empty", 0},
    {SPMM_ERR_PLAN_METADATA, "is not printable", 0},
    {SPMM_ERR_PLAN_ROW_BLOCK_METRICS, "is negative or not finite", 0},
    {SPMM_ERR_PLAN_ROW_BLOCK_METRICS, "that no part can have", 0},
    {SPMM_ERR_PLAN_ROW_BLOCK_METRICS, "larger than the matrix allows", 0},
    {SPMM_ERR_PLAN_ROW_BLOCK_METRICS, "do not make", 0},
    {SPMM_ERR_PLAN_PERMUTATION, "has", 0},
    {SPMM_ERR_PLAN_PERMUTATION_METRICS, "are of op", 0},
    {SPMM_ERR_PLAN_PERMUTATION_METRICS, "larger than the matrix allows", 0},
    {SPMM_ERR_PLAN_DIMS, "", 0},
    {SPMM_ERR_PLAN_HEADER, "", 0},
    {SPMM_ERR_PLAN_FEATURE, "", 0},
    {SPMM_ERR_PLAN_TABLE, "", 0},
    {SPMM_ERR_PLAN_SECTION, "", 0},
    {SPMM_ERR_PLAN_FRAME, "", 0},
    {SPMM_ERR_PLAN_BUDGET, "", 0},
};
#define REFUSALS (sizeof refusals / sizeof refusals[0])

static void refusal_count(const spmm_diag_t *diag)
{
    for (size_t i = 0; i < REFUSALS; i++)
        if (refusals[i].status == diag->status && strstr(diag->text, refusals[i].words) != NULL) {
            refusals[i].count++;
            return;
        }
    TEST_CONTENT_MUST(diag->status == SPMM_OK, "a refusal that no line names: %s: %s",
                      spmm_status_name(diag->status), diag->text);
}

/* ---- The test ---- */

static void file_check(uint64_t seed, struct test_content_tally *tally)
{
    struct test_stream stream = test_stream_of_seed(seed);
    spmm_diag_t diag;
    int is_valid = 0;
    seed_now = seed;
    (void)alarm(HANG_SECONDS);
    uint8_t *file =
        test_content_file(&stream, test_content_plan(seed / FILES_OF_A_PLAN), &file_now_bytes, &is_valid);
    file_now = file;
    const spmm_status_t status = test_content_check(&stream, file, file_now_bytes, tally, &diag);
    TEST_CONTENT_MUST(!is_valid || test_content_may_be(status, file, file_now_bytes),
                      "a plan that nobody changed is refused: %s", diag.text);
    refusal_count(&diag);
    file_now = NULL;
    free(file);
}

static void every_file_runs_or_is_refused(void **state)
{
    struct test_content_tally *tally = *state;
    const uint64_t first =
        getenv("SPMM_TEST_SEED") == NULL ? 0 : strtoull(getenv("SPMM_TEST_SEED"), NULL, 10);
    const uint64_t files = getenv("SPMM_TEST_SEED") == NULL ? scaled(FILES) : 1;
    for (uint64_t seed = first; seed < first + files; seed++)
        file_check(seed, tally);
    (void)alarm(0);
}

/* With fewer than FILES files (SPMM_TEST_SCALE below 1, as in the stages asan and clang), some check may refuse
 * none. */
static void every_check_refuses_some(void **state)
{
    (void)state;
    const int is_whole = getenv("SPMM_TEST_SEED") == NULL && scaled(FILES) >= FILES;
    for (size_t i = 0; i < REFUSALS; i++) {
        printf("%6llu  %s  %s\n", (unsigned long long)refusals[i].count, spmm_status_name(refusals[i].status),
               refusals[i].words);
    }
    (void)fflush(stdout);
    for (size_t i = 0; i < REFUSALS; i++)
        if (refusals[i].count == 0 && is_whole)
            fail_msg("no plan is refused by %s: %s", spmm_status_name(refusals[i].status), refusals[i].words);
}

static void arrays_of_callers_are_taken_or_refused(void **state)
{
    struct test_content_tally *tally = *state;
    uint64_t taken = 0;
    const uint64_t cases = getenv("SPMM_TEST_SEED") == NULL ? scaled(CALLS) : 0;
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct test_stream stream = test_stream_of_seed(seed);
        seed_now = seed;
        (void)alarm(HANG_SECONDS);
        taken += test_content_values(&stream, tally) != 0;
    }
    (void)alarm(0);
    assert_true(cases == 0 || (taken > cases / 2 && taken < cases));
}

/* A new generator needs a row in content_matrix.c. Otherwise a random matrix can take minutes under a
 * sanitizer. */
static void no_generator_makes_a_large_matrix(void **state)
{
    (void)state;
    assert_in_range(test_content_generated_max(), 1, 50000);
}

int main(void)
{
    struct test_content_tally of_files = {.files = 0}, of_calls = {.files = 0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_file_runs_or_is_refused, &of_files),
        cmocka_unit_test(every_check_refuses_some),
        cmocka_unit_test(no_generator_makes_a_large_matrix),
        cmocka_unit_test_prestate(arrays_of_callers_are_taken_or_refused, &of_calls),
    };
    catch_ends();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_content_plans_free();
    if (failed == 0 && of_files.files > 1)
        printf(
            "scorecard: E5 %llu structure-aware plans run, %llu refused, %llu executors made, %llu refused "
            "by their budget, %llu products, %llu left out for the size of B and C, 0 findings; "
            "most memory of an executor %llu bytes, longest plan %.3f s\n",
            (unsigned long long)of_files.files, (unsigned long long)of_files.refused,
            (unsigned long long)of_files.executors, (unsigned long long)of_files.over_budget,
            (unsigned long long)of_files.products, (unsigned long long)of_files.too_large,
            (unsigned long long)of_files.host_max, of_files.seconds_max);
    return failed;
}
