/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of blocks of 8 rows and 8 columns, which window and panel share. */
#ifndef SPMMI_FRAGMENT_SHAPE_H
#define SPMMI_FRAGMENT_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_FRAGMENT_NUMBERS 64u     /* of a block */
#define SPMMI_FRAGMENT_PANEL_STEP 128u /* columns of a step of a panel */

#endif
