/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_name.h. */
#include "fragment_name.h"

#include <stdio.h>

void spmmi_fragment_name(const char *target, const struct spmmi_part *part, spmm_compute_t compute,
                         int has_peeled, char *text, size_t size)
{
    char rows[8] = "";
    if (part->family != SPMM_FAMILY_WINDOW)
        (void)snprintf(rows, sizeof rows, "/p%u", part->panel_rows % 1000);
    (void)snprintf(text, size, "%s/%s/%s%s%s%s%s/%s", target, spmm_family_name(part->family),
                   spmm_schedule_name(part->schedule), rows,
                   (part->flags & SPMMI_PART_REORDERED) != 0 ? "/reordered" : "",
                   (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? "/permuted" : "",
                   has_peeled ? "/peeled" : "", spmm_compute_name(compute));
}
