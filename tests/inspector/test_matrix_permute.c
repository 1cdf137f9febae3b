/* SPDX-License-Identifier: Apache-2.0 */
/* Checks permutations of a matrix through the public interface, and permuted matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/executor.h>
#include <spmm/inspector.h>

#include "format/base/alloc.h"
#include "format/permutation.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "tests/support/close.h"
#include "tests/support/generated.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint32_t *shuffle(int64_t count, uint64_t seed)
{
    uint32_t *permutation = test_zeroed(count, sizeof *permutation);
    int32_t *random = spmmi_random_permutation(count, seed);
    assert_non_null(random);
    memcpy(permutation, random, (size_t)count * sizeof *permutation);
    spmmi_free(random);
    return permutation;
}

/* Returns entry (i, j) of a matrix. *is_held tells whether the entry is stored. */
static double entry(const spmm_matrix_t *m, int64_t i, int64_t j, bool *is_held)
{
    for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++) {
        if (m->col_ind[p] == j) {
            *is_held = true;
            return m->values == NULL ? 1 : m->values[p];
        }
    }
    *is_held = false;
    return 0;
}

static void is_permuted(const spmm_matrix_t *m, const uint32_t *rows, const uint32_t *cols, int threads)
{
    spmm_matrix_t *p = NULL;
    assert_int_equal(spmm_matrix_permute(m, rows, cols, threads, &p, NULL), SPMM_OK);
    assert_true(p->rows == m->rows && p->cols == m->cols && p->nnz == m->nnz);
    assert_true((p->values == NULL) == (m->values == NULL));
    assert_string_equal(p->info.name, m->info.name);
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t row = rows == NULL ? i : rows[i];
        assert_int_equal(p->row_ptr[i + 1] - p->row_ptr[i], m->row_ptr[row + 1] - m->row_ptr[row]);
        for (int64_t q = p->row_ptr[i]; q < p->row_ptr[i + 1]; q++) {
            const int32_t j = p->col_ind[q];
            bool is_held = false;
            assert_true(q == p->row_ptr[i] || j > p->col_ind[q - 1]);
            assert_true(j >= 0 && j < p->cols);
            const double value = entry(m, row, cols == NULL ? j : (int64_t)cols[j], &is_held);
            assert_true(is_held && (p->values == NULL || p->values[q] == value));
        }
    }
    spmm_matrix_destroy(p);
}

static void rows_and_columns_are_where_the_permutations_say(void **state)
{
    static const char *const specs[] = {"gen:rand:200:5",       "gen:dense:70:90", "gen:uniform:30:400:190",
                                        "gen:powerlaw:90:40:6", "gen:empty:7:9",   "gen:empty:0:0",
                                        "gen:arrow:120",        "gen:fem3:3:3:3"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        spmm_matrix_t *m = test_generated(specs[i]);
        uint32_t *rows = shuffle(m->rows, 3), *cols = shuffle(m->cols, 8);
        is_permuted(m, NULL, NULL, 1);
        is_permuted(m, rows, NULL, 1);
        is_permuted(m, NULL, cols, 1);
        is_permuted(m, rows, cols, 3);
        spmmi_free(m->values);
        m->values = NULL;
        is_permuted(m, rows, cols, 0);
        free(cols);
        free(rows);
        spmm_matrix_destroy(m);
    }
}

/* The matrix is large enough that threads share the work. */
static void threads_change_nothing(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:rmat:13:16"), *one = NULL, *more = NULL;
    uint32_t *permutation = shuffle(m->rows, 4);
    assert_true(m->nnz > 100000);
    assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 1, &one, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 3, &more, NULL), SPMM_OK);
    assert_memory_equal(one->row_ptr, more->row_ptr, ((size_t)m->rows + 1) * sizeof *one->row_ptr);
    assert_memory_equal(one->col_ind, more->col_ind, (size_t)m->nnz * sizeof *one->col_ind);
    assert_memory_equal(one->values, more->values, (size_t)m->nnz * sizeof *one->values);
    spmm_matrix_destroy(more);
    spmm_matrix_destroy(one);
    free(permutation);
    spmm_matrix_destroy(m);
}

/* Computes C = A B on the CPU in f64. B is cols x n and C is rows x n, both row-major. */
static void multiply(const spmm_matrix_t *m, double *b, double *c, int64_t n)
{
    const spmm_inspect_options_t options = {.struct_size = sizeof options, .a_type = SPMM_F64};
    const spmm_executor_options_t on_cpu = {.struct_size = sizeof on_cpu};
    const spmm_dense_t x = {b, m->cols, n, n, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t y = {c, m->rows, n, n, SPMM_ROW_MAJOR, SPMM_F64};
    spmm_plan_t *plan = NULL;
    spmm_executor_t *executor = NULL;
    uint64_t bytes = 0;
    assert_int_equal(spmm_inspect(m, &options, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &on_cpu, &executor, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &x, &y, &bytes, NULL), SPMM_OK);
    void *workspace = aligned_alloc(256, (bytes / 256 + 1) * 256);
    assert_non_null(workspace);
    assert_int_equal(
        spmm_execute(executor, SPMM_OP_N, spmm_real(1), &x, spmm_real(0), &y, workspace, bytes, NULL, NULL),
        SPMM_OK);
    free(workspace);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

/* Returns a bound for the difference of two sums of a row of A times column j of B in different orders. */
static long double apart(const spmm_matrix_t *m, int64_t row, const double *b, int64_t n, int64_t j)
{
    long double magnitude = 0;
    for (int64_t p = m->row_ptr[row]; p < m->row_ptr[row + 1]; p++)
        magnitude += fabsl((long double)m->values[p] * b[m->col_ind[p] * n + j]);
    return 2 * test_bound(SPMM_F64, 2 * (m->row_ptr[row + 1] - m->row_ptr[row]), magnitude);
}

/* P^T (P A P^T) (P X) must equal A X. Rows keep their nonzeros but add them in another order. */
static void products_of_a_symmetric_permutation(void **state)
{
    enum { N = 3 };
    (void)state;
    spmm_matrix_t *m = test_generated("gen:femshuf:6:6:6");
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation);
    double *b = test_zeroed(m->rows * N, sizeof *b), *c = test_zeroed(m->rows * N, sizeof *c);
    double *pb = test_zeroed(m->rows * N, sizeof *b), *pc = test_zeroed(m->rows * N, sizeof *c);
    for (int64_t i = 0; i < m->rows * N; i++)
        b[i] = sin((double)i);
    multiply(m, b, c, N);
    for (int k = SPMM_REORDER_NONE; k < SPMMI_PERMUTATION_ROWS; k++) {
        spmm_matrix_t *p = NULL;
        assert_int_equal(spmm_matrix_permutation(m, (spmm_reorder_t)k, 2, permutation, NULL), SPMM_OK);
        assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 2, &p, NULL), SPMM_OK);
        for (int64_t i = 0; i < m->rows; i++)
            memcpy(pb + i * N, b + permutation[i] * N, N * sizeof *b);
        multiply(p, pb, pc, N);
        for (int64_t i = 0; i < m->rows * N; i++) {
            const int64_t row = permutation[i / N];
            assert_true(fabs(pc[i] - c[row * N + i % N]) <= apart(m, row, b, N, i % N));
        }
        spmm_matrix_destroy(p);
    }
    free(pc);
    free(pb);
    free(c);
    free(b);
    free(permutation);
    spmm_matrix_destroy(m);
}

static void refuses_what_is_no_permutation(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:uniform:5:4:2"), *p = m;
    const uint32_t twice[] = {0, 1, 2, 2, 4}, beyond[] = {0, 1, 2, 3, 5}, fine[] = {4, 2, 0, 1, 3};
    spmm_diag_t diag = {0};
    uint32_t permutation[5];
    assert_int_equal(spmm_matrix_permute(m, twice, NULL, 0, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_null(p);
    assert_non_null(strstr(diag.text, "rows is no permutation: position 3 has 2, which is repeated"));
    assert_int_equal(diag.offset, 3);
    assert_int_equal(spmm_matrix_permute(m, beyond, NULL, 0, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permute(m, fine, fine, 0, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "cols is no permutation"));
    assert_int_equal(spmm_matrix_permute(NULL, fine, NULL, 0, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permute(m, fine, NULL, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permute(m, fine, NULL, -1, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation(m, SPMM_REORDER_AUTO, 0, permutation, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(
        spmm_matrix_permutation(m, (spmm_reorder_t)SPMMI_PERMUTATION_ROWS, 0, permutation, &diag),
        SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation(m, SPMM_REORDER_RCM, 0, permutation, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "square matrix, found 5 x 4"));
    assert_int_equal(spmm_matrix_permutation(m, SPMM_REORDER_RADIX, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation(m, SPMM_REORDER_RADIX, 0, permutation, &diag), SPMM_OK);
    spmm_matrix_destroy(m);
}

static void survives_short_memory(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:rand:60:5"), *p = NULL;
    uint32_t *permutation = shuffle(m->rows, 1);
    const int64_t live = spmmi_alloc_live();
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 2, &p, NULL), SPMM_OK);
    const int64_t allocations = spmmi_alloc_count();
    spmm_matrix_destroy(p);
    assert_true(allocations >= 6);
    for (int64_t k = 0; k < allocations; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmm_matrix_permute(m, permutation, permutation, 2, &p, NULL), SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
        assert_null(p);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    free(permutation);
    spmm_matrix_destroy(m);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_columns_are_where_the_permutations_say),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(products_of_a_symmetric_permutation),
        cmocka_unit_test(refuses_what_is_no_permutation),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests_name("matrix_permute", tests, NULL, NULL);
}
