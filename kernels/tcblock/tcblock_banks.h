/* SPDX-License-Identifier: Apache-2.0 */
/* Which position of its blocks each column of a row window takes in a step of the panel family (tcblock_kernel.h), so
 * that shared memory is read without bank conflicts. */
#ifndef SPMMI_TCBLOCK_BANKS_H
#define SPMMI_TCBLOCK_BANKS_H

#include <stdint.h>

/* Positions that are read from shared memory together: rows of B in it that differ modulo so many lie in different
 * banks. */
#define SPMMI_TCBLOCK_BANKS 4u

/* locals[count]: local rows of a step, ascending, at most SPMMI_TCBLOCK_PANEL_STEP of them. order[i] becomes the index
 * of the one at position i, that is, position i % 8 of block i / 8. Each group of 4 positions takes one local row of
 * each residue modulo 4 while there are such, first from the residue with the most rows left (of equal ones the
 * smallest). Where the residues that the group lacks have no rows left, it takes the smallest residue that has. Local
 * rows of a residue stay ascending. */
void spmmi_tcblock_banks(const uint8_t *locals, uint32_t count, uint8_t *order);

#endif
