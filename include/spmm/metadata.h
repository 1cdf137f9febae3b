/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Metadata of plans: what people record about a matrix. Part of every spmm library. Products do not depend on
 * it.
 */
#ifndef SPMM_METADATA_H
#define SPMM_METADATA_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A key such as "license" and its value. A key has 1 to 64 characters of a to z, 0 to 9, '.', '_' and '-'
 * and begins with a letter. A value is one line of UTF-8, not empty. A plan has at most 256 pairs; together
 * they have at most 65,536 bytes, including the terminating zeros. This struct keeps its size for ever. */
typedef struct spmm_metadata {
    const char *key;   /**< Zero-terminated. */
    const char *value; /**< Zero-terminated. */
} spmm_metadata_t;
/** Returns the pair of index 0, 1, .., by ascending key, valid while the plan lives. Errors:
 * ARGUMENT, also past the last. */
SPMM_API spmm_status_t spmm_plan_metadata(const spmm_plan_t *plan, int index, spmm_metadata_t *pair);

/** Makes a new plan with these pairs in place of all pairs of plan. pairs has count elements in any order;
 * NULL, 0: no metadata. Everything else is the same. plan stays valid: destroy both, in any order. Errors:
 * ARGUMENT (also pairs that break a rule of spmm_metadata_t), MEMORY. */
SPMM_API spmm_status_t spmm_plan_with_metadata(const spmm_plan_t *plan, const spmm_metadata_t *pairs,
                                               int64_t count, spmm_plan_t **updated, spmm_diag_t *diag);

/** Receives one pair; called by ascending key. key and value are valid during the call only. */
typedef void (*spmm_metadata_fn)(void *context, const char *key, const char *value);
/** Reads the metadata of a plan file that may be incomplete and calls found with found_context for each pair.
 * Does not call found if the plan has no metadata or their bytes are missing. Reads less than 90,000 bytes.
 * Errors: as spmm_plan_head; PLAN_METADATA: found is not called. */
SPMM_API spmm_status_t spmm_plan_head_metadata(spmm_read_at_fn read, void *context, spmm_metadata_fn found,
                                               void *found_context, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
