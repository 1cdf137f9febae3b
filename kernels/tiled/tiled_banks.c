/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_banks.h. */
#include "tiled_banks.h"

#include <string.h>

/* The unused entries of a lane: one queue per residue, in the order of its entries. */
struct lane {
    const uint16_t *slot;
    uint16_t *queue;
    uint32_t head[SPMMI_BANK_RESIDUES], left[SPMMI_BANK_RESIDUES];
    uint32_t some; /* bit r is set if the queue of residue r is not empty */
};

/* The slots read at a step. Bit r of residues is set if a slot of residue r is read, which is slot[r]. */
struct step {
    uint32_t residues;
    uint16_t slot[SPMMI_BANK_RESIDUES];
};

static void sort_by_residue(const struct spmmi_bank_turns *t, uint32_t l, struct lane *lane)
{
    uint32_t next[SPMMI_BANK_RESIDUES] = {0};
    lane->slot = t->slot + (size_t)l * t->stride;
    lane->queue = t->queue + (size_t)l * t->stride;
    lane->some = 0;
    for (uint32_t i = 0; i < t->count[l]; i++)
        next[lane->slot[i] % SPMMI_BANK_RESIDUES]++;
    for (uint32_t r = 0, first = 0; r < SPMMI_BANK_RESIDUES; r++) {
        lane->head[r] = first;
        lane->left[r] = next[r];
        lane->some |= (uint32_t)(next[r] > 0) << r;
        first += next[r];
        next[r] = lane->head[r];
    }
    for (uint32_t i = 0; i < t->count[l]; i++)
        lane->queue[next[lane->slot[i] % SPMMI_BANK_RESIDUES]++] = (uint16_t)i;
}

/* Returns the residue whose first entry the lane uses now. The lane must have an entry left. */
static uint32_t choose_residue(const struct lane *lane, const struct step *step)
{
    for (uint32_t both = lane->some & step->residues; both > 0; both &= both - 1) {
        const uint32_t r = (uint32_t)__builtin_ctz(both);
        if (lane->slot[lane->queue[lane->head[r]]] == step->slot[r])
            return r;
    }
    const uint32_t unread = lane->some & ~step->residues;
    uint32_t left = unread > 0 ? unread : lane->some, best = (uint32_t)__builtin_ctz(left);
    while ((left &= left - 1) > 0) {
        const uint32_t r = (uint32_t)__builtin_ctz(left);
        best = lane->left[r] > lane->left[best] ? r : best;
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
            step.residues |= k >= t->count[l]; /* padding reads slot 0 */
        for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
            struct lane *const lane = &lanes[l];
            if (k >= t->count[l])
                continue;
            const uint32_t r = choose_residue(lane, &step);
            const uint16_t i = lane->queue[lane->head[r]++];
            lane->some &= ~((uint32_t)(--lane->left[r] == 0) << r);
            t->step[(size_t)l * t->stride + i] = (uint16_t)k;
            if ((step.residues >> r & 1) == 0) {
                step.residues |= UINT32_C(1) << r;
                step.slot[r] = lane->slot[i];
            }
        }
    }
}
