/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the quick estimate of row similarity for rows whose windows are known, and its memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/base/alloc.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/row_similarity.h"
#include "inspect_support.h"

static double ratio_of(const spmm_matrix_t *m, int threads)
{
    double ratio = -1;
    assert_int_equal(spmmi_row_similarity(m->rows, m->cols, m->row_ptr, m->col_ind, threads, &ratio),
                     SPMM_OK);
    return ratio;
}

static double ratio_of_spec(const char *spec)
{
    spmm_matrix_t *m = inspect_generate(spec);
    const double ratio = ratio_of(m, 2);
    spmm_matrix_destroy(m);
    return ratio;
}

/* Returns a matrix whose row i holds columns 16 (i % kinds) .. 16 (i % kinds) + 15. */
static spmm_matrix_t *rows_of_kinds(int64_t rows, int64_t kinds)
{
    int64_t *row_ptr = spmmi_alloc((uint64_t)rows + 1, sizeof *row_ptr);
    int32_t *col_ind = spmmi_alloc((uint64_t)rows * 16, sizeof *col_ind);
    spmm_matrix_t *m = NULL;
    for (int64_t i = 0; i <= rows; i++)
        row_ptr[i] = 16 * i;
    for (int64_t q = 0; q < 16 * rows; q++)
        col_ind[q] = (int32_t)(16 * (q / 16 % kinds) + q % 16);
    const spmm_csr_t csr = {rows,    16 * kinds, 16 * rows, SPMM_I64, SPMM_I32,
                            row_ptr, col_ind,    SPMM_F64,  NULL};
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return m;
}

static void equal_rows_far_apart_are_found(void **state)
{
    (void)state;
    /* 64 kinds of rows: a window of neighbours holds 8 kinds, 128 columns. A window of equal rows holds 16
     * columns. */
    spmm_matrix_t *m = rows_of_kinds(1024, 64);
    assert_true(ratio_of(m, 1) == 16.0 / 128);
    spmm_matrix_destroy(m);
    /* Two rows of each kind: windows of equal rows hold 16 columns for two rows, windows of neighbours 16 for
     * one. */
    m = rows_of_kinds(128, 64);
    assert_true(ratio_of(m, 1) == 0.5);
    spmm_matrix_destroy(m);
    /* One row of each kind; then all rows of one kind. */
    m = rows_of_kinds(64, 64);
    assert_true(ratio_of(m, 1) == 1);
    spmm_matrix_destroy(m);
    m = rows_of_kinds(64, 1);
    assert_true(ratio_of(m, 1) == 1);
    spmm_matrix_destroy(m);
}

static void permutations_that_help_are_told_from_those_that_do_not(void **state)
{
    (void)state;
    assert_true(ratio_of_spec("gen:femshuf:14:14:14") < 0.75);
    static const char *const good_as_they_are[] = {"gen:band:20000:9", "gen:diag:5000",   "gen:arrow:5000",
                                                   "gen:qcd:4",        "gen:fem3:9:9:30", "gen:rand:20000:6"};
    for (size_t i = 0; i < sizeof good_as_they_are / sizeof good_as_they_are[0]; i++) {
        const double ratio = ratio_of_spec(good_as_they_are[i]);
        if (ratio < 0.87 || ratio > 1)
            fail_msg("%s: %g", good_as_they_are[i], ratio);
    }
}

static void matrices_without_nonzeros_gain_nothing(void **state)
{
    (void)state;
    assert_true(ratio_of_spec("gen:empty:100:5") == 1);
    assert_true(ratio_of_spec("gen:empty:0:5") == 1);
    assert_true(ratio_of_spec("gen:empty:5:0") == 1);
}

static void empty_columns_change_nothing(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:rmat:9:9");
    const double ratio = ratio_of(m, 2);
    m->cols = 0x7ffffffe;
    spmmi_alloc_peak_reset();
    assert_true(ratio_of(m, 2) == ratio && ratio > 0);
    assert_true(spmmi_alloc_peak_bytes() < 1 << 20);
    spmm_matrix_destroy(m);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:rmat:12:9");
    assert_true(ratio_of(m, 1) == ratio_of(m, 4));
    spmm_matrix_destroy(m);
}

static void memory_that_is_short_is_reported(void **state)
{
    (void)state;
    spmm_matrix_t *m = inspect_generate("gen:rmat:8:9");
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    for (; status == SPMM_ERR_MEMORY; k++) {
        double ratio = 0;
        spmmi_alloc_fail_at(k, 1);
        status = spmmi_row_similarity(m->rows, m->cols, m->row_ptr, m->col_ind, 2, &ratio);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(spmmi_alloc_live() == live);
    }
    assert_int_equal(status, SPMM_OK);
    assert_int_equal(k, 5);
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_far_apart_are_found),
        cmocka_unit_test(permutations_that_help_are_told_from_those_that_do_not),
        cmocka_unit_test(matrices_without_nonzeros_gain_nothing),
        cmocka_unit_test(empty_columns_change_nothing),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(memory_that_is_short_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
