/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of stored bytes. The digests of matrices are declared in plan.h. */
#ifndef SPMMI_DIGEST_H
#define SPMMI_DIGEST_H

#include <stdint.h>

#define SPMMI_DIGEST_PATTERN_TAG UINT64_C(0x4e52545441504d53) /* the bytes "SMPATTRN" */
#define SPMMI_DIGEST_VALUES_TAG UINT64_C(0x5345554c41564d53)  /* the bytes "SMVALUES" */

/* XXH3-64, seed 0. */
uint64_t spmmi_hash64(const void *bytes, uint64_t size);

#endif
