/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a stage on a GPU (spgemm_launch.h), on the host. */
#ifndef SPMMI_SPGEMM_ITEMS_H
#define SPMMI_SPGEMM_ITEMS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

/* What items or pulls have in device memory; those with equal keys and contents share it. */
struct spmmi_spgemm_streams {
    uint32_t count;
    uint64_t *keys;  /* owned, as all below */
    uint32_t *units; /* of SPMMI_SPGEMM_POSITION_UNIT */
    uint32_t *at;    /* where they begin */
    uint8_t *writes; /* they begin there; else they are those of another one */
};

struct spmmi_spgemm_items {
    uint32_t count, direct, listed,
        join_count; /* listed: entries of lists of their own, behind the direct ones */
    struct spmmi_spgemm_bins bins;
    struct spmmi_spgemm_bin masks[SPMMI_SPGEMM_MASK_BINS]; /* of items that have them */
    uint32_t mask_count;                                   /* of these */
    struct spmmi_spgemm_groups groups[SPMMI_SPGEMM_GROUP_BINS];
    uint32_t group_count;                  /* of these */
    struct spmmi_spgemm_item *items;       /* owned, as all below; without positions */
    uint32_t *c_at;                        /* of each item its first entry of C */
    struct spmmi_spgemm_streams positions; /* of items */
    struct spmmi_spgemm_row *rows;         /* direct + listed */
    uint32_t *value_of;                    /* listed */
    uint8_t *k_count;                      /* listed; NULL without groups */
    struct spmmi_spgemm_join *joins;
    struct spmmi_spgemm_pull *pulls;
    uint32_t *starts;           /* of rows of the right factor, direct; for pulls and masks */
    uint32_t *words_at, *words; /* of each pull, what its stream has before the destinations */
    uint32_t pull_count;
    uint64_t word_count;
    int are_mostly_pulled, are_mostly_masked; /* of the products more than half are */
    struct spmmi_spgemm_streams pull_streams;
};

/* Where something is done. */
enum spmmi_spgemm_choice {
    SPMMI_SPGEMM_NEVER,
    SPMMI_SPGEMM_BY_RULE, /* where it is faster */
    SPMMI_SPGEMM_WHEREVER /* it can be */
};

/* Which items are made, for values of a type: it decides what is faster. */
struct spmmi_spgemm_wanted {
    enum spmmi_spgemm_choice groups, pulls, masks;
    spmm_dtype_t dtype;
};

/* host_left: most memory that it may take. Errors: TOO_LARGE (more than 32 bits count), PLAN_BUDGET, MEMORY. Free it
 * also after an error. */
spmm_status_t spmmi_spgemm_items_make(const struct spmmi_spgemm_stage *stage,
                                      const struct spmmi_spgemm_wanted *wanted, int threads,
                                      uint64_t host_left, struct spmmi_spgemm_items *items,
                                      spmm_diag_t *diag);
void spmmi_spgemm_items_free(struct spmmi_spgemm_items *items);

/* Of count streams; free them also after an error: MEMORY. */
spmm_status_t spmmi_spgemm_streams_make(struct spmmi_spgemm_streams *streams, uint32_t count,
                                        spmm_diag_t *diag);
void spmmi_spgemm_streams_free(struct spmmi_spgemm_streams *streams);

/* Where streams begin: with an equal one before them (hash and key are equal), or behind all others, from *units on.
 * hashes NULL: nothing is shared. Errors: TOO_LARGE, MEMORY. */
spmm_status_t spmmi_spgemm_streams_place(struct spmmi_spgemm_streams *streams,
                                         const unsigned long long *hashes, uint64_t *units,
                                         spmm_diag_t *diag);

#endif
