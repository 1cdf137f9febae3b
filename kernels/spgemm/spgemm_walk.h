/* SPDX-License-Identifier: Apache-2.0 */
/* From units to items: each unit is walked twice, to count its items and list entries, and to write them. */
#ifndef SPMMI_SPGEMM_WALK_H
#define SPMMI_SPGEMM_WALK_H

#include "spgemm_alike.h"
#include "spgemm_choice.h"
#include "spgemm_items.h"
#include "spgemm_launch.h"
#include "spgemm_pulls.h"
#include "spgemm_soles.h"

/* Bits of a key. Items with the same key form a bin. Higher keys run first, because they take longest. */
#define KEY_PARTIAL 8
#define KEY_SOLE \
    (2 * KEY_PARTIAL) /* not partial: all products of the slice are in one piece of a row that is cut */
#define KEY_LISTED (2 * KEY_SOLE)
#define KEY_WIDE (2 * KEY_LISTED)
#define KEY_GROUP (2 * KEY_WIDE) /* with KEY_THREE three rows, else two */
#define KEY_THREE (2 * KEY_GROUP)
#define KEY_MASKED (2 * KEY_THREE)
#define KEYS (2 * KEY_MASKED)

struct spgemm_draft {
    struct spmmi_spgemm_item item;
    uint32_t c_at, key, products;
    uint32_t steps; /* of its group; chunks of a flat item; 0 for items of groups or with masks */
};

/* State of one thread that walks units. */
struct spgemm_walk {
    const struct spmmi_spgemm_stage *stage;
    /* For each entry of a row of the left factor: its first product that is not listed yet. */
    uint32_t *cursor;
    /* NULL: items are only counted; rows, lefts and k_count are not written. */
    struct spgemm_draft *drafts;
    struct spmmi_spgemm_row *rows;
    uint32_t *lefts; /* for each entry of an own list, its entry of the left factor */
    uint8_t *k_count;
    const struct spmmi_spgemm_alike *alike; /* NULL: no groups */
    int has_masks;                          /* see struct spgemm_choices */
    const uint8_t *is_pulled;               /* see struct spgemm_choices */
    const struct spmmi_spgemm_soles *soles;
    struct spgemm_pulls pulls;
    uint64_t items, listed; /* totals so far, including the units before */
    int too_large;
};

/* Makes the items and list entries of a unit. */
void spmmi_spgemm_walk_unit(struct spgemm_walk *w, const struct spmmi_spgemm_unit *unit);

/* Returns the first entry of the right factor that entry p of the left factor multiplies. */
static inline uint32_t spmmi_spgemm_walk_start(const struct spmmi_spgemm_stage *s, int64_t p)
{
    return (uint32_t)s->task.right.row_ptr[s->task.left.col_ind[p]];
}

#endif
