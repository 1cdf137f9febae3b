/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows (rows_pieces.h) on a GPU: a stream of their own, in addition to the stream of a nonzero
 * split. */
#ifndef SPMMI_ROWS_PIECES_CUDA_H
#define SPMMI_ROWS_PIECES_CUDA_H

#include "rows_pieces.h"
#include "rows_run_cuda.h"

/* A stream whose ranks are pieces, with a table of the pieces of cut rows. */
struct spmmi_rows_pieces_stream;

/* Creates objects of type struct spmmi_rows_pieces_stream, for op N. */
extern const struct spmmi_shared_kind spmmi_rows_pieces_kind;

/* Returns true if this part has pieces on its device. */
int spmmi_rows_pieces_use(const struct spmmi_part_source *source);
/* Returns the pieces of a part. The rows without nonzeros are those of `rows`. */
struct spmmi_cuda_rows spmmi_rows_pieces_part(const struct spmmi_rows_pieces_stream *stream,
                                              const struct spmmi_cuda_rows *rows);

/* Returns true if a product of the part uses the pieces. */
int spmmi_rows_pieces_fit(const struct spmmi_cuda_rows *pieces, const struct spmmi_product *product,
                          const struct spmmi_device *device);
/* Enqueues the kernel that follows such a product: it adds the pieces of cut rows into rows of C. Returns a
 * cudaError_t. */
int spmmi_rows_pieces_finish(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                             const struct spmmi_product *product, int is_dependent, char *workspace,
                             void *stream);

#endif
