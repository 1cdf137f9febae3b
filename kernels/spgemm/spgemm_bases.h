/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring numbers share a base, and each is stored as its distance from the base: starts in 16 bits, and
 * entries of the left factor in the bits that list entries leave free. */
#ifndef SPMMI_SPGEMM_BASES_H
#define SPMMI_SPGEMM_BASES_H

#include "spgemm_items.h"

#define SPMMI_SPGEMM_SHIFT_MAX 8 /* at most 2^8 numbers share a base: below 1 % more memory per start */

/* Before the call, items->starts has the start of each direct entry, and items->lefts the entry of the left
 * factor of each list entry. Replaces them by bases: the largest number of neighbours for which all distances
 * fit shares one. Starts remain as they are if bases would not make them smaller. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_bases_make(struct spmmi_spgemm_items *items, int threads, spmm_diag_t *diag);

/* Returns an upper bound of the bytes that starts take on the host. */
static inline uint64_t spmmi_spgemm_starts_bytes(uint64_t direct)
{
    return direct * (sizeof(uint32_t) + sizeof(uint16_t));
}

#ifdef SPMM_TEST_HOOKS
extern uint32_t spmmi_spgemm_near_range, spmmi_spgemm_left_range; /* distances are below these */
#endif

#endif
