/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the layouts of scipy.sparse. */
#ifndef SPMMI_NPZ_ARRAYS_H
#define SPMMI_NPZ_ARRAYS_H

#include "npy_array.h"

/* A whole array of integers in [0, limit): count of them, allocated by the caller. */
spmm_status_t spmmi_npz_indices(struct spmmi_zip *zip, const char *member, int64_t count, int64_t limit,
                                int32_t *to);
/* The start of each of count rows or columns, and the end of the last one: from 0 to entries, none smaller than the one
 * before. Allocated here, count + 1 of them, once the array is known to have as many. */
spmm_status_t spmmi_npz_starts(struct spmmi_zip *zip, const char *member, int64_t count, int64_t entries,
                               int64_t **starts);
/* How long a member of one dimension is. */
spmm_status_t spmmi_npz_length(struct spmmi_zip *zip, const char *member, int64_t *length);
/* The values: the array is open and of as many dimensions. Sets the field of the matrix. */
spmm_status_t spmmi_npz_open_data(struct spmmi_zip *zip, int dims, spmm_matrix_t *matrix,
                                  struct spmmi_npy *npy);
/* All count values of data.npy. */
spmm_status_t spmmi_npz_values(struct spmmi_zip *zip, int64_t count, spmm_matrix_t *matrix, double *to);

#endif
