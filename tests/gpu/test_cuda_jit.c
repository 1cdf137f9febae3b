/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared operators on the GPU have the bits of rows/row-split for every width, layout and factor: in
 * graphs too, and from the cache in another process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_product.h"
#include "tests/support/cache_folder.h"
#include "tests/support/plan_build.h"
#include "tests/support/type_walk.h"

#define OPERATOR "cuda/rows/row-split/operator"
#define PREPARE_ONCE "--prepare-once"
#define COLUMNS_MIN 2 /* width from which the ordinary kernels sum a row in the order of its columns */

static char folder[] = "/tmp/spmm_cuda_jit_XXXXXX"; /* kernel cache of this program */

TEST_PATTERN(sparse, (i % 9 != 4 && test_chance(i, j, 16)) || i == j)
TEST_PATTERN(filled, test_chance(i, j, 6)) /* with fewer nonzeros than the limit of an f64 operator */
TEST_PATTERN(dense, true)

static const struct test_pattern patterns[] = {
    {"192 x 64", 192, 64, sparse}, {"128 x 90", 128, 90, filled}, {"32 x 60 dense", 32, 60, dense},
    {"90 x 300", 90, 300, sparse}, {"300 x 90", 300, 90, sparse},
};
#define PATTERNS (int)(sizeof patterns / sizeof patterns[0])

/* Two executors of a matrix: one whose op N is prepared for any width and layout, and one that must run
 * rows/row-split. */
struct pair {
    struct test_matrix *a;
    spmm_types_info_t types;
    spmm_executor_t *prepared, *rows;
    spmm_prepared_t how;
};

static void operator_check(const struct pair *pair)
{
    const spmm_dense_t b = {NULL, pair->a->cols, 1, 1, SPMM_ROW_MAJOR, pair->types.b_type};
    const spmm_dense_t c = {NULL, pair->a->rows, 1, 1, SPMM_ROW_MAJOR, pair->types.c_type};
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(pair->prepared, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, OPERATOR);
}

static void pair_prepare(struct pair *pair)
{
    const spmm_dense_t b = {NULL, pair->a->cols, 1, 1, SPMM_ROW_MAJOR, pair->types.b_type};
    const spmm_dense_t c = {NULL, pair->a->rows, 1, 1, SPMM_ROW_MAJOR, pair->types.c_type};
    spmm_preparation_t result = {.struct_size = sizeof result};
    spmm_diag_t diag;
    if (spmm_executor_prepare(pair->prepared, SPMM_OP_N, &b, &c, SPMM_PREPARE_ANY_WIDTH, &result, &diag) !=
        SPMM_OK)
        fail_msg("%s", diag.text);
    if (result.how != SPMM_PREPARED_COMPILED && result.how != SPMM_PREPARED_LOADED)
        fail_msg("not prepared: %s", result.note);
    print_message(
        "%s, A %s, B %s, C %s: %s in %.1f ms %s\n", pair->a->name, spmm_dtype_name(pair->types.a_type),
        spmm_dtype_name(pair->types.b_type), spmm_dtype_name(pair->types.c_type),
        result.how == SPMM_PREPARED_COMPILED ? "compiled" : "loaded", result.seconds * 1e3, result.note);
    pair->how = result.how;
    const spmm_dense_t strided = {NULL, pair->a->cols, 1, pair->a->cols, SPMM_COL_MAJOR, pair->types.b_type};
    assert_int_equal(
        spmm_executor_prepare(pair->prepared, SPMM_OP_N, &strided, &c, SPMM_PREPARE_ANY_WIDTH, &result, NULL),
        SPMM_OK);
    assert_int_equal(result.how, SPMM_PREPARED_BEFORE);
    operator_check(pair);
}

static struct pair pair_make_types(int index, const spmm_types_info_t *types)
{
    const struct test_plan_options options = {types->a_type, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct pair pair = {.a = test_matrix_of(&patterns[index], TEST_VALUES_REAL), .types = *types};
    spmm_executor_options_t jit = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = test_plan_build(pair.a, options);
    jit.jit = SPMM_JIT_ON;
    assert_int_equal(spmm_executor_create(plan, 0, &jit, &pair.prepared, NULL), SPMM_OK);
    pair.rows = test_executor_make(plan, 0, 0, "cuda/rows/row-split/v4l32"); /* one group per row */
    spmm_plan_destroy(plan);
    pair_prepare(&pair);
    return pair;
}

static struct pair pair_make(int index, spmm_dtype_t dtype)
{
    const spmm_types_info_t types = {.a_type = dtype, .b_type = dtype, .c_type = dtype, .sum_type = dtype};
    return pair_make_types(index, &types);
}

static void pair_free(struct pair *pair)
{
    spmm_executor_destroy(pair->prepared);
    spmm_executor_destroy(pair->rows);
    test_matrix_free(pair->a);
}

/* Computes element (i, j) of C, summed in the order of the columns. */
static double loop(const struct pair *pair, const struct test_product *product, const struct test_dense *b,
                   const struct test_dense *c, int64_t i, int64_t j)
{
    const struct test_matrix *const a = pair->a;
    const bool is_double = pair->types.sum_type == SPMM_F64;
    const double alpha = a->row_ptr[i] < a->row_ptr[i + 1] ? product->alpha : 0, beta = product->beta;
    double sum = 0;
    for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
        const double x = test_value_round(pair->types.a_type, a->values[q]),
                     y = test_dense_get(b, a->col_ind[q], j);
        sum = is_double ? fma(x, y, sum) : (double)fmaf((float)x, (float)y, (float)sum);
    }
    const double old = beta != 0 ? test_dense_get(c, i, j) : 0;
    if (is_double)
        return beta != 0 ? fma(alpha, sum, beta * old) : alpha * sum;
    const float scaled = (float)beta * (float)old, plain = (float)alpha * (float)sum;
    const float full = beta != 0 ? fmaf((float)alpha, (float)sum, scaled) : plain;
    return test_value_round(pair->types.c_type, (double)full);
}

/* Compares the product of the operator with the product of rows, or with loop() if rows sums in another
 * order. */
static void product_check(const struct pair *pair, const struct test_product *product)
{
    struct test_dense b = test_product_b(pair->a, pair->types.b_type, product);
    struct test_dense c = test_product_c(pair->a, pair->types.c_type, product), want = test_dense_copy(&c);
    const struct test_dense before = test_dense_copy(&c);
    test_cuda_product_run(pair->prepared, product, &b, &c);
    if (product->n >= COLUMNS_MIN)
        test_cuda_product_run(pair->rows, product, &b, &want);
    for (int64_t i = 0; product->n < COLUMNS_MIN && i < pair->a->rows; i++)
        for (int64_t j = 0; j < product->n; j++)
            test_dense_set(&want, i, j, loop(pair, product, &b, &before, i, j));
    if (memcmp(c.block, want.block, c.block_bytes) != 0)
        fail_msg("%s, %s, %s, n %lld, orders %d %d: other bits than rows", pair->a->name,
                 spmm_dtype_name(pair->types.a_type), spmm_dtype_name(pair->types.c_type),
                 (long long)product->n, (int)product->b_layout, (int)product->c_layout);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&want);
    free(before.block);
}

static void operators_have_the_bits_of_rows(void **state)
{
    static const int64_t widths[] = {1, 2, 33, 128, 4096, 65536};
    spmm_types_info_t types;
    (void)state;
    for (int m = 0; m < PATTERNS; m++)
        for (int type = 0; test_types_at(type, &types); type++) {
            struct pair pair = pair_make_types(m, &types);
            for (int w = 0; w < 6; w++)
                for (int turn = 0; turn < 4; turn++) {
                    const struct test_factors *factors = &test_cuda_factors[(w + turn) % TEST_CUDA_FACTORS];
                    struct test_product product = test_cuda_plain(widths[w], turn);
                    product.alpha = factors->alpha;
                    product.beta = factors->beta;
                    product.b_gap = turn % 3;
                    product.c_gap = (turn + 1) % 3;
                    if (widths[w] < 65536 || (turn == 0 && m < 2))
                        product_check(&pair, &product);
                }
            pair_free(&pair);
        }
}

static void operators_keep_the_laws(void **state)
{
    (void)state;
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F16, SPMM_BF16};
    for (int m = 0; m < PATTERNS; m++) {
        const spmm_dtype_t dtype = dtypes[m % 3];
        struct pair pair = pair_make(m, dtype);
        const struct test_product product = test_cuda_plain(200, m % 4);
        test_cuda_product_canary(pair.prepared, pair.a, dtype, &product, 3);
        test_cuda_product_repeat(pair.prepared, pair.a, dtype, &product, 100);
        test_cuda_product_graph(pair.prepared, pair.a, dtype, &product, 20);
        pair_free(&pair);
    }
}

static void new_values_need_a_new_operator(void **state)
{
    struct pair pair = pair_make(0, SPMM_F32);
    /* An odd number of columns: groups do not share rows. */
    const struct test_product product = test_cuda_plain(33, 0);
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int64_t q = 0; q < pair.a->nnz; q++)
            pair.a->values[q] = test_real((uint64_t)q, (uint64_t)round + 11);
        void *values = test_values_of(pair.a, SPMM_F32);
        assert_int_equal(spmm_executor_set_values(pair.prepared, values, NULL, NULL), SPMM_OK);
        assert_int_equal(spmm_executor_set_values(pair.rows, values, NULL, NULL), SPMM_OK);
        free(values);
        product_check(&pair, &product); /* with the ordinary kernel */
        pair_prepare(&pair);
        product_check(&pair, &product);
    }
    pair_free(&pair);
}

/* Prepares the operator in another process of this program. Returns a spmm_prepared_t, the result in that
 * process. */
static int prepare_elsewhere(void)
{
    const pid_t child = fork(); /* the child calls no CUDA function before it executes another program */
    if (child == 0) {
        (void)execl("/proc/self/exe", "test_cuda_jit", PREPARE_ONCE, (char *)NULL);
        _exit(127);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

static void a_second_process_finds_it_in_the_cache(void **state)
{
    char other[] = "/tmp/spmm_cuda_jit_XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(other));
    (void)setenv("SPMM_CACHE_DIR", other, 1);
    assert_int_equal(prepare_elsewhere(), SPMM_PREPARED_COMPILED);
    assert_int_equal(prepare_elsewhere(), SPMM_PREPARED_LOADED);
    (void)setenv("SPMM_CACHE_DIR", "", 1);
    assert_int_equal(prepare_elsewhere(), SPMM_PREPARED_COMPILED);
    (void)setenv("SPMM_CACHE_DIR", folder, 1);
}

static int prepare_once(void)
{
    struct pair pair = pair_make(0, SPMM_F32);
    const struct test_product product = test_cuda_plain(33, 0);
    product_check(&pair, &product);
    const int how = (int)pair.how;
    pair_free(&pair);
    return how;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_the_bits_of_rows),
        cmocka_unit_test(operators_keep_the_laws),
        cmocka_unit_test(new_values_need_a_new_operator),
        cmocka_unit_test(a_second_process_finds_it_in_the_cache),
    };
    const bool is_child = argc > 1 && strcmp(argv[1], PREPARE_ONCE) == 0;
    if (!test_cuda_begin(is_child ? 1 : argc, argv))
        return TEST_SKIPPED;
    if (is_child)
        return prepare_once();
    if (cache_folder_make(folder) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)cache_folder_remove(folder);
    return failed;
}
