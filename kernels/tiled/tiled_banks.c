/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_banks.h. */
#include "tiled_banks.h"

#include <stdbool.h>
#include <string.h>

/* What a lane has left: a queue for each residue, in the order of its entries. */
struct lane {
    const uint16_t *slot;
    uint16_t *queue;
    uint32_t head[SPMMI_BANK_RESIDUES], end[SPMMI_BANK_RESIDUES];
};

/* What is read at a step. */
struct step {
    bool is_read[SPMMI_BANK_RESIDUES];
    uint16_t slot[SPMMI_BANK_RESIDUES];
};

static void sort_by_residue(const struct spmmi_bank_turns *t, uint32_t l, struct lane *lane)
{
    uint32_t next[SPMMI_BANK_RESIDUES] = {0};
    lane->slot = t->slot + (size_t)l * t->stride;
    lane->queue = t->queue + (size_t)l * t->stride;
    for (uint32_t i = 0; i < t->count[l]; i++)
        next[lane->slot[i] % SPMMI_BANK_RESIDUES]++;
    for (uint32_t r = 0, first = 0; r < SPMMI_BANK_RESIDUES; r++) {
        lane->head[r] = first;
        first += next[r];
        lane->end[r] = first;
        next[r] = lane->head[r];
    }
    for (uint32_t i = 0; i < t->count[l]; i++)
        lane->queue[next[lane->slot[i] % SPMMI_BANK_RESIDUES]++] = (uint16_t)i;
}

/* The residue whose first entry the lane uses now; it has one left. */
static uint32_t choose_residue(const struct lane *lane, const struct step *step)
{
    uint32_t best = 0, best_left = 0;
    bool is_free = false;
    for (uint32_t r = 0; r < SPMMI_BANK_RESIDUES; r++) {
        const uint32_t left = lane->end[r] - lane->head[r];
        if (left == 0)
            continue;
        if (step->is_read[r] && lane->slot[lane->queue[lane->head[r]]] == step->slot[r])
            return r;
        if (is_free ? !step->is_read[r] && left > best_left : !step->is_read[r] || left > best_left) {
            best = r;
            best_left = left;
            is_free = !step->is_read[r];
        }
    }
    return best;
}

void spmmi_bank_order(struct spmmi_bank_turns *t)
{
    struct lane lanes[SPMMI_BANK_LANES];
    uint32_t steps = 0;
    for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
        sort_by_residue(t, l, &lanes[l]);
        steps = t->count[l] > steps ? t->count[l] : steps;
    }
    for (uint32_t k = 0; k < steps; k++) {
        struct step step;
        memset(&step, 0, sizeof step);
        for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++)
            step.is_read[0] |= k >= t->count[l]; /* padding reads slot 0 */
        for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
            if (k >= t->count[l])
                continue;
            const uint32_t r = choose_residue(&lanes[l], &step);
            const uint16_t i = lanes[l].queue[lanes[l].head[r]++];
            t->step[(size_t)l * t->stride + i] = (uint16_t)k;
            if (!step.is_read[r]) {
                step.is_read[r] = true;
                step.slot[r] = lanes[l].slot[i];
            }
        }
    }
}
