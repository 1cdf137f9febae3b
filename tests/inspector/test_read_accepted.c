/* SPDX-License-Identifier: Apache-2.0 */
/* Checks files that are accepted, and how they are read. test_read_malformed.c has the files that are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/alloc.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define REAL BANNER("coordinate real general")
#define INTEGER BANNER("coordinate integer general")

/* A small file and the expected matrix: its rows as text, "col:value col:value|...". */
struct accepted {
    const char *name, *text, *rows_text;
    int drop_zeros;
    int64_t cols, duplicates, zeros_dropped, zeros_kept, not_finite, inexact;
};

static const struct accepted files[] = {
    {"plain", REAL "2 3 2\n1 1 1.5\n2 3 -2\n", "0:1.5|2:-2", 0, 3, 0, 0, 0, 0, 0},
    {"any case", "%%MATRIXmarket MATRIX Coordinate REAL General\n1 1 1\n1 1 2\n", "0:2", 0, 1, 0, 0, 0, 0, 0},
    {"tabs and blanks", "%%MatrixMarket\tmatrix  coordinate\treal general  \n\t1 1\t 1 \n  1\t1  2\t\n",
     "0:2", 0, 1, 0, 0, 0, 0, 0},
    {"CR LF", "%%MatrixMarket matrix coordinate real general\r\n% c\r\n1 2 1\r\n\r\n1 2 5\r\n", "1:5", 0, 2,
     0, 0, 0, 0, 0},
    {"mixed line ends", REAL "2 2 2\r\n1 1 1\n2 2 2\r\n", "0:1|1:2", 0, 2, 0, 0, 0, 0, 0},
    {"no final newline", REAL "1 1 1\n1 1 3", "0:3", 0, 1, 0, 0, 0, 0, 0},
    {"no final newline behind CR", REAL "1 1 1\n1 1 3\r", "0:3", 0, 1, 0, 0, 0, 0, 0},
    {"blank lines", "%%MatrixMarket matrix coordinate real general\n\n \n1 1 1\n\n\t\n1 1 3\n\n\n", "0:3", 0,
     1, 0, 0, 0, 0, 0},
    {"comments anywhere", REAL "% a\n1 1 1\n% b\n  % c\n1 1 3\n%%d\n% no newline", "0:3", 0, 1, 0, 0, 0, 0,
     0},
    {"rows in any order", REAL "2 4 5\n2 4 1\n1 3 2\n2 1 3\n1 1 4\n1 2 5\n", "0:4 1:5 2:2|0:3 3:1", 0, 4, 0,
     0, 0, 0, 0},
    {"empty rows", REAL "4 2 1\n3 2 1\n", "||1:1|", 0, 2, 0, 0, 0, 0, 0},
    {"blanks behind the last line", REAL "1 1 1\n1 1 3\n  ", "0:3", 0, 1, 0, 0, 0, 0, 0},
    {"0 x 0", REAL "0 0 0\n", "", 0, 0, 0, 0, 0, 0, 0},
    {"0 x 5", REAL "0 5 0\n", "", 0, 5, 0, 0, 0, 0, 0},
    {"2 x 0", REAL "2 0 0\n", "|", 0, 0, 0, 0, 0, 0, 0},
    {"2 x 2 without entries", REAL "2 2 0\n", "|", 0, 2, 0, 0, 0, 0, 0},
    {"leading zeros", REAL "002 0002 01\n0000000000000000000000002 01 1\n", "|0:1", 0, 2, 0, 0, 0, 0, 0},
    {"pattern", BANNER("coordinate pattern general") "2 2 2\n1 2\n2 1\n", "1|0", 0, 2, 0, 0, 0, 0, 0},
    {"double", BANNER("coordinate double general") "1 1 1\n1 1 2.5\n", "0:2.5", 0, 1, 0, 0, 0, 0, 0},
    {"unsigned-integer", BANNER("coordinate unsigned-integer general") "1 1 1\n1 1 7\n", "0:7", 0, 1, 0, 0, 0,
     0, 0},
    {"integer", INTEGER "1 2 2\n1 1 -7\n1 2 +8\n", "0:-7 1:8", 0, 2, 0, 0, 0, 0, 0},
    {"integer infinity", INTEGER "1 2 1\n1 1 -inf\n", "0:-inf", 0, 2, 0, 0, 0, 1, 0},
    {"integer beyond 2^53", INTEGER "1 2 2\n1 1 9007199254740993\n1 2 9007199254740994\n",
     "0:9007199254740992 1:9007199254740994", 0, 2, 0, 0, 0, 0, 1},
    {"duplicates in file order", REAL "1 2 4\n1 2 1e16\n1 1 2\n1 2 1\n1 2 -1e16\n", "0:2 1:0", 0, 2, 2, 0, 1,
     0, 0},
    {"more entries than positions", REAL "1 1 3\n1 1 1\n1 1 2\n1 1 3\n", "0:6", 0, 1, 2, 0, 0, 0, 0},
    {"duplicates of a pattern", BANNER("coordinate pattern general") "1 2 3\n1 2\n1 1\n1 2\n", "0 1", 0, 2, 1,
     0, 0, 0, 0},
    {"zeros are kept", REAL "1 3 3\n1 1 0\n1 2 1\n1 3 -0.0\n", "0:0 1:1 2:-0", 0, 3, 0, 0, 2, 0, 0},
    {"zeros are dropped", REAL "2 3 4\n1 1 0\n1 2 1\n1 3 -0.0\n2 1 5\n", "1:1|0:5", 1, 3, 0, 2, 0, 0, 0},
    {"sums of zero are dropped", REAL "1 2 3\n1 2 1\n1 2 -1\n1 1 1\n", "0:1", 1, 2, 1, 1, 0, 0, 0},
    {"not finite", REAL "1 4 4\n1 1 inf\n1 2 -Infinity\n1 3 1e999\n1 4 1\n", "0:inf 1:-inf 2:inf 3:1", 0, 4,
     0, 0, 0, 3, 0},
    {"subnormal", REAL "1 2 2\n1 1 4.9e-324\n1 2 1e-400\n", "0:4.9406564584124654e-324 1:0", 0, 2, 0, 0, 1, 0,
     0},
    {"symmetric", BANNER("coordinate real symmetric") "3 3 3\n1 1 1\n3 1 2\n3 2 4\n", "0:1 2:2|2:4|0:2 1:4",
     0, 3, 0, 0, 0, 0, 0},
    {"symmetric duplicates", BANNER("coordinate real symmetric") "2 2 4\n2 1 1\n2 1 2\n1 1 3\n1 1 4\n",
     "0:7 1:3|0:3", 0, 2, 3, 0, 0, 0, 0},
    {"skew", BANNER("coordinate real skew-symmetric") "2 2 1\n2 1 3\n", "1:-3|0:3", 0, 2, 0, 0, 0, 0, 0},
    {"skew with a zero diagonal", BANNER("coordinate integer skew-symmetric") "2 2 2\n2 2 0\n2 1 3\n",
     "1:-3|0:3 1:0", 0, 2, 0, 0, 1, 0, 0},
    {"real hermitian", BANNER("coordinate real hermitian") "2 2 1\n2 1 3\n", "1:3|0:3", 0, 2, 0, 0, 0, 0, 0},
    {"pattern symmetric", BANNER("coordinate pattern symmetric") "2 2 2\n2 1\n2 2\n", "1|0 1", 0, 2, 0, 0, 0,
     0, 0},
    {"array", BANNER("array real general") "2 3\n1\n2\n3\n\n% c\n4\n0\n6\n", "0:1 1:3 2:0|0:2 1:4 2:6", 0, 3,
     0, 0, 1, 0, 0},
    {"array without zeros", BANNER("array real general") "2 3\n1\n2\n3\n4\n0\n6\n", "0:1 1:3|0:2 1:4 2:6", 1,
     3, 0, 1, 0, 0, 0},
    {"integer array", BANNER("array integer general") "1 2\n1\n9007199254740993\n", "0:1 1:9007199254740992",
     0, 2, 0, 0, 0, 0, 1},
    {"symmetric array", BANNER("array real symmetric") "3 3\n1\n2\n3\n4\n5\n6\n",
     "0:1 1:2 2:3|0:2 1:4 2:5|0:3 1:5 2:6", 0, 3, 0, 0, 0, 0, 0},
    {"skew array", BANNER("array real skew-symmetric") "3 3\n2\n3\n5\n",
     "0:0 1:-2 2:-3|0:2 1:0 2:-5|0:3 1:5 2:0", 0, 3, 0, 0, 3, 0, 0},
    {"real hermitian array", BANNER("array real hermitian") "2 2\n1\n2\n3\n", "0:1 1:2|0:2 1:3", 0, 2, 0, 0,
     0, 0, 0},
    {"0 x 0 skew array", BANNER("array real skew-symmetric") "0 0\n", "", 0, 0, 0, 0, 0, 0, 0},
    {"1 x 1 skew array", BANNER("array real skew-symmetric") "1 1\n", "0:0", 0, 1, 0, 0, 1, 0, 0},
    {"empty array", BANNER("array real general") "0 3\n", "", 0, 3, 0, 0, 0, 0, 0},
    {"empty symmetric array", BANNER("array real symmetric") "0 0\n", "", 0, 0, 0, 0, 0, 0, 0},
    {"smtx", "2, 4, 3\n0 2 3\n3 1 0\n", "1 3|0", 0, 4, 0, 0, 0, 0, 0},
    {"smtx with blanks and CR LF", "2 , 4, 3 \r\n0 2 3 \r\n3 1 0 \r\n\r\n", "1 3|0", 0, 4, 0, 0, 0, 0, 0},
    {"smtx with a repeated column", "1, 4, 3\n0 3\n3 1 3\n", "1 3", 0, 4, 1, 0, 0, 0, 0},
    {"smtx with tabs", "2,\t4, 3\n0\t2 3\n3 1\t0\n", "1 3|0", 0, 4, 0, 0, 0, 0, 0},
    {"empty smtx", "0, 4, 0\n0\n\n", "", 0, 4, 0, 0, 0, 0, 0},
};

static void render(const spmm_csr_t *a, char *text, size_t capacity)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    const double *values = a->values;
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < a->rows; i++) {
        if (i > 0)
            used += (size_t)snprintf(text + used, capacity - used, "|");
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            used += (size_t)snprintf(text + used, capacity - used, p > row_ptr[i] ? " %d" : "%d",
                                     (int)col_ind[p]);
            if (values != NULL)
                used += (size_t)snprintf(text + used, capacity - used, ":%.17g", values[p]);
        }
    }
}

static void check_accepted(const struct accepted *file, int threads)
{
    char text[400];
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    spmm_matrix_info_t info;
    const size_t size = strlen(file->text);
    char *copy = malloc(size);
    memcpy(copy, file->text, size);
    options.threads = threads;
    options.drop_zeros = file->drop_zeros;
    if (spmm_matrix_read(copy, size, NULL, &options, &matrix, &diag) != SPMM_OK)
        fail_msg("%s: %s", file->name, diag.text);
    free(copy);
    info.struct_size = sizeof info;
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    render(&csr, text, sizeof text);
    if (strcmp(text, file->rows_text) != 0)
        fail_msg("%s: expected %s, found %s", file->name, file->rows_text, text);
    if (info.cols != file->cols || info.duplicates_summed != file->duplicates ||
        info.zeros_dropped != file->zeros_dropped || info.zeros_kept != file->zeros_kept ||
        info.not_finite != file->not_finite || info.integers_inexact != file->inexact || info.nnz != csr.nnz)
        fail_msg("%s: cols %d, duplicates %d, dropped %d, kept %d, not finite %d, inexact %d", file->name,
                 (int)info.cols, (int)info.duplicates_summed, (int)info.zeros_dropped, (int)info.zeros_kept,
                 (int)info.not_finite, (int)info.integers_inexact);
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmmi_alloc_live(), 0);
}

static void valid_files_mean_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        check_accepted(&files[i], 1);
        check_accepted(&files[i], 4);
    }
}

/* A NaN prints with a sign that depends on the machine, so it is not in the table. */
static void nan_is_accepted_and_counted(void **state)
{
    const char *text = REAL "1 2 2\n1 1 nan\n1 2 NaN\n";
    spmm_matrix_t *matrix = NULL;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    spmm_csr_t csr;
    (void)state;
    assert_int_equal(spmm_matrix_read(text, strlen(text), NULL, NULL, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(info.not_finite, 2);
    assert_true(isnan(((const double *)csr.values)[0]));
    spmm_matrix_destroy(matrix);
}

static void long_comments_and_many_comments_are_skipped(void **state)
{
    const size_t long_line = 1 << 20;
    const size_t many = 100000;
    char *text = malloc(long_line + 4 * many + 200);
    char *p = stpcpy(text, REAL);
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t csr;
    (void)state;
    memset(p, '%', long_line);
    p += long_line;
    for (size_t i = 0; i < many; i++)
        p = stpcpy(p, "\n%a");
    p = stpcpy(p, "\n2 2 1\n1 2 4\n");
    assert_int_equal(spmm_matrix_read(text, (size_t)(p - text), NULL, NULL, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(csr.nnz, 1);
    spmm_matrix_destroy(matrix);
    free(text);
}

static void info_names_the_source(void **state)
{
    const char *text = INTEGER "1 1 1\n1 1 1\n";
    spmm_matrix_t *matrix = NULL;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    (void)state;
    assert_int_equal(spmm_matrix_read(text, strlen(text), "/a/folder/name.mtx", NULL, &matrix, NULL),
                     SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_string_equal(info.name, "name.mtx");
    assert_string_equal(info.format, "matrix-market");
    assert_string_equal(info.field, "integer");
    assert_string_equal(info.symmetry, "general");
    assert_int_equal(info.entries_stored, 1);
    spmm_matrix_destroy(matrix);
}

static void wrong_arguments_are_refused(void **state)
{
    spmm_matrix_t *matrix = NULL;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    (void)state;
    assert_int_equal(spmm_matrix_load(NULL, NULL, &matrix, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_load("-", NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_read(NULL, 5, NULL, NULL, &matrix, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_read("x", 1, NULL, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    options.threads = -1;
    assert_int_equal(spmm_matrix_read("x", 1, NULL, &options, &matrix, NULL), SPMM_ERR_ARGUMENT);
    options.struct_size = 0;
    assert_int_equal(spmm_matrix_read("x", 1, NULL, &options, &matrix, NULL), SPMM_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_files_mean_what_the_table_says),
        cmocka_unit_test(nan_is_accepted_and_counted),
        cmocka_unit_test(long_comments_and_many_comments_are_skipped),
        cmocka_unit_test(info_names_the_source),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
