/* SPDX-License-Identifier: Apache-2.0 */
/* See packer.h. */
#include "packer.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define ZSTD_LEVEL 3    /* the default of zstd */
#define DEFLATE_LEVEL 6 /* the default of gzip and NumPy */
#define DEFLATE_MEMORY 8
#define FLUSH_BYTES 16 /* bytes that end a deflated chunk at a byte boundary */

static int open_deflate(struct packer *p, size_t raw_max)
{
    z_stream *z = calloc(1, sizeof *z);
    if (z == NULL)
        return 0;
    if (deflateInit2(z, DEFLATE_LEVEL, Z_DEFLATED, -MAX_WBITS, DEFLATE_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return 0;
    }
    p->context = z;
    p->packed_max = deflateBound(z, raw_max) + FLUSH_BYTES;
    return 1;
}

static size_t deflate_chunk(struct packer *p, size_t size)
{
    z_stream *z = p->context;
    z->next_in = (Bytef *)p->raw;
    z->avail_in = (uInt)size;
    z->next_out = (Bytef *)p->packed;
    z->avail_out = (uInt)p->packed_max;
    const int is_done = deflateReset(z) == Z_OK && deflate(z, Z_SYNC_FLUSH) == Z_OK && z->avail_in == 0;
    return is_done ? p->packed_max - z->avail_out : 0;
}

int packer_open(struct packer *p, enum packing packing, size_t raw_max)
{
    *p = (struct packer){.packing = packing, .raw = malloc(raw_max)};
    int is_open = p->raw != NULL;
    if (packing == PACKING_NONE) {
        p->packed = p->raw;
        return is_open;
    }
    if (packing == PACKING_ZSTD) {
        p->context = ZSTD_createCCtx();
        p->packed_max = ZSTD_compressBound(raw_max);
        is_open = is_open && p->context != NULL;
    } else {
        is_open = is_open && open_deflate(p, raw_max);
    }
    if (is_open)
        p->packed = malloc(p->packed_max);
    return p->packed != NULL;
}

size_t packer_pack(struct packer *p, size_t size)
{
    if (p->packing == PACKING_NONE)
        return size;
    if (p->packing == PACKING_DEFLATE)
        return deflate_chunk(p, size);
    const size_t packed = ZSTD_compressCCtx(p->context, p->packed, p->packed_max, p->raw, size, ZSTD_LEVEL);
    return ZSTD_isError(packed) ? 0 : packed;
}

void packer_close(struct packer *p)
{
    if (p->packing == PACKING_ZSTD)
        (void)ZSTD_freeCCtx(p->context);
    if (p->packing == PACKING_DEFLATE && p->context != NULL) {
        (void)deflateEnd(p->context);
        free(p->context);
    }
    if (p->packed != p->raw)
        free(p->packed);
    free(p->raw);
}
