/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns the columns of a row window in a panel step to block positions (tcblock_kernel.h), so that reads of
 * shared memory have no bank conflicts. */
#ifndef SPMMI_TCBLOCK_BANKS_H
#define SPMMI_TCBLOCK_BANKS_H

#include <stdint.h>

/* Number of positions that are read from shared memory together. Rows of B whose numbers differ modulo this
 * number are in different banks. */
#define SPMMI_TCBLOCK_BANKS 4u

/* Orders the local rows of a window. locals[count]: ascending local rows of a step, at most
 * SPMMI_TCBLOCK_PANEL_STEP. order[i] becomes the index of the local row for position i, which is position
 * i % 8 of block i / 8. Each group of 4 positions takes one local row of each residue modulo 4 as long as
 * there are such rows. It prefers the residue with the most rows left, and the smallest of equal ones. If
 * the residues that the group lacks have no rows left, it takes the smallest residue that has. Rows of
 * the same residue stay ascending. */
void spmmi_tcblock_banks(const uint8_t *locals, uint32_t count, uint8_t *order);

#endif
