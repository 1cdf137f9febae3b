/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel name of a tiled part, with which measurements distinguish the variants of a schedule. */
#ifndef SPMMI_TILED_NAME_H
#define SPMMI_TILED_NAME_H

#include "format/plan.h"

/* Writes the name: TARGET/tiled/whole/pROWS or TARGET/tiled/segmented-LENGTH/pROWS. Then follow
 * /reordered if the units are not in the order of A (the part does not know which permutation),
 * /permuted if C is written in that order, and /rTILE unless register_tile is 0. A name has at most
 * 59 characters if the target has four. */
void spmmi_tiled_name(const char *target, const struct spmmi_part *part, uint32_t register_tile, char *text,
                      size_t size);

#endif
