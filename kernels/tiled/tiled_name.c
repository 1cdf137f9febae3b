/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_name.h. */
#include "tiled_name.h"

#include <stdio.h>

void spmmi_tiled_name(const char *target, const struct spmmi_part *part, uint32_t register_tile, char *text,
                      size_t size)
{
    char length[16] = "", tile[16] = "";
    if (part->schedule == SPMM_SCHEDULE_SEGMENTED)
        (void)snprintf(length, sizeof length, "-%u", part->item_size);
    if (register_tile != 0)
        (void)snprintf(tile, sizeof tile, "/r%u", register_tile);
    (void)snprintf(text, size, "%s/tiled/%s%s/p%u%s%s%s", target, spmm_schedule_name(part->schedule), length,
                   part->block_rows, (part->flags & SPMMI_PART_REORDERED) != 0 ? "/reordered" : "",
                   (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? "/permuted" : "", tile);
}
