/* SPDX-License-Identifier: Apache-2.0 */
/* Checks matrix files of other projects, each with its verdict in tests/data/parser/INDEX.tsv. If the
 * environment variable SPMM_MATRICES names a folder of real matrices with an INDEX.tsv, checks all of these
 * as well. Files of the index that are not in the tree are expected in the folder parser of SPMM_MATRICES. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spmm/inspector.h>

#include "format/base/alloc.h"

#define PARSER_FOLDER SPMM_SOURCE_DIR "/tests/data/parser"
#define COLUMNS_MAX 20
#define BUNDLED_MIN 90
#define PATH_BYTES 1200

/* Reads the next line of a table with tab-separated columns and splits it in place. Returns the number of
 * columns; 0 at the end. */
static int next_row(FILE *table, char *line, size_t capacity, char **columns)
{
    int count = 0;
    if (fgets(line, (int)capacity, table) == NULL)
        return 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *p = line; p != NULL && count < COLUMNS_MAX;)
        columns[count++] = strsep(&p, "\t");
    return count;
}

static double sum_of(const spmm_csr_t *a)
{
    double sum = 0;
    for (int64_t p = 0; p < a->nnz; p++)
        sum += a->values != NULL ? ((const double *)a->values)[p] : 1;
    return sum;
}

/* Checks one file. The columns are: name, verdict, status, line, rows, cols, nnz, sum. */
static void check_verdict(const char *path, char **columns)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    const spmm_status_t status = spmm_matrix_load(path, NULL, &matrix, &diag);
    if (strcmp(spmm_status_name(status), columns[2]) != 0 || diag.line != strtoull(columns[3], NULL, 10))
        fail_msg("%s: expected %s at line %s, found %s: %s", columns[0], columns[2], columns[3],
                 spmm_status_name(status), diag.text);
    assert_int_equal(status == SPMM_OK, strcmp(columns[1], "accept") == 0);
    if (status == SPMM_OK) {
        spmm_csr_t a;
        const double expected = strtod(columns[7], NULL);
        assert_int_equal(spmm_matrix_csr(matrix, &a), SPMM_OK);
        const double found = sum_of(&a);
        if (a.rows != atoll(columns[4]) || a.cols != atoll(columns[5]) || a.nnz != atoll(columns[6]) ||
            !(found == expected || (isnan(found) && isnan(expected))))
            fail_msg("%s: found %lld x %lld, %lld nonzeros, sum %.17g", columns[0], (long long)a.rows,
                     (long long)a.cols, (long long)a.nnz, found);
    } else {
        assert_null(matrix);
    }
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmmi_alloc_live(), 0);
}

/* Returns the folder of real matrices; NULL if the variable is not set or is empty. */
static const char *matrices_folder(void)
{
    const char *folder = getenv("SPMM_MATRICES");
    return folder != NULL && folder[0] != '\0' ? folder : NULL;
}

static void files_of_other_projects_have_their_verdict(void **state)
{
    char line[2048], path[PATH_BYTES];
    char *columns[COLUMNS_MAX];
    const char *folder = matrices_folder();
    FILE *table = fopen(PARSER_FOLDER "/INDEX.tsv", "r");
    int bundled = 0;
    int elsewhere = 0;
    int missing = 0;
    (void)state;
    assert_non_null(table);
    assert_int_equal(next_row(table, line, sizeof line, columns), 8);
    while (next_row(table, line, sizeof line, columns) == 8) {
        (void)snprintf(path, sizeof path, "%s/%s.mtx.zst", PARSER_FOLDER, columns[0]);
        if (access(path, R_OK) == 0) {
            bundled++;
        } else {
            (void)snprintf(path, sizeof path, "%s/parser/%s.mtx.zst", folder != NULL ? folder : "",
                           columns[0]);
            if (folder == NULL || access(path, R_OK) != 0) {
                missing++;
                continue;
            }
            elsewhere++;
        }
        check_verdict(path, columns);
    }
    (void)fclose(table);
    print_message("%d bundled files, %d from SPMM_MATRICES, %d not at hand\n", bundled, elsewhere, missing);
    assert_true(bundled >= BUNDLED_MIN);
}

static int column_of(char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("INDEX.tsv has no column %s", name);
    return 0;
}

static void check_real_matrix(const char *path, bool is_complex, long long rows, long long cols,
                              long long nnz)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    spmm_csr_t a;
    const spmm_status_t status = spmm_matrix_load(path, NULL, &matrix, &diag);
    if (is_complex) {
        assert_int_equal(status, SPMM_ERR_MATRIX_UNSUPPORTED);
        assert_null(matrix);
        return;
    }
    if (status != SPMM_OK)
        fail_msg("%s: %s", path, diag.text);
    assert_int_equal(spmm_matrix_csr(matrix, &a), SPMM_OK);
    if (a.rows != rows || a.cols != cols || a.nnz != nnz)
        fail_msg("%s: expected %lld x %lld with %lld nonzeros, found %lld x %lld with %lld", path, rows, cols,
                 nnz, (long long)a.rows, (long long)a.cols, (long long)a.nnz);
    spmm_matrix_destroy(matrix);
}

static void real_matrices_have_the_size_of_their_index(void **state)
{
    char header[2048], line[2048], path[PATH_BYTES];
    char *names[COLUMNS_MAX];
    char *columns[COLUMNS_MAX];
    const char *folder = matrices_folder();
    int checked = 0;
    (void)state;
    if (folder == NULL) {
        print_message("skipped: SPMM_MATRICES is not set\n");
        skip();
    }
    (void)snprintf(path, sizeof path, "%s/INDEX.tsv", folder);
    FILE *table = fopen(path, "r");
    assert_non_null(table);
    const int count = next_row(table, header, sizeof header, names);
    const int file = column_of(names, count, "file");
    const int rows = column_of(names, count, "rows");
    const int cols = column_of(names, count, "cols");
    const int nnz = column_of(names, count, "nnz_expanded");
    const int field = column_of(names, count, "field");
    while (next_row(table, line, sizeof line, columns) == count) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, columns[file]);
        check_real_matrix(path, strstr(columns[field], "complex") != NULL, atoll(columns[rows]),
                          atoll(columns[cols]), atoll(columns[nnz]));
        checked++;
    }
    (void)fclose(table);
    assert_true(checked > 0);
    print_message("%d real matrices\n", checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_other_projects_have_their_verdict),
        cmocka_unit_test(real_matrices_have_the_size_of_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
