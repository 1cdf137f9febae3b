/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of plans: XXH3-128 of the canonical matrix, XXH3-64 of stored bytes. Neither is cryptographic. */
#define XXH_INLINE_ALL
#include <spmm/plan.h>
#include <string.h>
#include <xxhash.h>

#include "bytes.h"
#include "digest.h"

static void hash_arrays(const uint64_t head[4], const void *first, uint64_t first_bytes, const void *second,
                        uint64_t second_bytes, uint8_t digest[16])
{
    XXH3_state_t state;
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, head, 4 * sizeof head[0]);
    (void)XXH3_128bits_update(&state, first, (size_t)first_bytes);
    (void)XXH3_128bits_update(&state, second, (size_t)second_bytes);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    memcpy(digest, canonical.digest, sizeof canonical.digest);
}

void spmmi_digest_pattern(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                          uint8_t digest[16])
{
    const uint64_t nnz = (uint64_t)row_ptr[rows];
    const uint64_t head[4] = {SPMMI_DIGEST_PATTERN_TAG, (uint64_t)rows, (uint64_t)cols, nnz};
    hash_arrays(head, row_ptr, ((uint64_t)rows + 1) * sizeof *row_ptr, col_ind, nnz * sizeof *col_ind,
                digest);
}

void spmmi_digest_values(int64_t nnz, spmm_dtype_t dtype, const void *values, uint8_t digest[16])
{
    const uint64_t head[4] = {SPMMI_DIGEST_VALUES_TAG, (uint64_t)dtype, (uint64_t)nnz, 0};
    hash_arrays(head, values, (uint64_t)nnz * spmm_dtype_size(dtype), NULL, 0, digest);
}

uint64_t spmmi_hash64(const void *bytes, uint64_t size)
{
    return XXH3_64bits(bytes, (size_t)size);
}

void spmmi_hash128(const void *bytes, uint64_t size, uint8_t hash[16])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, (size_t)size));
    memcpy(hash, canonical.digest, sizeof canonical.digest);
}
