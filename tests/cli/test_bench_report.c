/* SPDX-License-Identifier: Apache-2.0 */
/* Which peers of spmm-bench are compared with which kernels, by the rows of the CSV file; the bound of a
 * product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/bench/bench_bound.h"
#include "tools/bench/bench_csv.h"
#include "tools/bench/bench_report.h"

static struct bench_result result(const char *name, spmm_compute_t compute, double ms, double error_ratio)
{
    struct bench_result made = {
        .arithmetic = {compute, 0}, .error_ratio = error_ratio, .ms_cold = ms, .ms_warm = ms};
    snprintf(made.name, sizeof made.name, "%s", name);
    return made;
}

/* Reports one case and reads the rows below the header. */
static void rows_of(const struct ours_result *ours, int ours_count, const struct bench_result *peers,
                    int peers_count, double bound_us, char *text, size_t size)
{
    const struct ours_info info = {.inspect_s = 0.5, .plan_bytes = 7, .device_name = "here"};
    const struct bench_case done = {.matrix = "m",
                                    .rows = 2,
                                    .cols = 2,
                                    .nnz = 4,
                                    .n = 8,
                                    .layout = SPMM_ROW_MAJOR,
                                    .dtype = SPMM_F32,
                                    .b_type = SPMM_F16,
                                    .c_type = SPMM_BF16,
                                    .has_unit_values = 1,
                                    .op = SPMM_OP_N,
                                    .bound_us = bound_us,
                                    .info = &info,
                                    .ours = ours,
                                    .ours_count = ours_count,
                                    .peers = peers,
                                    .peers_count = peers_count};
    char path[] = "/tmp/spmm_bench_report_XXXXXX";
    struct bench_report report = {.date = "d", .commit = "c", .is_short = 1};
    spmm_diag_t diag;
    const int created = mkstemp(path);
    assert_true(created >= 0);
    assert_int_equal(close(created), 0);
    assert_int_equal(bench_csv_open(&report.csv, path, &diag), SPMM_OK);
    assert_int_equal(bench_report_case(&report, &done, &diag), SPMM_OK);
    assert_int_equal(bench_report_close(&report, &diag), SPMM_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, (int)size, file)); /* the header */
    text[fread(text, 1, size - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
}

static void a_peer_that_rounds_to_tf32_rivals_tf32_kernels_only(void **state)
{
    const struct ours_result ours[] = {
        {.result = result("k/f32", SPMM_COMPUTE_F32, 4, 0.5), .family = "rows", .is_chosen = 1},
        {.result = result("k/3xtf32", SPMM_COMPUTE_3XTF32, 2, 0.5), .family = "window", .ms_set_values = 3},
        {.result = result("k/tf32", SPMM_COMPUTE_TF32, 1, 0.5), .family = "window"}};
    const struct bench_result peers[] = {result("lib-slow", SPMM_COMPUTE_F32, 8, 0.5),
                                         result("lib-wrong", SPMM_COMPUTE_F32, 1, 1.5),
                                         result("lib-tf32", SPMM_COMPUTE_TF32, 6, 0.5)};
    char text[2000];
    (void)state;
    rows_of(ours, 3, peers, 3, 0, text, sizeof text);
    assert_string_equal(text,
                        "d,c,here,m,2,2,4,8,row,f32,N,rows,k/"
                        "f32,1,4,4,1.6e-05,0.5,lib-slow,8,8,2,0.5,7,f32,,8,,,f16,bf16,1,,,,\n"
                        "d,c,here,m,2,2,4,8,row,f32,N,window,k/3xtf32,0,2,2,3.2e-05,0.5,lib-slow,8,8,4,0.5,7,"
                        "3xtf32,3,8,,,f16,bf16,1,,,,\n"
                        "d,c,here,m,2,2,4,8,row,f32,N,window,k/tf32,0,1,1,6.4e-05,0.5,lib-tf32,6,6,6,0.5,7,"
                        "tf32,,6,,,f16,bf16,1,,,,\n");
}

static void each_library_has_its_row_and_the_first_one_is_last(void **state)
{
    const struct ours_result ours[] = {
        {.result = result("k", SPMM_COMPUTE_F32, 2, 0.5), .family = "rows", .is_chosen = 1}};
    struct bench_result peers[] = {
        result("a-one", SPMM_COMPUTE_F32, 6, 0.5), result("a-two", SPMM_COMPUTE_F32, 4, 0.5),
        result("ab-dense", SPMM_COMPUTE_F32, 1, 0.5), result("ab-tf32", SPMM_COMPUTE_TF32, 0.5, 0.5)};
    char text[2000];
    (void)state;
    peers[0].ms_warm = 3; /* not the best cold time, but the best warm time */
    rows_of(ours, 1, peers, 4, 1500, text, sizeof text);
    assert_string_equal(text,
                        "d,c,here,m,2,2,4,8,row,f32,N,rows,k,1,2,2,3.2e-05,0.5,ab-dense,1,1,0.5,0.5,7,f32,"
                        ",1,1500,0.75,f16,bf16,1,,,,\n"
                        "d,c,here,m,2,2,4,8,row,f32,N,rows,k,1,2,2,3.2e-05,0.5,a-two,4,4,2,0.5,7,f32,"
                        ",3,1500,0.75,f16,bf16,1,,,,\n");
}

static void a_kernel_without_a_rival_has_a_row_without_a_peer(void **state)
{
    const struct ours_result ours[] = {
        {.result = result("k", SPMM_COMPUTE_F32, 2, 0.5), .family = "rows", .is_chosen = 1}};
    const struct bench_result peers[] = {result("a-tf32", SPMM_COMPUTE_TF32, 1, 0.5)};
    char text[2000];
    (void)state;
    rows_of(ours, 1, peers, 1, 0, text, sizeof text);
    assert_string_equal(
        text, "d,c,here,m,2,2,4,8,row,f32,N,rows,k,1,2,2,3.2e-05,0.5,,,,,0.5,7,f32,,,,,f16,bf16,1,,,,\n");
}

/* Each kernel is compared with the memory of its own peer. */
static void memory_stands_beside_that_of_the_peer(void **state)
{
    struct ours_result ours[] = {
        {.result = result("k", SPMM_COMPUTE_F32, 2, 0.5), .family = "rows", .is_chosen = 1}};
    struct bench_result peers[] = {result("a-one", SPMM_COMPUTE_F32, 6, 0.5),
                                   result("b-two", SPMM_COMPUTE_F32, 4, 0.5)};
    struct bench_memory nothing = {0, 5};
    char text[2000];
    (void)state;
    ours[0].result.memory = (struct bench_memory){5000000000, 0};
    peers[1].memory = (struct bench_memory){9000000000, 1000000000};
    rows_of(ours, 1, peers, 2, 0, text, sizeof text);
    assert_string_equal(text, "d,c,here,m,2,2,4,8,row,f32,N,rows,k,1,2,2,3.2e-05,0.5,b-two,4,4,2,0.5,7,f32,"
                              ",4,,,f16,bf16,1,5000000000,0,9000000000,1000000000\n"
                              "d,c,here,m,2,2,4,8,row,f32,N,rows,k,1,2,2,3.2e-05,0.5,a-one,6,6,3,0.5,7,f32,"
                              ",6,,,f16,bf16,1,5000000000,0,,\n");
    assert_float_equal(bench_memory_ratio(&peers[1].memory, &ours[0].result.memory), 2, 0);
    assert_float_equal(bench_memory_ratio(&nothing, &ours[0].result.memory), 0, 0);
    assert_float_equal(bench_memory_ratio(&ours[0].result.memory, &nothing), 0, 0);
}

struct lines {
    double memory[8];
    int count;
};

static void keep_line(void *context, const struct summary_line *line)
{
    struct lines *lines = context;
    lines->memory[lines->count++] = line->memory;
}

static void the_mean_of_memory_is_of_cases_that_know_it(void **state)
{
    struct bench_summary summary = {0};
    struct lines lines = {.count = 0};
    struct summary_row row = {SPMM_F32, SPMM_ROW_MAJOR, SPMM_OP_N, 8, 2, 1.5, 0};
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(bench_summary_add(&summary, &row, &diag), SPMM_OK);
    row.n = 16;
    for (row.ratio_memory = 2; row.ratio_memory <= 8; row.ratio_memory *= 4)
        assert_int_equal(bench_summary_add(&summary, &row, &diag), SPMM_OK);
    bench_summary_each(&summary, keep_line, &lines);
    assert_int_equal(lines.count, 4); /* n = 8, n = 16, all n, all */
    assert_float_equal(lines.memory[0], 0, 0);
    for (int i = 1; i < lines.count; i++)
        assert_float_equal(lines.memory[i], 4, 1e-12);
    bench_summary_free(&summary);
}

/* The matrix has 3 rows and 5 entries in 2 of its 4 columns. */
static void the_bound_is_bytes_or_gathers_and_a_start(void **state)
{
    static const struct bound_rates rates = {2.0, 8.0}; /* bytes per nanosecond */
    int64_t row_ptr[] = {0, 2, 3, 5};
    int32_t col_ind[] = {0, 3, 3, 0, 3};
    const struct host_csr a = {3, 4, 5, SPMM_F64, row_ptr, col_ind, NULL};
    const struct bound_matrix with_values = bench_bound_matrix(&a, 1);
    const struct bound_matrix pattern = bench_bound_matrix(&a, 0);
    (void)state;
    assert_int_equal(with_values.used_cols, 2);
    assert_true(bench_bound_rates("CPU") == NULL);
    assert_float_equal(bench_bound_rates("NVIDIA H200")->copy, 4250, 0);
    assert_float_equal(bench_bound_rates("NVIDIA H200")->gather, 8800, 0);
    assert_float_equal(bench_bound_rates("NVIDIA H100 80GB HBM3")->copy, 3000, 0);
    assert_float_equal(bench_bound_rates("NVIDIA H100 80GB HBM3")->gather, 8400, 0);
    assert_true(bench_bound_rates("NVIDIA H100 PCIe") == NULL); /* another type of memory */
    /* Bytes: A 5 * 12 + 4 * 4, B 2 * 10 * 8, C 3 * 10 * 4: 356 bytes take 178 ns at 2 bytes/ns.
     * Gathers: 5 * 10 * 8 bytes take 50 ns at 8 bytes/ns. */
    assert_float_equal(bench_bound_us(&rates, &with_values, 10, 8, 4), 2.678, 1e-9);
    assert_float_equal(bench_bound_us(&rates, &pattern, 10, 8, 4), 2.658, 1e-9);
    /* Gathers count if they take longer: 400 bytes take 800 ns at 0.5 bytes/ns. */
    assert_float_equal(bench_bound_us(&(struct bound_rates){2.0, 0.5}, &with_values, 10, 8, 4), 3.3, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_rounds_to_tf32_rivals_tf32_kernels_only),
        cmocka_unit_test(each_library_has_its_row_and_the_first_one_is_last),
        cmocka_unit_test(a_kernel_without_a_rival_has_a_row_without_a_peer),
        cmocka_unit_test(memory_stands_beside_that_of_the_peer),
        cmocka_unit_test(the_mean_of_memory_is_of_cases_that_know_it),
        cmocka_unit_test(the_bound_is_bytes_or_gathers_and_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
