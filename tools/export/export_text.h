/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for matrices as text. */
#ifndef SPMM_TOOLS_EXPORT_TEXT_H
#define SPMM_TOOLS_EXPORT_TEXT_H

#include "packed_stream.h"

#define EXPORT_ITEMS_A_CHUNK 65536 /* lines or numbers per chunk: about 2 MB */

/* Writes the decimal digits of a number and returns how many they are. */
size_t export_count(uint64_t number, char *text);

/* Describes the chunks of count numbers or lines with at most item_bytes each. make writes a head of at most
 * head_bytes at the start of chunk 0. */
struct chunks export_chunks(uint64_t count, size_t item_bytes, size_t head_bytes,
                            size_t (*make)(const void *context, uint64_t chunk, char *bytes),
                            const void *context);

/* Writes one text. Deflated text gets the head and tail of a gzip file. */
spmm_status_t export_text(struct packed_stream *stream, const struct chunks *chunks);

#endif
