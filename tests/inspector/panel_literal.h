/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a tiled schedule counted by their definitions, slowly and in another way than the library does. */
#ifndef SPMM_TESTS_PANEL_LITERAL_H
#define SPMM_TESTS_PANEL_LITERAL_H

#include "inspector/panel_stats.h"

/* O(panels * cols) time. */
void panel_literal(const struct spmmi_panel_input *in, spmm_panel_stats_t *out);

#endif
