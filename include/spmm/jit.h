/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The cache of compiled kernels on disk: lists its files and removes them. spmm_executor_prepare says which
 * folder it is. Link spmm::executor. Only one thread may use a cache object at a time.
 */
#ifndef SPMM_JIT_H
#define SPMM_JIT_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The files of the cache at the moment when they were listed. */
typedef struct spmm_jit_cache spmm_jit_cache_t;

/** Lists the cache. Creates no folder. The list of a user without a cache is empty. Free it with
 * spmm_jit_cache_destroy. Errors: ARGUMENT, MEMORY. */
SPMM_API spmm_status_t spmm_jit_cache_create(spmm_jit_cache_t **cache, spmm_diag_t *diag);
/** Frees the list; the files stay. */
SPMM_API void spmm_jit_cache_destroy(spmm_jit_cache_t *cache);

/** Returns the folder, or an empty string if no folder is named; valid while the cache object lives. */
SPMM_API const char *spmm_jit_cache_path(const spmm_jit_cache_t *cache);
/** Returns a sentence that says why the folder is not used; an empty string if it is used. */
SPMM_API const char *spmm_jit_cache_note(const spmm_jit_cache_t *cache);

/** Describes the file of index 0, 1, ..: its name below the folder, its key (a line that says what it holds;
 * NULL for a file that is damaged or that a writer left behind), its bytes, and the time of its last use
 * (written or found, in seconds since 1970). Pointers are valid while the cache object lives. Outputs may be
 * NULL. Errors: ARGUMENT past the last. */
SPMM_API spmm_status_t spmm_jit_cache_at(const spmm_jit_cache_t *cache, int64_t index, const char **file,
                                         const char **key, uint64_t *bytes, int64_t *used);

/** Removes the listed files. *removed, which may be NULL, is the number of listed files that are gone. Executors
 * keep what they have loaded.
 * Errors: ARGUMENT, IO (a file could not be removed). */
SPMM_API spmm_status_t spmm_jit_cache_clear(spmm_jit_cache_t *cache, int64_t *removed, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
