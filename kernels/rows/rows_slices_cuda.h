/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows (rows_slices_shape.h) on a GPU: a second copy of op(A), in addition to the stream of a row
 * split. */
#ifndef SPMMI_ROWS_SLICES_CUDA_H
#define SPMMI_ROWS_SLICES_CUDA_H

#include "rows_run_cuda.h"
#include "rows_stream_cuda.h"

struct spmmi_rows_slices_stream;

/* Creates objects of type struct spmmi_rows_slices_stream, one per op, after the stream of the rows. An
 * object whose rows are too uneven has no slices. If the caller names the kernel, slices may take several
 * times the memory of the rows, and an error (UNSUPPORTED) says that rows are too uneven. */
extern const struct spmmi_shared_kind spmmi_rows_slices_kind;
/* The same for op N without rows. */
extern const struct spmmi_shared_kind spmmi_rows_lone_slices_kind;

/* Returns true if slices are created for this part, provided that its rows are even enough. */
int spmmi_rows_slices_use(const struct spmmi_part_source *source);
/* Returns the slices of a part. If there are none, the member `slices` is NULL. */
struct spmmi_cuda_rows spmmi_rows_slices_part(const struct spmmi_rows_slices_stream *slices,
                                              const struct spmmi_cuda_rows *rows);
/* Returns the slices of an object without rows. */
struct spmmi_cuda_rows spmmi_rows_lone_slices_part(const struct spmmi_rows_slices_stream *slices);

#endif
