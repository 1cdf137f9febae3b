/* SPDX-License-Identifier: Apache-2.0 */
/* What parts of the rows family share on a GPU: streams with the items of their parts. */
#ifndef SPMMI_ROWS_STREAM_CUDA_H
#define SPMMI_ROWS_STREAM_CUDA_H

#include "rows_run_cuda.h"

struct spmmi_rows_stream;

/* Objects: struct spmmi_rows_stream, one for each op. */
extern const struct spmmi_shared_kind spmmi_rows_stream_kind;

/* A part that runs, as the kernels read it, without the tag of arrivals. */
struct spmmi_cuda_rows spmmi_rows_stream_part(const struct spmmi_rows_stream *stream,
                                              const struct spmmi_part *part);

/* Which rows have nonzeros, and where they begin: addresses by the counts of the stream, and what goes there. */
void spmmi_rows_ranks_cut(struct spmmi_arena *arena, struct spmmi_stream *stream);
void spmmi_rows_ranks_add(const struct spmmi_stream *stream, const struct spmmi_stream_host *host,
                          struct spmmi_uploads *uploads);

#endif
