/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the cache of compiled kernels: lists and removes them. */
#ifndef SPMMI_JIT_FILES_H
#define SPMMI_JIT_FILES_H

#include <time.h>

#include "jit_entry.h"
#include "jit_folder.h"

#define SPMMI_JIT_LEFT_OVER \
    ".new-" /* prefix of the temporary name of an incomplete file; 16 hexadecimal digits follow */

/* A file of the cache. */
struct spmmi_jit_file {
    struct spmmi_jit_name name; /* for an incomplete file its temporary name */
    uint64_t bytes;
    struct timespec used; /* time of the last write or hit */
    int is_left_over;     /* its writer ended before it was complete */
};
/* Lists all files, in no order. Returns their number; -1: out of memory. Free *files with spmmi_free. */
int64_t spmmi_jit_cache_list(struct spmmi_jit_cache *cache, struct spmmi_jit_file **files);
/* Removes a file. Returns true if the file is gone, now or before. */
int spmmi_jit_cache_remove(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name);

/* Removes files until `bytes` more fit into the cache's maximum: incomplete files older than an hour, then
 * the least recently used. */
void spmmi_jit_room_make(struct spmmi_jit_cache *cache, uint64_t bytes);

#endif
