/* SPDX-License-Identifier: Apache-2.0 */
/* Layout conversion on the GPU: every tile width, ragged edges, gaps of the leading dimension, columns
 * that begin at any address, beta. Conversions are exact, so results are compared exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/shared/convert.h"

static const int64_t heights[] = {1, 2, 31, 33, 64, 113, 127, 128, 129, 143, 255, 256, 512, 1000};
static const int64_t columns[] = {1, 2, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 100};

static void fill(struct test_dense *dense)
{
    for (int64_t i = 0; i < dense->view.rows; i++)
        for (int64_t j = 0; j < dense->view.cols; j++)
            test_dense_set(dense, i, j, test_integer((uint64_t)i, (uint64_t)j));
}

static void convert(spmm_dtype_t dtype, int64_t rows, int64_t n, int64_t gap, int64_t shift, int to_rows,
                    double beta)
{
    struct test_dense src = test_dense_make(
        (struct test_dense_shape){rows, n, to_rows ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR, dtype, gap, shift});
    /* Scratch rows are filled up to their leading dimension, so that as a matrix they have no gap. */
    const int64_t dst_cols = to_rows ? n + gap : n;
    struct test_dense dst = test_dense_make((struct test_dense_shape){
        rows, dst_cols, to_rows ? SPMM_ROW_MAJOR : SPMM_COL_MAJOR, dtype, to_rows ? 0 : gap, shift});
    fill(&src);
    if (beta != 0)
        fill(&dst);
    struct test_dense before = test_dense_copy(&dst);
    struct test_cuda_dense device_src = test_cuda_dense_make(&src);
    struct test_cuda_dense device_dst = test_cuda_dense_make(&dst);
    const spmm_dense_t *s = &device_src.view;
    const spmm_dense_t *d = &device_dst.view;
    const int error = to_rows ? spmmi_rows_from_columns_cuda((int)dtype, rows, n, s->data, s->ld, d->data,
                                                             d->ld, 20480, NULL)
                              : spmmi_columns_from_rows_cuda((int)dtype, rows, n, s->data, s->ld, d->data,
                                                             d->ld, beta, NULL, 0);
    TEST_CUDA((cudaError_t)error);
    test_cuda_dense_read(&device_dst, &dst);
    assert_true(test_dense_same_gaps(&before, &dst));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < dst_cols; j++) {
            double want = j < n ? test_dense_get(&src, i, j) : 0;
            if (beta != 0)
                want += beta * test_dense_get(&before, i, j);
            assert_true(test_dense_get(&dst, i, j) == want);
        }
    test_cuda_dense_free(&device_src);
    test_cuda_dense_free(&device_dst);
    test_dense_free(&src);
    test_dense_free(&dst);
    test_dense_free(&before);
}

static void all_shapes(spmm_dtype_t dtype, int to_rows, double beta)
{
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++)
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            for (int64_t gap = 0; gap < 8; gap += 3)
                convert(dtype, heights[h], columns[c], gap, (int64_t)(h + c) % 3 * 4 + gap % 2, to_rows,
                        beta);
}

static void rows_are_made_from_columns(void **state)
{
    (void)state;
    all_shapes(SPMM_F32, 1, 0);
    all_shapes(SPMM_F64, 1, 0);
    all_shapes(SPMM_F16, 1, 0);
}

static void columns_are_made_from_rows(void **state)
{
    (void)state;
    all_shapes(SPMM_F32, 0, 0);
    all_shapes(SPMM_F64, 0, 0);
    all_shapes(SPMM_F16, 0, 0);
    all_shapes(SPMM_F32, 0, -3);
    all_shapes(SPMM_F64, 0, 2);
}

/* Moves between columns that begin at any address. from, to: gap and shift of the columns that are read
 * and written. */
static void move(spmm_dtype_t dtype, int64_t rows, int64_t n, const int64_t from[2], const int64_t to[2])
{
    struct test_dense src =
        test_dense_make((struct test_dense_shape){rows, n, SPMM_COL_MAJOR, dtype, from[0], from[1]});
    struct test_dense dst =
        test_dense_make((struct test_dense_shape){rows, n, SPMM_COL_MAJOR, dtype, to[0], to[1]});
    fill(&src);
    struct test_dense before = test_dense_copy(&dst);
    struct test_cuda_dense device_src = test_cuda_dense_make(&src);
    struct test_cuda_dense device_dst = test_cuda_dense_make(&dst);
    const spmm_dense_t *s = &device_src.view, *d = &device_dst.view;
    TEST_CUDA(
        (cudaError_t)spmmi_columns_copy_cuda((int)dtype, rows, n, s->data, s->ld, d->data, d->ld, NULL, 0));
    test_cuda_dense_read(&device_dst, &dst);
    assert_true(test_dense_same_gaps(&before, &dst));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++)
            assert_true(test_dense_get(&dst, i, j) == test_dense_get(&src, i, j));
    test_cuda_dense_free(&device_src);
    test_cuda_dense_free(&device_dst);
    test_dense_free(&src);
    test_dense_free(&dst);
    test_dense_free(&before);
}

static void columns_are_copied(void **state)
{
    static const struct {
        spmm_dtype_t dtype;
        int64_t n;
    } types[] = {{SPMM_F16, 9}, {SPMM_F32, 5}, {SPMM_F64, 5}};
    (void)state;
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++)
        for (int64_t gap = 0; gap < 9; gap++)
            for (int64_t shift = 0; shift < 8; shift += 3)
                for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
                    const int64_t wide = 16 / (int64_t)spmm_dtype_size(types[t].dtype);
                    const int64_t anywhere[] = {gap, shift}, others[] = {(gap + shift) % 4, 7 - shift},
                                  aligned[] = {(wide - heights[h] % wide) % wide, 0};
                    move(types[t].dtype, heights[h], types[t].n, anywhere, aligned);
                    move(types[t].dtype, heights[h], types[t].n, aligned, anywhere);
                    move(types[t].dtype, heights[h], types[t].n, anywhere, others);
                }
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_made_from_columns),
        cmocka_unit_test(columns_are_made_from_rows),
        cmocka_unit_test(columns_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
