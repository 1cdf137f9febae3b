/* SPDX-License-Identifier: Apache-2.0 */
/* Which panels stand for all of them, see docs/statistics.md "Sampled figures". */
#ifndef SPMMI_PANEL_SAMPLE_H
#define SPMMI_PANEL_SAMPLE_H

#include <stdbool.h>

#include "panel_input.h"

struct spmmi_panel_sample {
    int64_t *list;  /* count panels that hold nonzeros, ascending; among them the one with the most */
    double *weight; /* of the figures of each in the sums of all panels */
    int64_t count;
    int64_t most; /* nonzeros of that panel */
    bool is_all;  /* that hold nonzeros */
};

/* At most panels_most + 1 panels; all of them, with weight 1, where no more than panels_most hold nonzeros. The same
 * on every machine. Errors: MEMORY. Free with spmmi_panel_sample_close, also after an error. */
spmm_status_t spmmi_panel_sample_open(const struct spmmi_panel_input *in, int64_t panels_most,
                                      struct spmmi_panel_sample *sample);
void spmmi_panel_sample_close(struct spmmi_panel_sample *sample);

#endif
