/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of sparse products without an executor: damaged plans in memory, queries, copies, and proofs of the
 * pattern, also without enough memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spmm/product.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "format/spgemm/spgemm_repeats.h"
#include "tests/support/forge.h"
#include "tests/support/sparse_products.h"

/* Makes the plan of P^T A P in f64. */
static int set_up(void **state)
{
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *p = test_matrix_named("lower triangle", TEST_VALUES_REAL);
    const struct test_sparse_product product = {.count = 3,
                                                .factor = {p, a, p},
                                                .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_N},
                                                .piece_products = 60,
                                                .dtype = SPMM_F64};
    *state = test_sparse_plan(&product);
    test_matrix_free(a);
    test_matrix_free(p);
    return 0;
}

static int tear_down(void **state)
{
    spmm_plan_destroy(*state);
    return 0;
}

static spmm_plan_t *copy_of(const spmm_plan_t *plan)
{
    spmm_plan_t *copy = NULL;
    assert_int_equal(spmmi_plan_copy_pattern(plan, &copy, NULL), SPMM_OK);
    return copy;
}

static void refuses(const spmm_plan_t *plan, const char *text)
{
    spmm_diag_t diag = {0};
    assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_ERR_PLAN_PRODUCT);
    assert_non_null(strstr(diag.text, text));
}

/* A load checks these rules before it reads the operands. Here the whole plan is in memory. */
static void damaged_plans_are_refused(void **state)
{
    spmm_plan_t *plan = copy_of(*state);
    struct spmmi_spgemm *g = plan->product;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    g->factor_count = 1;
    refuses(plan, "1 factors");
    g->factor_count = 3;
    g->matrices[1].nnz--;
    refuses(plan, "the rows of matrix 1 have ");
    g->matrices[1].nnz++;
    g->matrices[1].cols--;
    refuses(plan, "factor 1 has 129 columns, the next one 130 rows");
    g->matrices[1].cols++;
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
}

/* A file whose operand has one entry more in its row lengths than in its columns. */
static void row_lengths_beyond_the_columns_are_refused(void **state)
{
    void *written = NULL;
    size_t size = 0, lengths = 0;
    spmm_plan_t *read = NULL;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_plan_write(*state, NULL, &written, &size, NULL), SPMM_OK);
    struct forge *forge = forge_open(written, size);
    struct forge_section *const section = forge_find(forge, SPMMI_SECTION_OPERAND_ROWS, 1);
    uint8_t *const content = forge_content(section, &lengths);
    content[1]++; /* the lowest byte of the length of row 1 */
    forge_set_content(section, content, lengths, (struct forge_zstd){0, 0, 0});
    uint8_t *const bytes = forge_build(forge, &size);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &read, &diag), SPMM_ERR_PLAN_PRODUCT);
    assert_non_null(strstr(diag.text, "the rows of matrix 1 have "));
    assert_null(read);
    free(bytes);
    free(content);
    forge_free(forge);
    spmm_plan_bytes_free(written);
}

static void queries_need_the_plan_of_a_product(void **state)
{
    spmm_plan_t *plan = copy_of(*state);
    const struct spmm_plan of_matrix = {.rows = 1, .cols = 1};
    spmm_product_plan_info_t info = {.struct_size = sizeof info};
    const spmm_csr_t view = {.rows = 1, .cols = 1};
    spmm_csr_t got;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_plan_operand(NULL, 0, &got, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_operand(&of_matrix, 0, &got, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_operand_matches(&of_matrix, 0, &view, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the plan has no operand 0"));
    plan->product->piece_products = UINT64_MAX; /* as in a plan file: any number is allowed */
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_product(plan, &info), SPMM_OK);
    assert_true(info.piece_products == INT64_MAX);
    spmm_plan_destroy(plan);
}

static void new_values_are_refused(void **state)
{
    const spmm_plan_t *plan = *state;
    const double value = 1;
    spmm_plan_t *updated = NULL;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_plan_with_values(plan, &value, SPMM_F64, &updated, &diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "the plan is of a product of sparse matrices"));
    assert_null(updated);
}

/* Returns the plan of a product of 2 or 3 matrices. */
static spmm_plan_t *plan_of(int count, const spmm_csr_t *views)
{
    spmm_product_factor_t factors[3] = {{0}};
    spmm_plan_t *plan = NULL;
    for (int i = 0; i < count; i++) {
        spmm_matrix_t *matrix = NULL;
        assert_int_equal(spmm_matrix_from_csr(&views[i], &matrix, NULL), SPMM_OK);
        factors[i] = (spmm_product_factor_t){matrix, SPMM_OP_N};
    }
    assert_int_equal(spmm_product_inspect(factors, count, NULL, &plan, NULL), SPMM_OK);
    for (int i = 0; i < count; i++)
        spmm_matrix_destroy((spmm_matrix_t *)factors[i].matrix);
    return plan;
}

/* The columns of the right factor are numbered, but it has none. */
static void an_entry_of_no_column_is_found(void **state)
{
    static const int64_t a_ptr[] = {0, 1}, b_ptr[] = {0, 0};
    static const int32_t column = 0;
    static const double v = 1;
    (void)state;
    const spmm_csr_t views[] = {{1, 1, 1, SPMM_I64, SPMM_I32, a_ptr, &column, SPMM_F64, &v},
                                {1, 2000001, 0, SPMM_I64, SPMM_I32, b_ptr, &column, SPMM_F64, &v}};
    spmm_plan_t *plan = plan_of(2, views);
    spmm_diag_t diag = {0};
    assert_int_equal(plan->nnz, 0);
    assert_int_equal(spmm_plan_product_verify(plan, NULL, NULL), SPMM_OK);
    spmmi_free(plan->col_ind);
    plan->col_ind = spmmi_alloc_zero(1, sizeof *plan->col_ind);
    plan->nnz = plan->row_ptr[1] = 1;
    assert_int_equal(spmm_plan_product_verify(plan, NULL, &diag), SPMM_ERR_PLAN_PRODUCT);
    assert_non_null(strstr(diag.text, "row 0 of C does not have the columns"));
    spmm_plan_destroy(plan);
}

/* A x A, whose right factor has other column numbers but the same row pointers as the left one. */
static void numbered_squares_are_two_matrices(void **state)
{
    static const int64_t row_ptr[] = {0, 1, 2, 3, 4};
    static const int32_t left[] = {0, 2, 3, 3}, right[] = {0, 1, 2, 2};
    static const uint8_t right_moves[] = {0, 2, 2, 1}, left_moves[] = {0, 0, 0, 1};
    (void)state;
    const struct spmmi_spgemm_task task = {{4, 4, row_ptr, left}, {4, 3, row_ptr, right}, 0};
    struct spmmi_spgemm_repeats repeats;
    assert_int_equal(spmmi_spgemm_repeats_make(&task, 1, &repeats, NULL), SPMM_OK);
    assert_memory_equal(repeats.right, right_moves, sizeof right_moves);
    assert_memory_equal(repeats.rows, left_moves, sizeof left_moves);
    spmmi_spgemm_repeats_free(&repeats);
}

static spmm_status_t copy_and_verify(const spmm_plan_t *plan)
{
    const spmm_product_verify_options_t options = {.struct_size = sizeof options, .threads = 1};
    spmm_plan_t *copy = NULL;
    spmm_status_t status = spmmi_plan_copy_pattern(plan, &copy, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_product_verify(copy, &options, NULL);
    spmm_plan_destroy(copy);
    return status;
}

/* Fails each allocation of a copy and a proof, one at a time. */
static void every_allocation_may_fail(const spmm_plan_t *plan)
{
    const int64_t live = spmmi_alloc_live();
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(copy_and_verify(plan), SPMM_OK);
    const int64_t count = spmmi_alloc_count();
    assert_in_range(count, 10, 100);
    for (int64_t failed = 0; failed < count; failed++) {
        spmmi_alloc_fail_at(failed, 0);
        assert_int_equal(copy_and_verify(plan), SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(spmmi_alloc_live(), live);
    }
}

static void memory_may_run_out_at_any_time(void **state)
{
    static const int64_t a_ptr[] = {0, 1}, b_ptr[] = {0, 2};
    static const int32_t columns[] = {0, 2000000};
    static const double v[] = {1, 2};
    every_allocation_may_fail(*state);
    /* The columns of the right factors and of both results are numbered. */
    const spmm_csr_t one = {1, 1, 1, SPMM_I64, SPMM_I32, a_ptr, columns, SPMM_F64, v},
                     wide = {1, 2000001, 2, SPMM_I64, SPMM_I32, b_ptr, columns, SPMM_F64, v},
                     views[] = {one, one, wide};
    for (int first = 0; first < 2; first++) {
        spmm_plan_t *plan = plan_of(3 - first, views + first);
        every_allocation_may_fail(plan);
        spmm_plan_destroy(plan);
    }
}

/* Columns of the right factor are counted only for long rows of the left one. */
static void columns_need_memory_to_be_counted(void **state)
{
    enum { LENGTH = 5000 };
    static int64_t left_ptr[] = {0, LENGTH}, right_ptr[LENGTH + 1];
    static int32_t left_columns[LENGTH], right_columns[LENGTH];
    (void)state;
    for (int i = 0; i < LENGTH; i++) {
        left_columns[i] = i;
        right_ptr[i + 1] = i + 1;
    }
    const struct spmmi_csr_pattern left = {1, LENGTH, left_ptr, left_columns},
                                   right = {LENGTH, 1, right_ptr, right_columns};
    spmm_diag_t diag = {0};
    int may = 0;
    assert_int_equal(spmmi_spgemm_may_be_long(&left, &right, &may, NULL), SPMM_OK);
    assert_int_equal(may, 1);
    spmmi_alloc_fail_at(0, 0);
    assert_int_equal(spmmi_spgemm_may_be_long(&left, &right, &may, &diag), SPMM_ERR_MEMORY);
    spmmi_alloc_fail_at(-1, 0);
    assert_non_null(strstr(diag.text, "memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_plans_are_refused),
        cmocka_unit_test(row_lengths_beyond_the_columns_are_refused),
        cmocka_unit_test(queries_need_the_plan_of_a_product),
        cmocka_unit_test(new_values_are_refused),
        cmocka_unit_test(an_entry_of_no_column_is_found),
        cmocka_unit_test(numbered_squares_are_two_matrices),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(columns_need_memory_to_be_counted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
