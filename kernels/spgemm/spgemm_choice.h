/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model that chooses how the items and rows of a stage are run on a GPU. Costs are in lanes of a
 * step. */
#ifndef SPMMI_SPGEMM_CHOICE_H
#define SPMMI_SPGEMM_CHOICE_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_alike.h"
#include "spgemm_items.h"
#include "spgemm_pulls.h"

#define LANE_CHOICES 4                 /* 4, 8, 16 or 32 lanes per list entry */
#define CHOICE_FLAT LANE_CHOICES       /* 32 lanes, products side by side */
#define CHOICE_OWNED (CHOICE_FLAT + 1) /* the same for few entries: each lane owns a sum */

/* Counts over a list: steps, by the number of lanes of a group, and turns of 32 products side by side.
 * Initially 0. */
struct spgemm_tally {
    uint64_t steps[LANE_CHOICES], turns, round; /* round: products of the current round */
    uint32_t length;
};

void spmmi_spgemm_tally_add(struct spgemm_tally *tally, uint32_t products);

/* The cost of a list. */
struct spgemm_cost {
    uint64_t time;  /* cost of its steps; with few rows, at least the latency of its rounds */
    uint64_t steps; /* cost of its steps only, which decides between equal times */
    uint64_t taken; /* number of steps or turns */
};

/* Returns true if a product has so few rows that latency counts. */
int spmmi_spgemm_cost_is_few(int64_t rows);
/* What runs at the same time as an item: whole rows, of which there are many or few, or pieces of rows that
 * the plan cuts. */
enum spgemm_load { LOAD_MANY_ROWS, LOAD_FEW_ROWS, LOAD_PIECES };
/* Returns the cheapest choice for a list: the number of lanes per list entry, where each step costs its lanes
 * and a fixed number more, or products side by side, if most rows are shorter than any group. entries:
 * entries of C. */
uint32_t spmmi_spgemm_cost_of(const struct spgemm_tally *tally, uint32_t entries, enum spgemm_load load,
                              struct spgemm_cost *cost);

/* Returns the cost of an item with masks that has this many entries and this many list entries. Returns
 * UINT64_MAX if the item has too many entries or the product too few rows for masks. */
uint64_t spmmi_spgemm_masks_cost(uint64_t entries, uint64_t length, int has_few_rows, spmm_dtype_t dtype);
/* Returns the choice of lanes of an item with masks: 4 << choice is the smallest number with a lane for each
 * entry. */
uint32_t spmmi_spgemm_mask_choice(uint32_t entries);

/* How rows are run. */
struct spgemm_choices {
    uint8_t *is_pulled; /* one byte per row, owned by the caller; NULL: no row is pulled */
    int has_masks;      /* every row that can have masks has them */
};

/* Chooses the rows that are pulled, and masks if the rule prefers them; then every row that can have masks
 * has them, unless it is pulled. Rows of groups have neither. alike: NULL without groups. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_choose(const struct spmmi_spgemm_stage *stage,
                                  const struct spmmi_spgemm_wanted *wanted,
                                  const struct spmmi_spgemm_alike *alike, int threads,
                                  struct spgemm_choices *choices, spmm_diag_t *diag);

#endif
