/* SPDX-License-Identifier: Apache-2.0 */
/* See packed_stream.h. */
#include "packed_stream.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "format/base/team.h"
#include "tools/cli/fail.h"

void packed_stream_begin(struct packed_stream *s)
{
    s->raw = s->packed = 0;
    s->crc = (uint32_t)crc32(0, NULL, 0);
}

spmm_status_t packed_stream_plain(struct packed_stream *s, const void *bytes, size_t size)
{
    s->written += size;
    if (s->file != NULL)
        return output_file_write(s->file, bytes, size);
    if (fwrite(bytes, 1, size, stdout) == size)
        return SPMM_OK;
    return fail(s->diag, SPMM_ERR_IO, "standard output: %s", strerror(errno));
}

static spmm_status_t write_chunk(struct packed_stream *s, const struct packer *p, size_t raw, uint32_t crc,
                                 size_t packed)
{
    if (packed == 0)
        return fail(s->diag, SPMM_ERR_MEMORY, "out of memory: the compression");
    s->crc = (uint32_t)crc32_combine(s->crc, crc, (z_off_t)raw);
    s->raw += raw;
    s->packed += packed;
    return packed_stream_plain(s, p->packed, packed);
}

/* The loop of each thread. *status is only written in chunk order, so it is the failure of the first chunk
 * that failed. Threads also read it out of order, to skip the work after a failure. */
static void work(struct packed_stream *s, const struct chunks *chunks, spmm_status_t *status)
{
    struct packer p;
    const int is_open = packer_open(&p, s->packing, chunks->bytes_max);
#pragma omp for ordered schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks->count; chunk++) {
        spmm_status_t seen;
#pragma omp atomic read
        seen = *status;
        const int is_wanted = is_open && seen == SPMM_OK;
        const size_t raw = is_wanted ? chunks->make(chunks->context, chunk, p.raw) : 0;
        const uint32_t crc = is_wanted ? (uint32_t)crc32(0, (const Bytef *)p.raw, (uInt)raw) : 0;
        const size_t packed = is_wanted ? packer_pack(&p, raw) : 0;
#pragma omp ordered
        {
#pragma omp atomic read
            seen = *status;
            if (seen == SPMM_OK) {
                seen = write_chunk(s, &p, raw, crc, packed);
#pragma omp atomic write
                *status = seen;
            }
        }
    }
    packer_close(&p);
}

spmm_status_t packed_stream_add(struct packed_stream *s, const struct chunks *chunks)
{
    spmm_status_t status = SPMM_OK;
    const int few = chunks->count < 2 ? 1 : s->threads;
#pragma omp parallel num_threads(spmmi_team(few))
    work(s, chunks, &status);
    return status;
}

spmm_status_t packed_stream_finish(struct packed_stream *s)
{
    static const char last_block[] = {3, 0}; /* the last deflate block: fixed codes, no symbols */
    if (s->packing != PACKING_DEFLATE)
        return SPMM_OK;
    s->packed += sizeof last_block;
    return packed_stream_plain(s, last_block, sizeof last_block);
}
