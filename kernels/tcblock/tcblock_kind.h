/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the families that hold A as operands of tensor cores, on the host: the blocks of a unit.
 * Each family has one such table; they share everything else of packing and of the CPU kernels. */
#ifndef SPMMI_TCBLOCK_KIND_H
#define SPMMI_TCBLOCK_KIND_H

#include "tcblock_fill.h"

struct spmmi_tcblock_kind {
    uint32_t block_rows;
    uint32_t (*block_columns)(uint32_t value_bytes);
    uint32_t step_columns;          /* entries of columns of a step, a power of two */
    uint16_t has_locals, has_masks; /* of struct spmmi_tcblocks */
    uint32_t step_bytes;            /* packed values of a step are a multiple of so many; 0: of one value */
    size_t unit_size;               /* of what one thread knows about a unit */
    /* Bytes of room that unit_make takes. */
    uint64_t (*unit_bytes)(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols);
    /* Room for a unit of so many nonzeros, of a matrix of so many columns. Errors: MEMORY; unit_free is called after
     * them too. */
    spmm_status_t (*unit_make)(uint32_t unit_rows, uint64_t nonzeros, uint32_t cols, void *unit,
                               spmm_diag_t *diag);
    void (*unit_free)(void *unit);
    /* Fill it from row_count rows. */
    void (*unit_read)(const struct spmmi_tcblock_frame *f, void *unit, const uint32_t *rows,
                      uint32_t row_count);
    /* Most bytes a nonzero of what is kept of a unit for the second pass. */
    uint32_t kept_max;
    /* Most bytes beside them. */
    uint32_t kept_unit;
    /* The bytes that this unit takes. */
    uint64_t (*unit_bytes_kept)(const void *unit);
    /* Into so many bytes of memory, at a multiple of 16 bytes. */
    void (*unit_keep)(const void *unit, char *memory);
    /* Back into a unit, which reads that memory as long as it is used, and takes scratch of a unit that was made. */
    void (*unit_recall)(void *unit, const void *scratch, const char *memory);
    /* Steps, blocks and values of the unit; the most of a step become at least those of its steps. */
    struct spmmi_tcblock_position (*unit_needs)(const struct spmmi_tcblock_frame *f, const void *unit,
                                                uint32_t *blocks_max, uint32_t *values_max);
    /* Everything of unit u but its items. */
    void (*unit_fill)(const struct spmmi_tcblock_frame *f, const void *unit, uint32_t u,
                      struct spmmi_tcblock_position position);
    /* Optional: columns from the first to the last of an item, mean. */
    uint64_t (*reach)(const struct spmmi_tcblocks *layout);
};

/* The functions of families whose blocks are 8 by 8: a unit is one window, or up to windows_max. */
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
