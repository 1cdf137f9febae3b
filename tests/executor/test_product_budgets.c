/* SPDX-License-Identifier: Apache-2.0 */
/* Host budgets of sparse products on the CPU, byte by byte: each step is refused before it allocates, for
 * every kernel and for products without a plan. Allocations that fail at any of these steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/spgemm_stage.h"
#include "format/base/alloc.h"
#include "format/plan.h"
#include "format/spgemm/spgemm_share.h"
#include "tests/support/sparse_products.h"

#define ROUNDED 2048 /* rounding of a few blocks to 64 bytes each */

TEST_PATTERN(pairs, i / 2 % 5 == j / 2 % 5) /* neighbouring rows are equal */
TEST_PATTERN(nine_equal, j == (i < 18 ? i / 2 : i))
TEST_PATTERN(eight_equal, j == (i < 16 ? i / 2 : i))
TEST_PATTERN(scattered, test_chance(i, j, 3))      /* no rows are equal */
TEST_PATTERN(long_row, i == 0 || j % 50 == i % 50) /* row 0 is longer than a stretch */
TEST_PATTERN(narrow, i == 0 || i % 4 == j)         /* row 0 is full */
TEST_PATTERN(far_columns, j % 100 == i)            /* few of many: they are renumbered */
TEST_PATTERN(full, i >= 0)

/* A product A B, with a plan or without. */
struct scene {
    struct test_matrix *a, *b;
    spmm_csr_t left, right;
    spmm_plan_t *plan;
    const char *kernel; /* of a product with a plan; NULL: chosen by rule */
    int threads;
};

static spmm_csr_t view_of(const struct test_matrix *a)
{
    return (spmm_csr_t){a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                        a->row_ptr, a->col_ind, SPMM_F64, a->values};
}

static struct scene scene_open(const struct test_pattern *left, const struct test_pattern *right)
{
    struct scene s = {.a = test_matrix_of(left, TEST_VALUES_REAL),
                      .b = test_matrix_of(right, TEST_VALUES_REAL),
                      .threads = 1};
    const struct test_sparse_product p = {
        .count = 2, .factor = {s.a, s.b}, .op = {SPMM_OP_N, SPMM_OP_N}, .dtype = SPMM_F64};
    s.left = view_of(s.a);
    s.right = view_of(s.b);
    s.plan = test_sparse_plan(&p);
    return s;
}

static void scene_close(struct scene *s)
{
    spmm_plan_destroy(s->plan);
    test_matrix_free(s->a);
    test_matrix_free(s->b);
}

typedef spmm_status_t within(const struct scene *s, uint64_t budget, spmm_diag_t *diag);

static spmm_status_t create_within(const struct scene *s, uint64_t budget, spmm_diag_t *diag)
{
    spmm_product_t *product = NULL;
    spmm_product_executor_options_t o = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_info_t info = {.struct_size = sizeof info};
    o.host_budget_bytes = budget;
    o.force_kernel = s->kernel;
    o.threads = s->threads;
    const spmm_status_t status = spmm_product_create(s->plan, SPMM_DEVICE_CPU, &o, &product, diag);
    assert_int_equal(product != NULL, status == SPMM_OK);
    if (product != NULL) {
        assert_int_equal(spmm_product_info(product, &info), SPMM_OK);
        assert_true(budget == 0 || info.host_bytes <= budget);
    }
    spmm_product_destroy(product);
    return status;
}

static spmm_status_t once_within(const struct scene *s, uint64_t budget, spmm_diag_t *diag)
{
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    o.host_budget_bytes = budget;
    o.threads = s->threads;
    const spmm_status_t status = spmm_product_once(&s->left, &s->right, SPMM_DEVICE_CPU, &o, &c, diag);
    assert_int_equal(c.row_ptr != NULL, status == SPMM_OK);
    spmm_product_once_free(&c);
    return status;
}

/* Tries budgets up to twice the smallest sufficient one. Each is kept or refused. */
static void sweep(within *call, const struct scene *s)
{
    uint64_t least = 0;
    const int64_t live = spmmi_alloc_live();
    for (uint64_t budget = 1; least == 0 || budget < 2 * least; budget += 1 + budget / 512) {
        spmm_diag_t diag = {.text = ""};
        spmmi_alloc_peak_reset();
        const spmm_status_t status = call(s, budget, &diag);
        if (spmmi_alloc_peak_bytes() > budget + ROUNDED)
            fail_msg("%llu bytes were taken, %llu were allowed", (unsigned long long)spmmi_alloc_peak_bytes(),
                     (unsigned long long)budget);
        assert_int_equal(status, least > 0 || status == SPMM_OK ? SPMM_OK : SPMM_ERR_PLAN_BUDGET);
        assert_true(status == SPMM_OK || strstr(diag.text, "are allowed") != NULL);
        assert_int_equal(spmmi_alloc_live(), live);
        least = least == 0 && status == SPMM_OK ? budget : least;
    }
}

/* every: whether all later allocations fail, too. */
static void fail_each_allocation(within *call, const struct scene *s, int every)
{
    const int64_t live = spmmi_alloc_live();
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(call(s, 0, NULL), SPMM_OK);
    const int64_t count = spmmi_alloc_count();
    assert_true(count > 5);
    for (int64_t k = 0; k < count; k++) {
        spmmi_alloc_fail_at(k, every);
        const spmm_status_t status = call(s, 0, NULL);
        spmmi_alloc_fail_at(-1, 0);
        /* The last allocation may be the copy of positions to less memory, which need not succeed. */
        assert_true(status == SPMM_ERR_MEMORY || (status == SPMM_OK && k == count - 1));
        assert_int_equal(spmmi_alloc_live(), live);
    }
}

static void try_all(const struct test_pattern *left, const struct test_pattern *right)
{
    static const char *const kernels[] = {NULL, "columns", "positions", "groups", "masks"};
    struct scene s = scene_open(left, right);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        s.kernel = kernels[k];
        sweep(create_within, &s);
        fail_each_allocation(create_within, &s, 1);
    }
    sweep(once_within, &s);
    fail_each_allocation(once_within, &s, 0);
    scene_close(&s);
}

static void every_budget_is_kept_or_refused(void **state)
{
    static const struct test_pattern equal = {"pairs", 40, 40, pairs},
                                     other = {"scattered", 30, 20, scattered},
                                     right = {"scattered", 20, 25, scattered};
    (void)state;
    try_all(&equal, &equal);
    try_all(&other, &right);
}

/* Returns how many bytes more a product without a budget takes than the least budget allows. */
static int64_t bytes_beyond_least(const struct scene *s)
{
    uint64_t low = 0;
    spmmi_alloc_peak_reset();
    assert_int_equal(once_within(s, 0, NULL), SPMM_OK);
    const uint64_t most = spmmi_alloc_peak_bytes();
    uint64_t least = 2 * most;
    while (least - low > 1) {
        const uint64_t budget = low + (least - low) / 2;
        *(once_within(s, budget, NULL) == SPMM_OK ? &least : &low) = budget;
    }
    return (int64_t)(most - least);
}

/* Neighbouring rows that are equal are computed together if more than a fifth of the rows are equal to the one
 * before, and the memory for it is not above the budget or above all other memory. */
static void rows_are_grouped_only_within_the_budget(void **state)
{
    enum { ROWS = 40, COLS = 1000, MANY = 1 << 16 };
    static const struct {
        struct test_pattern left, right;
        int threads, is_grouped;
    } cases[] = {{{"pairs", ROWS, 5, pairs}, {"full", 5, COLS, full}, 1, 1},
                 {{"9 equal rows", ROWS, ROWS, nine_equal}, {"full", ROWS, COLS, full}, 1, 1},
                 {{"8 equal rows", ROWS, ROWS, eight_equal}, {"full", ROWS, COLS, full}, 1, 0},
                 {{"full", 2, 4, full}, {"full", 4, MANY, full}, 8, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene s = scene_open(&cases[i].left, &cases[i].right);
        const int64_t lanes =
            (SPMMI_SPGEMM_LANES - 1) * cases[i].threads * cases[i].right.cols * (int64_t)sizeof(double);
        s.threads = cases[i].threads;
        const int64_t bytes = bytes_beyond_least(&s);
        if (cases[i].is_grouped ? bytes < lanes - ROUNDED : bytes > lanes / 2)
            fail_msg("%s: %lld bytes beyond the least", cases[i].left.name, (long long)bytes);
        scene_close(&s);
    }
}

/* The proof of the pattern has an array over all columns per thread. Columns without entries are renumbered. */
static void every_budget_of_many_columns_is_kept_or_refused(void **state)
{
    static const struct test_pattern left = {"full", 2, 2, full}, all = {"full", 2, 5000, full},
                                     right = {"far columns", 2, 200001, far_columns};
    (void)state;
    struct scene s = scene_open(&left, &all);
    s.kernel = "columns";
    s.threads = 8;
    sweep(create_within, &s);
    scene_close(&s);
    s = scene_open(&left, &right);
    sweep(once_within, &s);
    fail_each_allocation(once_within, &s, 0);
    scene_close(&s);
}

/* With a row of more than a stretch of entries, the products of each column are counted, too. */
static void every_budget_of_long_rows_is_kept_or_refused(void **state)
{
    enum { LONG = SPMMI_SPGEMM_STRETCH + 10 };
    static const struct test_pattern left = {"long row", 3, LONG, long_row},
                                     right = {"narrow", LONG, 10000, narrow};
    (void)state;
    struct scene s = scene_open(&left, &right);
    sweep(once_within, &s);
    fail_each_allocation(once_within, &s, 0);
    scene_close(&s);
}

/* C has 2^40 + 2^20 entries. Its equal rows are counted once, and nothing is allocated for the entries. */
static void more_entries_than_the_maximum_are_refused(void **state)
{
    enum { SIDE = 1 << 20 };
    int64_t *const row_ptr = calloc(SIDE + 2, sizeof *row_ptr), right_ptr[] = {0, SIDE};
    int32_t *const zeros = calloc(SIDE + 1, sizeof *zeros), *const all = calloc(SIDE, sizeof *all);
    double *const values = calloc(SIDE + 1, sizeof *values);
    spmm_diag_t diag = {.text = ""};
    spmm_csr_t c;
    (void)state;
    assert_true(row_ptr != NULL && zeros != NULL && all != NULL && values != NULL);
    for (int i = 0; i < SIDE; i++) {
        row_ptr[i + 1] = i + 1;
        all[i] = i;
    }
    row_ptr[SIDE + 1] = SIDE + 1;
    const spmm_csr_t left = {SIDE + 1, 1, SIDE + 1, SPMM_I64, SPMM_I32, row_ptr, zeros, SPMM_F64, values},
                     right = {1, SIDE, SIDE, SPMM_I64, SPMM_I32, right_ptr, all, SPMM_F64, values};
    assert_int_equal(spmm_product_once(&left, &right, SPMM_DEVICE_CPU, NULL, &c, &diag), SPMM_ERR_TOO_LARGE);
    assert_non_null(strstr(diag.text, "the product has 1099512676352 entries"));
    assert_null(c.row_ptr);
    free(values);
    free(all);
    free(zeros);
    free(row_ptr);
}

/* A product without columns needs no workspace, which then may be NULL. */
static void a_product_without_columns_needs_no_workspace(void **state)
{
    static const struct test_pattern left = {"full", 3, 4, full}, right = {"full", 4, 0, full};
    struct scene s = scene_open(&left, &right);
    const void *const values[] = {s.left.values, s.right.values};
    spmm_product_t *product = NULL;
    uint64_t bytes = 1;
    (void)state;
    assert_int_equal(spmm_product_create(s.plan, SPMM_DEVICE_CPU, NULL, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(
        spmm_product_execute(product, spmm_real(1), values, NULL, spmm_real(0), NULL, NULL, 0, NULL, NULL),
        SPMM_OK);
    spmm_product_destroy(product);
    scene_close(&s);
}

/* The first wrong row is reported. Equal arrays whose index types differ are two patterns. */
static void one_shots_of_wrong_rows_are_refused(void **state)
{
    static const int64_t row_ptr[] = {0, 1, 2, 3}, one_ptr[] = {0, 1};
    static const int32_t columns[] = {0, 3, 4};
    static const double v[] = {1, 2, 3};
    const spmm_csr_t wrong = {3, 3, 3, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, v},
                     one = {1, 1, 1, SPMM_I64, SPMM_I32, one_ptr, columns, SPMM_F64, v};
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_csr_t c, narrow = one;
    (void)state;
    o.threads = 1;
    assert_int_equal(spmm_product_once(&wrong, &wrong, SPMM_DEVICE_CPU, &o, &c, &diag), SPMM_ERR_CSR);
    assert_non_null(strstr(diag.text, "row 1 of A has column 3"));
    narrow.row_ptr_type = SPMM_I32; /* reads 0, 0: no entry */
    assert_int_equal(spmm_product_once(&one, &narrow, SPMM_DEVICE_CPU, &o, &c, &diag), SPMM_ERR_CSR);
    assert_non_null(strstr(diag.text, "the last row pointer of B is 0, expected 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_budget_is_kept_or_refused),
        cmocka_unit_test(rows_are_grouped_only_within_the_budget),
        cmocka_unit_test(every_budget_of_many_columns_is_kept_or_refused),
        cmocka_unit_test(every_budget_of_long_rows_is_kept_or_refused),
        cmocka_unit_test(more_entries_than_the_maximum_are_refused),
        cmocka_unit_test(one_shots_of_wrong_rows_are_refused),
        cmocka_unit_test(a_product_without_columns_needs_no_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
