/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMD levels of the rows family give the bits of the portable level, for every width and loop. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_cpu.h"
#include "kernels/rows/rows_cpu_shares.h"
#include "tests/support/dense.h"
#include "tests/support/matrices.h"
#include "tests/support/plan_build.h"

struct level {
    const char *name;
    const struct rows_cpu_level *own, *base;
};

/* The levels that this machine can run, besides the portable one. */
static int levels_get(struct level levels[2])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        levels[count++] = (struct level){"avx2", &spmmi_rows_cpu_avx2, &spmmi_rows_cpu_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        levels[count++] = (struct level){"avx512", &spmmi_rows_cpu_avx512, spmmi_rows_cpu_avx512.base};
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

static spmm_dtype_t sum_type(spmm_dtype_t b_type)
{
    return b_type == SPMM_F64 ? SPMM_F64 : SPMM_F32;
}

static void spans_agree(const struct level *level, spmm_dtype_t a_type, spmm_dtype_t b_type,
                        const struct test_matrix *a, int64_t width)
{
    const bool is_half = spmm_dtype_size(b_type) == 2;
    const int64_t bytes = width * (int64_t)spmm_dtype_size(sum_type(b_type));
    const int64_t room =
        is_half ? (width + ROWS_VECTOR_SUMS - 1) / ROWS_VECTOR_SUMS * ROWS_VECTOR_SUMS : width;
    const int unroll = bytes <= 64 ? 4 : bytes <= 128 ? 2 : 1;
    void *values = test_values_of(a, a_type);
    struct test_dense b = filled(a->cols, width, SPMM_ROW_MAJOR, b_type, 5);
    struct test_dense c = filled(a->rows, room, SPMM_ROW_MAJOR, sum_type(b_type), 6);
    struct test_dense d = test_dense_copy(&c);
    struct rows_span span = {a->row_ptr,           a->col_ind,  values,    0,           a->rows,   3,
                             a->nnz - 5,           b.view.data, b.view.ld, c.view.data, c.view.ld, 1.25,
                             width % 2 ? 0 : -0.75};
    if (is_half) {
        span.alpha = 1;
        span.beta = 0;
    }
    spmmi_rows_cpu_portable.span[a_type][b_type](&span, width, unroll);
    span.out = d.view.data;
    level->own->span[a_type][b_type](&span, width, unroll);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < width; j++)
            if (test_dense_get(&c, i, j) != test_dense_get(&d, i, j))
                fail_msg("%s, A %s, B %s, width %lld", level->name, spmm_dtype_name(a_type),
                         spmm_dtype_name(b_type), (long long)width);
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
        for (int i = 0; i < SPMM_BF16 * SPMM_BF16; i++) {
            const spmm_dtype_t a_type = (spmm_dtype_t)(i / SPMM_BF16 + 1);
            const spmm_dtype_t b_type = (spmm_dtype_t)(i % SPMM_BF16 + 1);
            const int64_t size = (int64_t)spmm_dtype_size(sum_type(b_type));
            assert_true((spmmi_rows_cpu_portable.span[a_type][b_type] == NULL) ==
                        (levels[l].own->span[a_type][b_type] == NULL));
            if (spmmi_rows_cpu_portable.span[a_type][b_type] == NULL)
                continue;
            for (int64_t width = 1; width * size <= ROWS_TILE_BYTES; width++)
                spans_agree(&levels[l], a_type, b_type, a, width);
        }
    test_matrix_free(a);
}

/* One column of B, at once behind another or not, and of C. */
static void columns_agree(const struct level *level, spmm_dtype_t dtype, const struct test_matrix *a,
                          bool is_apart)
{
    const spmm_layout_t layout = is_apart ? SPMM_ROW_MAJOR : SPMM_COL_MAJOR;
    const double alphas[] = {1.25, (double)INFINITY};
    void *values = test_values_of(a, dtype);
    struct test_dense b = filled(a->cols, 1, layout, dtype, 11);
    for (int i = 0; i < 4; i++) {
        if (i == 2) /* does not reach rows without it */
            test_dense_set(&b, 0, 0, (double)INFINITY);
        struct test_dense c = filled(a->rows, 1, layout, dtype, 12), d = test_dense_copy(&c);
        struct rows_span span = {.row_ptr = a->row_ptr,
                                 .col_ind = a->col_ind,
                                 .values = values,
                                 .row_end = a->rows,
                                 .p_begin = i < 2 ? 0 : 3,
                                 .p_end = i < 2 ? a->nnz : a->nnz - 5,
                                 .b = b.view.data,
                                 .ldb = is_apart ? b.view.ld : 1,
                                 .out = c.view.data,
                                 .ldo = is_apart ? c.view.ld : 1,
                                 .alpha = alphas[i % 2],
                                 .beta = i < 2 ? 0 : -0.75};
        spmmi_rows_cpu_portable.span[dtype][dtype](&span, 1, 4);
        span.out = d.view.data;
        level->own->span[dtype][dtype](&span, 1, 4);
        for (int64_t r = 0; r < a->rows; r++) {
            const double x = test_dense_get(&c, r, 0), y = test_dense_get(&d, r, 0);
            if (x != y && !(isnan(x) && isnan(y)))
                fail_msg("%s, %s, %s, row %lld: %g, %g", level->name, spmm_dtype_name(dtype), a->name,
                         (long long)r, x, y);
        }
        test_dense_free(&c);
        test_dense_free(&d);
    }
    test_dense_free(&b);
    free(values);
}

static void single_columns_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    const char *names[] = {"rows of 0 to 8", "power law", "dense"};
    for (int l = 0; l < count; l++)
        for (size_t m = 0; m < sizeof names / sizeof names[0]; m++) {
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            for (int i = 0; i < 4; i++)
                columns_agree(&levels[l], i < 2 ? SPMM_F32 : SPMM_F64, a, i % 2);
            test_matrix_free(a);
        }
}

static void turn(const struct rows_cpu_level *level, spmm_dtype_t dtype, int unpack,
                 struct test_dense *by_rows, struct test_dense *by_cols, double beta)
{
    const struct rows_block block = {by_rows->view.rows,
                                     by_rows->view.cols,
                                     by_rows->view.data,
                                     by_rows->view.ld,
                                     by_cols->view.data,
                                     by_cols->view.ld,
                                     1.5,
                                     beta};
    (unpack ? level->unpack[dtype] : level->pack[dtype])(&block);
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
        for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++)
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
                for (int unpack = 0; unpack < (dtype <= SPMM_F64 ? 2 : 1); unpack++) {
                    struct test_dense r =
                        filled(shapes[s][0], shapes[s][1], SPMM_ROW_MAJOR, (spmm_dtype_t)dtype, 7);
                    struct test_dense c =
                        filled(shapes[s][0], shapes[s][1], SPMM_COL_MAJOR, (spmm_dtype_t)dtype, 8);
                    struct test_dense r2 = test_dense_copy(&r), c2 = test_dense_copy(&c);
                    const double beta = s % 2 ? 0.5 : 0;
                    turn(&spmmi_rows_cpu_portable, (spmm_dtype_t)dtype, unpack, &r, &c, beta);
                    turn(levels[l].base, (spmm_dtype_t)dtype, unpack, &r2, &c2, beta);
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

/* Rows without gaps are packed by whole vectors that run into the next row, but not behind the last one. */
static void packs_agree(const struct level *level, spmm_dtype_t dtype, const struct test_dense *from,
                        int64_t rows, int64_t cols)
{
    struct test_dense to[2];
    for (int i = 0; i < 2; i++) {
        to[i] = filled(from->view.rows, from->view.cols, SPMM_ROW_MAJOR, dtype, 14);
        const struct rows_block block = {rows, cols, to[i].view.data, cols, from->view.data, from->view.ld,
                                         1,    0};
        (i == 0 ? &spmmi_rows_cpu_portable : level->base)->pack[dtype](&block);
    }
    assert_same(&to[0], &to[1], level->name, cols);
    test_dense_free(&to[0]);
    test_dense_free(&to[1]);
}

static void rows_without_gaps_are_packed(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    for (int l = 0; l < count; l++)
        for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
            struct test_dense from = filled(150, 20, SPMM_COL_MAJOR, (spmm_dtype_t)dtype, 13);
            for (int64_t cols = 1; cols <= 20; cols++)
                for (int64_t rows = 1; rows <= 150; rows += 7)
                    packs_agree(&levels[l], (spmm_dtype_t)dtype, &from, rows, cols);
            test_dense_free(&from);
        }
}

/* One row, or one column, of sums to C, with factors that are finite and not. */
static void stores_agree(const struct level *level, spmm_dtype_t c_type, int64_t n, int by_columns)
{
    const double factors[] = {-1.75, (double)INFINITY}, beta = n % 2 ? 0.5 : 0;
    struct test_dense sums =
        filled(by_columns ? n : 1, by_columns ? 1 : n, SPMM_ROW_MAJOR, sum_type(c_type), 9);
    struct test_dense to = filled(n, 2, by_columns ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR, c_type, 10);
    struct test_dense to2 = test_dense_copy(&to);
    for (int i = 0; i < 2; i++) {
        struct rows_store store = {sums.view.rows,
                                   sums.view.cols,
                                   sums.view.data,
                                   sums.view.ld,
                                   to.view.data,
                                   by_columns ? 1 : to.view.ld,
                                   by_columns ? to.view.ld : 1,
                                   factors[i],
                                   beta};
        spmmi_rows_cpu_portable.store[c_type](&store);
        store.c = to2.view.data;
        level->base->store[c_type](&store);
        spmmi_rows_cpu_portable.scale[c_type](2, 0.3, to.view.data);
        level->base->scale[c_type](2, 0.3, to2.view.data);
    }
    assert_same(&to, &to2, level->name, n);
    test_dense_free(&sums);
    test_dense_free(&to);
    test_dense_free(&to2);
}

static void stored_sums_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    if (count == 0)
        skip();
    for (int l = 0; l < count; l++)
        for (int c_type = SPMM_F32; c_type <= SPMM_BF16; c_type++)
            for (int64_t n = 1; n < 40; n++)
                for (int by_columns = 0; by_columns < 2; by_columns++)
                    stores_agree(&levels[l], (spmm_dtype_t)c_type, n, by_columns);
}

/* Every number of 16 bits, and values around and between them, to and from the type. */
static void conversions_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    if (count == 0)
        skip();
    enum { STEP = 37, WIDTH = 64 };
    for (int l = 0; l < count; l++)
        for (int c_type = SPMM_F16; c_type <= SPMM_BF16; c_type++)
            for (uint32_t bits = 0; bits < UINT32_MAX - WIDTH * STEP * 977u; bits += WIDTH * STEP * 977u) {
                float sums[WIDTH];
                uint16_t c[2][WIDTH];
                for (uint32_t j = 0; j < WIDTH; j++) {
                    const uint32_t word = bits + j * STEP * 977u;
                    memcpy(&sums[j], &word, sizeof word);
                    c[0][j] = c[1][j] = (uint16_t)(word >> 7);
                    if (sums[j] != sums[j])
                        sums[j] = 0; /* the bits of a NaN are those of no level */
                }
                struct rows_store store = {1, WIDTH, sums, WIDTH, c[0], WIDTH, 1, 1, 0};
                spmmi_rows_cpu_portable.store[c_type](&store);
                store.c = c[1];
                levels[l].base->store[c_type](&store);
                assert_memory_equal(c[0], c[1], sizeof c[0]);
            }
}

/* Each thread begins at its own place, and one thread alone finishes what is left of all shares. */
static void shares_give_each_piece_once(void **state)
{
    (void)state;
    const int cases[][2] = {{0, 1}, {1, 1}, {1, 4}, {7, 2}, {100, 3}, {1000, ROWS_SHARES_MAX + 6}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const int pieces = cases[k][0], threads = cases[k][1];
        const int shares_count = threads < ROWS_SHARES_MAX ? threads : ROWS_SHARES_MAX;
        int taken[1000] = {0};
        int64_t visited[ROWS_SHARES_MAX + 6] = {0};
        struct rows_shares shares;
        rows_shares_make(&shares, pieces, threads);
        for (int t = 0; t < shares_count && pieces >= shares_count; t++) {
            const int64_t first = rows_shares_take(&shares, t, &visited[t]);
            assert_int_equal(first, (int64_t)pieces * t / shares_count);
            taken[first]++;
        }
        for (int64_t i; (i = rows_shares_take(&shares, threads - 1, &visited[threads - 1])) >= 0;)
            taken[i]++;
        for (int t = 0; t < threads; t++)
            assert_int_equal(rows_shares_take(&shares, t, &visited[t]), -1);
        for (int i = 0; i < pieces; i++)
            assert_int_equal(taken[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_give_each_piece_once),
        cmocka_unit_test(spans_have_the_bits_of_the_portable_level),
        cmocka_unit_test(single_columns_have_the_bits_of_the_portable_level),
        cmocka_unit_test(layout_changes_have_the_bits_of_the_portable_level),
        cmocka_unit_test(rows_without_gaps_are_packed),
        cmocka_unit_test(stored_sums_have_the_bits_of_the_portable_level),
        cmocka_unit_test(conversions_have_the_bits_of_the_portable_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
