/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of what executors of sparse products hold, as far as they follow from patterns. Executors allocate
 * these sizes and plans report them in advance. The files that define the structs assert their sizes. */
#ifndef SPMMI_SPGEMM_BYTES_H
#define SPMMI_SPGEMM_BYTES_H

#include <stdint.h>

#define SPMMI_SPGEMM_STATE_BYTES 4096 /* upper bound for an spmm_product_t */

/* Whole rows are grouped into about this many units: enough for threads to finish at about the same time. A
 * unit has a minimum cost, below which taking the unit would cost as much as its work. */
#define SPMMI_SPGEMM_UNITS UINT64_C(1024)
#define SPMMI_SPGEMM_UNIT_COST_MIN UINT64_C(16384)
#define SPMMI_SPGEMM_UNIT_BYTES 48
#define SPMMI_SPGEMM_CUT_BYTES 24 /* per row that is cut */

/* Returns the approximate cost of a unit, in products + entries of C + rows. */
static inline uint64_t spmmi_spgemm_unit_cost(uint64_t products)
{
    const uint64_t share = products / SPMMI_SPGEMM_UNITS;
    return share > SPMMI_SPGEMM_UNIT_COST_MIN ? share : SPMMI_SPGEMM_UNIT_COST_MIN;
}

/* Returns the bytes of a position in a row of C with this number of entries, on the CPU. */
static inline uint32_t spmmi_spgemm_width(int64_t entries)
{
    return entries <= 256 ? 1 : entries <= 65536 ? 2 : 4;
}

/* Ranges of C for a GPU that looks columns up (kernel columns). */
#define SPMMI_SPGEMM_RANGE_MOST 512 /* maximum entries of a range */
/* A range that spans at most this many columns stores 2 bytes per column. */
#define SPMMI_SPGEMM_RANGE_NARROW 65536
#define SPMMI_SPGEMM_RANGE_BYTES 28 /* per range, at most */
/* Upper bound for a long entry and its stretches, per 4,096 products. The products themselves are not
 * included. */
#define SPMMI_SPGEMM_LONG_BYTES 128

#endif
