/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a stage on a GPU (spgemm_launch.h), as made on the host. */
#ifndef SPMMI_SPGEMM_ITEMS_H
#define SPMMI_SPGEMM_ITEMS_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_launch.h"

/* The streams of items or pulls in device memory. Streams with equal keys and contents share memory. */
struct spmmi_spgemm_streams {
    uint32_t count;
    uint64_t *keys;  /* this and all arrays below are owned */
    uint32_t *units; /* size, in units of SPMMI_SPGEMM_POSITION_UNIT */
    uint32_t *at;    /* where they begin, in these units */
    uint8_t *writes; /* whether the stream is stored there; else it is the one of another item */
};

struct spmmi_spgemm_items {
    /* direct: entries of the left factor; listed: list entries of items with lists of their own, stored after
     * the direct ones. */
    uint32_t count, direct, listed, join_count;
    struct spmmi_spgemm_bins bins;
    struct spmmi_spgemm_bin masks[SPMMI_SPGEMM_MASK_BINS]; /* of items with masks */
    uint32_t mask_count;                                   /* number of these bins */
    struct spmmi_spgemm_groups groups[SPMMI_SPGEMM_GROUP_BINS];
    uint32_t group_count;                  /* number of these bins */
    struct spmmi_spgemm_item *items;       /* this and all arrays below are owned; positions are not set */
    uint32_t *c_at;                        /* first entry of C of each item */
    struct spmmi_spgemm_streams positions; /* of items */
    struct spmmi_spgemm_row *rows;         /* direct + listed of them */
    uint32_t *lefts;                       /* left_count of them, see struct spmmi_spgemm_tables */
    uint8_t *k_count;                      /* listed of them; NULL without groups */
    struct spmmi_spgemm_join *joins;
    struct spmmi_spgemm_pull *pulls;
    /* For pulls and masks: start_count and direct of them, see struct spmmi_spgemm_tables. */
    uint32_t *starts;
    uint16_t *near_starts;
    uint32_t start_count, start_shift, left_count, left_shift;
    uint32_t *words_at, *words; /* of each pull, its stream in front of the bytes of products */
    uint32_t pull_count;
    uint64_t word_count;
    /* Whether more than half of the products are pulled, or are in items with masks. */
    int are_mostly_pulled, are_mostly_masked;
    struct spmmi_spgemm_streams pull_streams;
};

/* Returns the number of rows to upload. Pulls and items with masks read starts instead. */
static inline uint64_t spmmi_spgemm_rows_of(const struct spmmi_spgemm_items *items)
{
    return items->bins.count + items->group_count > 0 ? (uint64_t)items->direct + items->listed : 0;
}

/* Whether rows are run in a certain way. */
enum spmmi_spgemm_choice {
    SPMMI_SPGEMM_NEVER,
    SPMMI_SPGEMM_BY_RULE, /* if it is faster */
    SPMMI_SPGEMM_WHEREVER /* if it is possible */
};

/* Which kinds of items are made. dtype is the type of the values; it decides what is faster. */
struct spmmi_spgemm_wanted {
    enum spmmi_spgemm_choice groups, pulls, masks;
    spmm_dtype_t dtype;
};

/* Makes the items of a stage. host_left: maximum host memory. Errors: TOO_LARGE (32 bits cannot count them),
 * PLAN_BUDGET, MEMORY. Free items also after an error. */
spmm_status_t spmmi_spgemm_items_make(const struct spmmi_spgemm_stage *stage,
                                      const struct spmmi_spgemm_wanted *wanted, int threads,
                                      uint64_t host_left, struct spmmi_spgemm_items *items,
                                      spmm_diag_t *diag);
void spmmi_spgemm_items_free(struct spmmi_spgemm_items *items);

/* Allocates `count` streams. Errors: MEMORY. Free them also after an error. */
spmm_status_t spmmi_spgemm_streams_make(struct spmmi_spgemm_streams *streams, uint32_t count,
                                        spmm_diag_t *diag);
void spmmi_spgemm_streams_free(struct spmmi_spgemm_streams *streams);

/* Sets where streams begin, from *units on, which is advanced. A stream shares the memory of an earlier one
 * with equal hash and key, or is appended. If hashes is NULL, no memory is shared. Errors: TOO_LARGE,
 * MEMORY. */
spmm_status_t spmmi_spgemm_streams_place(struct spmmi_spgemm_streams *streams,
                                         const unsigned long long *hashes, uint64_t *units,
                                         spmm_diag_t *diag);

#endif
