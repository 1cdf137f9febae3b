/* SPDX-License-Identifier: Apache-2.0 */
/* What single panels of a tiled schedule hold; docs/statistics.md defines the figures. */
#ifndef SPMMI_PANEL_COUNT_H
#define SPMMI_PANEL_COUNT_H

#include "panel_pattern.h"

#define SPMMI_PANEL_LANES 32u /* units of a warp */
#define SPMMI_PANEL_LINE_BYTES 64u
#define SPMMI_PANEL_SECTOR_BYTES 32u

struct spmmi_panel_count {
    int64_t footprint, stages, slices, runs, lines, sectors;
};

/* Panels the units make; the last one may be lower. */
int64_t spmmi_panels_of(const struct spmmi_panel_input *in);

/* Nonzeros of panel index. */
int64_t spmmi_panel_nonzeros(const struct spmmi_panel_input *in, int64_t index);

/* counts[i] of panel list[i], or of panel i where list is NULL. most: nonzeros that none of them exceeds.
 * Errors: MEMORY. */
spmm_status_t spmmi_panels_count(const struct spmmi_panel_pattern *p, const int64_t *list, int64_t count,
                                 int64_t most, struct spmmi_panel_count *counts);

#endif
