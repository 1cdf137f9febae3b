/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of one unit of the window and panel families (tcblock_kernel.h). */
#ifndef SPMMI_TCBLOCK_UNIT_H
#define SPMMI_TCBLOCK_UNIT_H

#include "format/plan.h"

#define SPMMI_TCBLOCK_WINDOWS_MAX 32u /* windows of 8 rows in a unit */

/* Bits that are one. Without an instruction for it, which not every x86-64 has. */
static inline uint32_t spmmi_ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

struct spmmi_tcblock_column {
    uint32_t column;
    uint32_t values; /* that the rows have in it */
};

/* What one thread knows about a unit. An entry is a column of one window; entries go by window, then ascending. */
struct spmmi_tcblock_unit {
    uint32_t windows;                                     /* of a unit: 1 (window) or more (panel) */
    uint32_t window_first[SPMMI_TCBLOCK_WINDOWS_MAX + 1]; /* first entry of each window, then all entries */
    uint32_t count;                                       /* distinct columns */
    const struct spmmi_tcblock_column *columns;           /* count, ascending */
    uint8_t *rows;                                /* of each entry: bit r: row r of the window has it */
    uint32_t *rank;                               /* of each entry of a row block: its position in columns */
    struct spmmi_tcblock_column *entries, *found; /* scratch, as the next four */
    uint64_t *keys, *spare;
    uint8_t *marks; /* of up to marked_max columns */
    uint32_t *positions;
    uint32_t marked_max;
};

/* Room for a unit of so many windows and nonzeros, of a matrix of so many columns. Errors: MEMORY. Free with
 * spmmi_tcblock_unit_free, also after an error. */
spmm_status_t spmmi_tcblock_unit_make(uint32_t windows, uint64_t nonzeros, uint32_t cols,
                                      struct spmmi_tcblock_unit *unit, spmm_diag_t *diag);
void spmmi_tcblock_unit_free(void *unit);
/* Bytes of that room. */
uint64_t spmmi_tcblock_unit_bytes(uint32_t windows, uint64_t nonzeros, uint32_t cols);

/* Fill unit from its rows: row_count of them, the last windows may have fewer than 8 or none. Time: linear in the
 * nonzeros; for a panel whose columns are far apart times the bytes of their range. */
void spmmi_tcblock_unit_read(struct spmmi_tcblock_unit *unit, const int64_t *row_ptr, const int32_t *col_ind,
                             const uint32_t *rows, uint32_t row_count);

/* What packing needs of it later, of a unit of so many windows at most SPMMI_UNIT_KEPT_MAX bytes a nonzero (only a row
 * block keeps ranks) and SPMMI_UNIT_KEPT, a multiple of 8: its bytes, into memory and back. What is recalled lies in
 * that memory, and is not freed. Of a struct spmmi_tcblock_unit, as those of struct spmmi_tcblock_kind. */
#define SPMMI_UNIT_KEPT_MAX(windows) \
    (sizeof(struct spmmi_tcblock_column) + sizeof(uint8_t) + ((windows) > 1 ? sizeof(uint32_t) : 0))
#define SPMMI_UNIT_KEPT(windows) (((windows) + 4) / 2 * 2 * sizeof(uint32_t))
uint64_t spmmi_tcblock_unit_bytes_kept(const void *unit);
void spmmi_tcblock_unit_keep(const void *unit, char *memory);
void spmmi_tcblock_unit_recall(void *unit, const void *scratch, const char *memory);

#endif
