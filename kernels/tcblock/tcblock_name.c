/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_name.h. */
#include "tcblock_name.h"

#include <stdio.h>

#include "format/family.h"

void spmmi_tcblock_name(const char *target, const struct spmmi_part *part, spmm_compute_t compute,
                        int has_long_rows, char *text, size_t size)
{
    const struct spmmi_family *family = spmmi_family_of(part->family);
    char rows[8] = "";
    if (family->unit_min != family->unit_max) /* else all units have the same height */
        (void)snprintf(rows, sizeof rows, "/p%u", part->block_rows % 1000);
    (void)snprintf(text, size, "%s/%s/%s%s%s%s%s/%s", target, family->name,
                   spmm_schedule_name(part->schedule), rows,
                   (part->flags & SPMMI_PART_REORDERED) != 0 ? "/reordered" : "",
                   (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? "/permuted" : "",
                   has_long_rows ? "/peeled" : "", spmm_compute_name(compute));
}
