/* SPDX-License-Identifier: Apache-2.0 */
/* See dense.h. */
#include "dense.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/half.h"

#define GUARD_BYTES 512
#define CANARY 0xff /* two, four or eight of these bytes are a NaN */

double test_value_get(spmm_dtype_t dtype, const void *array, int64_t at)
{
    switch (dtype) {
    case SPMM_F32:
        return (double)((const float *)array)[at];
    case SPMM_F16:
        return (double)spmmi_f32_from_f16(((const uint16_t *)array)[at]);
    case SPMM_BF16:
        return (double)spmmi_f32_from_bf16(((const uint16_t *)array)[at]);
    case SPMM_F64:
        break;
    }
    return ((const double *)array)[at];
}

void test_value_set(spmm_dtype_t dtype, void *array, int64_t at, double x)
{
    if (dtype == SPMM_F32)
        ((float *)array)[at] = (float)x;
    else if (dtype == SPMM_F64)
        ((double *)array)[at] = x;
    else
        ((uint16_t *)array)[at] = dtype == SPMM_F16 ? spmmi_f16_from_f64(x) : spmmi_bf16_from_f64(x);
}

double test_value_round(spmm_dtype_t dtype, double x)
{
    double room = 0;
    test_value_set(dtype, &room, 0, x);
    return test_value_get(dtype, &room, 0);
}

static size_t offset_of(const struct test_dense *dense, int64_t i, int64_t j)
{
    const int64_t at = dense->view.layout == SPMM_ROW_MAJOR ? i * dense->view.ld + j : i + j * dense->view.ld;
    return (size_t)at * spmm_dtype_size(dense->view.type);
}

struct test_dense test_dense_make(struct test_dense_shape shape)
{
    const int64_t minimum = shape.layout == SPMM_ROW_MAJOR ? shape.cols : shape.rows;
    const int64_t lines = shape.layout == SPMM_ROW_MAJOR ? shape.rows : shape.cols;
    const size_t size = spmm_dtype_size(shape.dtype);
    struct test_dense dense = {
        .view = {NULL, shape.rows, shape.cols, minimum + shape.gap, shape.layout, shape.dtype}};
    dense.block_bytes = 2 * GUARD_BYTES + (size_t)(shape.shift + lines * dense.view.ld) * size;
    dense.block_bytes = (dense.block_bytes + 63) / 64 * 64;
    dense.block = aligned_alloc(64, dense.block_bytes);
    if (dense.block == NULL)
        abort();
    memset(dense.block, CANARY, dense.block_bytes);
    dense.view.data = dense.block + GUARD_BYTES + (size_t)shape.shift * size;
    return dense;
}

struct test_dense test_dense_copy(const struct test_dense *from)
{
    struct test_dense dense = *from;
    dense.block = aligned_alloc(64, from->block_bytes);
    if (dense.block == NULL)
        abort();
    memcpy(dense.block, from->block, from->block_bytes);
    dense.view.data = dense.block + ((char *)from->view.data - from->block);
    return dense;
}

void test_dense_free(struct test_dense *dense)
{
    free(dense->block);
    dense->block = NULL;
}

double test_dense_get(const struct test_dense *dense, int64_t i, int64_t j)
{
    const char *at = (const char *)dense->view.data + offset_of(dense, i, j);
    return test_value_get(dense->view.type, at, 0);
}

void test_dense_set(struct test_dense *dense, int64_t i, int64_t j, double x)
{
    char *at = (char *)dense->view.data + offset_of(dense, i, j);
    test_value_set(dense->view.type, at, 0, x);
}

int test_dense_same_gaps(const struct test_dense *a, const struct test_dense *b)
{
    struct test_dense merged = test_dense_copy(a);
    const int is_by_rows = a->view.layout == SPMM_ROW_MAJOR;
    const int64_t lines = is_by_rows ? a->view.rows : a->view.cols;
    const int64_t length = is_by_rows ? a->view.cols : a->view.rows;
    for (int64_t l = 0; l < lines; l++) {
        const size_t at = is_by_rows ? offset_of(a, l, 0) : offset_of(a, 0, l);
        memcpy((char *)merged.view.data + at, (char *)b->view.data + at,
               (size_t)length * spmm_dtype_size(a->view.type));
    }
    const int same = memcmp(merged.block, b->block, b->block_bytes) == 0;
    test_dense_free(&merged);
    return same;
}
