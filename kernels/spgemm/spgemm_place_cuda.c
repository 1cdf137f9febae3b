/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates streams and decides where they are stored: equal streams share memory. See spgemm_items.h. */
#include "spgemm_items.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"

spmm_status_t spmmi_spgemm_streams_make(struct spmmi_spgemm_streams *streams, uint32_t count,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    streams->count = count;
    SPMM_TRY_ALLOC(streams->keys = spmmi_alloc(count, sizeof *streams->keys), diag);
    SPMM_TRY_ALLOC(streams->units = spmmi_alloc(count, sizeof *streams->units), diag);
    SPMM_TRY_ALLOC(streams->at = spmmi_alloc(count, sizeof *streams->at), diag);
    SPMM_TRY_ALLOC(streams->writes = spmmi_alloc(count, sizeof *streams->writes), diag);
cleanup:
    return status;
}

void spmmi_spgemm_streams_free(struct spmmi_spgemm_streams *streams)
{
    spmmi_free(streams->keys);
    spmmi_free(streams->units);
    spmmi_free(streams->at);
    spmmi_free(streams->writes);
}

/* A hash table of the streams seen so far. A slot holds the number of a stream + 1, or 0. */
struct seen {
    uint32_t *slots;
    uint64_t mask;
};

/* Returns the first stream with the hash and key of stream i, or i if there is none. */
static uint32_t first_like(struct seen *seen, const struct spmmi_spgemm_streams *streams,
                           const unsigned long long *hashes, uint32_t i)
{
    uint64_t at = (hashes[i] + streams->keys[i]) & seen->mask;
    while (seen->slots[at] != 0) {
        const uint32_t other = seen->slots[at] - 1;
        if (hashes[other] == hashes[i] && streams->keys[other] == streams->keys[i])
            return other;
        at = (at + 1) & seen->mask;
    }
    seen->slots[at] = i + 1;
    return i;
}

spmm_status_t spmmi_spgemm_streams_place(struct spmmi_spgemm_streams *streams,
                                         const unsigned long long *hashes, uint64_t *units, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct seen seen = {.slots = NULL, .mask = 1};
    while (seen.mask < 2 * (uint64_t)streams->count)
        seen.mask *= 2;
    SPMM_TRY_ALLOC(seen.slots = spmmi_alloc_zero(seen.mask, sizeof *seen.slots), diag);
    seen.mask--;
    for (uint32_t i = 0; i < streams->count; i++) {
        const uint32_t like = hashes != NULL ? first_like(&seen, streams, hashes, i) : i;
        streams->writes[i] = like == i;
        streams->at[i] = like == i ? (uint32_t)*units : streams->at[like];
        *units += like == i ? streams->units[i] : 0;
        SPMM_REQUIRE(*units <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                     "positions of the product take more than %llu bytes",
                     (unsigned long long)UINT32_MAX * SPMMI_SPGEMM_POSITION_UNIT);
    }
cleanup:
    spmmi_free(seen.slots);
    return status;
}
