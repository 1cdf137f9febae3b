/* SPDX-License-Identifier: Apache-2.0 */
/* The only host allocator of the library: memory of the allocator that the caller has set, or its own. Sizes are
 * checked; tests make the k-th allocation fail. */
#ifndef SPMMI_ALLOC_H
#define SPMMI_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* NULL when count * size overflows or memory is short. Zero bytes give a valid pointer to free. */
void *spmmi_alloc(uint64_t count, size_t size);          /* not initialised, 64-byte aligned */
void *spmmi_alloc_zero(uint64_t count, size_t size);     /* zeroed, 64-byte aligned */
uint64_t spmmi_alloc_bytes(uint64_t count, size_t size); /* that these take; of sizes that do not overflow */
void spmmi_free(void *block);                            /* NULL is fine */

/* The same as zstd's memory hooks (ZSTD_customMem). libdeflate 1.14 and minizip have none of their own. */
void *spmmi_zstd_alloc(void *opaque, size_t bytes);
void spmmi_zstd_free(void *opaque, void *block);

#ifdef SPMM_TEST_HOOKS
/* Fail the k-th allocation from now on (0 = the next); every = 1 also fails all later ones; k < 0 = off. */
void spmmi_alloc_fail_at(int64_t k, int every);
int64_t spmmi_alloc_live(void);     /* blocks not yet freed */
int64_t spmmi_alloc_count(void);    /* allocations since the last spmmi_alloc_fail_at */
int64_t spmmi_alloc_failures(void); /* allocations that were made to fail since the program began */
void spmmi_alloc_peak_reset(void);
uint64_t spmmi_alloc_peak_bytes(
    void); /* most bytes held at a time since then, above those held then; own blocks only */
#endif

#endif
