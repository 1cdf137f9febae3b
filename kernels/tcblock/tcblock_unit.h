/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of one unit of the window and panel families (tcblock_kernel.h). */
#ifndef SPMMI_TCBLOCK_UNIT_H
#define SPMMI_TCBLOCK_UNIT_H

#include "format/plan.h"

#define SPMMI_TCBLOCK_WINDOWS_MAX 32u /* maximum number of windows of 8 rows per unit */

/* Returns the number of set bits. Does not use popcnt, which not every x86-64 CPU has. */
static inline uint32_t spmmi_ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

struct spmmi_tcblock_column {
    uint32_t column;
    uint32_t values; /* number of values of the rows in this column */
};

/* One thread's data about a unit. An entry is a column of one window; entries are sorted
 * by window, then by column. */
struct spmmi_tcblock_unit {
    uint32_t windows; /* windows per unit: 1 (window) or more (panel) */
    /* First entry of each window, then the number of entries. */
    uint32_t window_first[SPMMI_TCBLOCK_WINDOWS_MAX + 1];
    uint32_t count;                             /* number of distinct columns */
    const struct spmmi_tcblock_column *columns; /* count columns, ascending */
    uint8_t *rows;  /* per entry: bit r is set if row r of the window has the column */
    uint32_t *rank; /* per entry of a row block: its column's position in `columns` */
    struct spmmi_tcblock_column *entries, *found; /* these and the next four are scratch */
    uint64_t *keys, *spare;
    uint8_t *marks; /* marks of up to marked_max columns */
    uint32_t *positions;
    uint32_t marked_max;
};

/* Allocates scratch for units with this number of windows and at most `nonzeros` nonzeros, of a matrix with
 * `cols` columns. Errors: MEMORY. Free with spmmi_tcblock_unit_free, also after an error. */
spmm_status_t spmmi_tcblock_unit_make(uint32_t windows, uint64_t nonzeros, uint32_t cols,
                                      struct spmmi_tcblock_unit *unit, spmm_diag_t *diag);
void spmmi_tcblock_unit_free(void *unit);
/* Returns the bytes that spmmi_tcblock_unit_make allocates. */
uint64_t spmmi_tcblock_unit_bytes(uint32_t windows, uint64_t nonzeros, uint32_t cols);

/* Reads a unit from row_count rows; the last windows may have fewer than 8 rows, or none. Time: linear in the
 * nonzeros. For a panel whose columns are far apart, this is multiplied by the bytes of their range. */
void spmmi_tcblock_unit_read(struct spmmi_tcblock_unit *unit, const int64_t *row_ptr, const int32_t *col_ind,
                             const uint32_t *rows, uint32_t row_count);

/* The data of a unit that packing needs later. It takes at most SPMMI_UNIT_KEPT_MAX bytes per nonzero (only
 * row blocks keep ranks) plus SPMMI_UNIT_KEPT bytes, a multiple of 8. The functions return the number of
 * these bytes, write them to memory, and restore the unit. A restored unit refers to that memory and is not
 * freed. They are functions of struct spmmi_tcblock_kind. */
#define SPMMI_UNIT_KEPT_MAX(windows) \
    (sizeof(struct spmmi_tcblock_column) + sizeof(uint8_t) + ((windows) > 1 ? sizeof(uint32_t) : 0))
#define SPMMI_UNIT_KEPT(windows) (((windows) + 4) / 2 * 2 * sizeof(uint32_t))
uint64_t spmmi_tcblock_unit_bytes_kept(const void *unit);
void spmmi_tcblock_unit_keep(const void *unit, char *memory);
void spmmi_tcblock_unit_recall(void *unit, const void *scratch, const char *memory);

#endif
