/* SPDX-License-Identifier: Apache-2.0 */
/* See content_once.h. */
#include "content_once.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "content_check.h"
#include "dense.h"
#include "matrices.h"

#define BUDGET (UINT64_C(64) << 20)
#define ROWS_MAX 20000 /* maximum rows of B */
#define COLUMNS 7      /* columns of B */

static void *take(int64_t count, size_t size)
{
    void *block = malloc(count == 0 ? 1 : (size_t)count * size);
    if (block == NULL)
        abort();
    return block;
}

/* Makes a matrix with one entry per row, a small whole number. */
static spmm_csr_t narrow_matrix(int64_t rows, spmm_dtype_t type)
{
    int64_t *const row_ptr = take(rows + 1, sizeof *row_ptr);
    int32_t *const col_ind = take(rows, sizeof *col_ind);
    void *const values = take(rows, sizeof(double));
    for (int64_t i = 0; i <= rows; i++)
        row_ptr[i] = i;
    for (int64_t i = 0; i < rows; i++) {
        col_ind[i] = (int32_t)(test_hash(1, (uint64_t)i) % COLUMNS);
        test_value_set(type, values, i, test_integer((uint64_t)i, 2));
    }
    return (spmm_csr_t){rows, COLUMNS, rows, SPMM_I64, SPMM_I32, row_ptr, col_ind, type, values};
}

static void same_values(const spmm_csr_t *c, const void *values)
{
    for (int64_t q = 0; q < c->nnz; q++) {
        const double found = test_value_get(c->value_type, c->values, q),
                     expected = test_value_get(c->value_type, values, q);
        TEST_CONTENT_MUST((isnan(found) && isnan(expected)) || memcmp(&found, &expected, sizeof found) == 0,
                          "entry %lld is %.17g without a plan, %.17g with one", (long long)q, found,
                          expected);
    }
}

static void run_plan(const spmm_plan_t *plan, const void *const *operands, const spmm_csr_t *c)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_t *product = NULL;
    spmm_csr_t expected;
    uint64_t bytes = 0;
    options.threads = 1;
    TEST_CONTENT_MUST(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL) == SPMM_OK,
                      "the plan of a product does not run");
    TEST_CONTENT_MUST(spmm_plan_csr(plan, &expected) == SPMM_OK && expected.nnz == c->nnz &&
                          memcmp(expected.row_ptr, c->row_ptr, ((size_t)c->rows + 1) * sizeof(int64_t)) ==
                              0 &&
                          memcmp(expected.col_ind, c->col_ind, (size_t)c->nnz * sizeof(int32_t)) == 0,
                      "a plan has other entries");
    TEST_CONTENT_MUST(spmm_product_workspace_bytes(product, &bytes) == SPMM_OK, "no workspace");
    void *const workspace = aligned_alloc(256, (bytes / 256 + 1) * 256), *const values =
                                                                             take(c->nnz, sizeof(double));
    TEST_CONTENT_MUST(spmm_product_execute(product, spmm_real(1), operands, NULL, spmm_real(0), values,
                                           workspace, bytes, NULL, NULL) == SPMM_OK,
                      "the product of a plan fails");
    same_values(c, values);
    free(values);
    free(workspace);
    spmm_product_destroy(product);
}

/* Computes the same product with a plan and compares the results. */
static void compare(const spmm_csr_t *a, const spmm_csr_t *b, const spmm_matrix_t *left, const spmm_csr_t *c)
{
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_matrix_t *right = NULL;
    spmm_plan_t *plan = NULL;
    options.dtype = a->value_type;
    options.threads = 1;
    if (b != a)
        TEST_CONTENT_MUST(spmm_matrix_from_csr(b, &right, NULL) == SPMM_OK, "B is no matrix");
    const spmm_product_factor_t factors[] = {{left, SPMM_OP_N}, {b == a ? left : right, SPMM_OP_N}};
    const void *const operands[] = {a->values, b->values};
    TEST_CONTENT_MUST(spmm_product_inspect(factors, 2, &options, &plan, NULL) == SPMM_OK, "no plan");
    run_plan(plan, operands, c);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(right);
}

/* Returns the status that a product of a valid matrix must have if memory is sufficient. */
static spmm_status_t expected_status(const spmm_csr_t *a, const spmm_csr_t *b)
{
    if (a->values == NULL && a->nnz > 0)
        return SPMM_ERR_ARGUMENT;
    if (a->cols != b->rows)
        return SPMM_ERR_SHAPE;
    return a->value_type == SPMM_F32 || a->value_type == SPMM_F64 ? SPMM_OK : SPMM_ERR_TYPE;
}

void test_content_once(const spmm_csr_t *a, const spmm_matrix_t *matrix)
{
    const int is_made = a->rows != a->cols && a->cols >= 0 && a->cols <= ROWS_MAX &&
                        (a->value_type == SPMM_F32 || a->value_type == SPMM_F64);
    const spmm_csr_t made = is_made ? narrow_matrix(a->cols, a->value_type) : (spmm_csr_t){.rows = 0},
                     *const b = is_made ? &made : a;
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_csr_t c;
    options.threads = 1;
    options.host_budget_bytes = BUDGET;
    const spmm_status_t status = spmm_product_once(a, b, SPMM_DEVICE_CPU, &options, &c, &diag);
    TEST_CONTENT_MUST((status == SPMM_OK) == (diag.text[0] == '\0') &&
                          (status == SPMM_OK) == (c.row_ptr != NULL),
                      "%s: %s", spmm_status_name(status), diag.text);
    TEST_CONTENT_MUST(matrix != NULL ? status == expected_status(a, b) || status == SPMM_ERR_PLAN_BUDGET
                                     : status != SPMM_OK,
                      "%s: %s", spmm_status_name(status), diag.text);
    if (status == SPMM_OK)
        compare(a, b, matrix, &c);
    spmm_product_once_free(&c);
    if (is_made) {
        free((void *)(uintptr_t)made.row_ptr);
        free((void *)(uintptr_t)made.col_ind);
        free((void *)(uintptr_t)made.values);
    }
}
