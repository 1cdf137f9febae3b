/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry of the wide family: its numbers in plan files, and the sizes that packing, launch, kernel
 * and cost function share. */
#ifndef SPMMI_WIDE_SHAPE_H
#define SPMMI_WIDE_SHAPE_H

#include <spmm/plan.h>

#include "kernels/shared/kernel_base.h"

#define SPMMI_WIDE ((spmm_family_t)7)
#define SPMMI_WIDE_COLUMN_PANELS ((spmm_schedule_t)8)

#define SPMMI_WIDE_LANES 8u       /* lanes of a lane group; each owns 16 bytes of a row of B */
#define SPMMI_WIDE_ROW_BYTES 128u /* bytes of a row of B per lane group */
#define SPMMI_WIDE_GROUPS 4u      /* lane groups of a warp */
#define SPMMI_WIDE_GROUP_ROWS_MAX 2u
#define SPMMI_WIDE_BATCH 16u /* entries of a lane group that are copied at once */
#define SPMMI_WIDE_BATCH_ENTRIES (SPMMI_WIDE_GROUPS * SPMMI_WIDE_BATCH)
#define SPMMI_WIDE_STAGES 3u /* batches per warp in shared memory */

/* The ring: panels of rows of B in shared memory, followed by a row of zeros, which padding reads. */
#define SPMMI_WIDE_PANEL 128u
#define SPMMI_WIDE_SLOTS 5u
#define SPMMI_WIDE_RING (SPMMI_WIDE_PANEL * SPMMI_WIDE_SLOTS)
#define SPMMI_WIDE_AHEAD 2u /* number of panels that a row may be ahead of the slowest row of its slice */

/* Warps of a thread block that multiply, in addition to one that copies, and thread blocks per
 * multiprocessor. Products whose blocks would not fill the multiprocessors once use few warps. */
#define SPMMI_WIDE_WARPS 15u
#define SPMMI_WIDE_WARPS_FEW 7u
#define SPMMI_WIDE_BLOCKS 2u

/* Returns the rows per lane group: two rows share the panels of a block; one if there are few rows. */
#define SPMMI_WIDE_FEW_ROWS 1024u
SPMMI_GEOMETRY uint32_t spmmi_wide_group_rows(uint32_t rows)
{
    return rows <= SPMMI_WIDE_FEW_ROWS ? 1 : SPMMI_WIDE_GROUP_ROWS_MAX;
}

SPMMI_GEOMETRY uint32_t spmmi_wide_panels(uint32_t cols)
{
    return cols / SPMMI_WIDE_PANEL + (cols % SPMMI_WIDE_PANEL != 0);
}

SPMMI_GEOMETRY uint32_t spmmi_wide_slices(uint32_t rows, uint32_t group_rows)
{
    const uint32_t slice = SPMMI_WIDE_GROUPS * group_rows;
    return rows / slice + (rows % slice != 0);
}

/* Returns the warps per block of a launch over this many slices and column tiles. */
SPMMI_GEOMETRY uint32_t spmmi_wide_warps(uint32_t slices, uint32_t tiles, uint32_t multiprocessors)
{
    const uint64_t blocks = (uint64_t)((slices + SPMMI_WIDE_WARPS - 1) / SPMMI_WIDE_WARPS) * tiles;
    const uint64_t at_once = (uint64_t)SPMMI_WIDE_BLOCKS * multiprocessors;
    return blocks < at_once ? SPMMI_WIDE_WARPS_FEW : SPMMI_WIDE_WARPS;
}

/* Returns the bytes of shared memory of a thread block, without its barriers. */
SPMMI_GEOMETRY uint32_t spmmi_wide_shared(uint32_t warps, uint32_t value_bytes)
{
    return (SPMMI_WIDE_RING + 1) * SPMMI_WIDE_ROW_BYTES +
           warps * SPMMI_WIDE_STAGES * SPMMI_WIDE_BATCH_ENTRIES * (2 + value_bytes);
}

#endif
