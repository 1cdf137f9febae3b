/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_banks.h. */
#include "tcblock_banks.h"

#include "tcblock_kernel.h"

#define BANKS SPMMI_TCBLOCK_BANKS

/* The residue that the next position takes; used: bit r: its group has residue r. Some residue has local rows left. */
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

void spmmi_tcblock_banks(const uint8_t *locals, uint32_t count, uint8_t *order)
{
    uint8_t queues[BANKS][SPMMI_TCBLOCK_PANEL_STEP];
    uint32_t left[BANKS] = {0}, taken[BANKS] = {0}, used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t r = locals[i] % BANKS;
        queues[r][left[r]++] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        used = i % BANKS == 0 ? 0 : used;
        const uint32_t r = residue_pick(left, used);
        order[i] = queues[r][taken[r]++];
        left[r]--;
        used |= UINT32_C(1) << r;
    }
}
