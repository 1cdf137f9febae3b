/* SPDX-License-Identifier: Apache-2.0 */
/* Orders the entries of lanes in a stage, so that lanes that read shared memory
 * together have few bank conflicts. */
#ifndef SPMMI_TILED_BANKS_H
#define SPMMI_TILED_BANKS_H

#include <stdint.h>

/* Shared memory serves a 16-byte read of a warp in four phases of eight lanes. Slots that differ
 * modulo 8 are in different banks (kernels/tiled/tiled.cuh), so a phase without conflicts reads eight
 * residues, or equal slots. */
#define SPMMI_BANK_LANES 8u
#define SPMMI_BANK_RESIDUES 8u

/* The entries of eight lanes in one stage. Lane l has count[l] entries; its slots begin at l * stride. */
struct spmmi_bank_turns {
    uint32_t stride;
    uint32_t count[SPMMI_BANK_LANES];
    const uint16_t *slot; /* SPMMI_BANK_LANES * stride */
    uint16_t *step;       /* output, laid out as slot: step at which the entry is used */
    uint16_t *queue;      /* scratch, laid out as slot */
};

/* Assigns a step to each entry. Each lane uses one entry per step, without gaps, until none is left; after
 * that it reads slot 0. The choice is greedy: a slot that another lane already reads at this step
 * (broadcast), else, among residues that no lane reads, the residue with most of the lane's entries. */
void spmmi_bank_order(struct spmmi_bank_turns *t);

#endif
