/* SPDX-License-Identifier: Apache-2.0 */
/* Public structs without struct_size must never change, because callers have them compiled in. The program
 * need not run: if it compiles, the interface is intact. covered_structs.py checks that no struct is
 * missing. */
#include <spmm/spmm.h>

#define FIXED(type, size) _Static_assert(sizeof(type) == (size), #type " keeps its size for ever")
#define AT(type, member, offset) \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member " keeps its place for ever")

FIXED(spmm_diag_t, 296);
AT(spmm_diag_t, status, 0);
AT(spmm_diag_t, native_error, 4);
AT(spmm_diag_t, offset, 8);
AT(spmm_diag_t, line, 16);
AT(spmm_diag_t, text, 24);
AT(spmm_diag_t, reserved, 264);

FIXED(spmm_csr_t, 64);
AT(spmm_csr_t, rows, 0);
AT(spmm_csr_t, cols, 8);
AT(spmm_csr_t, nnz, 16);
AT(spmm_csr_t, row_ptr_type, 24);
AT(spmm_csr_t, col_ind_type, 28);
AT(spmm_csr_t, row_ptr, 32);
AT(spmm_csr_t, col_ind, 40);
AT(spmm_csr_t, value_type, 48);
AT(spmm_csr_t, values, 56);

FIXED(spmm_dense_t, 40);
AT(spmm_dense_t, data, 0);
AT(spmm_dense_t, rows, 8);
AT(spmm_dense_t, cols, 16);
AT(spmm_dense_t, ld, 24);
AT(spmm_dense_t, layout, 32);
AT(spmm_dense_t, type, 36);

FIXED(spmm_scalar_t, 16);
AT(spmm_scalar_t, re, 0);
AT(spmm_scalar_t, im, 8);

FIXED(spmm_product_factor_t, 16);
AT(spmm_product_factor_t, matrix, 0);
AT(spmm_product_factor_t, op, 8);

FIXED(spmm_roofline_point_t, 16);
AT(spmm_roofline_point_t, intensity, 0);
AT(spmm_roofline_point_t, gflops, 8);

FIXED(spmm_metadata_t, 16);
AT(spmm_metadata_t, key, 0);
AT(spmm_metadata_t, value, 8);

int main(void)
{
    return 0;
}
