/* SPDX-License-Identifier: Apache-2.0 */
/* Test matrices as CSR arrays of the caller, in any combination of types, on the host or the GPU. */
#ifndef SPMM_TEST_SPARSE_ARRAYS_H
#define SPMM_TEST_SPARSE_ARRAYS_H

#include <spmm/product.h>

#include "tests/support/matrices.h"

struct sparse_arrays {
    spmm_csr_t view;
    int is_of_gpu;
};

struct sparse_arrays sparse_arrays_of(const struct test_matrix *a, spmm_dtype_t dtype, spmm_itype_t row_type,
                                      spmm_itype_t column_type, int is_of_gpu);
void sparse_arrays_free(struct sparse_arrays *a);

#endif
