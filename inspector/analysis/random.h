/* SPDX-License-Identifier: Apache-2.0 */
/* Portable random numbers for synthetic matrices: integers only, the same on every machine.
 *
 * The generator is splitmix64: a counter that steps by an odd constant, put through a mixing function.
 * Any (seed, position) pair can be asked for directly, so rows and values are made in parallel and in
 * any order with the same result. */
#ifndef SPMMI_RANDOM_H
#define SPMMI_RANDOM_H

#include <stdint.h>

struct spmmi_random {
    uint64_t state;
};

static inline uint64_t spmmi_random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t spmmi_random_next(struct spmmi_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return spmmi_random_mix(r->state);
}

/* An independent stream for each (seed, stream). */
static inline struct spmmi_random spmmi_random_stream(uint64_t seed, uint64_t stream)
{
    return (struct spmmi_random){spmmi_random_mix(spmmi_random_mix(seed + 1) ^ (stream + 1))};
}

/* Uniform in [0, bound), bound in 1..2^32. The bias is below bound / 2^64 and of no interest here. */
static inline int64_t spmmi_random_below(struct spmmi_random *r, int64_t bound)
{
    const uint64_t x = spmmi_random_next(r);
    const uint64_t b = (uint64_t)bound;
    const uint64_t high = (x >> 32) * b;
    const uint64_t low = ((x & UINT32_MAX) * b) >> 32;
    return (int64_t)((high + low) >> 32);
}

#endif
