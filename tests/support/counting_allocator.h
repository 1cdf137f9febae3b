/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator for spmm_allocator_set that counts the requested bytes. spmmi_alloc_peak_bytes counts the
 * bytes that malloc reserves, which are up to 2 MiB more for a block of huge pages. */
#ifndef TEST_COUNTING_ALLOCATOR_H
#define TEST_COUNTING_ALLOCATOR_H

#include <stdint.h>

/* Installs the allocator. Aborts if the libraries hold memory at this time. */
void test_counting_allocator_set(void);
void test_counting_peak_reset(void);
/* Returns the peak of the held bytes since the last reset, minus the bytes held at the reset. */
uint64_t test_counting_peak(void);

#endif
