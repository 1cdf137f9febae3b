/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that parts of the rows family share on a GPU: streams with the items of their parts. */
#ifndef SPMMI_ROWS_STREAM_CUDA_H
#define SPMMI_ROWS_STREAM_CUDA_H

#include "rows_run_cuda.h"

struct spmmi_rows_stream;

/* Creates objects of type struct spmmi_rows_stream, one per op. */
extern const struct spmmi_shared_kind spmmi_rows_stream_kind;

/* Returns a part of the stream as the kernels read it, without the tag of arrivals. */
struct spmmi_cuda_rows spmmi_rows_stream_part(const struct spmmi_rows_stream *stream,
                                              const struct spmmi_part *part);

/* Returns true if the part has this schedule, and products of one column run such a part of its op. */
int spmmi_rows_run_one_column(const struct spmmi_part_source *source, spmm_schedule_t schedule);

/* Tables of the rows that have nonzeros, and of where they begin: cut them from the arena, by the counts of
 * the stream, and add their contents to the uploads. */
void spmmi_rows_ranks_cut(struct spmmi_arena *arena, struct spmmi_stream *stream);
void spmmi_rows_ranks_add(const struct spmmi_stream *stream, const struct spmmi_stream_host *host,
                          struct spmmi_uploads *uploads);

#endif
