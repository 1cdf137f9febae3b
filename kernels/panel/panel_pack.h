/* SPDX-License-Identifier: Apache-2.0 */
/* Packs row blocks of several row windows, which share the rows of B of a step. locals
 * has the rows of each block. */
#ifndef SPMMI_PANEL_PACK_H
#define SPMMI_PANEL_PACK_H

#include "kernels/tcblock/tcblock_kind.h"

extern const struct spmmi_tcblock_kind spmmi_panel_kind;

#endif
