/* SPDX-License-Identifier: Apache-2.0 */
/* Panels of several windows, which share the rows of B of a step: locals say which of them a block takes. */
#ifndef SPMMI_PANEL_PACK_H
#define SPMMI_PANEL_PACK_H

#include "kernels/tcblock/tcblock_kind.h"

extern const struct spmmi_tcblock_kind spmmi_panel_kind;

#endif
