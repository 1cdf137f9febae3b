/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to stored frames. A frame's transform depends on its elements alone, so that the bytes are the same
 * at any number of threads. */
#define ZSTD_STATIC_LINKING_ONLY
#include <omp.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "alloc.h"
#include "diag.h"
#include "digest.h"
#include "frames.h"

struct worker {
    ZSTD_CCtx *context;
    uint8_t *content;
    uint32_t *scratch;
};

struct spmmi_encoder {
    int threads;
    struct worker workers[];
};

static int worker_init(struct worker *w, int level)
{
    const ZSTD_customMem memory = {spmmi_zstd_alloc, spmmi_zstd_free, NULL};
    w->content = spmmi_alloc(SPMMI_CONTENT_MAX, 1);
    w->scratch = spmmi_alloc(SPMMI_FRAME_RAW, 1);
    w->context = ZSTD_createCCtx_advanced(memory);
    return w->content != NULL && w->scratch != NULL && w->context != NULL &&
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
        spmmi_free(e->workers[t].content);
    }
    spmmi_free(e);
}

#define FRAME_BOUND ZSTD_COMPRESSBOUND(SPMMI_CONTENT_MAX)

uint64_t spmmi_stored_bound(uint64_t raw_bytes)
{
    const uint64_t full = raw_bytes / SPMMI_FRAME_RAW, last = raw_bytes % SPMMI_FRAME_RAW;
    return spmmi_frame_count(raw_bytes) * SPMMI_FRAME_ENTRY_BYTES +
           full * ZSTD_COMPRESSBOUND(SPMMI_FRAME_RAW) + (last != 0 ? ZSTD_COMPRESSBOUND(last) : 0);
}

/* The transforms that a section tries, best first; the last one always applies. */
static uint64_t pack(const struct worker *w, uint32_t type, const struct spmmi_run *run, const void *elements,
                     enum spmmi_transform *transform)
{
    uint64_t bytes = 0;
    for (uint32_t t = SPMMI_TRANSFORM_DICTIONARY + 1; t-- > 0 && bytes == 0;) {
        if (!spmmi_transform_allowed(type, t))
            continue;
        *transform = (enum spmmi_transform)t;
        bytes = spmmi_transform_pack(*transform, run, elements, w->scratch, w->content);
    }
    return bytes;
}

/* Compresses the f-th frame into its slot; 0 when memory is short. */
static size_t encode_one(const struct worker *w, const struct spmmi_span *span, uint64_t f, uint8_t *slot,
                         enum spmmi_transform *transform)
{
    const struct spmmi_run run = spmmi_span_run(span, f);
    const uint8_t *elements = (const uint8_t *)span->elements + f * SPMMI_FRAME_RAW;
    const uint64_t bytes = pack(w, span->type, &run, elements, transform);
    const size_t room = ZSTD_compressBound((size_t)(run.count * run.element_bytes));
    const size_t stored = ZSTD_compress2(w->context, slot, room, w->content, (size_t)bytes);
    return ZSTD_isError(stored) ? 0 : stored;
}

spmm_status_t spmmi_frames_encode(struct spmmi_encoder *e, const struct spmmi_span *span, uint8_t *out,
                                  uint64_t *stored_bytes, uint64_t *frames_hash, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = spmmi_frame_count(span->raw_bytes);
    const uint64_t slot_bytes = ZSTD_compressBound(SPMMI_FRAME_RAW);
    uint8_t *const slots = out + count * SPMMI_FRAME_ENTRY_BYTES;
    uint64_t failed = 0;
    memset(out, 0, count * SPMMI_FRAME_ENTRY_BYTES);
#pragma omp parallel for schedule(dynamic) num_threads(e->threads) reduction(+ : failed) if (count > 1)
    for (uint64_t f = 0; f < count; f++) {
        enum spmmi_transform transform = SPMMI_TRANSFORM_NONE;
        uint8_t *const entry = out + f * SPMMI_FRAME_ENTRY_BYTES, *const slot = slots + f * slot_bytes;
        const size_t stored = encode_one(&e->workers[omp_get_thread_num()], span, f, slot, &transform);
        failed += stored == 0;
        spmmi_put_u32(entry, (uint32_t)stored);
        entry[4] = (uint8_t)transform;
        spmmi_put_u64(entry + 8, spmmi_hash64(slot, stored));
    }
    /* Inputs are whole and slots have zstd's own bound, so only memory can fail. */
    SPMM_REQUIRE(failed == 0, SPMM_ERR_MEMORY, diag, "out of memory in %s", __func__);
    uint8_t *end = slots;
    for (uint64_t f = 0; f < count; f++) {
        const uint32_t stored = spmmi_get_u32(out + f * SPMMI_FRAME_ENTRY_BYTES);
        memmove(end, slots + f * slot_bytes, stored);
        end += stored;
    }
    *stored_bytes = (uint64_t)(end - out);
    *frames_hash = spmmi_hash64(out, count * SPMMI_FRAME_ENTRY_BYTES);
cleanup:
    return status;
}
