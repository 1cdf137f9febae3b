/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows (rows_slices_shape.h), built on the host from a CSR pattern. */
#ifndef SPMMI_ROWS_SLICES_PACK_H
#define SPMMI_ROWS_SLICES_PACK_H

#include "rows_pack.h"
#include "rows_slices_shape.h"

/* Rows without nonzeros are in no slice. */
struct spmmi_slices_host {
    struct spmmi_row_slices size;
    enum spmmi_slice_index index;
    const struct spmmi_stream_host *stream; /* of the rows; not owned, like col_ind */
    const int32_t *col_ind;
    struct spmmi_slice *slices; /* one per slice, then the end of the last slice */
    uint8_t *padding;           /* one per rank, up to whole slices: slice width - row length */
};

/* Returns the same as spmmi_row_slices_of, computed by several threads. */
struct spmmi_row_slices spmmi_slices_size(const struct spmmi_stream_host *stream, const int32_t *col_ind);
/* Builds the slices. Free them with spmmi_slices_host_free. */
spmm_status_t spmmi_slices_build(const struct spmmi_stream_host *stream, const int32_t *col_ind,
                                 const struct spmmi_row_slices *size, enum spmmi_slice_index index,
                                 struct spmmi_slices_host *host, spmm_diag_t *diag);
/* Fill columns first .. first + count - 1, relative to the columns of their slices: all bits, or the lower 16
 * bits. Padding is 0. source: a struct spmmi_slices_host. */
void spmmi_slices_columns_fill(const void *source, uint64_t first, uint64_t count, void *to);
void spmmi_slices_narrow_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Fills words first .. first + count - 1 of the high bits of the columns. */
void spmmi_slices_high_fill(const void *source, uint64_t first, uint64_t count, void *to);
void spmmi_slices_host_free(struct spmmi_slices_host *host);
/* Returns the bytes that a struct spmmi_slices_host allocates. */
uint64_t spmmi_slices_host_bytes(uint32_t ranks);

#endif
