/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the cache of compiled kernels: listing and removing them. */
#ifndef SPMMI_JIT_FILES_H
#define SPMMI_JIT_FILES_H

#include <time.h>

#include "jit_entry.h"
#include "jit_folder.h"

#define SPMMI_JIT_LEFT_OVER \
    ".new-" /* how the name of a file begins that is not whole yet; 16 digits follow */

/* A file of the cache. */
struct spmmi_jit_file {
    struct spmmi_jit_name name; /* of a file that a writer left, another one */
    uint64_t bytes;
    struct timespec used; /* the last time that it was written or found */
    int is_left_over;     /* a writer ended before it was whole */
};
/* All of them, in no order; returns their number, -1 without memory. *files is freed with spmmi_free. */
int64_t spmmi_jit_cache_list(struct spmmi_jit_cache *cache, struct spmmi_jit_file **files);
/* Returns whether the file is gone, by this call or before. */
int spmmi_jit_cache_remove(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name);

/* Remove files until `bytes` more are within the cache's most: those that writers left an hour ago, then the oldest. */
void spmmi_jit_room_make(struct spmmi_jit_cache *cache, uint64_t bytes);

#endif
