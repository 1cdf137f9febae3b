/* SPDX-License-Identifier: Apache-2.0 */
/* Step 6 of a load: decodes stored frames to elements. docs/plan-format.md section 5.2 defines which frames
 * are valid. zstd itself accepts more: skippable and legacy frames, empty input, unused bits. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/each.h"
#include "format/base/file_io.h"
#include "frames.h"

struct worker {
    ZSTD_DCtx *context;
    uint8_t *content;
};

struct spmmi_decoder {
    int threads;
    struct worker workers[];
};

uint64_t spmmi_decoder_bytes(int threads)
{
    return sizeof(struct spmmi_decoder) +
           (uint64_t)threads * (sizeof(struct worker) + ZSTD_estimateDCtxSize() + SPMMI_CONTENT_MAX + 128);
}

struct spmmi_decoder *spmmi_decoder_new(int threads)
{
    const ZSTD_customMem memory = {spmmi_zstd_alloc, spmmi_zstd_free, NULL};
    struct spmmi_decoder *d =
        spmmi_alloc_zero(1, sizeof(struct spmmi_decoder) + (size_t)threads * sizeof(struct worker));
    if (d == NULL)
        return NULL;
    d->threads = threads;
    for (int t = 0; t < threads; t++) {
        d->workers[t].context = ZSTD_createDCtx_advanced(memory);
        d->workers[t].content = spmmi_alloc(SPMMI_CONTENT_MAX, 1);
        if (d->workers[t].context == NULL || d->workers[t].content == NULL) {
            spmmi_decoder_free(d);
            return NULL;
        }
    }
    return d;
}

void spmmi_decoder_free(struct spmmi_decoder *d)
{
    if (d == NULL)
        return;
    for (int t = 0; t < d->threads; t++) {
        (void)ZSTD_freeDCtx(d->workers[t].context);
        spmmi_free(d->workers[t].content);
    }
    spmmi_free(d);
}

/* Checks that a stored frame is of the accepted kind and sets *content_bytes to the size of its content. */
static spmm_status_t check_frame(const uint8_t *stored, const struct spmmi_frame *frame,
                                 const struct spmmi_run *run, uint64_t *content_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    ZSTD_frameHeader header;
    const uint64_t at = frame->offset;
    SPMM_RULE(ZSTD_getFrameHeader(&header, stored, frame->stored_bytes) == 0, FRAME, at,
              "the header of a compressed frame is not valid");
    SPMM_RULE(header.frameType == ZSTD_frame, FRAME, at, "a frame is a skippable one");
    SPMM_RULE(header.checksumFlag != 0, FRAME, at, "a frame has no checksum");
    SPMM_RULE(header.dictID == 0, FRAME, at, "a frame asks for dictionary %u", header.dictID);
    SPMM_RULE(header.windowSize <= SPMMI_WINDOW_MAX, FRAME, at, "a frame asks for a window of %llu bytes",
              header.windowSize);
    /* An unknown content size is 2^64 - 1, which fits no run. */
    SPMM_RULE(spmmi_transform_fits((enum spmmi_transform)frame->transform, run, header.frameContentSize),
              FRAME, at, "a frame of %llu elements claims %llu bytes of content",
              (unsigned long long)run->count, header.frameContentSize);
    SPMM_RULE(ZSTD_findFrameCompressedSize(stored, frame->stored_bytes) == frame->stored_bytes, FRAME, at,
              "a frame does not end where its table says");
    *content_bytes = header.frameContentSize;
cleanup:
    return status;
}

/* The sections to decode together. */
struct job {
    const struct spmmi_decoder *decoder;
    const struct spmmi_container *container;
    const struct spmmi_span *spans;
};

static uint64_t frames_of(const struct spmmi_container *c, const struct spmmi_span *span)
{
    return c->frame_first[span->entry + 1] - c->frame_first[span->entry];
}

/* Reads a frame that was left in the file into the memory of its elements, and
 * checks its hash, because the file may have changed. Refuses a frame with more
 * bytes than its elements: the load is then repeated without leaving frames. */
static spmm_status_t read_left(const struct spmmi_container *c, const struct spmmi_frame *frame,
                               const struct spmmi_run *run, uint8_t *elements, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(frame->stored_bytes <= run->count * run->element_bytes, FRAME, frame->offset,
              "a frame is longer than its elements");
    SPMM_RULE(spmmi_read_at(c->left->file, elements, frame->stored_bytes, frame->offset), TRUNCATED,
              frame->offset, "a frame cannot be read");
    SPMM_RULE(spmmi_hash64(elements, frame->stored_bytes) == frame->hash, CHECKSUM, frame->offset,
              "the hash of a frame does not match: the file is damaged");
cleanup:
    return status;
}

/* Decodes frame f of the job. f counts the frames of all sections of the job. */
static spmm_status_t decode_frame(const struct job *job, uint64_t f, int thread, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct worker *worker = &job->decoder->workers[thread];
    const struct spmmi_span *span = job->spans;
    for (; f >= frames_of(job->container, span); span++)
        f -= frames_of(job->container, span);
    const struct spmmi_run run = spmmi_span_run(span, f);
    const struct spmmi_frame *frame = &job->container->frames[job->container->frame_first[span->entry] + f];
    const enum spmmi_transform transform = (enum spmmi_transform)frame->transform;
    uint8_t *const elements = (uint8_t *)span->elements + f * SPMMI_FRAME_RAW;
    const uint8_t *stored = frame->is_left ? elements : job->container->bytes + frame->offset;
    uint8_t *const content =
        transform == SPMMI_TRANSFORM_NONE && !frame->is_left ? elements : worker->content;
    uint64_t bytes = 0;
    if (frame->is_left)
        SPMM_TRY(read_left(job->container, frame, &run, elements, diag));
    SPMM_TRY(check_frame(stored, frame, &run, &bytes, diag));
    const size_t result = ZSTD_decompressDCtx(worker->context, content, bytes, stored, frame->stored_bytes);
    SPMM_RULE(result == bytes, FRAME, frame->offset, "a frame does not decode: %s",
              ZSTD_getErrorName(result));
    SPMM_RULE(transform == SPMMI_TRANSFORM_NONE ||
                  spmmi_transform_unpack(transform, &run, content, bytes, elements),
              FRAME, frame->offset, "a code of a frame is out of range");
    if (transform == SPMMI_TRANSFORM_NONE && content != elements)
        memcpy(elements, content, bytes);
cleanup:
    return status;
}

static int is_wrong(const void *job, uint64_t f, int thread)
{
    return decode_frame(job, f, thread, &spmmi_diag_unheard) != SPMM_OK;
}

static spmm_status_t check_transforms(const struct spmmi_container *c, const struct spmmi_span *span,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint64_t f = 0; f < frames_of(c, span); f++) {
        const uint32_t transform = c->frames[c->frame_first[span->entry] + f].transform;
        const uint64_t at = c->entries[span->entry].offset + f * SPMMI_FRAME_ENTRY_BYTES + 4;
        SPMM_RULE(spmmi_transform_allowed(span->type, transform), FRAME, at,
                  "transform %u is not allowed here", transform);
        SPMM_RULE((spmmi_transform_features(transform) & ~c->header.features_incompat) == 0, FRAME, at,
                  "transform %u needs a feature that the header does not name", transform);
    }
cleanup:
    return status;
}

spmm_status_t spmmi_frames_decode(struct spmmi_decoder *d, const struct spmmi_container *c,
                                  const struct spmmi_span *spans, int count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct job job = {d, c, spans};
    uint64_t frames = 0;
    for (int i = 0; i < count; i++) {
        SPMM_TRY(check_transforms(c, &spans[i], diag));
        frames += frames_of(c, &spans[i]);
    }
    const uint64_t wrong = spmmi_first_wrong(frames, d->threads, is_wrong, &job);
    /* If frames were left in the file, decoding the wrong frame again could succeed because the file is read
     * again. But later frames have not been decoded, so the load must fail here. */
    SPMM_REQUIRE(wrong == frames || c->left == NULL, SPMM_ERR_PLAN_FRAME, diag, "a frame cannot be taken");
    /* Decodes the first wrong frame again for its message,
     * which is then the same for any number of threads. */
    if (wrong < frames)
        SPMM_TRY(decode_frame(&job, wrong, 0, diag));
cleanup:
    return status;
}
