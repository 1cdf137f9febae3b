/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The cache of compiled kernels on disk (spmm_executor_prepare says where it is): what it holds, and emptying it. Link
 * spmm::executor. A cache object is for one thread at a time.
 */
#ifndef SPMM_JIT_H
#define SPMM_JIT_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The files of the cache at the moment when they were listed. */
typedef struct spmm_jit_cache spmm_jit_cache_t;

/** List the cache; no folder is made. A user without a cache has an empty one. Free with spmm_jit_cache_destroy.
 * Errors: ARGUMENT, MEMORY. */
SPMM_API spmm_status_t spmm_jit_cache_create(spmm_jit_cache_t **cache, spmm_diag_t *diag);
/** Frees it; the files stay. */
SPMM_API void spmm_jit_cache_destroy(spmm_jit_cache_t *cache);

/** The folder, or an empty string where none is named; lives as long as the cache. */
SPMM_API const char *spmm_jit_cache_path(const spmm_jit_cache_t *cache);
/** Why the folder is not used, in a sentence; an empty string where it is. */
SPMM_API const char *spmm_jit_cache_note(const spmm_jit_cache_t *cache);

/** File 0, 1, ..: its name below the folder, its bytes, the time of its last use (written or found; in
 * seconds since 1970), and what it is: a line, or NULL for a file that is damaged or that a writer left. Pointers live
 * as long as the cache. Outputs may be NULL. Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_jit_cache_at(const spmm_jit_cache_t *cache, int64_t index, const char **file,
                                         const char **key, uint64_t *bytes, int64_t *used);

/** Remove the listed files; *removed, which may be NULL, is how many are gone. Executors keep what they have loaded.
 * Errors: ARGUMENT, IO (a file could not be removed). */
SPMM_API spmm_status_t spmm_jit_cache_clear(spmm_jit_cache_t *cache, int64_t *removed, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
