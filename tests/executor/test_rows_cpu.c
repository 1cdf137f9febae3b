/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMD levels of the rows family give the bits of the portable level, for every width and every loop. */
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

/* Lists the levels that this machine can run, besides the portable one. Returns their number. */
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

static struct test_dense filled_as(struct test_dense_shape shape, uint64_t salt)
{
    struct test_dense d = test_dense_make(shape);
    for (int64_t i = 0; i < shape.rows; i++)
        for (int64_t j = 0; j < shape.cols; j++)
            test_dense_set(&d, i, j, test_real((uint64_t)(i * 1000 + j), salt));
    return d;
}

static struct test_dense filled(int64_t rows, int64_t cols, spmm_layout_t layout, spmm_dtype_t dtype,
                                uint64_t salt)
{
    return filled_as((struct test_dense_shape){rows, cols, layout, dtype, 3, 1}, salt);
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

/* Returns the span of a product that covers all of B and C. */
static struct rows_span span_of(const struct test_matrix *a, const void *values, const struct test_dense *b,
                                const struct test_dense *c)
{
    const bool b_turned = b->view.layout == SPMM_COL_MAJOR, c_turned = c->view.layout == SPMM_COL_MAJOR;
    return (struct rows_span){.row_ptr = a->row_ptr,
                              .col_ind = a->col_ind,
                              .values = values,
                              .row_end = a->rows,
                              .p_end = a->nnz,
                              .b = b->view.data,
                              .ldb = b_turned ? 1 : b->view.ld,
                              .b_column = b_turned ? b->view.ld : 1,
                              .out = c->view.data,
                              .ldo = c_turned ? 1 : c->view.ld,
                              .out_column = c_turned ? c->view.ld : 1,
                              .alpha = 1.25};
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
    const bool is_aligned = width % 4 == 0; /* streaming stores are possible */
    const struct test_dense_shape of_c = {
        a->rows, room, SPMM_ROW_MAJOR, sum_type(b_type), is_aligned ? 4 : 3, is_aligned ? 0 : 1};
    struct test_dense c = filled_as(of_c, 6);
    struct test_dense d = test_dense_copy(&c);
    struct rows_span span = span_of(a, values, &b, &c);
    span.p_begin = 3;
    span.p_end = a->nnz - 5;
    span.beta = width % 3 ? 0 : -0.75;
    span.ahead_end = a->nnz - ROWS_AHEAD - 4;
    span.ahead_from = width % 2 ? 0 : INT64_MAX;
    span.streams = true;
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

static void assert_same_numbers(const struct test_dense *c, const struct test_dense *d, const char *level,
                                const char *matrix)
{
    for (int64_t r = 0; r < c->view.rows; r++)
        for (int64_t j = 0; j < c->view.cols; j++) {
            const double x = test_dense_get(c, r, j), y = test_dense_get(d, r, j);
            if (x != y && !(isnan(x) && isnan(y)))
                fail_msg("%s, %s, %s, row %lld: %g, %g", level, spmm_dtype_name(c->view.type), matrix,
                         (long long)r, x, y);
        }
}

/* One column of B and of C, contiguous or not, and several columns that are not contiguous. */
static void columns_agree(const struct level *level, spmm_dtype_t dtype, const struct test_matrix *a,
                          int64_t columns, spmm_layout_t b_layout, spmm_layout_t c_layout)
{
    void *values = test_values_of(a, dtype);
    struct test_dense b = filled(a->cols, columns, b_layout, dtype, 11);
    for (int i = 0; i < 4; i++) {
        if (i == 2) /* must not reach rows that do not store the column */
            test_dense_set(&b, 0, columns - 1, (double)INFINITY);
        struct test_dense c = filled(a->rows, columns, c_layout, dtype, 12), d = test_dense_copy(&c);
        struct rows_span span = span_of(a, values, &b, &c);
        span.p_begin = i < 2 ? 0 : 3;
        span.p_end = i < 2 ? a->nnz : a->nnz - 5;
        span.alpha = i % 2 ? (double)INFINITY : 1.25;
        span.ahead_end = i % 2;
        span.beta = i < 2 ? 0 : -0.75;
        spmmi_rows_cpu_portable.span[dtype][dtype](&span, columns, 4);
        span.out = d.view.data;
        level->own->span[dtype][dtype](&span, columns, 4);
        assert_same_numbers(&c, &d, level->name, a->name);
        test_dense_free(&c);
        test_dense_free(&d);
    }
    test_dense_free(&b);
    free(values);
}

static void columns_have_the_bits_of_the_portable_level(void **state)
{
    (void)state;
    struct level levels[2];
    const int count = levels_get(levels);
    const char *names[] = {"rows of 0 to 8", "power law", "dense"};
    const spmm_layout_t row = SPMM_ROW_MAJOR, col = SPMM_COL_MAJOR;
    const struct {
        int64_t columns;
        spmm_layout_t b, c;
    } cases[] = {{1, row, row}, {1, col, col}, {2, col, col}, {2, col, row},
                 {3, col, col}, {3, col, row}, {4, col, col}, {4, col, row}};
    for (int l = 0; l < count; l++)
        for (size_t m = 0; m < sizeof names / sizeof names[0]; m++) {
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++)
                    columns_agree(&levels[l], (spmm_dtype_t)dtype, a, cases[i].columns, cases[i].b,
                                  cases[i].c);
            test_matrix_free(a);
        }
}

/* A of rows x cols with count nonzeros per row, and the items of a part. */
struct even {
    struct spmmi_rows_csr csr;
    int64_t *row_ptr;
    int32_t *col_ind;
    double *values;
    uint32_t *items;
};

static struct even even_make(int64_t rows, int64_t cols, int64_t count, spmm_dtype_t dtype,
                             spmm_schedule_t schedule)
{
    enum { ITEM = 1024 };
    const int64_t nnz = rows * count, size = (int64_t)spmm_dtype_size(dtype);
    struct even a = {.row_ptr = malloc((size_t)(rows + 1) * sizeof *a.row_ptr),
                     .col_ind = malloc((size_t)nnz * sizeof *a.col_ind),
                     .values = malloc((size_t)(nnz * size)),
                     .items = malloc((size_t)(nnz / ITEM + 1) * sizeof *a.items)};
    for (int64_t i = 0; i <= rows; i++)
        a.row_ptr[i] = i * count;
    for (int64_t p = 0; p < nnz; p++) {
        a.col_ind[p] = (int32_t)(p % count * (cols / count) + p / count % (cols / count));
        test_value_set(dtype, a.values, p, test_real((uint64_t)p, 21));
    }
    struct spmmi_part part = {.schedule = schedule, .item_size = ITEM, .items = a.items};
    for (int64_t p = 0; p < nnz; p += ITEM) /* row split: the first row that begins at or after p */
        a.items[part.item_count++] =
            (uint32_t)(schedule == SPMM_SCHEDULE_ROW_SPLIT ? (p + count - 1) / count : p / count);
    a.csr = (struct spmmi_rows_csr){rows, cols, nnz, a.row_ptr, a.col_ind, a.values, part, false};
    return a;
}

static void even_free(struct even *a)
{
    free(a->row_ptr);
    free(a->col_ind);
    free(a->values);
    free(a->items);
}

static void even_run(const struct even *a, struct test_dense *b, struct test_dense *c, spmm_dtype_t dtype,
                     double beta, int threads)
{
    const struct spmmi_product product = {
        .a_type = dtype, .alpha = 1.5, .beta = beta, .b = b->view, .c = c->view};
    void *workspace = malloc(spmmi_rows_csr_workspace(&a->csr, &product) + 1);
    spmmi_rows_csr_run(&a->csr, &product, workspace, threads);
    free(workspace);
}

/* Columns that are not packed give the bits of single-column products, also if several chunks share a row. */
static void unpacked_agree(int64_t n, spmm_dtype_t dtype, spmm_schedule_t schedule, spmm_layout_t c_layout)
{
    struct even a = even_make(30, 4000, 800, dtype, schedule);
    struct test_dense b = filled(4000, n, SPMM_COL_MAJOR, dtype, 22), c = filled(30, n, c_layout, dtype, 23);
    for (int threads = 1; threads < 4; threads += 2) {
        struct test_dense both = test_dense_copy(&c), each = test_dense_copy(&c);
        even_run(&a, &b, &both, dtype, -0.5, threads);
        for (int64_t j = 0; j < n; j++) {
            struct test_dense one_b = b, one_c = each;
            one_b.view.cols = one_c.view.cols = 1;
            one_b.view.data = (char *)b.view.data + j * b.view.ld * (int64_t)spmm_dtype_size(dtype);
            one_c.view.data = (char *)each.view.data + j * (c_layout == SPMM_COL_MAJOR ? c.view.ld : 1) *
                                                           (int64_t)spmm_dtype_size(dtype);
            even_run(&a, &one_b, &one_c, dtype, -0.5, 1);
        }
        assert_same(&both, &each, "not packed", n);
        test_dense_free(&both);
        test_dense_free(&each);
    }
    test_dense_free(&b);
    test_dense_free(&c);
    even_free(&a);
}

static void columns_that_are_not_packed_have_the_bits_of_single_ones(void **state)
{
    (void)state;
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++)
        for (int64_t n = 2; n <= ROWS_COLUMNS_MAX; n++)
            for (int i = 0; i < 4; i++)
                unpacked_agree(n, (spmm_dtype_t)dtype,
                               i / 2 ? SPMM_SCHEDULE_NONZERO_SPLIT : SPMM_SCHEDULE_ROW_SPLIT,
                               i % 2 ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR);
}

/* C has 32 MB. Aligned rows are stored with streaming stores, and rows of B are prefetched for i = 0. */
static void a_large_c_has_the_bits_of_one_that_is_not_aligned(void **state)
{
    (void)state;
    enum { ROWS = 1 << 16, COLS = 600, N = 128 };
    struct even a = even_make(ROWS, COLS, 3, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT);
    struct test_dense b = filled(COLS, N, SPMM_ROW_MAJOR, SPMM_F32, 24), c[2];
    for (int i = 0; i < 2; i++) {
        c[i] = test_dense_make((struct test_dense_shape){ROWS, N, SPMM_ROW_MAJOR, SPMM_F32, i, 0});
        a.csr.is_scattered = i == 0;
        even_run(&a, &b, &c[i], SPMM_F32, 0, 2);
    }
    for (int64_t i = 0; i < ROWS; i++)
        assert_memory_equal((float *)c[0].view.data + i * c[0].view.ld,
                            (float *)c[1].view.data + i * c[1].view.ld, N * sizeof(float));
    for (int i = 0; i < 2; i++)
        test_dense_free(&c[i]);
    test_dense_free(&b);
    even_free(&a);
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

/* Rows without gaps are packed in whole vectors, which reach into the next row but not beyond the last
 * one. */
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

/* Stores one row or one column of sums to C, with finite and infinite alpha. */
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

/* Every 16-bit value, and f32 values at and between the values of the type. */
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
                        sums[j] = 0; /* levels may differ in the bits of a NaN */
                }
                struct rows_store store = {1, WIDTH, sums, WIDTH, c[0], WIDTH, 1, 1, 0};
                spmmi_rows_cpu_portable.store[c_type](&store);
                store.c = c[1];
                levels[l].base->store[c_type](&store);
                assert_memory_equal(c[0], c[1], sizeof c[0]);
            }
}

/* Each thread begins at its own place. One thread alone then takes all that remains of all shares. */
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

/* Panels of packed B are whole cache lines, fit into the bytes, and have about equal widths. */
static void packed_panels_are_about_equally_wide(void **state)
{
    (void)state;
    const struct {
        int64_t cols, n, b_size, bytes, width;
    } cases[] = {{1000, 100, 4, 8 << 20, 100},  {1000, 600, 4, 8 << 20, 304},
                 {49152, 128, 4, 16 << 20, 64}, {90597, 64, 8, 8 << 20, 8},
                 {1 << 20, 7, 8, 8 << 20, 7},   {1 << 20, 9, 8, 8 << 20, 8},
                 {1000, 600, 4, 0, 512},        {1000, 3, 2, 0, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_rows_panel_width(cases[i].cols, cases[i].n, cases[i].b_size, cases[i].bytes),
                         cases[i].width);
    assert_true(spmmi_rows_scratch_bytes(599, 100) < spmmi_rows_scratch_bytes(600, 100));
}

/* Few columns are not packed if columns of A have few nonzeros. For three and four columns the rows must be
 * long too. */
static void few_columns_are_not_packed(void **state)
{
    (void)state;
    const struct {
        int64_t rows, cols, nnz, n, b_size;
        bool packs;
    } cases[] = {
        {1000, 1000, 11000, 2, 4, false}, {1000, 1000, 12000, 2, 4, true}, {1000, 1000, 7000, 2, 8, false},
        {1000, 1000, 8000, 2, 8, true},   {1000, 1000, 7000, 3, 8, true},  {10, 1000, 7000, 3, 8, false},
        {10, 1000, 7000, 4, 4, false},    {10, 1000, 7000, 5, 4, true},    {10, 1000, 3000, 4, 2, true},
        {10, 1000, 8000, 4, 8, true},     {1000, 1000, 499, 64, 4, false}, {1000, 1000, 500, 64, 4, true},
        {10, 1600, 1000, 3, 4, false},    {10, 1600, 990, 3, 4, true},     {10, 1600, 1000, 4, 8, false},
        {10, 1600, 990, 4, 8, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            spmmi_rows_packs(cases[i].rows, cases[i].cols, cases[i].nnz, cases[i].n, cases[i].b_size),
            cases[i].packs);
}

/* Rows of B are prefetched if they have 16 bytes or more (short rows of A), or more than half a cache line
 * (others). */
static void narrow_rows_of_b_are_fetched_for_short_rows_of_a(void **state)
{
    (void)state;
    const int64_t f32 = sizeof(float), f64 = sizeof(double);
    assert_int_equal(spmmi_rows_ahead_from(100, 799), 16);
    assert_true(8 * f32 < spmmi_rows_ahead_from(100, 800) && 9 * f32 >= spmmi_rows_ahead_from(100, 800));
    assert_true(4 * f64 < spmmi_rows_ahead_from(100, 800) && 5 * f64 >= spmmi_rows_ahead_from(100, 800));
}

/* C is streamed if it is large. n counts, not the leading dimension, and rows must be whole vectors. */
static void a_large_c_of_whole_vectors_passes_by_the_caches(void **state)
{
    (void)state;
    const struct {
        int64_t rows, n, c_size;
        bool streams;
    } cases[] = {{1 << 18, 32, 4, true},   {(1 << 18) - 1, 32, 4, false}, {1 << 18, 60, 4, false},
                 {1 << 18, 300, 4, false}, {1 << 18, 16, 8, true},        {1 << 18, 20, 8, false},
                 {1, 16, 4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_rows_streams(cases[i].rows, cases[i].n, cases[i].c_size), cases[i].streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_give_each_piece_once),
        cmocka_unit_test(packed_panels_are_about_equally_wide),
        cmocka_unit_test(few_columns_are_not_packed),
        cmocka_unit_test(narrow_rows_of_b_are_fetched_for_short_rows_of_a),
        cmocka_unit_test(spans_have_the_bits_of_the_portable_level),
        cmocka_unit_test(columns_have_the_bits_of_the_portable_level),
        cmocka_unit_test(columns_that_are_not_packed_have_the_bits_of_single_ones),
        cmocka_unit_test(a_large_c_of_whole_vectors_passes_by_the_caches),
        cmocka_unit_test(a_large_c_has_the_bits_of_one_that_is_not_aligned),
        cmocka_unit_test(layout_changes_have_the_bits_of_the_portable_level),
        cmocka_unit_test(rows_without_gaps_are_packed),
        cmocka_unit_test(stored_sums_have_the_bits_of_the_portable_level),
        cmocka_unit_test(conversions_have_the_bits_of_the_portable_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
