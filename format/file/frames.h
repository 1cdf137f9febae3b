/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of frames between stored bytes and the elements of a section,
 * on several threads. The memory of every thread is allocated before the
 * threads start. The stored bytes do not depend on the number of threads. */
#ifndef SPMMI_FRAMES_H
#define SPMMI_FRAMES_H

#include "plan_header.h"
#include "transform.h"

/* The elements of a section in memory, with the data that its transforms need. */
struct spmmi_span {
    uint32_t type; /* type of the section */
    int entry;     /* index of its entry in the container */
    uint32_t element_bytes;
    uint64_t raw_bytes;
    void *elements;
    const int64_t *row_ptr; /* only for column indices: the row pointers of the matrix, rows + 1 */
    int64_t rows;
};

/* Returns the elements of frame f as a run. */
struct spmmi_run spmmi_span_run(const struct spmmi_span *span, uint64_t f);

/* Returns true if frames of this section type may have the transform. */
int spmmi_transform_allowed(uint32_t type, uint32_t transform);

/* Returns the incompat features that a file needs for frames with this transform. */
uint64_t spmmi_transform_features(uint32_t transform);

struct spmmi_decoder;
/* Returns the memory of a decoder for this number of threads in bytes. */
uint64_t spmmi_decoder_bytes(int threads);
struct spmmi_decoder *spmmi_decoder_new(int threads); /* NULL: out of memory */
void spmmi_decoder_free(struct spmmi_decoder *decoder);

/* Step 6 of a load, for some sections:
 * checks that each frame is of the accepted kind, decodes it and undoes its transform. */
spmm_status_t spmmi_frames_decode(struct spmmi_decoder *decoder, const struct spmmi_container *container,
                                  const struct spmmi_span *spans, int count, spmm_diag_t *diag);

struct spmmi_encoder;
/* Creates an encoder with a zstd compression level. Returns NULL if memory is exhausted. */
struct spmmi_encoder *spmmi_encoder_new(int threads, int level);
void spmmi_encoder_free(struct spmmi_encoder *encoder);

/* Returns the maximum stored bytes of a section with raw_bytes raw bytes. */
uint64_t spmmi_stored_bound(uint64_t raw_bytes);
/* Writes the frame table and the frames of a section to out, which holds
 * spmmi_stored_bound bytes and is aligned to 8 bytes. Sets *stored_bytes to
 * the bytes written, and *frames_hash to the hash of the frame table. */
spmm_status_t spmmi_frames_encode(struct spmmi_encoder *encoder, const struct spmmi_span *span, uint8_t *out,
                                  uint64_t *stored_bytes, uint64_t *frames_hash, spmm_diag_t *diag);
/* Returns the incompat features of the transforms in an encoded section.
 * section points to its frame table. */
uint64_t spmmi_frames_features(const uint8_t *section, uint64_t raw_bytes);

/* Returns the number of threads to use for a file with raw_bytes raw bytes, at least 1. requested = 0 means
 * as many as the machine has processors. */
int spmmi_threads(int requested, uint64_t raw_bytes);

#endif
