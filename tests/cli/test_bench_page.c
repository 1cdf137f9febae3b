/* SPDX-License-Identifier: Apache-2.0 */
/* The page of spmm-bench: bars with the bound, names, failures, and a file that is complete or does not
 * exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/bench/bench_page.h"

#define TEXT_BYTES 60000

static struct bench_result result(const char *name, double ms, double error_ratio)
{
    struct bench_result made = {
        .arithmetic = {SPMM_COMPUTE_F32, 0}, .error_ratio = error_ratio, .ms_cold = ms, .ms_warm = ms / 2};
    snprintf(made.name, sizeof made.name, "%s", name);
    return made;
}

/* A folder for the test, and the page in it. */
static char folder[] = "/tmp/spmm_bench_page_XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/page.html", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void read_page(char text[TEXT_BYTES])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_BYTES - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static struct bench_case some_case(const struct ours_info *info, const struct ours_result *ours,
                                   int ours_count, const struct bench_result *peers, int peers_count)
{
    return (struct bench_case){.matrix = "<m>",
                               .rows = 2,
                               .cols = 2,
                               .nnz = 4,
                               .n = 8,
                               .dtype = SPMM_F32,
                               .b_type = SPMM_F16,
                               .c_type = SPMM_BF16,
                               .bound_us = 1500,
                               .info = info,
                               .ours = ours,
                               .ours_count = ours_count,
                               .peers = peers,
                               .peers_count = peers_count};
}

static void measure_all(spmm_status_t status, char *text)
{
    const struct ours_info info = {.device_name = "a & b"};
    const struct ours_result ours[] = {{.result = result("cpu/k/<one>", 2, 0.5), .is_chosen = 1},
                                       {.result = result("cpu/k/two", 5, 0.5)},
                                       {.result = result("cpu/k/wrong", 1, 1.5)}};
    struct bench_result peers[] = {result("lib-fast", 4, 0.5), result("lib-slow", 8, 0.5),
                                   result("lib-out", 0, 0)};
    struct bench_case done = some_case(&info, ours, 3, peers, 3);
    const struct csv_origin origin = {"2000-01-02", "<commit>"};
    struct bench_summary summary = {0};
    struct bench_page page = {0};
    spmm_diag_t diag = {0};
    const struct summary_row row = {SPMM_F32, SPMM_ROW_MAJOR, SPMM_OP_N, 8, 2, 1.5, 0};
    peers[2].status = SPMM_ERR_MEMORY;
    snprintf(peers[2].note, sizeof peers[2].note, "no \"room\"");
    assert_int_equal(bench_summary_add(&summary, &row, &diag), SPMM_OK);
    assert_int_equal(bench_page_open(&page, path, &diag), SPMM_OK);
    bench_page_case(&page, &done);
    done.n = 16;
    done.bound_us = 0;
    bench_page_case(&page, &done);
    bench_page_left_out(&page);
    assert_int_equal(bench_page_close(&page, &origin, &summary, status, &diag), status);
    bench_summary_free(&summary);
    if (text != NULL)
        read_page(text);
}

static void contains(const char *text, const char *part, int times)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    if (count != times)
        print_error("expected %d times, found %d times: %s\n", times, count, part);
    assert_int_equal(count, times);
}

static void bars_are_shares_of_the_slowest_that_is_compared(void **state)
{
    char *text = malloc(TEXT_BYTES);
    (void)state;
    assert_non_null(text);
    measure_all(SPMM_OK, text);
    contains(text, "bar chosen\" style=\"width:50.00%\"", 2);
    contains(text, "bar other\" style=\"width:100.00%\"", 4); /* lib-fast, and lib-slow, whose bar is cut */
    contains(text, "class=\"mark\" style=\"left:37.50%\"", 5);
    contains(text, "the mark is the bound, 1500 us", 1);
    contains(text, "bound / cold 0.75", 1);
    contains(text, "<td>2,000</td>", 4); /* us: the choice cold, and the best peer warm, in two cases */
    free(text);
}

static void names_are_escaped_and_failures_told(void **state)
{
    char *text = malloc(TEXT_BYTES);
    (void)state;
    assert_non_null(text);
    measure_all(SPMM_OK, text);
    contains(text, "<h2>&lt;m&gt;</h2>", 1); /* one section for both cases */
    contains(text, "<dd>a &amp; b</dd>", 1);
    contains(text, "<dd>&lt;commit&gt;</dd>", 1);
    contains(text, "<dd>2000-01-02</dd>", 1);
    contains(text, "cpu/k/&lt;one&gt;</b> chosen", 2);
    contains(text, "failed: no &quot;room&quot;", 2);
    contains(text, "WRONG: the error is 1.5 times its bound", 2);
    contains(text, "f32, B f16, C bf16", 2);
    contains(text, "wrong or failed products</dt><dd>2</dd>", 1);
    contains(text, "matrices not measured</dt><dd>1</dd>", 1);
    contains(text, "f32, row-major, op N, n = 8", 1);
    contains(text, "</html>\n", 1);
    free(text);
}

static void a_run_that_fails_leaves_no_page(void **state)
{
    struct stat about;
    (void)state;
    (void)unlink(path);
    measure_all(SPMM_ERR_IO, NULL);
    assert_int_not_equal(stat(path, &about), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file remains */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_folder_that_is_not_there_is_refused_at_once(void **state)
{
    struct bench_page page = {0};
    spmm_diag_t diag = {0};
    (void)state;
    const spmm_status_t status = bench_page_open(&page, "/nowhere/page.html", &diag);
    assert_int_equal(status, SPMM_ERR_IO);
    assert_true(diag.text[0] != '\0');
    assert_int_equal(
        bench_page_close(&page, &(struct csv_origin){"d", "c"}, &(struct bench_summary){0}, status, &diag),
        SPMM_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_shares_of_the_slowest_that_is_compared),
        cmocka_unit_test(names_are_escaped_and_failures_told),
        cmocka_unit_test(a_run_that_fails_leaves_no_page),
        cmocka_unit_test(a_folder_that_is_not_there_is_refused_at_once),
    };
    return cmocka_run_group_tests_name("bench_page", tests, make_folder, remove_folder);
}
