/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Metadata of plans: what people say of a matrix. Part of every spmm library. No product depends on them.
 */
#ifndef SPMM_METADATA_H
#define SPMM_METADATA_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A key such as "license" and its value. Keys are 1 to 64 of a to z, 0 to 9, '.', '_' and '-', a letter first; values
 * are one line of UTF-8, not empty. A plan has at most 256 pairs of 65,536 bytes together, zeros included. Keeps its
 * size for ever. */
typedef struct spmm_metadata {
    const char *key;   /**< Zero-terminated. */
    const char *value; /**< Zero-terminated. */
} spmm_metadata_t;
/** The pair of index 0, 1, .., by ascending key, valid while the plan lives. Errors: ARGUMENT, also past the last. */
SPMM_API spmm_status_t spmm_plan_metadata(const spmm_plan_t *plan, int index, spmm_metadata_t *pair);

/** A new plan with these pairs, count of them in any order, in place of all that the plan has; NULL, 0: none. All else
 * is the same, and plan stays valid: destroy both, in any order. Errors: ARGUMENT (also pairs that break a rule of
 * spmm_metadata_t), MEMORY. */
SPMM_API spmm_status_t spmm_plan_with_metadata(const spmm_plan_t *plan, const spmm_metadata_t *pairs,
                                               int64_t count, spmm_plan_t **updated, spmm_diag_t *diag);

/** Called for each pair, by ascending key; key and value live during the call only. */
typedef void (*spmm_metadata_fn)(void *context, const char *key, const char *value);
/** The metadata of a plan file that may be incomplete, given to found with found_context: none where the plan has none,
 * or where their bytes are not there. Less than 90,000 bytes are read. Errors: as spmm_plan_head; PLAN_METADATA, where
 * found is not called. */
SPMM_API spmm_status_t spmm_plan_head_metadata(spmm_read_at_fn read, void *context, spmm_metadata_fn found,
                                               void *found_context, spmm_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
