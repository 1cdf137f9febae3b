/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products that are refused, each with its status: arguments, plans with the pattern of another
 * product, budgets, failures of any allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "format/spgemm/spgemm_tasks.h"
#include "tests/support/sparse_products.h"

#define REFUSES(status, call) assert_int_equal(call, SPMM_ERR_##status)

static const spmm_product_executor_options_t no_options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;

struct scene {
    struct test_matrix *a, *b; /* 130 x 130 */
    spmm_matrix_t *left, *right;
    spmm_plan_t *plan; /* for P^T A P in f64 with cut rows */
    spmm_product_t *product;
    void *workspace;
    uint64_t bytes;
    double values[2][17000], c[17000];
};

static struct test_sparse_product triple(const struct scene *s)
{
    return (struct test_sparse_product){.count = 3,
                                        .factor = {s->b, s->a, s->b},
                                        .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_N},
                                        .piece_products = 60,
                                        .dtype = SPMM_F64};
}

static int set_up(void **state)
{
    static struct scene s;
    s.a = test_matrix_named("arrow", TEST_VALUES_REAL);
    s.b = test_matrix_named("lower triangle", TEST_VALUES_REAL);
    const struct test_sparse_product p = triple(&s);
    s.left = test_sparse_matrix(s.a);
    s.right = test_sparse_matrix(s.b);
    s.plan = test_sparse_plan(&p);
    assert_int_equal(spmm_product_create(s.plan, SPMM_DEVICE_CPU, NULL, &s.product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(s.product, &s.bytes), SPMM_OK);
    s.workspace = aligned_alloc(256, s.bytes + 256);
    assert_non_null(s.workspace);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;
    free(s->workspace);
    spmm_product_destroy(s->product);
    spmm_plan_destroy(s->plan);
    spmm_matrix_destroy(s->left);
    spmm_matrix_destroy(s->right);
    test_matrix_free(s->a);
    test_matrix_free(s->b);
    return 0;
}

static void inspections(void **state)
{
    const struct scene *s = *state;
    struct test_matrix *wide = test_matrix_named("one dense column", TEST_VALUES_REAL);
    spmm_matrix_t *other = test_sparse_matrix(wide);
    const spmm_product_factor_t good[] = {{s->left, SPMM_OP_N}, {s->right, SPMM_OP_N}, {s->left, SPMM_OP_N}},
                                null[] = {{s->left, SPMM_OP_N}, {NULL, SPMM_OP_N}},
                                op[] = {{s->left, SPMM_OP_N}, {s->right, (spmm_op_t)2}},
                                shape[] = {{s->left, SPMM_OP_N}, {other, SPMM_OP_N}},
                                oblong[] = {{other, SPMM_OP_N}, {other, SPMM_OP_T}, {other, SPMM_OP_N}};
    spmm_plan_t *plan = NULL;
    spmm_product_options_t o = SPMM_PRODUCT_OPTIONS_INIT;
    REFUSES(ARGUMENT, spmm_product_inspect(good, 2, NULL, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_inspect(NULL, 2, NULL, &plan, NULL));
    REFUSES(ARGUMENT, spmm_product_inspect(good, 1, NULL, &plan, NULL));
    REFUSES(ARGUMENT, spmm_product_inspect(good, 4, NULL, &plan, NULL));
    REFUSES(ARGUMENT, spmm_product_inspect(null, 2, NULL, &plan, NULL));
    REFUSES(ARGUMENT, spmm_product_inspect(op, 2, NULL, &plan, NULL));
    REFUSES(SHAPE, spmm_product_inspect(shape, 2, NULL, &plan, NULL));
#define OPTION(member, value, status, factors, count)                           \
    do {                                                                        \
        o = (spmm_product_options_t)SPMM_PRODUCT_OPTIONS_INIT;                  \
        o.member = value;                                                       \
        REFUSES(status, spmm_product_inspect(factors, count, &o, &plan, NULL)); \
        assert_null(plan);                                                      \
    } while (0)
    OPTION(dtype, SPMM_F16, ARGUMENT, good, 2);
    OPTION(lower, 2, ARGUMENT, good, 2);
    OPTION(diagonal, -1, ARGUMENT, good, 2);
    OPTION(diagonal, 1, ARGUMENT, good, 3);
    OPTION(piece_products, -1, ARGUMENT, good, 2);
    OPTION(threads, -1, ARGUMENT, good, 2);
    OPTION(lower, 1, SHAPE, oblong, 3);
    for (uint64_t budget = 1; budget < 100000; budget *= 2)
        OPTION(budget_bytes, budget, PLAN_BUDGET, good, 3);
    spmm_matrix_destroy(other);
    test_matrix_free(wide);
}

static void creations(void **state)
{
    const struct scene *s = *state;
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = no_options;
    struct spmm_plan of_matrix = *s->plan;
    of_matrix.product = NULL;
    REFUSES(ARGUMENT, spmm_product_create(s->plan, SPMM_DEVICE_CPU, NULL, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_create(NULL, SPMM_DEVICE_CPU, NULL, &product, NULL));
    REFUSES(ARGUMENT, spmm_product_create(&of_matrix, SPMM_DEVICE_CPU, NULL, &product, NULL));
    REFUSES(ARGUMENT, spmm_plan_product_verify(&of_matrix, NULL, NULL));
    REFUSES(ARGUMENT, spmm_plan_product_verify(NULL, NULL, NULL));
    const spmm_product_verify_options_t negative = {.struct_size = sizeof negative, .threads = -1};
    REFUSES(ARGUMENT, spmm_plan_product_verify(s->plan, &negative, NULL));
    REFUSES(ARGUMENT, spmm_product_create(s->plan, -3, NULL, &product, NULL));
    REFUSES(NO_DEVICE, spmm_product_create(s->plan, 100, NULL, &product, NULL));
    o.threads = -1;
    REFUSES(ARGUMENT, spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL));
    o = no_options;
    o.force_kernel = "hash";
    REFUSES(ARGUMENT, spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL));
    o = no_options;
    o.products_max = s->plan->product->products[0] + s->plan->product->products[1] - 1;
    REFUSES(PLAN_BUDGET, spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL));
    o.products_max++;
    assert_int_equal(spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL), SPMM_OK);
    spmm_product_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_product_info(product, &info), SPMM_OK);
    spmm_product_destroy(product);
    spmm_executor_t *executor = NULL; /* an executor for a dense operand */
    spmm_diag_t diag = {0};
    uint64_t bytes = 0;
    const spmm_dense_t b = {NULL, s->plan->cols, 1, 1, SPMM_ROW_MAJOR, SPMM_F64}; /* also C: A is square */
    assert_int_equal(spmm_executor_create(s->plan, SPMM_DEVICE_CPU, NULL, &executor, NULL), SPMM_OK);
    REFUSES(NO_VARIANT, spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &b, &bytes, &diag));
    assert_non_null(strstr(diag.text, "like every plan of a product of sparse matrices"));
    spmm_executor_destroy(executor);
    o = no_options;
    for (o.host_budget_bytes = 1; o.host_budget_bytes < info.host_bytes / 2; o.host_budget_bytes *= 2)
        REFUSES(PLAN_BUDGET, spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL));
    assert_null(product);
}

typedef spmm_status_t within(const struct scene *s, uint64_t budget);

/* Returns 1 if the call succeeds. Checks that it keeps the budget, up to rounding (of large blocks to huge
 * pages). */
static int is_enough(within *call, const struct scene *s, uint64_t budget)
{
    const uint64_t rounding = budget < UINT64_C(4) << 20 ? 1024 : UINT64_C(8) << 20;
    spmmi_alloc_peak_reset();
    const spmm_status_t status = call(s, budget);
    if (spmmi_alloc_peak_bytes() > budget + rounding)
        fail_msg("%llu bytes were taken, %llu were allowed", (unsigned long long)spmmi_alloc_peak_bytes(),
                 (unsigned long long)budget);
    assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
    return status == SPMM_OK;
}

/* Returns the smallest sufficient budget, found by bisection. */
static uint64_t least_budget(within *call, const struct scene *s)
{
    uint64_t refused = 1, enough = UINT64_C(1) << 40;
    while (enough - refused > 1) {
        const uint64_t budget = refused + (enough - refused) / 2;
        if (is_enough(call, s, budget))
            enough = budget;
        else
            refused = budget;
    }
    return enough;
}

static spmm_status_t inspect_within(const struct scene *s, uint64_t budget)
{
    const spmm_product_factor_t factors[] = {
        {s->left, SPMM_OP_T}, {s->right, SPMM_OP_N}, {s->left, SPMM_OP_N}};
    spmm_plan_t *plan = NULL;
    spmm_product_options_t o = SPMM_PRODUCT_OPTIONS_INIT;
    o.budget_bytes = budget;
    const spmm_status_t status = spmm_product_inspect(factors, 3, &o, &plan, NULL);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t verify_within(const struct scene *s, uint64_t budget)
{
    const spmm_product_verify_options_t o = {.struct_size = sizeof o, .threads = 2, .budget_bytes = budget};
    return spmm_plan_product_verify(s->plan, &o, NULL);
}

static spmm_status_t create_within(const struct scene *s, uint64_t budget)
{
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = no_options;
    o.host_budget_bytes = budget;
    o.force_kernel = "positions";
    const spmm_status_t status = spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, NULL);
    spmm_product_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_product_info(product, &info), status == SPMM_OK ? SPMM_OK : SPMM_ERR_ARGUMENT);
    assert_true(info.host_bytes <= budget);
    spmm_product_destroy(product);
    return status;
}

/* 5 million products with two bytes each, in a buffer that grows. */
static void positions_within_a_budget(void)
{
    struct scene graph = {.plan = NULL};
    spmm_matrix_t *matrix = NULL;
    assert_int_equal(spmm_matrix_generate("gen:rmat:11:24", &matrix, NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{matrix, SPMM_OP_N}, {matrix, SPMM_OP_N}};
    assert_int_equal(spmm_product_inspect(factors, 2, NULL, &graph.plan, NULL), SPMM_OK);
    const uint64_t least = least_budget(create_within, &graph);
    for (uint64_t budget = least; budget < 16 * least; budget += budget / 8)
        assert_true(is_enough(create_within, &graph, budget));
    spmm_plan_destroy(graph.plan);
    spmm_matrix_destroy(matrix);
}

static void budgets_hold(void **state)
{
    const struct scene *s = *state;
    assert_true(least_budget(inspect_within, s) > 1000);
    const uint64_t verified = least_budget(verify_within, s);
    const struct spmmi_csr_pattern pattern = {s->plan->rows, s->plan->cols, s->plan->row_ptr,
                                              s->plan->col_ind};
    struct spmmi_spgemm_tasks tasks;
    assert_int_equal(spmmi_spgemm_tasks_make(s->plan->product, &pattern, 2, &tasks, NULL), SPMM_OK);
    assert_int_equal(verified, spmmi_spgemm_tasks_bytes(s->plan->product, s->plan->nnz) +
                                   spmmi_spgemm_proof_bytes(&tasks, 2));
    spmmi_spgemm_tasks_free(&tasks);
    assert_true(least_budget(create_within, s) > verified);
    positions_within_a_budget();
    assert_int_equal(spmmi_spgemm_require_bytes(5, 0, 5, NULL), SPMM_OK);
    REFUSES(PLAN_BUDGET, spmmi_spgemm_require_bytes(6, 0, 5, NULL));
    const uint64_t *products = s->plan->product->products;
    spmm_product_verify_options_t o = {.struct_size = sizeof o, .products_max = 1};
    REFUSES(PLAN_BUDGET, spmm_plan_product_verify(s->plan, &o, NULL));
    spmm_diag_t diag;
    o.products_max = products[0] + products[1] - 1;
    REFUSES(PLAN_BUDGET, spmm_plan_product_verify(s->plan, &o, &diag));
    assert_non_null(strstr(diag.text, "multiplications, its"));
    o.products_max++;
    assert_int_equal(spmm_plan_product_verify(s->plan, &o, NULL), SPMM_OK);
}

/* A plan that loads but has the pattern of other matrices: an entry of C or T is wrong or missing. */
static void patterns_that_are_not_the_products(void **state)
{
    const struct scene *s = *state;
    for (int turn = 0; turn < 4; turn++) {
        spmm_plan_t *plan = NULL;
        spmm_product_t *product = NULL;
        spmm_diag_t diag;
        assert_int_equal(spmmi_plan_copy_pattern(s->plan, &plan, NULL), SPMM_OK);
        struct spmmi_spgemm_matrix *t = &plan->product->matrices[plan->product->operand_count];
        const int is_inner = turn >= 2;
        int64_t *row_ptr = is_inner ? t->row_ptr : plan->row_ptr, rows = is_inner ? t->rows : plan->rows;
        if (turn % 2 == 0) { /* removes the last entry of the last row */
            row_ptr[rows]--;
        } else { /* moves an entry to the next row */
            int64_t i = rows / 2;
            row_ptr[i]--;
        }
        REFUSES(PLAN_PRODUCT, spmm_product_create(plan, SPMM_DEVICE_CPU, NULL, &product, &diag));
        assert_non_null(strstr(diag.text, is_inner ? "row" : "of C does not have the columns"));
        REFUSES(PLAN_PRODUCT, spmm_plan_product_verify(plan, NULL, NULL));
        spmm_plan_destroy(plan);
    }
    assert_int_equal(spmm_plan_product_verify(s->plan, NULL, NULL), SPMM_OK);
}

static void executions(void **state)
{
    struct scene *s = *state;
    const void *const values[] = {s->values[0], s->values[1]}, *const none[] = {s->values[0], NULL},
                      *const own[] = {s->values[0], s->c + 10};
    const spmm_scalar_t one = spmm_real(1), zero = spmm_real(0), imaginary = {1, 1};
#define EXECUTE(status, product, alpha, operands, diagonal, beta, c, workspace, bytes) \
    REFUSES(status,                                                                    \
            spmm_product_execute(product, alpha, operands, diagonal, beta, c, workspace, bytes, NULL, NULL))
    EXECUTE(ARGUMENT, NULL, one, values, NULL, zero, s->c, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, one, values, NULL, zero, NULL, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, one, NULL, NULL, zero, s->c, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, one, none, NULL, zero, s->c, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, one, values, s->values[0], zero, s->c, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, imaginary, values, NULL, zero, s->c, s->workspace, s->bytes);
    EXECUTE(ARGUMENT, s->product, one, values, NULL, imaginary, s->c, s->workspace, s->bytes);
    EXECUTE(OVERLAP, s->product, one, own, NULL, zero, s->c, s->workspace, s->bytes);
    EXECUTE(WORKSPACE, s->product, one, values, NULL, zero, s->c, NULL, s->bytes);
    EXECUTE(WORKSPACE, s->product, one, values, NULL, zero, s->c, s->workspace, s->bytes - 1);
    EXECUTE(WORKSPACE, s->product, one, values, NULL, zero, s->c, (char *)s->workspace + 64, s->bytes);
    assert_int_equal(
        spmm_product_execute(s->product, one, values, NULL, zero, s->c, s->workspace, s->bytes, NULL, NULL),
        SPMM_OK);
    uint64_t bytes = 0;
    spmm_product_info_t info = {.struct_size = sizeof info};
    spmm_product_plan_info_t form = {.struct_size = sizeof form};
    spmm_csr_t view;
    int64_t row_ptr[131];
    REFUSES(ARGUMENT, spmm_product_workspace_bytes(NULL, &bytes));
    REFUSES(ARGUMENT, spmm_product_workspace_bytes(s->product, NULL));
    REFUSES(ARGUMENT, spmm_product_info(NULL, &info));
    REFUSES(ARGUMENT, spmm_plan_product(NULL, &form));
    REFUSES(ARGUMENT, spmm_plan_operand(s->plan, -1, &view, NULL));
    REFUSES(ARGUMENT, spmm_plan_operand(s->plan, 3, &view, NULL));
    REFUSES(ARGUMENT, spmm_plan_operand(s->plan, 0, NULL, NULL));
    REFUSES(ARGUMENT, spmm_plan_operand_matches(s->plan, 0, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_pattern(NULL, SPMM_I64, row_ptr, SPMM_I64, s->c, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_pattern(s->product, SPMM_I64, NULL, SPMM_I64, s->c, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_pattern(s->product, SPMM_I64, row_ptr, SPMM_I64, NULL, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_pattern(s->product, (spmm_itype_t)3, row_ptr, SPMM_I64, s->c, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_pattern(s->product, SPMM_I64, row_ptr, (spmm_itype_t)3, s->c, NULL, NULL));
    assert_int_equal(spmm_plan_operand(s->plan, 2, &view, NULL), SPMM_OK); /* T */
    assert_int_equal(spmm_plan_operand_matches(s->plan, 2, &view, NULL), SPMM_OK);
    REFUSES(MISMATCH, spmm_plan_operand_matches(s->plan, 0, &view, NULL));
}

/* Adjacent arrays are allowed, a common byte is not: values, C, then more values or the diagonal. */
static void arrays_side_by_side(void **state)
{
    static const int64_t row_ptr[] = {0, 1, 2};
    static const int32_t columns[] = {0, 1};
    static double all[] = {2, 3, 0, 0, 5, 7};
    (void)state;
    const spmm_csr_t view = {2, 2, 2, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, all};
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_product_t *product = NULL;
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    _Alignas(256) char workspace[4096];
    uint64_t bytes = 0;
    options.dtype = SPMM_F64;
    options.diagonal = 1;
    assert_int_equal(spmm_matrix_from_csr(&view, &matrix, NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{matrix, SPMM_OP_N}, {matrix, SPMM_OP_N}};
    assert_int_equal(spmm_product_inspect(factors, 2, &options, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, NULL, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
    assert_true(bytes <= sizeof workspace);
#define BESIDE(expected, values, diagonal)                                                                 \
    assert_int_equal(spmm_product_execute(product, spmm_real(1), (const void *const[]){values}, diagonal,  \
                                          spmm_real(0), all + 2, workspace, sizeof workspace, NULL, NULL), \
                     expected)
    BESIDE(SPMM_OK, all, all + 4);
    assert_true(all[2] == 2 * 5 * 2 && all[3] == 3 * 7 * 3);
    BESIDE(SPMM_OK, all + 4, all);
    assert_true(all[2] == 5 * 2 * 5 && all[3] == 7 * 3 * 7);
    BESIDE(SPMM_ERR_OVERLAP, all + 1, all + 4);
    BESIDE(SPMM_ERR_OVERLAP, all + 3, all);
    BESIDE(SPMM_ERR_OVERLAP, all, all + 3);
    BESIDE(SPMM_ERR_OVERLAP, all + 4, all + 1);
    BESIDE(SPMM_ERR_ARGUMENT, all, NULL); /* the plan has a diagonal */
    spmm_product_destroy(product);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

/* C has an entry too many, in a column that the right factor has, or in one of millions it lacks. */
static void entries_that_no_product_meets(void **state)
{
    static const int64_t a_ptr[] = {0, 1}, b_ptr[] = {0, 2};
    static const int32_t a_columns[] = {0}, b_columns[] = {7, 2000000};
    static const double v[] = {1, 2};
    (void)state;
    const spmm_csr_t views[] = {{1, 1, 1, SPMM_I64, SPMM_I32, a_ptr, a_columns, SPMM_F64, v},
                                {1, 2000001, 2, SPMM_I64, SPMM_I32, b_ptr, b_columns, SPMM_F64, v}};
    spmm_matrix_t *matrix[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(spmm_matrix_from_csr(&views[i], &matrix[i], NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{matrix[0], SPMM_OP_N}, {matrix[1], SPMM_OP_N}};
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_product_inspect(factors, 2, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_product_verify(plan, NULL, NULL), SPMM_OK);
    spmm_product_verify_options_t o = {.struct_size = sizeof o, .products_max = 2};
    assert_int_equal(spmm_plan_product_verify(plan, &o, NULL), SPMM_OK);
    o.products_max = 1;
    REFUSES(PLAN_BUDGET, spmm_plan_product_verify(plan, &o, NULL));
    plan->col_ind[0] = 8;
    REFUSES(PLAN_PRODUCT, spmm_plan_product_verify(plan, NULL, NULL));
    plan->col_ind[0] = 7;
    int32_t *more = spmmi_alloc(3, sizeof *more);
    assert_non_null(more);
    memcpy(more, (int32_t[]){7, 8, 2000000}, 3 * sizeof *more);
    spmmi_free(plan->col_ind);
    plan->col_ind = more;
    plan->nnz = plan->row_ptr[1] = 3;
    REFUSES(PLAN_PRODUCT, spmm_plan_product_verify(plan, NULL, NULL));
    spmm_plan_destroy(plan);
    for (int i = 0; i < 2; i++)
        spmm_matrix_destroy(matrix[i]);
}

/* Columns of a left factor are rows of the right one, and columns of a triangle are compared with rows:
 * neither are renumbered, however many there are. */
static void columns_that_keep_their_numbers(void **state)
{
    enum { MANY = 2000001 };
    static int64_t wide_ptr[] = {0, 2}, square_ptr[MANY + 1];
    static const int32_t wide_columns[] = {7, 2000000}, square_columns[] = {5, 2, 1000};
    static const double v[] = {1, 2, 3};
    (void)state;
    for (int64_t i = 0; i <= MANY; i++)
        square_ptr[i] = i <= 3 ? 0 : i <= 5 ? 1 : 3; /* (3, 5), (5, 2), (5, 1000) */
    const spmm_csr_t views[] = {{1, MANY, 2, SPMM_I64, SPMM_I32, wide_ptr, wide_columns, SPMM_F64, v},
                                {MANY, MANY, 3, SPMM_I64, SPMM_I32, square_ptr, square_columns, SPMM_F64, v}};
    for (int turn = 0; turn < 2; turn++) {
        spmm_matrix_t *matrix = NULL;
        spmm_plan_t *plan = NULL;
        spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
        options.lower = turn;
        assert_int_equal(spmm_matrix_from_csr(&views[turn], &matrix, NULL), SPMM_OK);
        const spmm_product_factor_t factors[] = {{matrix, SPMM_OP_N},
                                                 {matrix, turn == 0 ? SPMM_OP_T : SPMM_OP_N}};
        assert_int_equal(spmm_product_inspect(factors, 2, &options, &plan, NULL), SPMM_OK);
        assert_int_equal(plan->nnz, 1);
        assert_int_equal(plan->col_ind[0], turn == 0 ? 0 : 2);
        assert_int_equal(spmm_plan_product_verify(plan, NULL, NULL), SPMM_OK);
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(matrix);
    }
}

/* One entry more, in a column that other rows have. T and C have all columns. */
static void an_entry_too_many_at_the_end(void **state)
{
    const struct scene *s = *state;
    const spmm_product_factor_t factors[] = {{s->right, SPMM_OP_N}, {s->right, SPMM_OP_N}};
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_product_inspect(factors, 2, NULL, &plan, NULL), SPMM_OK);
    const int64_t first = plan->row_ptr[0], end = plan->row_ptr[1];
    assert_true(end - first == 1 && plan->col_ind[0] == 0); /* row 0 of a lower triangle */
    int32_t *more = spmmi_alloc((uint64_t)plan->nnz + 1, sizeof *more);
    assert_non_null(more);
    more[0] = 0;
    more[1] = 1;
    memcpy(more + 2, plan->col_ind + 1, (size_t)(plan->nnz - 1) * sizeof *more);
    spmmi_free(plan->col_ind);
    plan->col_ind = more;
    plan->nnz++;
    for (int64_t i = 1; i <= plan->rows; i++)
        plan->row_ptr[i]++;
    REFUSES(PLAN_PRODUCT, spmm_plan_product_verify(plan, NULL, NULL));
    spmm_plan_destroy(plan);
}

static void one_shots(void **state)
{
    static const int64_t row_ptr[] = {0, 2, 2}, falling[] = {0, 2, 1}, late[] = {1, 2, 2},
                         back[] = {0, 2, 1, 2}, nothing[] = {0, 0, 0};
    static const int32_t columns[] = {0, 1}, unsorted[] = {1, 0}, twice[] = {1, 1}, beyond[] = {0, 2};
    static const double v[] = {1, 2};
    const spmm_csr_t good = {2, 2, 2, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, v};
    spmm_csr_t bad, c;
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    (void)state;
    REFUSES(ARGUMENT, spmm_product_once(&good, &good, SPMM_DEVICE_CPU, NULL, NULL, NULL));
    REFUSES(ARGUMENT, spmm_product_once(NULL, &good, SPMM_DEVICE_CPU, NULL, &c, NULL));
    REFUSES(ARGUMENT, spmm_product_once(&good, NULL, SPMM_DEVICE_CPU, NULL, &c, NULL));
    REFUSES(NO_DEVICE, spmm_product_once(&good, &good, 100, NULL, &c, NULL));
#define ONCE(status, member, value)                                                       \
    do {                                                                                  \
        bad = good;                                                                       \
        bad.member = value;                                                               \
        REFUSES(status, spmm_product_once(&good, &bad, SPMM_DEVICE_CPU, NULL, &c, NULL)); \
        assert_null(c.values);                                                            \
    } while (0)
    ONCE(CSR, rows, -1);
    ONCE(CSR, rows, INT64_C(1) << 31);
    ONCE(CSR, cols, -1);
    ONCE(CSR, cols, INT64_C(1) << 31);
    ONCE(CSR, nnz, -1);
    bad = (spmm_csr_t){2, -1, 0, SPMM_I64, SPMM_I32, nothing, NULL, SPMM_F64, NULL};
    REFUSES(CSR, spmm_product_once(&good, &bad, SPMM_DEVICE_CPU, NULL, &c, NULL));
    ONCE(CSR, nnz, (INT64_C(1) << 40) + 1);
    bad = good;
    bad.cols = INT32_MAX - 1; /* the maximum */
    assert_int_equal(spmm_product_once(&good, &bad, SPMM_DEVICE_CPU, NULL, &c, NULL), SPMM_OK);
    spmm_product_once_free(&c);
    ONCE(SHAPE, rows, 1);
    ONCE(ARGUMENT, row_ptr, NULL);
    ONCE(ARGUMENT, col_ind, NULL);
    ONCE(ARGUMENT, values, NULL);
    ONCE(ARGUMENT, row_ptr_type, (spmm_itype_t)0);
    ONCE(ARGUMENT, col_ind_type, (spmm_itype_t)0);
    ONCE(TYPE, value_type, SPMM_F32);
    ONCE(CSR, row_ptr, falling);
    const spmm_csr_t narrow = {2, 2, 2, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F16, v},
                     up_and_down = {3, 2, 2, SPMM_I64, SPMM_I32, back, columns, SPMM_F64, v},
                     left = {1, 3, 2, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, v};
    REFUSES(TYPE, spmm_product_once(&narrow, &narrow, SPMM_DEVICE_CPU, NULL, &c, NULL));
    REFUSES(CSR, spmm_product_once(&left, &up_and_down, SPMM_DEVICE_CPU, NULL, &c, NULL));
    ONCE(CSR, row_ptr, late);
    ONCE(CSR, nnz, 3);
    ONCE(CSR, col_ind, unsorted);
    ONCE(CSR, col_ind, twice);
    ONCE(CSR, col_ind, beyond);
    o.threads = -1;
    REFUSES(ARGUMENT, spmm_product_once(&good, &good, SPMM_DEVICE_CPU, &o, &c, NULL));
    o.threads = 0;
    for (o.host_budget_bytes = 1; o.host_budget_bytes < 200; o.host_budget_bytes *= 2)
        REFUSES(PLAN_BUDGET, spmm_product_once(&good, &good, SPMM_DEVICE_CPU, &o, &c, NULL));
    spmm_product_once_free(NULL);
    spmm_product_destroy(NULL);
}

/* Makes the calls of an allocation test: one shot products, or a plan, its file and a product. */
static spmm_status_t inspect_and_create(const struct scene *s, int turn)
{
    static const int64_t b_ptr[] = {0, 2, 4};
    static const int32_t b_ind[] = {7, 2000000000, 7, 1999999999};
    static const double b_values[] = {1, 2, 3, 4};
    const spmm_csr_t wide = {2, 2000000001, 4, SPMM_I64, SPMM_I32, b_ptr, b_ind, SPMM_F64, b_values};
    const spmm_csr_t a = {s->a->rows,    s->a->cols,    s->a->nnz, SPMM_I64,    SPMM_I32,
                          s->a->row_ptr, s->a->col_ind, SPMM_F64,  s->a->values},
                     two = {2,        2,       4, SPMM_I64, SPMM_I32, b_ptr, (const int32_t[]){0, 1, 0, 1},
                            SPMM_F64, b_values};
    const spmm_product_factor_t factors[] = {
        {s->right, SPMM_OP_T}, {s->left, SPMM_OP_N}, {s->right, SPMM_OP_N}};
    spmm_product_options_t o = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_product_executor_options_t how = no_options;
    spmm_plan_t *plan = NULL, *again = NULL;
    spmm_product_t *product = NULL;
    spmm_csr_t c;
    void *bytes = NULL;
    size_t size = 0;
    if (turn == 2) {
        const spmm_status_t status = spmm_product_once(&two, &wide, SPMM_DEVICE_CPU, NULL, &c, NULL);
        spmm_product_once_free(&c);
        return status;
    }
    if (turn == 3) {
        const spmm_status_t status = spmm_product_once(&a, &a, SPMM_DEVICE_CPU, NULL, &c, NULL);
        spmm_product_once_free(&c);
        return status;
    }
    o.lower = turn;
    o.threads = how.threads = 2;
    how.force_kernel = "positions";
    spmm_status_t status = spmm_product_inspect(factors, 3, &o, &plan, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_write(plan, NULL, &bytes, &size, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_read(bytes, size, NULL, &again, NULL);
    if (status == SPMM_OK)
        status = spmm_product_create(again, SPMM_DEVICE_CPU, &how, &product, NULL);
    spmm_product_destroy(product);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(again);
    spmm_plan_destroy(plan);
    return status;
}

static void memory_that_ends_anywhere(void **state)
{
    const struct scene *s = *state;
    for (int turn = 0; turn < 4; turn++) {
        const int64_t live = spmmi_alloc_live();
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(inspect_and_create(s, turn), SPMM_OK);
        const int64_t count = spmmi_alloc_count();
        assert_true(count > 5);
        for (int64_t k = 0; k < count; k++) {
            spmmi_alloc_fail_at(k, 1);
            const spmm_status_t status = inspect_and_create(s, turn);
            spmmi_alloc_fail_at(-1, 0);
            if (status != SPMM_ERR_MEMORY && status != SPMM_OK)
                fail_msg("allocation %lld of turn %d: %s", (long long)k, turn, spmm_status_name(status));
            assert_int_equal(spmmi_alloc_live(), live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inspections),
        cmocka_unit_test(creations),
        cmocka_unit_test(budgets_hold),
        cmocka_unit_test(patterns_that_are_not_the_products),
        cmocka_unit_test(executions),
        cmocka_unit_test(arrays_side_by_side),
        cmocka_unit_test(entries_that_no_product_meets),
        cmocka_unit_test(an_entry_too_many_at_the_end),
        cmocka_unit_test(columns_that_keep_their_numbers),
        cmocka_unit_test(one_shots),
        cmocka_unit_test(memory_that_ends_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
