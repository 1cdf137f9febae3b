/* SPDX-License-Identifier: Apache-2.0 */
/* The host-side differences between the families that store A as tensor-core operands: the blocks of a unit.
 * Each family has one such table; the rest of packing and of the CPU kernels is shared. */
#ifndef SPMMI_TCBLOCK_KIND_H
#define SPMMI_TCBLOCK_KIND_H

#include "tcblock_fill.h"

struct spmmi_tcblock_kind {
    uint32_t block_rows;
    uint32_t (*block_columns)(uint32_t value_bytes);
    uint32_t step_columns;          /* entries of `columns` per step, a power of two */
    uint16_t has_locals, has_masks; /* as in struct spmmi_tcblocks */
    uint32_t step_bytes; /* packed values of a step are padded to a multiple of this; 0: not padded */
    size_t unit_size;    /* bytes of the scratch of one thread for a unit */
    /* Returns the bytes that unit_make allocates. */
    uint64_t (*unit_bytes)(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols);
    /* Allocates scratch for units of up to `nonzeros` nonzeros of a matrix with `cols` columns. Errors:
     * MEMORY; the caller calls unit_free after errors too. */
    spmm_status_t (*unit_make)(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols, void *unit,
                               spmm_diag_t *diag);
    void (*unit_free)(void *unit);
    /* Reads a unit from row_count rows of op(A). */
    void (*unit_read)(const struct spmmi_tcblock_frame *f, void *unit, const uint32_t *rows,
                      uint32_t row_count);
    /* Maximum bytes per nonzero that are kept of a unit for the second pass. */
    uint32_t kept_max;
    /* Maximum bytes per unit that are kept in addition. */
    uint32_t kept_unit;
    /* Returns the bytes to keep of this unit. */
    uint64_t (*unit_bytes_kept)(const void *unit);
    /* Writes this number of bytes to memory, which is aligned to 16 bytes. */
    void (*unit_keep)(const void *unit, char *memory);
    /* Restores a unit. It refers to that memory as long as it is used, and uses the scratch
     * of a unit from unit_make. */
    void (*unit_recall)(void *unit, const void *scratch, const char *memory);
    /* Returns the numbers of steps, blocks and values of the unit. Raises *blocks_max and *values_max to the
     * largest numbers of one of its steps. */
    struct spmmi_tcblock_position (*unit_needs)(const struct spmmi_tcblock_frame *f, const void *unit,
                                                uint32_t *blocks_max, uint32_t *values_max);
    /* Fills in all arrays of unit u except its items. */
    void (*unit_fill)(const struct spmmi_tcblock_frame *f, const void *unit, uint32_t u,
                      struct spmmi_tcblock_position position);
    /* Optional: returns the mean distance in columns from the first to the last column of an item. */
    uint64_t (*reach)(const struct spmmi_tcblocks *layout);
};

/* Functions for families with blocks of 8 by 8. A unit has one window, or up to windows_max windows. */
uint32_t spmmi_window_block_columns(uint32_t value_bytes);
uint64_t spmmi_windows_bytes(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols);
spmm_status_t spmmi_windows_make(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols, void *unit,
                                 spmm_diag_t *diag);
void spmmi_windows_read(const struct spmmi_tcblock_frame *f, void *unit, const uint32_t *rows,
                        uint32_t row_count);
#define SPMMI_WINDOWS(windows_max)                                                                          \
    .block_rows = SPMMI_TCBLOCK_BLOCK, .block_columns = spmmi_window_block_columns,                         \
    .unit_size = sizeof(struct spmmi_tcblock_unit), .unit_bytes = spmmi_windows_bytes,                      \
    .unit_make = spmmi_windows_make, .unit_free = spmmi_tcblock_unit_free, .unit_read = spmmi_windows_read, \
    .kept_max = SPMMI_UNIT_KEPT_MAX(windows_max), .kept_unit = SPMMI_UNIT_KEPT(windows_max),                \
    .unit_bytes_kept = spmmi_tcblock_unit_bytes_kept, .unit_keep = spmmi_tcblock_unit_keep,                 \
    .unit_recall = spmmi_tcblock_unit_recall, .unit_needs = spmmi_tcblock_needs,                            \
    .unit_fill = spmmi_tcblock_fill

#endif
