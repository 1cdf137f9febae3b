/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a stage on a GPU (spgemm_launch.h), on the host. */
#ifndef SPMMI_SPGEMM_ITEMS_H
#define SPMMI_SPGEMM_ITEMS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

struct spmmi_spgemm_items {
    uint32_t count, direct, listed,
        join_count; /* listed: entries of lists of their own, behind the direct ones */
    struct spmmi_spgemm_bins bins;
    struct spmmi_spgemm_groups groups[SPMMI_SPGEMM_GROUP_BINS];
    uint32_t group_count;            /* of these */
    struct spmmi_spgemm_item *items; /* owned, as all below; without positions */
    uint32_t *c_at;                  /* of each item its first entry of C */
    uint32_t *products;              /* of each item */
    struct spmmi_spgemm_row *rows;   /* direct + listed */
    uint32_t *value_of;              /* listed */
    uint8_t *k_count;                /* listed; NULL without groups */
    struct spmmi_spgemm_join *joins;
};

/* Which items are made. */
enum spmmi_spgemm_grouping {
    SPMMI_SPGEMM_NO_GROUPS,
    SPMMI_SPGEMM_GROUPS_BY_RULE, /* where they are faster */
    SPMMI_SPGEMM_GROUPS          /* wherever rows are alike */
};

/* host_left: most memory that it may take. Errors: TOO_LARGE (more than 32 bits count), PLAN_BUDGET, MEMORY. Free it
 * also after an error. */
spmm_status_t spmmi_spgemm_items_make(const struct spmmi_spgemm_stage *stage,
                                      enum spmmi_spgemm_grouping grouping, int threads, uint64_t host_left,
                                      struct spmmi_spgemm_items *items, spmm_diag_t *diag);
void spmmi_spgemm_items_free(struct spmmi_spgemm_items *items);

/* Where the positions of each item begin: with those of an equal item before it (hash, products and width are equal),
 * or behind all others. writes[i]: item i is no such one. hashes NULL: nothing is shared. *bytes: of all positions.
 * Errors: TOO_LARGE, MEMORY. */
spmm_status_t spmmi_spgemm_items_place(struct spmmi_spgemm_items *items, const unsigned long long *hashes,
                                       uint8_t *writes, uint64_t *bytes, spmm_diag_t *diag);

#endif
