/* SPDX-License-Identifier: Apache-2.0 */
/* What executors of products keep, as far as it follows from patterns: they take it, and plans tell it before. Sizes of
 * structs are asserted where these are. */
#ifndef SPMMI_SPGEMM_BYTES_H
#define SPMMI_SPGEMM_BYTES_H

#include <stdint.h>

#define SPMMI_SPGEMM_STATE_BYTES 4096 /* at most: an spmm_product_t */

/* Units that whole rows are put together to: enough that threads end at about the same time, and none so small that
 * taking it costs as much. */
#define SPMMI_SPGEMM_UNITS UINT64_C(1024)
#define SPMMI_SPGEMM_UNIT_COST_MIN UINT64_C(16384)
#define SPMMI_SPGEMM_UNIT_BYTES 48
#define SPMMI_SPGEMM_CUT_BYTES 24 /* of a row that is cut */

/* Products, entries of C and rows of a unit, about. */
static inline uint64_t spmmi_spgemm_unit_cost(uint64_t products)
{
    const uint64_t share = products / SPMMI_SPGEMM_UNITS;
    return share > SPMMI_SPGEMM_UNIT_COST_MIN ? share : SPMMI_SPGEMM_UNIT_COST_MIN;
}

/* Bytes of a position in a row of C of so many entries, on the CPU. */
static inline uint32_t spmmi_spgemm_width(int64_t entries)
{
    return entries <= 256 ? 1 : entries <= 65536 ? 2 : 4;
}

/* Ranges of C on a GPU that looks columns up. */
#define SPMMI_SPGEMM_RANGE_MOST 512     /* entries */
#define SPMMI_SPGEMM_RANGE_NARROW 65536 /* columns that one spans at most whose columns take 2 bytes each */
#define SPMMI_SPGEMM_RANGE_BYTES 28     /* at most */
/* At most: of a long entry and its stretches, beside its products, for each 4,096 of them. */
#define SPMMI_SPGEMM_LONG_BYTES 128

#endif
