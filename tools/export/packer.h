/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses chunks one after another; each thread has its own packer. */
#ifndef SPMM_TOOLS_PACKER_H
#define SPMM_TOOLS_PACKER_H

#include <stddef.h>

enum packing { PACKING_NONE, PACKING_DEFLATE, PACKING_ZSTD };

struct packer {
    enum packing packing;
    char *raw;    /* filled by the caller; can hold one chunk */
    char *packed; /* the same as raw without compression */
    size_t packed_max;
    void *context; /* state of the compressor */
};

/* Returns 0 if memory is short. The caller always calls packer_close afterwards. */
int packer_open(struct packer *p, enum packing packing, size_t raw_max);
/* Compresses size bytes of raw. Returns the number of bytes at packed, or 0 if the compressor failed. */
size_t packer_pack(struct packer *p, size_t size);
void packer_close(struct packer *p);

#endif
