/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator for spmm_allocator_set that counts the bytes it is asked for: spmmi_alloc_peak_bytes counts what malloc
 * makes of them, up to 2 MiB more a block of huge pages. */
#ifndef TEST_COUNTING_ALLOCATOR_H
#define TEST_COUNTING_ALLOCATOR_H

#include <stdint.h>

/* Fails the test where memory of the libraries is held. */
void test_counting_allocator_set(void);
void test_counting_peak_reset(void);
/* Most bytes that were held at a time since then, beyond those held then. */
uint64_t test_counting_peak(void);

#endif
