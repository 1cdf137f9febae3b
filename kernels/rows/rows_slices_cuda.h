/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows (rows_slices_shape.h) on a GPU: op(A) a second time, beside the stream of a row split. */
#ifndef SPMMI_ROWS_SLICES_CUDA_H
#define SPMMI_ROWS_SLICES_CUDA_H

#include "rows_run_cuda.h"
#include "rows_stream_cuda.h"

struct spmmi_rows_slices_stream;

/* Objects: struct spmmi_rows_slices_stream, one for each op, made after the stream of the rows. One whose rows are too
 * uneven has no slices. */
extern const struct spmmi_shared_kind spmmi_rows_slices_kind;
/* The same where a caller names the kernel: they may take several times the memory of the rows. */
extern const struct spmmi_shared_kind spmmi_rows_named_slices_kind;
/* The same of op N without rows. */
extern const struct spmmi_shared_kind spmmi_rows_lone_slices_kind;

/* Are slices made for this part, where rows are even enough? */
int spmmi_rows_slices_use(const struct spmmi_part_source *source);
/* The slices of a part; without slices the member of that name is NULL. */
struct spmmi_cuda_rows spmmi_rows_slices_part(const struct spmmi_rows_slices_stream *slices,
                                              const struct spmmi_cuda_rows *rows);
/* Slices that are alone. */
struct spmmi_cuda_rows spmmi_rows_lone_slices_part(const struct spmmi_rows_slices_stream *slices);

#endif
