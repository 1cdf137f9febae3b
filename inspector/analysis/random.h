/* SPDX-License-Identifier: Apache-2.0 */
/* Portable random numbers for synthetic matrices and samples. They use integers only and are the same on
 * every machine.
 *
 * The generator is splitmix64: a counter that advances by an odd constant, followed by a mixing function.
 * Each (seed, stream) pair gives its own sequence, so rows and values can be generated in parallel and in any
 * order with the same result. */
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

/* Returns the next 64 random bits. */
static inline uint64_t spmmi_random_next(struct spmmi_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return spmmi_random_mix(r->state);
}

/* Returns the generator of stream number `stream`, which is independent of other streams and seeds. */
static inline struct spmmi_random spmmi_random_stream(uint64_t seed, uint64_t stream)
{
    return (struct spmmi_random){spmmi_random_mix(spmmi_random_mix(seed + 1) ^ (stream + 1))};
}

/* Returns a uniform number in [0, bound), for bound in 1..2^32.
 * The bias is below bound / 2^64, which is negligible. */
static inline int64_t spmmi_random_below(struct spmmi_random *r, int64_t bound)
{
    const uint64_t x = spmmi_random_next(r);
    const uint64_t b = (uint64_t)bound;
    const uint64_t high = (x >> 32) * b;
    const uint64_t low = ((x & UINT32_MAX) * b) >> 32;
    return (int64_t)((high + low) >> 32);
}

#endif
