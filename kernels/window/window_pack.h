/* SPDX-License-Identifier: Apache-2.0 */
/* Packs row windows of 8 rows. A step is one block of 8 columns. */
#ifndef SPMMI_WINDOW_PACK_H
#define SPMMI_WINDOW_PACK_H

#include "kernels/tcblock/tcblock_kind.h"

extern const struct spmmi_tcblock_kind spmmi_window_kind;

#endif
