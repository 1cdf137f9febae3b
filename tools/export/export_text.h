/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices as text. */
#ifndef SPMM_TOOLS_EXPORT_TEXT_H
#define SPMM_TOOLS_EXPORT_TEXT_H

#include "packed_stream.h"

#define EXPORT_ITEMS_A_CHUNK 65536 /* lines or numbers: a chunk is about 2 MB */

/* Decimal digits of a number; returns how many there are. */
size_t export_count(uint64_t number, char *text);

/* count numbers or lines of at most item_bytes, behind a head that make writes at the begin of chunk 0. */
struct chunks export_chunks(uint64_t count, size_t item_bytes, size_t head_bytes,
                            size_t (*make)(const void *context, uint64_t chunk, char *bytes),
                            const void *context);

/* One text, as a gzip file where it is deflated. */
spmm_status_t export_text(struct packed_stream *stream, const struct chunks *chunks);

#endif
