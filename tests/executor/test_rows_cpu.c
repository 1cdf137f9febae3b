/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMD levels of the rows family give the bits of the portable level, for every width and loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_cpu.h"
#include "tests/support/dense.h"
#include "tests/support/matrices.h"
#include "tests/support/plan_build.h"

struct level {
    const char *name;
    const struct rows_cpu_ops *ops;
};

/* The levels that this machine can run, besides the portable one. */
static int levels_get(struct level levels[2])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        levels[count++] = (struct level){"avx2", spmmi_rows_cpu_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        levels[count++] = (struct level){"avx512", spmmi_rows_cpu_avx512};
#else
    (void)levels;
#endif
    return count;
}

static struct test_dense filled(int64_t rows, int64_t cols, spmm_layout_t layout, spmm_dtype_t dtype,
                                uint64_t salt)
{
    struct test_dense d = test_dense_make((struct test_dense_shape){rows, cols, layout, dtype, 3, 1});
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            test_dense_set(&d, i, j, test_real((uint64_t)(i * 1000 + j), salt));
    return d;
}

static void assert_same(const struct test_dense *a, const struct test_dense *b, const char *what,
                        int64_t width)
{
    if (memcmp(a->block, b->block, a->block_bytes) != 0)
        fail_msg("%s, %s, width %lld", what, spmm_dtype_name(a->view.type), (long long)width);
}

static void spans_agree(const struct level *level, spmm_dtype_t dtype, const struct test_matrix *a,
                        int unroll, int64_t width, double beta)
{
    const struct rows_cpu_ops *portable = &spmmi_rows_cpu_portable[dtype];
    void *values = test_values_of(a, dtype);
    struct test_dense b = filled(a->cols, width, SPMM_ROW_MAJOR, dtype, 5);
    struct test_dense c = filled(a->rows, width, SPMM_ROW_MAJOR, dtype, 6);
    struct test_dense d = test_dense_copy(&c);
    struct rows_span span = {a->row_ptr,  a->col_ind, values,      0,         a->rows, 3,   a->nnz - 5,
                             b.view.data, b.view.ld,  c.view.data, c.view.ld, 1.25,    beta};
    portable->span(&span, width, unroll);
    span.out = d.view.data;
    level->ops[dtype].span(&span, width, unroll);
    assert_same(&c, &d, level->name, width);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&d);
    free(values);
}

static void spans_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    if (count == 0)
        skip();
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int l = 0; l < count; l++)
        for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
            const int64_t size = (int64_t)spmm_dtype_size((spmm_dtype_t)dtype);
            for (int64_t width = 1; width * size <= ROWS_TILE_BYTES; width++) {
                const int unroll = width * size <= 64 ? 4 : width * size <= 128 ? 2 : 1;
                spans_agree(&levels[l], (spmm_dtype_t)dtype, a, unroll, width, width % 2 ? 0 : -0.75);
            }
        }
    test_matrix_free(a);
}

static void turn(const struct rows_cpu_ops *ops, int unpack, struct test_dense *by_rows,
                 struct test_dense *by_cols, double beta)
{
    const struct rows_block block = {by_rows->view.rows,
                                     by_rows->view.cols,
                                     by_rows->view.data,
                                     by_rows->view.ld,
                                     by_cols->view.data,
                                     by_cols->view.ld,
                                     1.5,
                                     beta};
    (unpack ? ops->unpack : ops->pack)(&block);
}

static void layout_changes_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    if (count == 0)
        skip();
    const int64_t shapes[][2] = {{1, 1},   {7, 9},    {8, 8}, {64, 16}, {65, 17},
                                 {130, 3}, {200, 33}, {4, 4}, {3, 70}};
    for (int l = 0; l < count; l++)
        for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++)
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
                for (int unpack = 0; unpack < 2; unpack++) {
                    struct test_dense r =
                        filled(shapes[s][0], shapes[s][1], SPMM_ROW_MAJOR, (spmm_dtype_t)dtype, 7);
                    struct test_dense c =
                        filled(shapes[s][0], shapes[s][1], SPMM_COL_MAJOR, (spmm_dtype_t)dtype, 8);
                    struct test_dense r2 = test_dense_copy(&r), c2 = test_dense_copy(&c);
                    const double beta = s % 2 ? 0.5 : 0;
                    turn(&spmmi_rows_cpu_portable[dtype], unpack, &r, &c, beta);
                    turn(&levels[l].ops[dtype], unpack, &r2, &c2, beta);
                    assert_same(&r, &r2, levels[l].name, shapes[s][1]);
                    assert_same(&c, &c2, levels[l].name, shapes[s][1]);
                    if (!unpack)
                        assert_true(test_dense_get(&r, 0, shapes[s][1] - 1) ==
                                    test_dense_get(&c, 0, shapes[s][1] - 1));
                    test_dense_free(&r);
                    test_dense_free(&c);
                    test_dense_free(&r2);
                    test_dense_free(&c2);
                }
}

static void sums_and_scaling_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    if (count == 0)
        skip();
    for (int l = 0; l < count; l++)
        for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++)
            for (int64_t n = 1; n < 40; n++) {
                struct test_dense from = filled(1, n, SPMM_ROW_MAJOR, (spmm_dtype_t)dtype, 9);
                struct test_dense to = filled(1, 3 * n, SPMM_ROW_MAJOR, (spmm_dtype_t)dtype, 10);
                struct test_dense to2 = test_dense_copy(&to);
                struct test_dense *both[] = {&to, &to2};
                const struct rows_cpu_ops *ops[] = {&spmmi_rows_cpu_portable[dtype], &levels[l].ops[dtype]};
                for (int i = 0; i < 2; i++) {
                    ops[i]->add(n, from.view.data, both[i]->view.data);
                    ops[i]->add_scaled(n, -1.75, from.view.data, both[i]->view.data, 3);
                    ops[i]->scale(n, 0.3, both[i]->view.data);
                }
                assert_same(&to, &to2, levels[l].name, n);
                test_dense_free(&from);
                test_dense_free(&to);
                test_dense_free(&to2);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_have_the_bits_of_the_portable_level),
        cmocka_unit_test(layout_changes_have_the_bits_of_the_portable_level),
        cmocka_unit_test(sums_and_scaling_have_the_bits_of_the_portable_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
