/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes elements to stored frames. The transform of a frame depends on its elements only, so the bytes are
 * the same for any number of threads. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <assert.h>
#include <zstd_errors.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/each.h"
#include "frames.h"

#define SAVED_MIN 4096u /* bytes, see is_better */

struct worker {
    ZSTD_CCtx *context;
    uint8_t *content, *trial; /* a frame after its transform; after compression */
    void *scratch;            /* elements of the transform before byte planes */
};

struct spmmi_encoder {
    int threads;
    struct worker workers[];
};

static int worker_init(struct worker *w, int level)
{
    const ZSTD_customMem memory = {spmmi_zstd_alloc, spmmi_zstd_free, NULL};
    w->content = spmmi_alloc(SPMMI_CONTENT_MAX, 1);
    w->trial = spmmi_alloc(ZSTD_COMPRESSBOUND(SPMMI_FRAME_RAW), 1);
    w->scratch = spmmi_alloc(SPMMI_FRAME_RAW, 1);
    w->context = ZSTD_createCCtx_advanced(memory);
    return w->content != NULL && w->trial != NULL && w->scratch != NULL && w->context != NULL &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 1));
}

struct spmmi_encoder *spmmi_encoder_new(int threads, int level)
{
    struct spmmi_encoder *e =
        spmmi_alloc_zero(1, sizeof(struct spmmi_encoder) + (size_t)threads * sizeof(struct worker));
    if (e == NULL)
        return NULL;
    e->threads = threads;
    for (int t = 0; t < threads; t++) {
        if (!worker_init(&e->workers[t], level)) {
            spmmi_encoder_free(e);
            return NULL;
        }
    }
    return e;
}

void spmmi_encoder_free(struct spmmi_encoder *e)
{
    if (e == NULL)
        return;
    for (int t = 0; t < e->threads; t++) {
        (void)ZSTD_freeCCtx(e->workers[t].context);
        spmmi_free(e->workers[t].scratch);
        spmmi_free(e->workers[t].trial);
        spmmi_free(e->workers[t].content);
    }
    spmmi_free(e);
}

uint64_t spmmi_stored_bound(uint64_t raw_bytes)
{
    const uint64_t full = raw_bytes / SPMMI_FRAME_RAW, last = raw_bytes % SPMMI_FRAME_RAW;
    return spmmi_frame_count(raw_bytes) * SPMMI_FRAME_ENTRY_BYTES +
           full * ZSTD_COMPRESSBOUND(SPMMI_FRAME_RAW) + (last != 0 ? ZSTD_COMPRESSBOUND(last) : 0);
}

/* The order in which transforms are tried. If a dictionary is smaller than the elements, it beats the other
 * transforms, so they are not tried. */
static const enum spmmi_transform trials[] = {SPMMI_TRANSFORM_DICTIONARY, SPMMI_TRANSFORM_DIFFERENCE,
                                              SPMMI_TRANSFORM_ROW_DELTA,  SPMMI_TRANSFORM_PLANES,
                                              SPMMI_TRANSFORM_NONE,       SPMMI_TRANSFORM_DECIMAL};

static_assert(sizeof trials / sizeof *trials == SPMMI_TRANSFORM_COUNT, "each transform is tried");

/* Returns true if a trial with `stored` bytes is better than the best so far
 * (best = 0: there is none). Older readers refuse files with a feature bit, so a
 * transform that needs one must save a quarter and at least SAVED_MIN bytes. */
static int is_better(enum spmmi_transform transform, size_t stored, size_t best)
{
    const size_t quarter = best / 4, least = quarter > SAVED_MIN ? quarter : SAVED_MIN;
    return best == 0 || stored + (spmmi_transform_features(transform) == 0 ? 1 : least) <= best;
}

/* Compresses frame f into its slot with the allowed transform that gives the fewest bytes. Returns the number
 * of bytes, or 0 if memory is exhausted. */
static size_t encode_one(const struct worker *w, const struct spmmi_span *span, uint64_t f, uint8_t *slot,
                         enum spmmi_transform *transform)
{
    const struct spmmi_run run = spmmi_span_run(span, f);
    const uint8_t *elements = (const uint8_t *)span->elements + f * SPMMI_FRAME_RAW;
    const size_t room = ZSTD_compressBound((size_t)(run.count * run.element_bytes));
    size_t best = 0;
    for (size_t t = 0; t < SPMMI_TRANSFORM_COUNT && (best == 0 || *transform != SPMMI_TRANSFORM_DICTIONARY);
         t++) {
        const uint64_t bytes = spmmi_transform_allowed(span->type, trials[t])
                                   ? spmmi_transform_pack(trials[t], &run, elements, w->scratch, w->content)
                                   : 0;
        if (bytes == 0)
            continue;
        uint8_t *const out = best == 0 ? slot : w->trial;
        const size_t stored = ZSTD_compress2(w->context, out, room, w->content, (size_t)bytes);
        if (ZSTD_isError(stored))
            return 0;
        if (!is_better(trials[t], stored, best))
            continue;
        if (best != 0)
            memcpy(slot, w->trial, stored);
        best = stored;
        *transform = trials[t];
    }
    return best;
}

/* A section to encode, and its output. */
struct job {
    const struct spmmi_encoder *encoder;
    const struct spmmi_span *span;
    uint64_t count; /* number of frames */
    uint8_t *out;
};

static uint8_t *slot_of(const struct job *job, uint64_t f)
{
    return job->out + job->count * SPMMI_FRAME_ENTRY_BYTES + f * ZSTD_compressBound(SPMMI_FRAME_RAW);
}

/* Writes frame f to its slot, and its entry to the frame table. Returns 1 if memory is exhausted. */
static int write_frame(const void *context, uint64_t f, int thread)
{
    const struct job *job = context;
    enum spmmi_transform transform = SPMMI_TRANSFORM_NONE;
    uint8_t *const entry = job->out + f * SPMMI_FRAME_ENTRY_BYTES;
    const size_t stored =
        encode_one(&job->encoder->workers[thread], job->span, f, slot_of(job, f), &transform);
    spmmi_put_u32(entry, (uint32_t)stored);
    entry[4] = (uint8_t)transform;
    spmmi_put_u64(entry + 8, spmmi_hash64(slot_of(job, f), stored));
    return stored == 0;
}

spmm_status_t spmmi_frames_encode(struct spmmi_encoder *e, const struct spmmi_span *span, uint8_t *out,
                                  uint64_t *stored_bytes, uint64_t *frames_hash, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = spmmi_frame_count(span->raw_bytes);
    const struct job job = {e, span, count, out};
    memset(out, 0, count * SPMMI_FRAME_ENTRY_BYTES);
    /* Inputs are complete and slots have the size of zstd's
     * bound, so compression can fail for lack of memory only. */
    SPMM_REQUIRE(spmmi_first_wrong(count, e->threads, write_frame, &job) == count, SPMM_ERR_MEMORY, diag,
                 "out of memory in %s", __func__);
    uint8_t *end = slot_of(&job, 0);
    for (uint64_t f = 0; f < count; f++) {
        const uint32_t stored = spmmi_get_u32(out + f * SPMMI_FRAME_ENTRY_BYTES);
        memmove(end, slot_of(&job, f), stored);
        end += stored;
    }
    *stored_bytes = (uint64_t)(end - out);
    *frames_hash = spmmi_hash64(out, count * SPMMI_FRAME_ENTRY_BYTES);
cleanup:
    return status;
}

uint64_t spmmi_frames_features(const uint8_t *section, uint64_t raw_bytes)
{
    uint64_t features = 0;
    for (uint64_t f = 0; f < spmmi_frame_count(raw_bytes); f++)
        features |= spmmi_transform_features(section[f * SPMMI_FRAME_ENTRY_BYTES + 4]);
    return features;
}
