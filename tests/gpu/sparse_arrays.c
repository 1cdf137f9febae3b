/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_arrays.h. */
#include "sparse_arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/dense.h"

static void *place(const void *host, size_t bytes, int is_of_gpu)
{
    void *data = malloc(bytes + 1);
    assert_non_null(data);
    memcpy(data, host, bytes);
    if (is_of_gpu) {
        void *device = NULL;
        TEST_CUDA(cudaMalloc(&device, bytes + 1));
        TEST_CUDA(cudaMemcpy(device, data, bytes, cudaMemcpyHostToDevice));
        free(data);
        data = device;
    }
    return data;
}

static void *indices(int64_t count, spmm_itype_t type, const int64_t *rows, const int32_t *columns,
                     int is_of_gpu)
{
    const size_t size = type == SPMM_I64 ? sizeof(int64_t) : sizeof(int32_t);
    char *host = calloc((size_t)count + 1, size);
    assert_non_null(host);
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = rows != NULL ? rows[i] : columns[i];
        if (type == SPMM_I64)
            ((int64_t *)(void *)host)[i] = value;
        else
            ((int32_t *)(void *)host)[i] = (int32_t)value;
    }
    void *placed = place(host, (size_t)count * size, is_of_gpu);
    free(host);
    return placed;
}

struct sparse_arrays sparse_arrays_of(const struct test_matrix *a, spmm_dtype_t dtype, spmm_itype_t row_type,
                                      spmm_itype_t column_type, int is_of_gpu)
{
    void *values = calloc((size_t)a->nnz + 1, sizeof(double));
    assert_non_null(values);
    for (int64_t q = 0; q < a->nnz; q++)
        test_value_set(dtype, values, q, a->values[q]);
    const struct sparse_arrays made = {{a->rows, a->cols, a->nnz, row_type, column_type,
                                        indices(a->rows + 1, row_type, a->row_ptr, NULL, is_of_gpu),
                                        indices(a->nnz, column_type, NULL, a->col_ind, is_of_gpu), dtype,
                                        place(values, (size_t)a->nnz * spmm_dtype_size(dtype), is_of_gpu)},
                                       is_of_gpu};
    free(values);
    return made;
}

void sparse_arrays_free(struct sparse_arrays *a)
{
    const void *const all[] = {a->view.row_ptr, a->view.col_ind, a->view.values};
    for (size_t i = 0; i < 3; i++)
        if (a->is_of_gpu)
            TEST_CUDA(cudaFree((void *)(uintptr_t)all[i]));
        else
            free((void *)(uintptr_t)all[i]);
}
