/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on sizes that come from a file or a caller.
 * Each function returns true if the result did not overflow. */
#ifndef SPMMI_CHECKED_H
#define SPMMI_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool spmmi_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool spmmi_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* Rounds a up to a multiple of align, which must be a power of two. */
static inline bool spmmi_align_u64(uint64_t a, uint64_t align, uint64_t *aligned)
{
    uint64_t sum = 0;
    const bool exact = spmmi_add_u64(a, align - 1, &sum);
    *aligned = sum & ~(align - 1);
    return exact;
}

#endif
