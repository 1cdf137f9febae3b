/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a MATLAB array, from a file of either version, to CSR. */
#ifndef SPMMI_MAT_MATRIX_H
#define SPMMI_MAT_MATRIX_H

#include "mat_variable.h"

struct spmmi_mat_values {
    enum spmmi_value_field field;
    struct spmmi_mat_numbers real, imaginary; /* imaginary is used only if the values are complex */
};

/* Checks that the array is numeric, has two dimensions and is not too large. */
spmm_status_t spmmi_mat_check(struct spmmi_mat *mat, const struct spmmi_mat_array *array);
/* Sets *entries to the number of entries of a sparse array. pointers has cols + 1 numbers. */
spmm_status_t spmmi_mat_entries(struct spmmi_mat *mat, const struct spmmi_mat_numbers *rows,
                                const struct spmmi_mat_numbers *pointers, int64_t cols, int64_t *entries);
/* Fill in everything but the size of the matrix, which is already set. There must be values for all
 * entries. */
spmm_status_t spmmi_mat_read_sparse(struct spmmi_mat *mat, const struct spmmi_mat_numbers *rows,
                                    const struct spmmi_mat_numbers *pointers,
                                    const struct spmmi_mat_values *values, int64_t entries,
                                    spmm_matrix_t *matrix);
spmm_status_t spmmi_mat_read_full(struct spmmi_mat *mat, const struct spmmi_mat_values *values,
                                  spmm_matrix_t *matrix);

#endif
