/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which lanes use their entries of a stage, so that lanes that read shared memory together have few bank
 * conflicts. */
#ifndef SPMMI_TILED_BANKS_H
#define SPMMI_TILED_BANKS_H

#include <stdint.h>

/* Shared memory serves a 16-byte read of a warp in four phases of eight lanes, and slots that differ modulo 8 lie in
 * different banks (kernels/tiled/tiled.cuh): a phase without conflict reads eight residues, or equal slots. */
#define SPMMI_BANK_LANES 8u
#define SPMMI_BANK_RESIDUES 8u

/* The entries of eight lanes in one stage: lane l has count[l] of them, its slots begin at l * stride. */
struct spmmi_bank_turns {
    uint32_t stride;
    uint32_t count[SPMMI_BANK_LANES];
    const uint16_t *slot; /* SPMMI_BANK_LANES * stride */
    uint16_t *step;       /* as slot: the step at which the entry is used; out */
    uint16_t *queue;      /* as slot: scratch */
};

/* Each lane uses one entry a step, without a gap, until it has none left; from then on it reads slot 0. Greedy choice:
 * a slot that another lane reads at the step (broadcast), else the residue that no lane reads and of which the lane has
 * most. */
void spmmi_bank_order(struct spmmi_bank_turns *t);

#endif
