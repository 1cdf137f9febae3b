/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_name.h. */
#include "fragment_name.h"

#include <stdio.h>

#include "format/family.h"

void spmmi_fragment_name(const char *target, const struct spmmi_part *part, spmm_compute_t compute,
                         int has_peeled, char *text, size_t size)
{
    const struct spmmi_family *family = spmmi_family_of(part->family);
    char rows[8] = "";
    if (family->unit_min != family->unit_max) /* else all units are alike */
        (void)snprintf(rows, sizeof rows, "/p%u", part->panel_rows % 1000);
    (void)snprintf(text, size, "%s/%s/%s%s%s%s%s/%s", target, family->name,
                   spmm_schedule_name(part->schedule), rows,
                   (part->flags & SPMMI_PART_REORDERED) != 0 ? "/reordered" : "",
                   (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? "/permuted" : "",
                   has_peeled ? "/peeled" : "", spmm_compute_name(compute));
}
