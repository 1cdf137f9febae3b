/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_banks.h. */
#include "tcblock_banks.h"

#include "tcblock_kernel.h"

#define BANKS SPMMI_TCBLOCK_BANKS

/* Returns the residue for the next position. Bit r of `used` is set if its group already has residue r. At
 * least one residue must have local rows left. */
static uint32_t residue_pick(const uint32_t left[BANKS], uint32_t used)
{
    uint32_t best = BANKS, first = BANKS;
    for (uint32_t r = BANKS; r-- > 0;) {
        if (left[r] == 0)
            continue;
        first = r;
        if ((used >> r & 1) == 0 && (best == BANKS || left[r] >= left[best]))
            best = r;
    }
    return best < BANKS ? best : first;
}

/* Sorts the residues by descending number of local rows; equal ones by ascending residue. */
static void residues_sort(const uint32_t left[BANKS], uint32_t residues[BANKS])
{
    for (uint32_t r = 0; r < BANKS; r++) {
        uint32_t at = 0;
        for (uint32_t other = 0; other < BANKS; other++)
            at += left[other] > left[r] || (left[other] == left[r] && other < r);
        residues[at] = r;
    }
}

void spmmi_tcblock_banks(const uint8_t *locals, uint32_t count, uint8_t *order)
{
    uint8_t queues[BANKS][SPMMI_TCBLOCK_PANEL_STEP];
    uint32_t left[BANKS] = {0}, residues[BANKS], taken[BANKS], used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t r = locals[i] % BANKS;
        queues[r][left[r]++] = (uint8_t)i;
    }
    /* While every residue has local rows, each group takes one row per residue, which keeps their order. */
    residues_sort(left, residues);
    const uint32_t groups = left[residues[BANKS - 1]];
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < BANKS; i++)
            order[g * BANKS + i] = queues[residues[i]][g];
    for (uint32_t r = 0; r < BANKS; r++) {
        taken[r] = groups;
        left[r] -= groups;
    }
    for (uint32_t i = groups * BANKS; i < count; i++) {
        used = i % BANKS == 0 ? 0 : used;
        const uint32_t r = residue_pick(left, used);
        order[i] = queues[r][taken[r]++];
        left[r]--;
        used |= UINT32_C(1) << r;
    }
}
