/* SPDX-License-Identifier: Apache-2.0 */
/* Which place of its blocks each column of a window takes in a step of a panel (tcblock_kernel.h). */
#ifndef SPMMI_TCBLOCK_BANKS_H
#define SPMMI_TCBLOCK_BANKS_H

#include <stdint.h>

/* Positions that are read from shared memory together: rows of B in it that differ modulo so many lie in different
 * banks. */
#define SPMMI_TCBLOCK_BANKS 4u

/* locals[count]: local rows of a step, ascending, at most SPMMI_TCBLOCK_PANEL_STEP of them. order[i] becomes the index
 * of the one at place i, which is position i % 8 of block i / 8. Each group of 4 places takes one local row of each
 * residue modulo 4 while there are such, from the residue that has most left first (of equal ones the smallest); where
 * the residues that the group lacks have none left, the smallest that has. Local rows of a residue stay ascending. */
void spmmi_tcblock_banks(const uint8_t *locals, uint32_t count, uint8_t *order);

#endif
