/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels groups and masks: the bits of kernel columns for every number of rows and entries that are computed
 * together and for every form of a row. The default choice takes groups or masks where rows are equal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/product_state.h"
#include "format/plan.h"
#include "kernels/shared/level_cpu.h"
#include "kernels/spgemm/spgemm_cpu.h"
#include "kernels/spgemm/spgemm_masks.h"
#include "tests/support/sparse_products.h"

/* Patterns with runs of 3, 6, 5, 12, 4 (all rows), 2 and 1 equal rows. */
static const char *const names[] = {"gen:fem3:3:3:2",  "gen:qcd:2",   "gen:block:60:5:3", "gen:block:60:6:4",
                                    "gen:dense:31:31", "gen:lap27:4", "gen:block:64:2:5", "gen:arrow:40"};

struct product {
    spmm_matrix_t *left, *right;
    int count; /* number of factors: 2 for left * right^op, 3 for left * (right * left) */
    spmm_op_t op;
    int diagonal;
    spmm_dtype_t dtype;
    int64_t piece_products;
    double scale; /* factor of the values; 0: 1 */
};

static spmm_matrix_t *generate(const char *name)
{
    spmm_matrix_t *matrix = NULL;
    assert_int_equal(spmm_matrix_generate(name, &matrix, NULL), SPMM_OK);
    return matrix;
}

/* Returns random values with many significant bits. One in 500 is NaN. */
static void *values_make(int64_t count, spmm_dtype_t dtype, uint64_t seed, double scale)
{
    // The size is exact, so that sanitizers find reads beyond it.
    void *values = malloc((size_t)count * spmm_dtype_size(dtype));
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double x = seed >> 33 < (UINT64_C(1) << 31) / 500
                             ? (double)NAN
                             : ((double)(seed >> 11) * 0x1p-53 - 0.5) * (scale == 0 ? 1 : scale);
        if (dtype == SPMM_F32)
            ((float *)values)[i] = (float)x;
        else
            ((double *)values)[i] = x;
    }
    return values;
}

static spmm_plan_t *plan_of(const struct product *p)
{
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    options.dtype = p->dtype;
    options.diagonal = p->diagonal;
    options.piece_products = p->piece_products;
    const spmm_product_factor_t factors[] = {{p->left, SPMM_OP_N}, {p->right, p->op}, {p->left, SPMM_OP_N}};
    assert_int_equal(spmm_product_inspect(factors, p->count, &options, &plan, NULL), SPMM_OK);
    return plan;
}

/* Returns C computed by this kernel with this number of threads; the caller frees it. name receives the name
 * of the kernel that ran, *nnz the entries of C. */
static void *run(const spmm_plan_t *plan, const struct product *p, const char *kernel, int threads,
                 char *name, int64_t *nnz)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_info_t info = {.struct_size = sizeof info};
    spmm_product_t *product = NULL;
    spmm_csr_t left, right;
    uint64_t bytes = 0;
    options.force_kernel = kernel;
    options.threads = threads;
    assert_int_equal(spmm_matrix_csr(p->left, &left), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(p->right, &right), SPMM_OK);
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_info(product, &info), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
    void *const a = values_make(left.nnz, p->dtype, 1, p->scale), *const b = values_make(right.nnz, p->dtype,
                                                                                         2, p->scale);
    void *const d = p->diagonal ? values_make(left.cols, p->dtype, 3, 0) : NULL;
    void *const c = values_make(info.nnz, p->dtype, 4, 0);
    void *const workspace = aligned_alloc(256, (bytes / 256 + 1) * 256);
    assert_non_null(workspace);
    memset(workspace, 0xff, bytes);
    const void *const values[] = {a, p->left == p->right ? NULL : b};
    assert_int_equal(spmm_product_execute(product, spmm_real(1.5), values, d,
                                          spmm_real(p->scale == 0 ? -0.5 : 0), c, workspace, bytes, NULL,
                                          NULL),
                     SPMM_OK);
    strcpy(name, info.kernel);
    *nnz = info.nnz;
    spmm_product_destroy(product);
    free(workspace);
    free(a);
    free(b);
    free(d);
    return c;
}

/* Fails unless the values have the same bits. Two NaNs count as equal. */
static void assert_same(const void *a, const void *b, spmm_dtype_t dtype, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double x = dtype == SPMM_F32 ? (double)((const float *)a)[i] : ((const double *)a)[i],
                     y = dtype == SPMM_F32 ? (double)((const float *)b)[i] : ((const double *)b)[i];
        if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y)))
            fail_msg("entry %lld is %.17g, expected %.17g", (long long)i, y, x);
    }
}

/* Compares all kernels with kernel columns. Returns 1 if the default choice is masks where they pay,
 * otherwise groups. */
static int check(const struct product *p)
{
    char name[32];
    int64_t nnz = 0;
    spmm_plan_t *plan = plan_of(p);
    void *expected = run(plan, p, "columns", 1, name, &nnz);
    for (int turn = 0; turn < 4; turn++) {
        void *found = run(plan, p, turn < 2 ? "groups" : "masks", 1 + turn % 2 * 2, name, &nnz);
        assert_string_equal(name, turn < 2 ? "cpu/product/groups" : "cpu/product/masks");
        assert_same(expected, found, p->dtype, nnz);
        free(found);
    }
    void *found = run(plan, p, NULL, 1, name, &nnz);
    assert_same(expected, found, p->dtype, nnz);
    free(found);
    free(expected);
    spmm_plan_destroy(plan);
    return strcmp(name, spmmi_spgemm_masks_pay() ? "cpu/product/masks" : "cpu/product/groups") == 0;
}

static void bits_are_those_of_columns(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++) {
        spmm_matrix_t *a = generate(names[m]), *b = generate(names[m]);
        for (int turn = 0; turn < 8; turn++) {
            const struct product p = {.left = a,
                                      .right = turn % 2 == 0 ? a : b,
                                      .count = turn == 7 ? 3 : 2,
                                      .op = turn == 2 || turn == 3 ? SPMM_OP_T : SPMM_OP_N,
                                      .diagonal = turn == 3 || turn == 4,
                                      .dtype = turn < 4 ? SPMM_F64 : SPMM_F32,
                                      .piece_products = turn == 5 ? 50 : INT64_MAX};
            const int is_taken = check(&p),
                      are_alike = strstr(names[m], "lap") == NULL && strstr(names[m], "arrow") == NULL;
            if (turn == 0)
                assert_int_equal(is_taken, are_alike || spmmi_spgemm_masks_pay());
        }
        spmm_matrix_destroy(a);
        spmm_matrix_destroy(b);
    }
}

/* Positions of two and of four bytes. */
static void rows_of_many_entries(void **state)
{
    (void)state;
    static const char *const wide[] = {"gen:dense:7:300", "gen:dense:7:70000"};
    for (int turn = 0; turn < 4; turn++) {
        struct product p = {.left = generate("gen:dense:9:7"),
                            .right = generate(wide[turn / 2]),
                            .count = 2,
                            .dtype = turn % 2 == 0 ? SPMM_F32 : SPMM_F64,
                            .piece_products = INT64_MAX};
        assert_true(check(&p));
        spmm_matrix_destroy(p.left);
        spmm_matrix_destroy(p.right);
    }
}

/* Returns C of the stage, computed with one SIMD level. The caller frees it. */
static void *run_level(const struct spmmi_spgemm_stage *s, spmm_dtype_t dtype,
                       const struct spgemm_cpu_ops *level, const void *a, const void *b)
{
    void *const sums = calloc((size_t)s->sums + 1, sizeof(double));
    void *const partials = calloc((size_t)s->partials + 1, sizeof(double));
    void *const c = calloc((size_t)s->c.row_ptr[s->c.rows] + 1, sizeof(double));
    const struct spmmi_spgemm_values v = {
        .left = a, .right = b, .alpha = 1, .beta = 0, .c = c, .partials = partials};
    assert_true(sums != NULL && partials != NULL && c != NULL && s->positions != NULL);
    for (int64_t u = 0; u < s->unit_count; u++)
        level[dtype].by_position(s, &v, &s->units[u], sums);
    for (int64_t r = 0; r < s->cut_count; r++)
        level[dtype].join(s, &v, &s->cuts[r]);
    free(sums);
    free(partials);
    return c;
}

static void levels_have_the_same_bits(void **state)
{
    (void)state;
    for (size_t turn = 0; turn < 2 * sizeof names / sizeof names[0]; turn++) {
        const size_t m = turn / 2;
        const spmm_dtype_t dtype = m % 2 == 0 ? SPMM_F32 : SPMM_F64;
        const struct product p = {.left = generate(names[m]),
                                  .right = generate(names[m]),
                                  .count = 2,
                                  .dtype = dtype,
                                  .piece_products = 500};
        spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
        spmm_plan_t *plan = plan_of(&p);
        spmm_product_t *product = NULL;
        spmm_csr_t view;
        options.force_kernel = turn % 2 == 0 ? "groups" : "masks";
        assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL), SPMM_OK);
        assert_int_equal(spmm_matrix_csr(p.left, &view), SPMM_OK);
        void *a = values_make(view.nnz, dtype, 5, 0), *b = values_make(view.nnz, dtype, 6, 0);
        void *x = run_level(&product->stages[0], dtype, spmmi_spgemm_cpu_portable, a, b);
        void *y = run_level(&product->stages[0], dtype, SPMMI_CPU_LEVEL(spmmi_spgemm_cpu), a, b);
        assert_same(x, y, dtype, plan->nnz);
#if defined(__x86_64__)
        void *z = spmmi_cpu_has_avx512()
                      ? run_level(&product->stages[0], dtype, spmmi_spgemm_cpu_avx512, a, b)
                      : NULL;
        if (z != NULL)
            assert_same(x, z, dtype, plan->nnz);
        free(z);
#endif
        free(a);
        free(b);
        free(x);
        free(y);
        spmm_product_destroy(product);
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(p.left);
        spmm_matrix_destroy(p.right);
    }
}

/* Rows 0 to 2 are equal. In panels 0 and 1 only every 150th entry has products, in few pieces; in panel 2
 * every entry has. Only row 6 multiplies the last row of the right factor. */
TEST_PATTERN(some_rows, j == cols - 1 ? i == 6 : i < 3 || j % i == 0)
TEST_PATTERN(far_apart, j < 64 ? i % 150 == 0 || i == rows - 1 : j < 68)
/* Row i of C has i + 1 entries: 1 to 4 windows, and panels from row 32 on. */
TEST_PATTERN(longer_rows, j == i || (j < i && j % 7 == 0))
TEST_PATTERN(triangle, j <= i)
/* The row of the left factor takes four rows of 33 entries. Their 132 products fill one piece. Its last
 * entry takes an empty row, so it has no products. */
TEST_PATTERN(one_piece, j < 5)
TEST_PATTERN(full_piece, i < 4 ? j < 33 : i == 5)

static void expect_form(const struct product *p, int threads, int64_t row, int form)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = plan_of(p);
    spmm_product_t *product = NULL;
    options.force_kernel = "masks";
    options.threads = threads;
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL), SPMM_OK);
    assert_int_equal(product->stages[0].forms[row], form);
    spmm_product_destroy(product);
    spmm_plan_destroy(plan);
}

static void check_pieces_and_types(struct product *p)
{
    static const int64_t pieces[] = {INT64_MAX, 1, 300};
    for (int turn = 0; turn < 12; turn++) {
        p->piece_products = pieces[turn % 3];
        p->dtype = turn % 2 == 0 ? SPMM_F64 : SPMM_F32;
        p->scale = turn < 6               ? 0
                   : p->dtype == SPMM_F64 ? 1e-164
                                          : 1e-23; /* products underflow to 0 of both signs */
        p->diagonal = turn % 4 == 3;
        (void)check(p);
    }
}

static void masks_of_every_form(void **state)
{
    (void)state;
    static const struct test_pattern patterns[] = {
        {"some rows", 7, 2001, some_rows},    {"far apart", 2001, 68, far_apart},
        {"longer rows", 80, 80, longer_rows}, {"triangle", 80, 80, triangle},
        {"one piece", 1, 6, one_piece},       {"full piece", 6, 40, full_piece}};
    struct test_matrix *made[6];
    spmm_matrix_t *matrices[6];
    for (int m = 0; m < 6; m++) {
        made[m] = test_matrix_of(&patterns[m], TEST_VALUES_REAL);
        matrices[m] = test_sparse_matrix(made[m]);
    }
    struct product far = {.left = matrices[0], .right = matrices[1], .count = 2, .piece_products = 1};
    far.dtype = SPMM_F64;
    for (int row = 0; row < 6; row++)
        expect_form(&far, 1, row, SPGEMM_PANELS);
    expect_form(&far, 1, 6, SPGEMM_WHOLE);
    expect_form(&far, 3, 0, SPGEMM_POSITIONS); /* several threads share its pieces */
    check_pieces_and_types(&far);
    struct product rows = {
        .left = matrices[2], .right = matrices[3], .count = 2, .piece_products = INT64_MAX};
    rows.dtype = SPMM_F64;
    static const int forms[][2] = {
        {0, 1}, {7, 1}, {8, 2}, {20, 3}, {31, 4}, {32, SPGEMM_PANELS}, {79, SPGEMM_POSITIONS}};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
        expect_form(&rows, 1, forms[f][0], forms[f][1]);
    check_pieces_and_types(&rows);
    struct product full = {.left = matrices[4], .right = matrices[5], .count = 2};
    check_pieces_and_types(&full);
    for (int m = 0; m < 6; m++) {
        spmm_matrix_destroy(matrices[m]);
        test_matrix_free(made[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_columns),
        cmocka_unit_test(rows_of_many_entries),
        cmocka_unit_test(masks_of_every_form),
        cmocka_unit_test(levels_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
