/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels on disk, from one process to the next. Each error is a miss: the kernel is compiled again, or an
 * ordinary one runs; nothing that the cache does can fail a call. Folders and trust: jit_folder.h.
 *
 * Writers and readers need no lock: a file gets its name when it is whole, and two writers of a name write the same
 * bytes. */
#ifndef SPMMI_JIT_CACHE_H
#define SPMMI_JIT_CACHE_H

#include "jit_files.h"

/* The code of this key and source, into *entry. Returns the memory that it lies in, to free with spmmi_free; NULL:
 * there is none. A file that is damaged is removed. A hit makes the file young. */
uint8_t *spmmi_jit_cache_load(struct spmmi_jit_cache *cache, struct spmmi_jit_entry *entry);
/* Remember it, if that is possible; makes room if need be. */
void spmmi_jit_cache_store(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry);
/* Forget the file of this key: its code was refused. */
void spmmi_jit_cache_drop(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry);

/* A file as spmmi_jit_cache_list found it: its bytes, to free with spmmi_free, and what they hold; NULL: it is damaged,
 * or gone. */
uint8_t *spmmi_jit_cache_read(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name,
                              struct spmmi_jit_entry *entry);

#endif
