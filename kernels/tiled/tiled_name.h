/* SPDX-License-Identifier: Apache-2.0 */
/* What a tiled part is called where a kernel is named, so that measurements tell the variants of a schedule apart. */
#ifndef SPMMI_TILED_NAME_H
#define SPMMI_TILED_NAME_H

#include "format/plan.h"

/* TARGET/tiled/whole/pROWS or TARGET/tiled/segmented-LENGTH/pROWS; then /reordered where the units are in another
 * order than that of A (the part does not know which), /permuted where C is written in that order, and /rTILE unless
 * register_tile is 0. At most 59 characters for a target of four. */
void spmmi_tiled_name(const char *target, const struct spmmi_part *part, uint32_t register_tile, char *text,
                      size_t size);

#endif
