/* SPDX-License-Identifier: Apache-2.0 */
/* The only host allocator of the library. It uses the allocator that the
 * caller has set with spmm_allocator_set, or the library's own. Sizes
 * are checked for overflow. Tests can make the k-th allocation fail. */
#ifndef SPMMI_ALLOC_H
#define SPMMI_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* The two functions return NULL if count * size overflows or memory is exhausted. For zero bytes they return
 * a valid pointer, which the caller must free. */
void *spmmi_alloc(uint64_t count, size_t size);      /* not initialised, 64-byte aligned */
void *spmmi_alloc_zero(uint64_t count, size_t size); /* zeroed, 64-byte aligned */
/* Returns the number of bytes that the two functions request for count * size, which must not overflow. */
uint64_t spmmi_alloc_bytes(uint64_t count, size_t size);
void spmmi_free(void *block); /* block may be NULL */

/* The same allocator as memory hooks for zstd (ZSTD_customMem).
 * libdeflate 1.14 and minizip have no such hooks. */
void *spmmi_zstd_alloc(void *opaque, size_t bytes);
void spmmi_zstd_free(void *opaque, void *block);

#ifdef SPMM_TEST_HOOKS
/* Makes the k-th allocation after this call fail (k = 0: the next one; k < 0: none).
 * every = 1: all later ones too. */
void spmmi_alloc_fail_at(int64_t k, int every);
int64_t spmmi_alloc_live(void);     /* blocks not yet freed */
int64_t spmmi_alloc_count(void);    /* allocations since the last spmmi_alloc_fail_at */
int64_t spmmi_alloc_failures(void); /* allocations that were made to fail since the program began */
void spmmi_alloc_peak_reset(void);
uint64_t spmmi_alloc_peak_bytes(
    void); /* peak since then minus the bytes held then; blocks of the library's own allocator only */
#endif

#endif
