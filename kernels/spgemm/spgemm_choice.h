/* SPDX-License-Identifier: Apache-2.0 */
/* What a list of rows of the right factor costs a GPU, by how its items are run: the model that chooses. Costs are in
 * lanes of a step. */
#ifndef SPMMI_SPGEMM_CHOICE_H
#define SPMMI_SPGEMM_CHOICE_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_alike.h"
#include "spgemm_items.h"
#include "spgemm_pulls.h"

#define LANE_CHOICES 4                 /* 4, 8, 16, 32 lanes */
#define CHOICE_FLAT LANE_CHOICES       /* 32 lanes, products side by side */
#define CHOICE_OWNED (CHOICE_FLAT + 1) /* the same with few entries */

/* Steps of a list, by the lanes of a group, and turns of 32 products side by side. Starts from 0. */
struct spgemm_tally {
    uint64_t steps[LANE_CHOICES], turns, round; /* round: products of this one */
    uint32_t length;
};

void spmmi_spgemm_tally_add(struct spgemm_tally *tally, uint32_t products);

/* What a list costs. */
struct spgemm_cost {
    uint64_t time;  /* that of its steps, but with few rows the latency of its rounds at least */
    uint64_t steps; /* that of its steps alone, which decides between equal times */
    uint64_t taken; /* steps or turns */
};

/* With fewer rows, latency counts. */
int spmmi_spgemm_cost_is_few(int64_t rows);
/* What runs beside an item: whole rows, of which there are many or few, or pieces of rows that the plan cuts. */
enum spgemm_load { LOAD_MANY_ROWS, LOAD_FEW_ROWS, LOAD_PIECES };
/* The choice that costs least, as each step takes its lanes and some more. Or products side by side, where most rows
 * are shorter than any group. entries: of C. */
uint32_t spmmi_spgemm_cost_of(const struct spgemm_tally *tally, uint32_t entries, enum spgemm_load load,
                              struct spgemm_cost *cost);

/* What an item with masks costs, of so many entries and list entries; UINT64_MAX: it has too many entries, or the
 * product too few rows. */
uint64_t spmmi_spgemm_masks_cost(uint64_t entries, uint64_t length, int has_few_rows, spmm_dtype_t dtype);
/* Its lanes: 4 << this, the fewest that have an entry each. */
uint32_t spmmi_spgemm_mask_choice(uint32_t entries);

/* How rows are run. */
struct spgemm_choices {
    uint8_t *is_pulled; /* a byte for each row, of the caller; NULL: none is */
    int has_masks;      /* rows that can have masks do */
};

/* Chooses pulls, and masks where the rule wants them: then all rows that can have them do. Rows that groups take are
 * neither; alike: NULL without groups. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_choose(const struct spmmi_spgemm_stage *stage,
                                  const struct spmmi_spgemm_wanted *wanted,
                                  const struct spmmi_spgemm_alike *alike, int threads,
                                  struct spgemm_choices *choices, spmm_diag_t *diag);

#endif
