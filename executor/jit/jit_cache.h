/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled kernels on disk, which lives from one process to the next. Every error counts as a
 * miss: the kernel is compiled again, or an ordinary kernel runs. The cache cannot make a call fail.
 * jit_folder.h describes the folders and whom they trust.
 *
 * Writers and readers need no lock: a file gets its final name when it is complete, and two writers of one
 * name write the same bytes. */
#ifndef SPMMI_JIT_CACHE_H
#define SPMMI_JIT_CACHE_H

#include "jit_files.h"

/* Finds the code for the key and source of *entry and sets entry->code. Returns the memory that
 * entry then points into, to be freed with spmmi_free; NULL: a miss. Removes a damaged file. A hit
 * marks the file as used now. */
uint8_t *spmmi_jit_cache_load(struct spmmi_jit_cache *cache, struct spmmi_jit_entry *entry);
/* Stores the entry if possible; removes old files to make room. */
void spmmi_jit_cache_store(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry);
/* Removes the file of this key, whose code the driver refused. */
void spmmi_jit_cache_drop(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry);

/* Reads a file that spmmi_jit_cache_list found. Returns its bytes, to be freed with spmmi_free, and fills
 * *entry, which points into them; NULL: the file is damaged or gone. */
uint8_t *spmmi_jit_cache_read(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name,
                              struct spmmi_jit_entry *entry);

#endif
