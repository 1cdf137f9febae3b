/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks with lists of columns (rows_gathered_shape.h) on a GPU: a second copy of op(A), in addition to the
 * stream of a nonzero split, for products of one column. */
#ifndef SPMMI_ROWS_GATHERED_CUDA_H
#define SPMMI_ROWS_GATHERED_CUDA_H

#include "rows_run_cuda.h"
#include "rows_stream_cuda.h"

struct spmmi_rows_gathered_stream;

/* Creates objects of type struct spmmi_rows_gathered_stream, one per op, after the stream of the rows. An
 * object whose blocks hardly use values of B again has no blocks, unless the caller names the kernel. */
extern const struct spmmi_shared_kind spmmi_rows_gathered_kind;

/* Returns true if such blocks are tried for this part. */
int spmmi_rows_gathered_use(const struct spmmi_part_source *source);
/* Returns true if a product runs these blocks: it has one column and one type, and reads the values of A.
 * With alpha = 0 it reads none. gathered: NULL: false. */
int spmmi_rows_gathered_takes(const struct spmmi_rows_gathered_stream *gathered,
                              const struct spmmi_product *product);
/* Enqueues a product that takes these blocks. rows: of the same op. workspace: as for rows_staged.cuh, which
 * needs at least as much, because it has at least as many blocks. Returns a cudaError_t. */
int spmmi_rows_gathered_run(struct spmmi_rows_gathered_stream *gathered, const struct spmmi_cuda_rows *rows,
                            const struct spmmi_product *product, int is_dependent, char *workspace,
                            void *stream);

#endif
