/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of one chunk after another by one thread. */
#ifndef SPMM_TOOLS_PACKER_H
#define SPMM_TOOLS_PACKER_H

#include <stddef.h>

enum packing { PACKING_NONE, PACKING_DEFLATE, PACKING_ZSTD };

struct packer {
    enum packing packing;
    char *raw;    /* the caller fills it; as many bytes as a chunk may have */
    char *packed; /* raw itself where nothing is compressed */
    size_t packed_max;
    void *context; /* of the compressor */
};

/* 0: memory is short. packer_close always follows. */
int packer_open(struct packer *p, enum packing packing, size_t raw_max);
/* Compresses size bytes of raw; returns how many bytes there are at packed, 0 when the compressor failed. */
size_t packer_pack(struct packer *p, size_t size);
void packer_close(struct packer *p);

#endif
