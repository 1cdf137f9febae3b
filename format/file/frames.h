/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of frames between stored bytes and a section's elements, on several threads. Every worker's memory is
 * allocated before the threads start; the bytes never depend on the number of threads. */
#ifndef SPMMI_FRAMES_H
#define SPMMI_FRAMES_H

#include "plan_header.h"
#include "transform.h"

/* Elements of a section in memory, and what its transforms need. */
struct spmmi_span {
    uint32_t type; /* of the section */
    int entry;     /* its number in the container */
    uint32_t element_bytes;
    uint64_t raw_bytes;
    void *elements;
    const int64_t *row_ptr; /* col-ind only */
    int64_t rows;
};

/* The elements of the f-th frame. */
struct spmmi_run spmmi_span_run(const struct spmmi_span *span, uint64_t f);

/* Is the transform allowed in this section? */
int spmmi_transform_allowed(uint32_t type, uint32_t transform);

/* The incompat features that a file needs for frames of the transform. */
uint64_t spmmi_transform_features(uint32_t transform);

struct spmmi_decoder;
/* Bytes that a decoder for so many threads takes. */
uint64_t spmmi_decoder_bytes(int threads);
struct spmmi_decoder *spmmi_decoder_new(int threads); /* NULL: out of memory */
void spmmi_decoder_free(struct spmmi_decoder *decoder);

/* Step 6 for some sections: check that each frame is of the accepted kind, decode it, undo its transform. */
spmm_status_t spmmi_frames_decode(struct spmmi_decoder *decoder, const struct spmmi_container *container,
                                  const struct spmmi_span *spans, int count, spmm_diag_t *diag);

struct spmmi_encoder;
struct spmmi_encoder *spmmi_encoder_new(int threads, int level);
void spmmi_encoder_free(struct spmmi_encoder *encoder);

/* Most stored bytes of a section of so many raw bytes. */
uint64_t spmmi_stored_bound(uint64_t raw_bytes);
/* Write frame table and frames of a section to out, which has the bound's room and is aligned to 8 bytes. */
spmm_status_t spmmi_frames_encode(struct spmmi_encoder *encoder, const struct spmmi_span *span, uint8_t *out,
                                  uint64_t *stored_bytes, uint64_t *frames_hash, spmm_diag_t *diag);
/* The incompat features of the transforms of a section that was encoded to these bytes. */
uint64_t spmmi_frames_features(const uint8_t *section, uint64_t raw_bytes);

/* Threads to use for a file of so many raw bytes, at least 1. requested = 0 asks for as many as the machine has. */
int spmmi_threads(int requested, uint64_t raw_bytes);

#endif
