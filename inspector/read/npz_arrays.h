/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the layouts of scipy.sparse. */
#ifndef SPMMI_NPZ_ARRAYS_H
#define SPMMI_NPZ_ARRAYS_H

#include "npy_array.h"

/* Reads an array of `count` integers in [0, limit) into `to`, which the caller allocates. */
spmm_status_t spmmi_npz_indices(struct spmmi_zip *zip, const char *member, int64_t count, int64_t limit,
                                int32_t *to);
/* Reads count + 1 offsets: the start of each row or column, and the end of the last one. They must start at
 * 0, end at `entries` and not decrease. Allocates *starts after checking the length of the array. */
spmm_status_t spmmi_npz_starts(struct spmmi_zip *zip, const char *member, int64_t count, int64_t entries,
                               int64_t **starts);
/* Sets *length to the number of elements of a member with one dimension. */
spmm_status_t spmmi_npz_length(struct spmmi_zip *zip, const char *member, int64_t *length);
/* Opens the array of values, which must have `dims` dimensions. Sets the field of the matrix. */
spmm_status_t spmmi_npz_open_data(struct spmmi_zip *zip, int dims, spmm_matrix_t *matrix,
                                  struct spmmi_npy *npy);
/* Reads all `count` values of data.npy. */
spmm_status_t spmmi_npz_values(struct spmmi_zip *zip, int64_t count, spmm_matrix_t *matrix, double *to);

#endif
